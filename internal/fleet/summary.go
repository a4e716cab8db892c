package fleet

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// AccountSummary counts the caller's records.
func (s Account) AccountSummary(ctx context.Context, p drover.Principal) (drover.AccountSummary, error) {
	return store.Read(ctx, s.store, p.TenantID, func(from *store.Store) (drover.AccountSummary, error) {
		return from.Fleet.AccountSummary(ctx, p.TenantID, s.now())
	})
}

// ActivitySummary sums up the caller's last days, with stops where they are asked
// for.
func (s Trips) ActivitySummary(ctx context.Context, p drover.Principal, days, limit int, stops bool) (drover.ActivitySummary, error) {
	return store.Read(ctx, s.store, p.TenantID, func(from *store.Store) (drover.ActivitySummary, error) {
		return from.Fleet.ActivitySummary(ctx, p.TenantID, days, limit, stops, s.now())
	})
}

// Storage says what the history of the caller's tenant takes in the database, and for
// how long it is kept.
func (s Account) Storage(ctx context.Context, p drover.Principal) (drover.AccountStorage, error) {
	return store.Read(ctx, s.store, p.TenantID, func(from *store.Store) (drover.AccountStorage, error) {
		used, err := from.TenantStorage(ctx, p.TenantID, s.now())
		if err != nil {
			return drover.AccountStorage{}, err
		}
		own, err := from.Accounts.Retention(ctx, p.TenantID)
		return drover.AccountStorage{Storage: used, Retention: s.retentionOf(own)}, err
	})
}

// retentionOf is the operator's setting with what a tenant has set of its own, of which
// 0 days are for ever.
func (s *core) retentionOf(own account.Retention) drover.Retention {
	kept := s.retention
	if own.PositionDays != nil {
		kept.PositionDays = own.PositionDays
		if *own.PositionDays == 0 {
			kept.PositionDays = nil
		}
	}
	return kept
}
