package motive

import (
	"context"
	"net/http"
	"net/url"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	// speedingWord is what the vendor calls speeding, which it has in a list of its own.
	speedingWord = "speeding_event"
	// speedingPages begins the cursors of that list.
	speedingPages = "s"
)

// speedingEvents is a page of that list. It says beside the list what others say in an object.
type speedingEvents struct {
	Events []struct {
		Event speedingEvent `json:"speeding_event"`
	} `json:"speeding_events" required:"true"`
	pagination
}

// speedingEvent is an event. Its speeds are km/h whatever the header.
type speedingEvent struct {
	ID        wire.Text   `json:"id"`
	Start     wire.Time   `json:"start_time"`
	End       wire.Time   `json:"end_time"`
	Max       wire.Number `json:"max_vehicle_speed"`
	Limit     wire.Number `json:"max_posted_speed_limit_in_kph"`
	LowLimit  wire.Number `json:"min_posted_speed_limit_in_kph"`
	Latitude  wire.Number `json:"start_lat"`
	Longitude wire.Number `json:"start_lon"`
	Status    wire.Text   `json:"status"`
	Coaching  wire.Text   `json:"coaching_status"`
	Driver    *driver     `json:"driver"`
	Vehicle   struct {
		ID wire.Text `json:"id"`
	} `json:"vehicle"`
	Metadata struct {
		Severity wire.Text `json:"severity"`
	} `json:"metadata"`
}

// severities are the vendor's words. There is none above high.
var severities = map[string]drover.SafetySeverity{
	"low": drover.SafetyLow, "medium": drover.SafetyMedium, "high": drover.SafetyHigh, "critical": drover.SafetyHigh,
}

// record returns the event; false for one of no vehicle or time. Both lists count their ids for
// themselves.
func (e speedingEvent) record() (provider.SafetyEvent, bool) {
	out := provider.SafetyEvent{SystemDeviceID: e.Vehicle.ID.String(), SafetyEvent: drover.SafetyEvent{
		SystemEventID: "speeding-" + e.ID.String(), Type: drover.SafetySpeeding, NativeType: speedingWord,
		DriverID: drover.NewDriverID(e.Driver.id()), StartTime: e.Start.Record(), MaxSpeedKPH: e.Max.Ptr(),
		SpeedLimitKPH: wire.First(e.Limit.Ptr(), e.LowLimit.Ptr()), Status: judged(e.Coaching),
	}}
	if at := wire.Coordinate(e.Latitude.Ptr(), e.Longitude.Ptr()); at != nil {
		out.Latitude, out.Longitude = &at.Latitude, &at.Longitude
	}
	if e.End.After(e.Start.Time) {
		out.EndTime = new(e.End.Record())
	}
	if severity, ok := severities[e.Metadata.Severity.String()]; ok {
		out.Severity = &severity
	}
	if e.Status == "invalid" {
		out.Status = drover.SafetyInvalid
	}
	return out, e.Vehicle.ID != "" && e.ID != "" && !e.Start.IsZero()
}

// speedingField is what coverage calls speeding.
const speedingField = drover.FieldSafety + "." + string(drover.SafetySpeeding)

// speeding reads a page of speeding. A key that may read performance events alone has none.
func (a *Adapter) speeding(ctx context.Context, query url.Values, number int) ([]provider.SafetyEvent, bool, error) {
	answer, err := client.Get[speedingEvents](ctx, a.api, "/v1/speeding_events", query)
	switch provider.StatusOf(err) {
	case http.StatusForbidden:
		a.cfg.Withhold(speedingField, "an API key that may read speeding events")
		return nil, false, nil
	case http.StatusNotFound:
		return nil, false, nil
	}
	if err == nil {
		a.cfg.Permit(speedingField)
	}
	var records []provider.SafetyEvent
	for _, item := range answer.Events {
		if r, ok := item.Event.record(); ok {
			records = append(records, r)
		}
	}
	return records, err == nil && answer.more(number, len(answer.Events)), err
}
