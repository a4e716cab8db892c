package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/quota"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// usageInterval is how often what tenants use is written down: a process that is killed
// loses what it has counted since.
const usageInterval = 10 * time.Second

// newUsageWriter writes down what tenants use, and once more at the end.
func newUsageWriter(s *store.Store, meter *quota.Meter, logger *slog.Logger) *background.Work {
	write := func(ctx context.Context) {
		if err := writeUsage(ctx, s, meter); err != nil && ctx.Err() == nil {
			logger.ErrorContext(ctx, "write usage", "err", err)
		}
	}
	return &background.Work{Run: func(ctx context.Context) {
		background.Every(ctx, usageInterval, write)
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		write(last)
	}}
}

// writeUsage adds what was counted to the database, place by place. What cannot be written is kept.
func writeUsage(ctx context.Context, s *store.Store, meter *quota.Meter) error {
	return store.ByPlace(s, meter.Take(), func(u quota.Metered) string { return u.Tenant }, func(counted []quota.Metered) error {
		rows := make([]account.UsageDay, len(counted))
		for i, u := range counted {
			rows[i] = account.UsageDay{TenantID: u.Tenant, Day: u.Day, Requests: u.Requests, Positions: u.Positions, Deliveries: u.Deliveries}
		}
		err := s.Update(ctx, func(tx *store.Tx) error { return tx.Accounts.AddUsage(ctx, rows) })
		if err != nil {
			meter.Return(counted)
		}
		return err
	})
}
