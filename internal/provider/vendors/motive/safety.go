package motive

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/client"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

var safety = &provider.Safety{
	Besides: provider.Besides{
		Every: 5 * time.Minute, Names: []string{"driver_performance_events", "speeding_events"}, Need: "an API key that may read safety events",
	},
	Types: provider.TypesOf(func() map[string]drover.SafetyType {
		types := maps.Clone(behaviours)
		types[speedingWord] = drover.SafetySpeeding
		return types
	}()),
}

// behaviours are the vendor's types that have one here. The others are other.
var behaviours = map[string]drover.SafetyType{
	"hard_brake": drover.SafetyBraking, "hard_accel": drover.SafetyAcceleration, "hard_corner": drover.SafetyCornering,
	"crash": drover.SafetyCrash, "seat_belt_violation": drover.SafetySeatBelt, "tailgating": drover.SafetyTailgating,
	"cell_phone": drover.SafetyPhone, "distraction": drover.SafetyDistraction, "drowsiness": drover.SafetyDrowsiness,
	"road_facing_cam_obstruction": drover.SafetyCamera, "driver_facing_cam_obstruction": drover.SafetyCamera,
	"forward_collision_warning": drover.SafetyCollision, "unsafe_lane_change": drover.SafetyLane,
}

type performanceEvents struct {
	Events []struct {
		Event performanceEvent `json:"driver_performance_event"`
	} `json:"driver_performance_events" required:"true"`
	Pagination pagination `json:"pagination"`
}

// performanceEvent is an event. Its speeds are km/h whatever the header.
type performanceEvent struct {
	ID           wire.Text   `json:"id"`
	Type         wire.Text   `json:"type"`
	Start        wire.Time   `json:"start_time"`
	End          wire.Time   `json:"end_time"`
	Acceleration wire.Number `json:"acceleration"`
	StartSpeed   wire.Number `json:"start_speed"`
	Latitude     wire.Number `json:"lat"`
	Longitude    wire.Number `json:"lon"`
	Coaching     wire.Text   `json:"coaching_status"`
	Driver       *driver     `json:"driver"`
	Vehicle      struct {
		ID wire.Text `json:"id"`
	} `json:"vehicle"`
	Media *struct {
		Available wire.Bool `json:"available"`
	} `json:"camera_media"`
}

// record returns the event; false for one of no vehicle or time.
func (e performanceEvent) record() (provider.SafetyEvent, bool) {
	out := provider.SafetyEvent{SystemDeviceID: e.Vehicle.ID.String(), SafetyEvent: drover.SafetyEvent{
		SystemEventID: e.ID.String(), Type: drover.SafetyOther, NativeType: e.Type.String(), DriverID: drover.NewDriverID(e.Driver.id()),
		StartTime: e.Start.Record(), Latitude: e.Latitude.Ptr(), Longitude: e.Longitude.Ptr(), SpeedKPH: e.StartSpeed.Ptr(),
		Status: drover.SafetyOpen,
	}}
	if typ, ok := behaviours[e.Type.String()]; ok {
		out.Type = typ
	}
	if e.End.After(e.Start.Time) {
		out.EndTime = new(e.End.Record())
	}
	switch out.Type { //nolint:exhaustive // of others it is not said in which direction
	case drover.SafetyBraking:
		out.AccelerationG = wire.Map(e.Acceleration.Ptr(), func(g float64) float64 { return -max(g, -g) })
	case drover.SafetyAcceleration:
		out.AccelerationG = wire.Map(e.Acceleration.Ptr(), func(g float64) float64 { return max(g, -g) })
	case drover.SafetyCornering:
		out.LateralG = wire.Map(e.Acceleration.Ptr(), func(g float64) float64 { return max(g, -g) })
	}
	out.Status = judged(e.Coaching)
	if e.Media != nil {
		out.MediaAvailable = e.Media.Available.Ptr()
	}
	return out, e.Vehicle.ID != "" && e.ID != "" && !e.Start.IsZero()
}

// judged is what people made of an event.
func judged(coaching wire.Text) drover.SafetyStatus {
	switch coaching.String() {
	case "dismissed":
		return drover.SafetyDismissed
	case "coached", "reviewed":
		return drover.SafetyReviewed
	}
	return drover.SafetyOpen
}

// SafetyEvents implements provider.SafetyReader: two lists, one after the other. Rounds overlap by a day: what people make of an
// event comes later. Whether the vendor honours the dates is not known, so that older ones are
// left out here.
func (a *Adapter) SafetyEvents(ctx context.Context, q provider.Query) (provider.Page[provider.SafetyEvent], error) {
	return window.Again[provider.SafetyEvent]{
		Now: a.cfg.Now, Overlap: 24 * time.Hour,
		Fetch: func(ctx context.Context, from, to time.Time, cursor string, _ []string) (records []provider.SafetyEvent, next string, err error) {
			page, speeding := strings.CutPrefix(cursor, speedingPages)
			number := paging.Number(page)
			query := url.Values{"start_date": {from.Format(time.DateOnly)}, "end_date": {to.Format(time.DateOnly)}}
			maps.Copy(query, pageQuery(number))
			if speeding {
				records, more, err := a.speeding(ctx, query, number)
				if more {
					next = speedingPages + paging.Cursor(number+1)
				}
				return slices.DeleteFunc(records, func(r provider.SafetyEvent) bool { return r.StartTime.Before(from) }), next, err
			}
			answer, err := client.Get[performanceEvents](ctx, a.api, "/v2/driver_performance_events", query)
			if err != nil {
				return nil, "", err
			}
			for _, item := range answer.Events {
				if r, ok := item.Event.record(); ok && !r.StartTime.Before(from) {
					records = append(records, r)
				}
			}
			if next = speedingPages; answer.Pagination.more(number, len(answer.Events)) {
				next = paging.Cursor(number + 1)
			}
			return records, next, nil
		},
	}.Page(ctx, q)
}

var _ provider.SafetyReader = (*Adapter)(nil)
