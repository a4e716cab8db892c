package fleet

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// Trip reads one trip.
func (s Trips) Trip(ctx context.Context, p drover.Principal, id string) (drover.Trip, error) {
	t, err := s.store.Trips.Trip(ctx, p.TenantID, id)
	if err != nil {
		return drover.Trip{}, guard.OrNotFound(err, guard.UnknownTrip, id)
	}
	return t.Trip, guard.Readable(p, t.Access)
}

// TripSums sums up the trips of a filter; its order does not matter.
func (s Trips) TripSums(ctx context.Context, p drover.Principal, f drover.TripFilter) (drover.TripSums, error) {
	f.Tag = drover.NormalizeTag(f.Tag)
	return s.store.Trips.TripSums(ctx, p.TenantID, f)
}

// Trips lists trips by start time, after the place given, with their drivers where the
// caller may know them.
func (s Trips) Trips(
	ctx context.Context,
	p drover.Principal,
	f drover.TripFilter,
	after drover.TripCursor,
	limit int,
) ([]drover.TripView, error) {
	var place *drover.TripCursor
	if after.Valid() {
		place = &after
	}
	f.Tag = drover.NormalizeTag(f.Tag)
	return store.Read(ctx, s.store, p.TenantID, func(from *store.Store) ([]drover.TripView, error) {
		return from.Trips.TripViews(ctx, p.TenantID, f, place, limit)
	})
}
