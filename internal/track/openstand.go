package track

import (
	"context"
	"errors"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/history"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/trip"
)

// openStand is the stand after the last stored trip, as it is stored and as it becomes;
// nil where there is none. It goes on until a trip is under way, whose begin ends it,
// and is stored like any other once that trip is.
type openStand struct {
	before, after *drover.Stand
	// id is what the new one is called; empty where that is still to be chosen.
	id string
}

// openStand finds the open stand anew.
func (d *device) openStand(ctx context.Context) (openStand, error) {
	var o openStand
	before, err := d.tx.OpenStand(ctx, d.source.TenantID, d.state.DeviceID)
	switch {
	case err == nil:
		o.before, o.id = &before, before.ID
	case !errors.Is(err, store.ErrNotFound):
		return o, err
	}
	after, some, err := d.standSince(ctx)
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
func (d *device) standSince(ctx context.Context) (s drover.Stand, some bool, err error) {
	s.DeviceID = d.state.DeviceID
	last, err := d.tx.TripBefore(ctx, d.source.TenantID, d.state.DeviceID, drover.Milli(farFuture))
	driven := err == nil
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return s, false, err
	}
	if driven {
		s.StartTime, s.Latitude, s.Longitude = last.EndTime, last.EndLatitude, last.EndLongitude
		if s.Latitude != nil {
			return s, true, nil
		}
	}
	first, err := d.tx.Positions(ctx, history.Range{
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
		return d.tx.DropOpenStand(ctx, d.source.TenantID, d.state.DeviceID)
	case o.id == "":
		o.id = store.NewID()
	}
	o.after.ID = o.id
	if o.before != nil && drover.SameStand(*o.before, *o.after) {
		return nil
	}
	return d.tx.SetOpenStand(ctx, d.source.TenantID, d.source.ConnectionID, *o.after)
}
