package fleet

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// Trip reads one trip.
func (s *Service) Trip(ctx context.Context, p drover.Principal, id string) (drover.Trip, error) {
	t, err := s.Store.Trip(ctx, p.TenantID, id)
	if err != nil {
		return drover.Trip{}, orNotFound(err, UnknownTrip, id)
	}
	return t.Trip, readable(p, t.Access)
}

// Trips lists trips by start time, after the place given.
func (s *Service) Trips(ctx context.Context, p drover.Principal, f store.TripFilter, after *store.TripCursor, limit int) ([]drover.Trip, error) {
	return s.Store.Trips(ctx, p.TenantID, f, after, limit)
}
