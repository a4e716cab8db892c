package samsara

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

var safety = &provider.Safety{
	Besides: provider.Besides{Every: time.Minute, Names: []string{"safety-events"}, Need: "Read Safety Events & Scores"},
	Types:   provider.TypesOf(labels),
}

// labels are those of the vendor's behaviours that have a type. The others are other.
var labels = map[string]drover.SafetyType{
	"Braking": drover.SafetyBraking, "Acceleration": drover.SafetyAcceleration, "HarshTurn": drover.SafetyCornering,
	"Crash": drover.SafetyCrash, "RolloverProtection": drover.SafetyCrash,
	"Speeding": drover.SafetySpeeding, "LightSpeeding": drover.SafetySpeeding, "ModerateSpeeding": drover.SafetySpeeding,
	"HeavySpeeding": drover.SafetySpeeding, "SevereSpeeding": drover.SafetySpeeding, "MaxSpeed": drover.SafetySpeeding,
	"GenericTailgating": drover.SafetyTailgating, "FollowingDistance": drover.SafetyTailgating,
	"FollowingDistanceModerate": drover.SafetyTailgating, "FollowingDistanceSevere": drover.SafetyTailgating,
	"ForwardCollisionWarning": drover.SafetyCollision, "LaneDeparture": drover.SafetyLane, "ObstructedCamera": drover.SafetyCamera,
	"MobileUsage": drover.SafetyPhone, "Drowsy": drover.SafetyDrowsiness, "NoSeatbelt": drover.SafetySeatBelt,
	"GenericDistraction": drover.SafetyDistraction, "EdgeDistractedDriving": drover.SafetyDistraction,
}

// ignored are labels of what is no dangerous driving, or is in trips already.
var ignored = []string{"Idling", "DefensiveDriving"}

// safetyEvent is an event with what the vendor saw in it.
type safetyEvent struct {
	ID    wire.Text `json:"id"`
	Asset struct {
		ID wire.Text `json:"id"`
	} `json:"asset"`
	Driver struct {
		ID wire.Text `json:"id"`
	} `json:"driver"`
	Labels []struct {
		Label wire.Text `json:"label"`
	} `json:"behaviorLabels"`
	State    wire.Text `json:"eventState"`
	Start    wire.Text `json:"startMs"` // a text
	End      wire.Text `json:"endMs"`
	Location struct {
		Latitude  wire.Number `json:"latitude"`
		Longitude wire.Number `json:"longitude"`
		Heading   wire.Number `json:"headingDegrees"`
	} `json:"location"`
	GForce   wire.Number `json:"maxAccelerationGForce"`
	Speeding struct {
		Max   wire.Number `json:"maxSpeedKilometersPerHour"`
		Limit wire.Number `json:"postedSpeedLimitKilometersPerHour"`
	} `json:"speedingMetadata"`
	Media *[]struct{} `json:"media"`
}

// record returns the event; false for one of no vehicle or time, or of what is ignored. Of several
// labels the first that has a type says what it is.
func (e safetyEvent) record() (provider.SafetyEvent, bool) {
	out := provider.SafetyEvent{SystemDeviceID: e.Asset.ID.String(), SafetyEvent: drover.SafetyEvent{
		SystemEventID: e.ID.String(), Type: drover.SafetyOther, DriverID: drover.NewDriverID(e.Driver.ID.Ptr()),
		Latitude: e.Location.Latitude.Ptr(), Longitude: e.Location.Longitude.Ptr(), Heading: e.Location.Heading.Ptr(),
		MaxSpeedKPH: e.Speeding.Max.Ptr(), SpeedLimitKPH: e.Speeding.Limit.Ptr(), Status: stateOf(e.State.String()),
	}}
	var words []string
	for _, l := range e.Labels {
		word := l.Label.String()
		if word != "" {
			words = append(words, word)
		}
		if typ, ok := labels[word]; ok && out.Type == drover.SafetyOther {
			out.Type = typ
		}
	}
	if len(words) == 1 && (words[0] == ignored[0] || words[0] == ignored[1]) {
		return out, false
	}
	out.NativeType = strings.Join(words, ", ")
	if g := e.GForce.Ptr(); g != nil {
		switch out.Type { //nolint:exhaustive // of others it is not said in which direction
		case drover.SafetyBraking:
			out.AccelerationG = new(-*g)
		case drover.SafetyAcceleration:
			out.AccelerationG = g
		case drover.SafetyCornering:
			out.LateralG = g
		}
	}
	if e.Media != nil {
		out.MediaAvailable = new(len(*e.Media) > 0)
	}
	start, err := strconv.ParseInt(e.Start.String(), 10, 64)
	if err != nil {
		return out, false
	}
	out.StartTime = drover.Milli(start)
	if end, err := strconv.ParseInt(e.End.String(), 10, 64); err == nil && end > start {
		out.EndTime = new(drover.Milli(end))
	}
	return out, e.Asset.ID != "" && e.ID != ""
}

// stateOf is what a person has made of an event.
func stateOf(word string) drover.SafetyStatus {
	switch strings.ToLower(word) {
	case "dismissed":
		return drover.SafetyDismissed
	case "reviewed", "coached", "recognized", "needscoaching", "needsrecognition":
		return drover.SafetyReviewed
	case "invalid":
		return drover.SafetyInvalid
	}
	return drover.SafetyOpen
}

// SafetyEvents implements provider.SafetyReader: it reads by the time of the last change.
func (a *Adapter) SafetyEvents(ctx context.Context, q provider.Query) (provider.Page[provider.SafetyEvent], error) {
	return window.Again[provider.SafetyEvent]{
		Now: a.cfg.Now, Overlap: 24 * time.Hour,
		Fetch: func(ctx context.Context, from, to time.Time, cursor string, _ []string) ([]provider.SafetyEvent, string, error) {
			rows, next, err := page[safetyEvent](ctx, a, "/safety-events/stream", url.Values{
				"startTime": {wire.ISOMilli(from)}, "endTime": {wire.ISOMilli(to)}, "queryByTimeField": {"updatedAtTime"},
				"includeAsset": {"true"}, "includeDriver": {"true"}, "includeVgOnlyEvents": {"true"},
			}, cursor)
			return wire.Records(rows, safetyEvent.record), next, err
		},
	}.Page(ctx, q)
}

var _ provider.SafetyReader = (*Adapter)(nil)
