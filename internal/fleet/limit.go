package fleet

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

// StreamLimit is how many streams the caller's tenant may have open on a process.
func (s Account) StreamLimit(ctx context.Context, p drover.Principal) (int64, error) {
	return s.store.Accounts.Limit(ctx, p.TenantID, drover.QuotaStreams)
}

// AccountLimits lists what the caller's tenant may have, and what it has.
func (s Account) AccountLimits(ctx context.Context, p drover.Principal) ([]drover.AccountLimit, error) {
	return guard.Limits(ctx, s.store.Accounts, p.TenantID)
}
