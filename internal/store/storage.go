package store

import (
	"context"

	"github.com/drover-fleet/drover"
)

// TenantStorage says what a tenant's history takes.
func (s *Store) TenantStorage(ctx context.Context, tenantID string, now drover.Time) (drover.Storage, error) {
	all := drover.Storage{GeneratedAt: now}
	var err error
	if all.Positions, all.GrowthBytesPerDay, err = s.History.Storage(ctx, tenantID); err != nil {
		return all, err
	}
	all.Events, err = s.Feed.EventStorage(ctx, tenantID)
	return all, err
}
