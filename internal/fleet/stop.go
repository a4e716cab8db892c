package fleet

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// Stops lists stops by start time, after the place given.
func (s Trips) Stops(
	ctx context.Context,
	p drover.Principal,
	f drover.StopFilter,
	after drover.TripCursor,
	limit int,
) ([]drover.Stop, error) {
	var place *drover.TripCursor
	if after.Valid() {
		place = &after
	}
	return store.Read(ctx, s.store, p.TenantID, func(from *store.Store) ([]drover.Stop, error) {
		return from.Trips.Stops(ctx, p.TenantID, f, place, limit)
	})
}
