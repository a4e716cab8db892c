package track

import (
	"context"
	"errors"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// openStand is the stand after the last stored trip, as it is stored and as it becomes;
// nil where there is none. It goes on until a trip is under way, whose begin ends it,
// and is stored like any other once that trip is.
type openStand struct {
	before, after *drover.Stand
	// id is what the new one is called; empty where that is still to be chosen.
	id string
}

// readOpenStands reads the open stands of devices whose stands are to be found anew.
func readOpenStands(ctx context.Context, tx *store.Tx, tenantID string, devices []*device) error {
	var ids []string
	for _, d := range devices {
		if d.touched != nil || d.turned {
			ids = append(ids, d.state.DeviceID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	stands, err := tx.Trips.OpenStands(ctx, tenantID, ids)
	if err != nil {
		return err
	}
	for _, d := range devices {
		d.open = nil
		if s, some := stands[d.state.DeviceID]; some {
			d.open = &s
		}
	}
	return nil
}

// openStand finds the open stand anew.
func (d *device) openStand(ctx context.Context, c standChange) (openStand, error) {
	var o openStand
	if d.open != nil {
		o.before, o.id = d.open, d.open.ID
	}
	after, some, err := d.standSince(ctx, c)
	if err != nil || !some {
		return o, err
	}
	if d.endOpenStand(&after, o.before) {
		o.after = &after
	}
	return o, nil
}

// standSince is the stand since the last trip, or since the first position where there
// is no trip; false where nothing is known.
func (d *device) standSince(ctx context.Context, c standChange) (s drover.Stand, some bool, err error) {
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
func (d *device) lastTrip(ctx context.Context, c standChange) (store.Trip, bool, error) {
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

// endOpenStand ends the open stand where the trip under way began, and reports whether
// there is a stand at all.
func (d *device) endOpenStand(s, before *drover.Stand) bool {
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

// endByVendor ends the open stand where the vendor reports the trips: the next one may
// be over long before it is reported.
func (d *device) endByVendor(s, before *drover.Stand) {
	switch {
	case before != nil && before.EndTime != nil && before.StartTime.Equal(s.StartTime.Time) && !d.scattered:
		s.EndTime = before.EndTime
	case s.EndTime == nil && d.begun != nil && !d.begun.Before(s.StartTime.Time):
		s.EndTime = d.begun
	}
}

// idFor is the id of a stand that is over now: that of the open one where it is the same.
func (o *openStand) idFor(s drover.Stand) string {
	if o.before == nil || !o.before.StartTime.Equal(s.StartTime.Time) || o.id != o.before.ID {
		return store.NewID()
	}
	o.id = ""
	return o.before.ID
}

// takeOver gives the open stand the id of one that was over and goes on again.
func (o *openStand) takeOver(old store.Stand) {
	if o.after != nil && o.after.StartTime.Equal(old.StartTime.Time) {
		o.id = old.ID
	}
}

// storeOpenStand stores what the open stand becomes.
func (d *device) storeOpenStand(ctx context.Context, o openStand) error {
	switch {
	case o.after == nil && o.before == nil:
		return nil
	case o.after == nil:
		return d.tx.Trips.DropOpenStand(ctx, d.source.TenantID, d.state.DeviceID)
	case o.id == "":
		o.id = store.NewID()
	}
	o.after.ID = o.id
	if o.before != nil && drover.SameStand(*o.before, *o.after) {
		return nil
	}
	return d.tx.Trips.SetOpenStand(ctx, d.source.TenantID, d.source.ConnectionID, *o.after)
}
