package guard

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// Limits lists what a tenant may have, and what it has.
func Limits(ctx context.Context, from account.Reader, tenantID string) ([]drover.AccountLimit, error) {
	var out []drover.AccountLimit
	for _, quota := range drover.Quotas() {
		limit, err := from.Limit(ctx, tenantID, quota)
		if err != nil {
			return nil, err
		}
		used, err := from.Used(ctx, tenantID, quota)
		if err != nil {
			return nil, err
		}
		out = append(out, drover.AccountLimit{Name: quota, Limit: limit, Used: used})
	}
	return out, nil
}

// Within refuses a change that takes a tenant past one of its limits. It is asked
// in the transaction that adds, before anything else of it, so that of two who want
// the last place one is refused. A change that adds nothing passes: anyone who is
// above a limit that was lowered may still have less.
func Within(ctx context.Context, tx *store.Tx, tenantID string, quota drover.Quota, more int64) error {
	if more <= 0 {
		return nil
	}
	limit, used, err := tx.Accounts.LimitForUpdate(ctx, tenantID, quota)
	if err != nil {
		return err
	}
	if used+more > limit {
		return quota.Reached(limit)
	}
	return nil
}

// Room refuses what would exceed a limit by what is stored now: before something that
// costs, which Within decides on afterwards.
func Room(ctx context.Context, from account.Reader, tenantID string, quota drover.Quota, more int64) error {
	if more <= 0 {
		return nil
	}
	limit, err := from.Limit(ctx, tenantID, quota)
	if err != nil {
		return err
	}
	used, err := from.Used(ctx, tenantID, quota)
	if err == nil && used+more > limit {
		err = quota.Reached(limit)
	}
	return err
}
