package track

import (
	"context"
	"errors"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// openStop is the stop after the last stored trip, as it is stored and as it becomes;
// nil where there is none. It goes on until a trip is under way, whose begin ends it,
// and is stored like any other once that trip is.
type openStop struct {
	before, after *drover.Stop
	// id is what the new one is called; empty where that is still to be chosen.
	id string
}

// readOpenStops reads the open stops of devices whose stops are to be found again.
func readOpenStops(ctx context.Context, tx store.TripsTx, tenantID string, devices []*device) error {
	var ids []string
	for _, d := range devices {
		if d.touched != nil || d.turned {
			ids = append(ids, d.state.DeviceID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	stops, err := tx.OpenStops(ctx, tenantID, ids)
	if err != nil {
		return err
	}
	for _, d := range devices {
		d.open = nil
		if s, some := stops[d.state.DeviceID]; some {
			d.open = &s
		}
	}
	return nil
}

// openStop finds the open stop again: it is the last one since the last trip.
func (d *device) openStop(c stopChange) openStop {
	var o openStop
	if d.open != nil {
		o.before, o.id = d.open, d.open.ID
	}
	if n := len(c.since); n > 0 && d.endOpenStop(&c.since[n-1], o.before) {
		o.after = &c.since[n-1]
	}
	return o
}

// stopsSince are the stops since the last trip, or since the first position where there is
// no trip; none where nothing is known. Where the vendor reports the trips, one that is not
// reported yet may lie between two places, so all of it is one stop.
func (d *device) stopsSince(ctx context.Context, c *stopChange) ([]drover.Stop, error) {
	if d.touched == nil && d.open != nil && !d.source.NativeTrips {
		s := *d.open
		s.EndTime = nil
		return []drover.Stop{s}, nil // only whether it goes on has changed
	}
	before, err := d.lastTrip(ctx, c)
	if err != nil {
		return nil, err
	}
	s, some, err := d.stopSince(ctx, before)
	if err != nil || !some {
		return nil, err
	}
	one := []drover.Stop{s}
	fold, known := d.folded()
	if d.source.NativeTrips || !known {
		return one, nil
	}
	until, underWay := fold.Began()
	if !underWay {
		until = drover.At(d.tracker.Now().Add(trip.FutureTolerance))
	}
	seen, err := d.standing(ctx, s.StartTime, until)
	if err != nil || len(seen) < 2 {
		return one, err
	}
	return d.stopsOf(seen, before, s.StartTime, nil), nil
}

// stopSince is what follows on the last trip, as one stop; false where nothing is known.
func (d *device) stopSince(ctx context.Context, before *store.Trip) (s drover.Stop, some bool, err error) {
	s.DeviceID = d.state.DeviceID
	if before != nil {
		s.StartTime, s.Latitude, s.Longitude = before.EndTime, before.EndLatitude, before.EndLongitude
		if s.Latitude != nil {
			return s, true, nil
		}
	}
	first, err := d.tx.History.Positions(ctx, history.Range{
		TenantID: d.source.TenantID, DeviceID: d.state.DeviceID, From: drover.Milli(max(0, s.StartTime.UnixMilli())),
		To: drover.At(d.tracker.Now().Add(trip.FutureTolerance)), Limit: 1,
	})
	if err != nil || len(first) == 0 {
		return s, before != nil, err
	}
	s.Latitude, s.Longitude = &first[0].Latitude, &first[0].Longitude
	if before == nil {
		s.StartTime = first[0].Time
	}
	return s, true, nil
}

// lastTrip is the device's last trip; nil where there is none.
func (d *device) lastTrip(ctx context.Context, c *stopChange) (*store.Trip, error) {
	if n := len(c.trips); c.known {
		if n == 0 {
			return nil, nil
		}
		return &c.trips[n-1], nil
	}
	last, err := d.tx.Trips.LastTrip(ctx, d.source.TenantID, d.state.DeviceID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &last, err
}

// folded is the state of the trips; false for one of another version, for the next
// positions derive all again.
func (d *device) folded() (fold trip.State, known bool) {
	fold.Use(d.rules)
	return fold, fold.UnmarshalBinary(d.state.TripState) == nil
}

// endOpenStop ends the open stop where the trip under way began, and reports whether
// there is a stop at all.
func (d *device) endOpenStop(s, before *drover.Stop) bool {
	fold, known := d.folded()
	if !known {
		return true
	}
	began, underWay := fold.Began()
	switch {
	case underWay && !began.Before(s.StartTime.Time):
		s.EndTime = &began
	case underWay && !d.source.NativeTrips:
		return false // the last stored trip goes on
	}
	if d.source.NativeTrips {
		d.endByVendor(s, before)
	}
	return true
}

// endByVendor ends the open stop where the vendor reports the trips: the next one may
// be over long before it is reported.
func (d *device) endByVendor(s, before *drover.Stop) {
	switch {
	case before != nil && before.EndTime != nil && before.StartTime.Equal(s.StartTime.Time) && !d.scattered:
		s.EndTime = before.EndTime
	case s.EndTime == nil && d.begun != nil && !d.begun.Before(s.StartTime.Time):
		s.EndTime = d.begun
	}
}

// idFor is the id of a stop that is over now: that of the open one where it is the same.
func (o *openStop) idFor(s drover.Stop) string {
	if o.before == nil || !o.before.StartTime.Equal(s.StartTime.Time) || o.id != o.before.ID {
		return store.NewID()
	}
	o.id = ""
	return o.before.ID
}

// takeOver gives the open stop the id of one that was over and goes on again.
func (o *openStop) takeOver(old store.Stop) {
	if o.after != nil && o.after.StartTime.Equal(old.StartTime.Time) {
		o.id = old.ID
	}
}

// storeOpenStop stores what the open stop becomes.
func (d *device) storeOpenStop(ctx context.Context, o openStop) error {
	switch {
	case o.after == nil && o.before == nil:
		return nil
	case o.after == nil:
		return d.tx.Trips.DropOpenStop(ctx, d.source.TenantID, d.state.DeviceID)
	case o.id == "":
		o.id = store.NewID()
	}
	o.after.ID = o.id
	if o.before != nil && drover.SameStop(*o.before, *o.after) {
		return nil
	}
	return d.tx.Trips.SetOpenStop(ctx, d.source.TenantID, d.source.ConnectionID, *o.after)
}
