package fleet

import (
	"context"

	"github.com/drover-fleet/drover"
)

// StreamLimit is how many streams the caller's tenant may have open on a process.
func (s *Service) StreamLimit(ctx context.Context, p drover.Principal) (int64, error) {
	return s.store.Accounts.Limit(ctx, p.TenantID, drover.QuotaStreams)
}

// AccountLimits lists what the caller's tenant may have, and what it has.
func (s *Service) AccountLimits(ctx context.Context, p drover.Principal) ([]drover.AccountLimit, error) {
	var out []drover.AccountLimit
	for _, quota := range drover.Quotas() {
		limit, err := s.store.Accounts.Limit(ctx, p.TenantID, quota)
		if err != nil {
			return nil, err
		}
		used, err := s.store.Accounts.Used(ctx, p.TenantID, quota)
		if err != nil {
			return nil, err
		}
		out = append(out, drover.AccountLimit{Name: quota, Limit: limit, Used: used})
	}
	return out, nil
}
