package fleet

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// Stands lists stands by start time, after the place given.
func (s *Service) Stands(ctx context.Context, p drover.Principal, f drover.StandFilter, after drover.TripCursor, limit int) ([]drover.Stand, error) {
	var place *drover.TripCursor
	if after.Valid() {
		place = &after
	}
	return store.Read(ctx, s.store, p.TenantID, func(from *store.Store) ([]drover.Stand, error) {
		return from.Trips.Stands(ctx, p.TenantID, f, place, limit)
	})
}
