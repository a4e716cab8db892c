package store

import (
	"context"
	"time"

	"github.com/drover-fleet/drover/internal/store/database"
)

// Servers says where tenants lie that are distributed, and what is wrong with that.
type Servers struct {
	All []database.TenantServer
	// NotDistributed are tables that are not where they are to be.
	NotDistributed []string
	// MissingWeeks counts those of this week and the next of which positions cannot be stored
	// until all servers answer.
	MissingWeeks int
}

// Servers asks the coordinator, and each server whether it answers.
func (s *Store) Servers(ctx context.Context, now time.Time) (is Servers, err error) {
	tenants, err := s.Accounts.Tenants(ctx)
	if err != nil {
		return is, err
	}
	ids := make([]string, len(tenants))
	for i, t := range tenants {
		ids[i] = t.ID
	}
	if is.All, _, err = database.TenantServers(ctx, s.db, ids); err != nil {
		return is, err
	}
	if is.NotDistributed, err = database.NotDistributed(ctx, s.db); err != nil {
		return is, err
	}
	if is.MissingWeeks, err = s.History.MissingWeeks(ctx, now); err != nil {
		return is, err
	}
	return is, database.Measure(ctx, s.db, is.All)
}
