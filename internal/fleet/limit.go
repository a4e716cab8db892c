package fleet

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// within refuses a change that takes a tenant past one of its limits. It is asked
// in the transaction that adds, before anything else of it, so that of two who want
// the last place one is refused. A change that adds nothing passes: whoever is
// above a limit that was lowered may still have less.
func within(ctx context.Context, tx *store.Tx, tenantID string, quota drover.Quota, more int64) error {
	if more <= 0 {
		return nil
	}
	limit, used, err := tx.LimitForUpdate(ctx, tenantID, quota)
	if err != nil {
		return err
	}
	if used+more > limit {
		return quota.Reached(limit)
	}
	return nil
}

// StreamLimit is how many streams the caller's tenant may have open on a process.
func (s *Service) StreamLimit(ctx context.Context, p drover.Principal) (int64, error) {
	return s.store.Limit(ctx, p.TenantID, drover.QuotaStreams)
}

// AccountLimits lists what the caller's tenant may have, and what it has.
func (s *Service) AccountLimits(ctx context.Context, p drover.Principal) ([]drover.AccountLimit, error) {
	var out []drover.AccountLimit
	for _, quota := range drover.Quotas() {
		limit, err := s.store.Limit(ctx, p.TenantID, quota)
		if err != nil {
			return nil, err
		}
		used, err := s.store.Used(ctx, p.TenantID, quota)
		if err != nil {
			return nil, err
		}
		out = append(out, drover.AccountLimit{Name: quota, Limit: limit, Used: used})
	}
	return out, nil
}
