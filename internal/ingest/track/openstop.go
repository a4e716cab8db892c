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

// readOpenStops reads the open stops of devices whose stops are to be found anew.
func readOpenStops(ctx context.Context, tx *store.Tx, tenantID string, devices []*device) error {
	var ids []string
	for _, d := range devices {
		if d.touched != nil || d.turned {
			ids = append(ids, d.state.DeviceID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	stops, err := tx.Trips.OpenStops(ctx, tenantID, ids)
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

// openStop finds the open stop anew.
func (d *device) openStop(ctx context.Context, c stopChange) (openStop, error) {
	var o openStop
	if d.open != nil {
		o.before, o.id = d.open, d.open.ID
	}
	after, some, err := d.stopSince(ctx, c)
	if err != nil || !some {
		return o, err
	}
	if d.endOpenStop(&after, o.before) {
		o.after = &after
	}
	return o, nil
}

// stopSince is the stop since the last trip, or since the first position where there
// is no trip; false where nothing is known.
func (d *device) stopSince(ctx context.Context, c stopChange) (s drover.Stop, some bool, err error) {
	s.DeviceID = d.state.DeviceID
	last, driven, err := d.lastTrip(ctx, c)
	if err != nil {
		return s, false, err
	}
	if driven {
		s.StartTime, s.Latitude, s.Longitude = last.EndTime, last.EndLatitude, last.EndLongitude
		if s.Latitude != nil {
			return s, true, nil
		}
	}
	first, err := d.tx.History.Positions(ctx, history.Range{
		TenantID: d.source.TenantID, DeviceID: d.state.DeviceID, From: drover.Milli(max(0, s.StartTime.UnixMilli())), To: drover.At(d.tracker.Now().Add(trip.FutureTolerance)), Limit: 1,
	})
	if err != nil || len(first) == 0 {
		return s, driven, err
	}
	s.Latitude, s.Longitude = &first[0].Latitude, &first[0].Longitude
	if !driven {
		s.StartTime = first[0].Time
	}
	return s, true, nil
}

// lastTrip is the device's last trip; false where there is none.
func (d *device) lastTrip(ctx context.Context, c stopChange) (store.Trip, bool, error) {
	if n := len(c.trips); c.known {
		if n == 0 {
			return store.Trip{}, false, nil
		}
		return c.trips[n-1], true, nil
	}
	last, err := d.tx.Trips.LastTrip(ctx, d.source.TenantID, d.state.DeviceID)
	if errors.Is(err, store.ErrNotFound) {
		return last, false, nil
	}
	return last, err == nil, err
}

// endOpenStop ends the open stop where the trip under way began, and reports whether
// there is a stop at all.
func (d *device) endOpenStop(s, before *drover.Stop) bool {
	var fold trip.State
	fold.Use(d.rules)
	if err := fold.UnmarshalBinary(d.state.TripState); err != nil {
		return true // of another version: the next positions derive all anew
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
