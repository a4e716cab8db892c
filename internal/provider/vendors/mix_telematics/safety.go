package mixtelematics

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/paging"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// eventSpan is how much of the past of an organisation one call asks for: more vehicles than
// there are have more events in it than an answer holds.
const eventSpan = 6 * time.Hour

var safety = &provider.Safety{
	Besides: provider.Besides{Every: 5 * time.Minute, Names: []string{"events"}, Need: "a user who may read events"},
	Types:   provider.NamedTypes(),
}

// libraryEvent is a type of events, as the account has named it.
type libraryEvent struct {
	TypeID      wire.Text `json:"EventTypeId"`
	Description wire.Text `json:"Description"`
}

// event is something that a vehicle has recorded.
type event struct {
	EventID   wire.Text   `json:"EventId"`
	TypeID    wire.Text   `json:"EventTypeId"`
	Category  wire.Text   `json:"EventCategory"`
	AssetID   wire.Text   `json:"AssetId"`
	DriverID  wire.Text   `json:"DriverId"`
	Start     wire.Time   `json:"StartDateTime"`
	End       wire.Time   `json:"EndDateTime"`
	Place     *position   `json:"StartPosition"`
	Value     wire.Number `json:"Value"`
	ValueType wire.Text   `json:"ValueType"`
	Units     wire.Text   `json:"ValueUnits"`
	Limit     wire.Number `json:"SpeedLimit"` // km/h
	// Media are addresses of pictures, which are not read.
	Media map[string]json.RawMessage `json:"MediaUrls"`
}

// record returns the event by what its type is called; false for one of no vehicle or time, for
// the sum of a period, and for idling, which trips have.
func (e event) record(names map[string]string) (provider.SafetyEvent, bool) {
	name := strings.TrimSpace(names[e.TypeID.String()])
	if name == "" {
		name = e.TypeID.String()
	}
	out := provider.SafetyEvent{SystemDeviceID: e.AssetID.String(), SafetyEvent: drover.SafetyEvent{
		SystemEventID: e.EventID.String(), Type: provider.NamedSafety(name), NativeType: name, StartTime: e.Start.Record(),
		SpeedLimitKPH: e.Limit.Ptr(), Status: drover.SafetyOpen,
	}}
	if id := e.DriverID.ID(); id != nil {
		out.DriverID = drover.NewDriverID(id)
	}
	if e.End.After(e.Start.Time) {
		out.EndTime = new(e.End.Record())
	}
	if at := e.Place.point(); at != nil {
		out.Latitude, out.Longitude, out.Heading = &at.Latitude, &at.Longitude, e.Place.Heading.Ptr()
		out.SpeedKPH = e.Place.Speed.Ptr()
	}
	// What was measured is said by the unit alone.
	if kph := strings.EqualFold(e.Units.String(), "km/h"); kph && out.Type == drover.SafetySpeeding && e.ValueType == "Maximum" {
		out.MaxSpeedKPH = e.Value.Ptr()
	}
	if e.Media != nil {
		out.MediaAvailable = new(len(e.Media) > 0)
	}
	return out, e.AssetID != "" && e.EventID != "" && !e.Start.IsZero() && e.Category != "Summary" && !provider.NamedIdling(name)
}

// SafetyEvents implements provider.SafetyReader: it follows the feeds of the organisations.
func (a *Adapter) SafetyEvents(ctx context.Context, q provider.Query) (provider.Page[provider.SafetyEvent], error) {
	return live(a, a.newEvents, a.pastEvents)(ctx, q)
}

// newEvents reads an organisation's feed on from token.
func (a *Adapter) newEvents(ctx context.Context, organisation, token string) ([]provider.SafetyEvent, next, error) {
	path := "/events/groups/createdsince/organisation/" + organisation + "/sincetoken/" + url.PathEscape(token) + "/quantity/1000"
	rows, answer, err := list[event](ctx, a, path, nil)
	if err != nil {
		return nil, next{}, err
	}
	records, err := a.events(ctx, organisation, rows)
	return records, nextOf(answer, token), err
}

// pastEvents reads a past window, a span of one organisation at a time. Their number is the
// cursor.
func (a *Adapter) pastEvents(ctx context.Context, q provider.Query) (provider.Page[provider.SafetyEvent], error) {
	var page provider.Page[provider.SafetyEvent]
	organisations, err := a.organisations(ctx)
	if err != nil || len(organisations) == 0 {
		return page, err
	}
	turn := paging.Number(q.Cursor) - 1
	organisation := organisations[turn%len(organisations)]
	from := q.From.Add(time.Duration(turn/len(organisations)) * eventSpan)
	if !from.Before(q.To) {
		return page, nil
	}
	to := from.Add(eventSpan)
	if to.After(q.To) {
		to = q.To
	}
	path := "/events/groups/entitytype/Asset/from/" + pathTime(from) + "/to/" + pathTime(wire.CeilSecond(to))
	rows, _, err := list[event](ctx, a, path, map[string]any{"EntityIds": numbers([]string{organisation})})
	if err != nil {
		return page, err
	}
	page.Records, err = a.events(ctx, organisation, rows)
	last := turn%len(organisations) == len(organisations)-1 && !to.Before(q.To)
	if page.More = !last; page.More {
		page.Cursor = paging.Cursor(turn + 2)
	}
	return page, err
}

// events converts rows of one organisation.
func (a *Adapter) events(ctx context.Context, organisation string, rows []event) ([]provider.SafetyEvent, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	strangers, err := a.systemDrivers(ctx, organisation)
	if err != nil {
		return nil, err
	}
	names, err := a.eventNames(ctx, organisation)
	if err != nil {
		return nil, err
	}
	return wire.Records(rows, func(e event) (provider.SafetyEvent, bool) {
		if strangers[e.DriverID.String()] {
			e.DriverID = ""
		}
		return e.record(names)
	}), nil
}

// eventNames returns what the types of an organisation's events are called. A user who may not
// read the library gets events by the ids of their types.
func (a *Adapter) eventNames(ctx context.Context, organisation string) (map[string]string, error) {
	kept := a.known.names[organisation]
	if kept == nil {
		read := func(ctx context.Context) (map[string]string, error) {
			rows, _, err := list[libraryEvent](ctx, a, "/libraryevents/organisation/"+organisation, nil)
			if err != nil && provider.KindOf(err) != provider.KindPermanent {
				return nil, err
			}
			names := map[string]string{}
			for _, r := range rows {
				names[r.TypeID.String()] = r.Description.String()
			}
			return names, nil
		}
		kept = &session.Kept[map[string]string]{Read: read, Now: a.cfg.Now, For: memory}
		a.known.names[organisation] = kept
	}
	return kept.Get(ctx)
}

var _ provider.SafetyReader = (*Adapter)(nil)
