package track

import (
	"context"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// stopPage bounds the positions of a stop that are held in memory at once.
const stopPage = 5000

// touch notes that the trips of a time have changed, or the positions between them.
func (d *device) touch(from, to drover.Time) {
	d.touched = widen(d.touched, from, to)
	d.touchDays(from, to)
}

// widen returns a span that reaches over another time too.
func widen(span *trip.Span, from, to drover.Time) *trip.Span {
	if span == nil {
		return &trip.Span{From: from, To: to}
	}
	if from.Before(span.From.Time) {
		span.From = from
	}
	if to.After(span.To.Time) {
		span.To = to
	}
	return span
}

// settle brings what follows from the trips of devices up to date: stops, then days.
func settle(ctx context.Context, tx *store.Tx, tenantID string, devices ...*device) error {
	of := make([]store.DaysOf, len(devices))
	if err := readOpenStops(ctx, tx.Trips, tenantID, devices); err != nil {
		return err
	}
	for i, d := range devices {
		if err := d.storeStops(ctx); err != nil {
			return err
		}
		var err error
		if of[i], err = d.sumDays(ctx); err != nil {
			return err
		}
	}
	return tx.Trips.SetDeviceDays(ctx, tenantID, of...)
}

// storeStops brings the stops up to date with what was touched. A stop is what
// lies between two trips, no matter who reported them, so all of them follow from the stored
// trips and positions.
func (d *device) storeStops(ctx context.Context) error {
	if d.touched == nil && !d.turned {
		return nil
	}
	c := stopChange{newest: true}
	var err error
	if d.touched != nil {
		var around around
		if around, err = d.tripsAround(ctx, *d.touched); err != nil {
			return err
		}
		c.newest = around.last || d.turned
		if around.last {
			c.trips, c.known = around.trips, true
		}
		if c.stored, err = d.tx.Trips.StopsStarting(ctx, d.source.TenantID, d.state.DeviceID, around.span.From, around.span.To); err != nil {
			return err
		}
		if c.stops, err = d.stopsBetween(ctx, around); err != nil {
			return err
		}
	}
	if c.newest {
		if c.since, err = d.stopsSince(ctx, &c); err != nil {
			return err
		}
	}
	if n := len(c.since); n > 1 && d.touched != nil {
		c.stops = append(c.stops, c.since[:n-1]...)
	}
	d.touched, d.turned = nil, false
	return d.replaceStops(ctx, c)
}

// around are the trips of some time, the one before and the one after them, and the
// span in which the stops between them start.
type around struct {
	trips []store.Trip
	// first says that nothing comes before the trips, last that nothing comes after.
	first, last bool
	span        trip.Span
}

// farFuture is after all times that are stored.
const farFuture = 1 << 52

func (d *device) tripsAround(ctx context.Context, span trip.Span) (around, error) {
	a := around{first: true, last: true, span: trip.Span{From: drover.Milli(0), To: drover.Milli(farFuture)}}
	found, err := d.tx.Trips.TripsAround(ctx, d.source.TenantID, d.state.DeviceID, span.From, span.To)
	if err != nil {
		return a, err
	}
	if before := found.Before; before != nil {
		a.trips, a.first, a.span.From = append(a.trips, *before), false, before.StartTime
	}
	a.trips = append(a.trips, found.Within...)
	if after := found.After; after != nil {
		a.trips, a.last, a.span.To = append(a.trips, *after), false, after.StartTime
	}
	return a, nil
}

// stopsBetween finds the stops between trips, and the one before the first where
// nothing comes before it.
func (d *device) stopsBetween(ctx context.Context, a around) ([]drover.Stop, error) {
	var stops []drover.Stop
	var until drover.Time // all that came before has ended then
	for i, t := range a.trips {
		if i > 0 && until.Before(t.StartTime.Time) || i == 0 && a.first {
			before, err := d.stopsBefore(ctx, a.trips, i, until)
			if err != nil {
				return nil, err
			}
			stops = append(stops, before...)
		}
		if t.EndTime.After(until.Time) {
			until = t.EndTime
		}
	}
	return stops, nil
}

// stopsBefore are the stops before a trip, from a time on; without a trip before they
// begin with the first position. There are several where the vehicle was moved meanwhile:
// one never spans the way to another place.
func (d *device) stopsBefore(ctx context.Context, trips []store.Trip, i int, from drover.Time) ([]drover.Stop, error) {
	until := trips[i].StartTime
	stops, err := d.standing(ctx, from, until)
	if err != nil {
		return nil, err
	}
	if len(stops) == 0 { // no position is kept: it stood where the trip before ended
		stops = []trip.Stop{{}}
	}
	var before *store.Trip
	if i > 0 {
		before = &trips[i-1]
	}
	return d.stopsOf(stops, before, from, &until), nil
}

// standing reads the positions from one time to another, both included, as stops.
func (d *device) standing(ctx context.Context, from, to drover.Time) ([]trip.Stop, error) {
	seen := trip.Standing{Gap: d.rules.Gap}
	r := history.Range{
		TenantID: d.source.TenantID, DeviceID: d.state.DeviceID, From: drover.Milli(max(0, from.UnixMilli())),
		To: drover.Milli(to.UnixMilli() + 1), Limit: stopPage,
	}
	for first := true; ; first = false {
		page, err := d.tx.History.Positions(ctx, r)
		if err != nil {
			return nil, err
		}
		for _, p := range page {
			seen.Add(p.Position)
		}
		if len(page) < stopPage {
			if first {
				d.stood = stretch{from: r.From, to: r.To, positions: page}
			}
			break
		}
		r.From = drover.Milli(page[len(page)-1].Time.UnixMilli() + 1)
	}
	return seen.Stops, nil
}

// stopsOf are stops as they are stored, of which the first began with the end of the trip
// before, and the last ends at a time; it goes on where that is nil.
func (d *device) stopsOf(seen []trip.Stop, before *store.Trip, from drover.Time, until *drover.Time) (out []drover.Stop) {
	for k, stop := range seen {
		s := drover.Stop{
			DeviceID: d.state.DeviceID, StartTime: stop.From, EndTime: new(stop.To), Latitude: new(stop.Place.Latitude),
			Longitude:       new(stop.Place.Longitude),
			EngineOnSeconds: stop.EngineOn, AuxiliarySeconds: stop.Auxiliary, Unseen: stop.Unseen,
		}
		if k == 0 && before != nil {
			s.StartTime = from
			if before.EndLatitude != nil && (stop.From.IsZero() || !apart(endOf(*before), stop.Place)) {
				s.Latitude, s.Longitude = before.EndLatitude, before.EndLongitude
			}
		}
		if k == len(seen)-1 {
			if s.EndTime = until; until == nil {
				s.EngineOnSeconds, s.AuxiliarySeconds = nil, nil
				return append(out, s)
			}
		}
		s.DurationSeconds = s.EndTime.Sub(s.StartTime.Time).Seconds()
		if (s.DurationSeconds > 0 || s.Unseen != nil) && s.StartTime.UnixMilli() > 0 {
			out = append(out, s)
		}
	}
	return out
}

// endOf is where a trip ended, which must be known.
func endOf(t store.Trip) drover.Coordinate {
	return drover.Coordinate{Latitude: *t.EndLatitude, Longitude: *t.EndLongitude}
}

// apart reports whether a stop cannot be in both places.
func apart(a, b drover.Coordinate) bool { return geo.DistanceMetres(a, b) > trip.StopMetres }

// stopChange is what the stops of some time become.
type stopChange struct {
	stored []store.Stop
	stops  []drover.Stop
	// newest says that the time reaches to the present, where a stop may go on.
	newest bool
	// trips are the device's last ones, where that is known.
	trips []store.Trip
	known bool
	// since are the stops since the last trip, the last of which goes on. There are several
	// where the device was moved meanwhile by a way that no trip has.
	since []drover.Stop
}

// replaceStops turns stored stops into others. One that begins or ends as before
// keeps its id, also where it is over now or goes on again.
func (d *device) replaceStops(ctx context.Context, c stopChange) error {
	var open openStop
	if c.newest {
		open = d.openStop(c)
	}
	left := map[string]bool{}
	for _, old := range c.stored {
		left[old.ID] = true
	}
	for _, s := range c.stops {
		i := slices.IndexFunc(c.stored, func(old store.Stop) bool {
			return left[old.ID] && (old.StartTime.Equal(s.StartTime.Time) || old.EndTime.Equal(s.EndTime.Time))
		})
		if i < 0 {
			s.ID = open.idFor(s)
			d.touchDays(s.StartTime, over(s))
			if err := d.tx.Trips.AddStop(ctx, d.source.TenantID, d.source.ConnectionID, store.Stop{Stop: s}); err != nil {
				return err
			}
			continue
		}
		delete(left, c.stored[i].ID)
		if err := d.changeStop(ctx, c.stored[i], s); err != nil {
			return err
		}
	}
	for _, old := range c.stored {
		if left[old.ID] {
			open.takeOver(old)
			d.touchDays(old.StartTime, over(old.Stop))
			if err := d.tx.Trips.DropStop(ctx, d.source.TenantID, d.source.ConnectionID, old); err != nil {
				return err
			}
		}
	}
	return d.storeOpenStop(ctx, open)
}

// changeStop revises a stored stop under its id. What was seen of one whose first
// positions are no longer kept stays.
func (d *device) changeStop(ctx context.Context, before store.Stop, s drover.Stop) error {
	s.ID = before.ID
	if before.StartTime.Before(d.oldest.Time) {
		s.EngineOnSeconds, s.AuxiliarySeconds, s.Unseen = before.EngineOnSeconds, before.AuxiliarySeconds, before.Unseen
	}
	if drover.SameStop(before.Stop, s) {
		return nil
	}
	d.touchDays(before.StartTime, over(before.Stop))
	d.touchDays(s.StartTime, over(s))
	return d.tx.Trips.SetStop(ctx, d.source.TenantID, d.source.ConnectionID, before, store.Stop{Stop: s})
}

// over is when a stop and the unseen way after it have ended.
func over(s drover.Stop) drover.Time {
	if s.Unseen != nil {
		return s.Unseen.EndTime
	}
	return *s.EndTime
}
