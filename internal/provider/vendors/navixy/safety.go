package navixy

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	// eventLimit is how many events an answer has at most.
	eventLimit = 1000
	// eventSpan is how much one call asks for: the day by which rounds overlap, and more.
	eventSpan = 25 * time.Hour
)

var safety = &provider.Safety{
	Besides: provider.Besides{Every: 5 * time.Minute, Names: []string{"history"}, Need: "an API key that may read the history of events"},
	Types: provider.TypesOf(func() map[string]drover.SafetyType {
		types := maps.Clone(eventTypes)
		maps.DeleteFunc(types, func(_ string, typ drover.SafetyType) bool { return typ == drover.SafetyOther })
		types["braking"], types["acceleration"], types["cornering"] = drover.SafetyBraking, drover.SafetyAcceleration, drover.SafetyCornering
		return types
	}()),
}

// harsh is an event of which the message alone says what it was.
const harsh = "harsh_driving"

// eventTypes are those that are asked for: no other is about how someone drives.
var eventTypes = map[string]drover.SafetyType{
	harsh: drover.SafetyOther, "speedup": drover.SafetySpeeding, "over_speed_reported": drover.SafetySpeeding,
	"crash_alarm": drover.SafetyCrash, "g_sensor": drover.SafetyOther,
	"fatigue_driving": drover.SafetyDrowsiness, "driver_distraction_started": drover.SafetyDistraction,
	"lane_departure": drover.SafetyLane, "forward_collision_warning": drover.SafetyCollision, "headway_warning": drover.SafetyTailgating,
	"peds_collision_warning": drover.SafetyOther, "tsr_warning": drover.SafetyOther, "driver_absence": drover.SafetyOther,
}

// entry is an event of the platform's history, by a rule that the account has made.
type entry struct {
	ID       wire.Text `json:"id"`
	Event    wire.Text `json:"event"`
	Time     wire.Time `json:"time"`
	Tracker  wire.Text `json:"tracker_id"`
	Message  wire.Text `json:"message"`
	Location *struct {
		Latitude  wire.Number `json:"lat"`
		Longitude wire.Number `json:"lng"`
	} `json:"location"`
	Extra struct {
		Employee wire.Text `json:"employee_id"`
		// Stale says that the place is an older one.
		Stale wire.Bool `json:"last_known_location"`
	} `json:"extra"`
}

// record returns the event; false for one of no tracker or time.
func (e entry) record() (provider.SafetyEvent, bool) {
	out := provider.SafetyEvent{SystemDeviceID: e.Tracker.String(), SafetyEvent: drover.SafetyEvent{
		SystemEventID: e.ID.String(), Type: drover.SafetyOther, NativeType: e.Event.String(), StartTime: e.Time.Record(),
		Status: drover.SafetyOpen,
	}}
	if typ, ok := eventTypes[e.Event.String()]; ok {
		out.Type = typ
	}
	switch e.Event {
	case harsh:
		out.Type = provider.NamedSafety(e.Message.String())
	case "speedup":
		out.Method = new(drover.SafetyByPlatform)
	case "over_speed_reported", "crash_alarm", "g_sensor":
		out.Method = new(drover.SafetyByDevice)
	}
	if id := e.Extra.Employee.ID(); id != nil {
		out.DriverID = drover.NewDriverID(id)
	}
	if e.Location != nil && !e.Extra.Stale.Or(false) {
		if at := wire.Coordinate(e.Location.Latitude.Ptr(), e.Location.Longitude.Ptr()); at != nil {
			out.Latitude, out.Longitude = &at.Latitude, &at.Longitude
		}
	}
	return out, e.ID != "" && e.Event != "" && e.Tracker != "" && !e.Time.IsZero()
}

// SafetyEvents implements provider.SafetyReader: all events of the account, oldest first. A tracker
// without a network sends late, so that rounds overlap by a day. The cursor of a page is its start.
func (a *Adapter) SafetyEvents(ctx context.Context, q provider.Query) (provider.Page[provider.SafetyEvent], error) {
	return window.Again[provider.SafetyEvent]{
		Now: a.cfg.Now, Overlap: 24 * time.Hour,
		Fetch: func(ctx context.Context, from, to time.Time, cursor string, _ []string) (records []provider.SafetyEvent, next string, err error) {
			if cursor != "" {
				if from, err = time.Parse(time.RFC3339, cursor); err != nil {
					return nil, "", err
				}
			}
			end := from.Add(eventSpan)
			if end.After(to) {
				end = to
			}
			var entries list[entry]
			err = a.api.Post(ctx, "/history/user/list", object{
				"from": wire.ISO(from), "to": timestamp(end), "events": slices.Sorted(maps.Keys(eventTypes)),
				"limit": eventLimit, "ascending": true,
			}, &entries)
			if err != nil {
				return nil, "", err
			}
			if n := len(entries.List); n >= eventLimit {
				// There are more from the time of the last one on, and where all are of one second after it.
				if end = entries.List[n-1].Time.Time; !end.After(from) {
					end = from.Add(time.Second)
				}
			}
			if end.Before(to) {
				next = wire.ISO(end)
			}
			return wire.Records(entries.List, entry.record), next, nil
		},
	}.Page(ctx, q)
}

var _ provider.SafetyReader = (*Adapter)(nil)
