package ruptela

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const (
	eventsVersion = "1"
	// eventObjects is how many objects a page is for, and eventReach the longest time that one call
	// asks for.
	eventObjects = 20
	eventReach   = 7 * 24 * time.Hour
)

var safety = &provider.Safety{
	Besides: provider.Besides{Every: 15 * time.Minute, Names: []string{"detected-events"}, Need: "an API key that may read detected events"},
	Types:   provider.NamedTypes(),
}

// events is a page of what rules have found of an object.
type events struct {
	Events []event `json:"events" required:"true"`
	continuation
}

func (e events) rows() []event { return e.Events }

// event is something that a rule of the account has found.
type event struct {
	Name  wire.Text `json:"name"`
	Start moment    `json:"start"`
	End   *moment   `json:"end"` // none while it lasts
}

type moment struct {
	Time     wire.Time `json:"datetime"`
	Location *struct {
		Latitude  wire.Number `json:"latitude"`
		Longitude wire.Number `json:"longitude"`
	} `json:"location"`
	Speed wire.Number `json:"speed"` // km/h
}

// record returns the event by the name of its rule; false for one without a name or a time, and for
// idling, which positions show. The vendor gives no ids, and names drivers by ids that positions do
// not have.
func (e event) record(objectID string) (provider.SafetyEvent, bool) {
	name := strings.TrimSpace(e.Name.String())
	out := provider.SafetyEvent{SystemDeviceID: objectID, SafetyEvent: drover.SafetyEvent{
		SystemEventID: e.Start.Time.Record().String() + " " + name, Type: provider.NamedSafety(name), NativeType: name,
		StartTime: e.Start.Time.Record(), SpeedKPH: e.Start.Speed.Ptr(), Status: drover.SafetyOpen,
	}}
	if e.End != nil && e.End.Time.After(e.Start.Time.Time) {
		out.EndTime = new(e.End.Time.Record())
	}
	if at := e.Start.Location; at != nil {
		if place := wire.Coordinate(at.Latitude.Ptr(), at.Longitude.Ptr()); place != nil {
			out.Latitude, out.Longitude = &place.Latitude, &place.Longitude
		}
	}
	return out, name != "" && !e.Start.Time.IsZero() && !provider.NamedIdling(name)
}

// SafetyEvents implements provider.SafetyReader, object by object. A tracker without a network sends
// late, so that rounds overlap by a day.
func (a *Adapter) SafetyEvents(ctx context.Context, q provider.Query) (provider.Page[provider.SafetyEvent], error) {
	return window.Again[provider.SafetyEvent]{
		Now: a.cfg.Now, Overlap: 24 * time.Hour,
		Fetch: window.Devices(eventObjects, func(
			ctx context.Context, from, to time.Time, objects []string,
		) (records []provider.SafetyEvent, err error) {
			for _, id := range objects {
				found, err := a.events(ctx, id, from, to)
				if err != nil {
					return nil, err
				}
				records = append(records, found...)
			}
			return records, nil
		}),
	}.Page(ctx, q)
}

// events reads what was found of an object in [from, to), in parts.
func (a *Adapter) events(ctx context.Context, id string, from, to time.Time) (all []provider.SafetyEvent, err error) {
	for from.Before(to) {
		end := from.Add(eventReach)
		if end.After(to) {
			end = to
		}
		rows, err := read[events](ctx, a, "/detected-events", url.Values{
			"version": {eventsVersion}, "object_id": {id}, "from_datetime": {wire.ISOMilli(from)}, "to_datetime": {wire.ISOMilli(end)},
		})
		if err := window.UnlessGone(err); err != nil {
			return nil, err
		}
		all = append(all, wire.Records(rows, func(e event) (provider.SafetyEvent, bool) { return e.record(id) })...)
		from = end
	}
	return all, nil
}

var _ provider.SafetyReader = (*Adapter)(nil)
