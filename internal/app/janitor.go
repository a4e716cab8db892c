package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/quota"
	"github.com/drover-fleet/drover/internal/store"
)

const sweepInterval = 10 * time.Minute

// newJanitor forgets what has run out: ended sessions, old answers and what was done long ago.
func newJanitor(s *store.Store, now func() time.Time, logger *slog.Logger) *background.Work {
	sweep := func(ctx context.Context) {
		err := s.Update(ctx, func(tx *store.Tx) error {
			if err := tx.SignIn.DropSessions(ctx, drover.At(now())); err != nil {
				return err
			}
			if err := auth.DropTries(ctx, tx.Accounts, now()); err != nil {
				return err
			}
			if err := tx.SignIn.DropSpentSignIns(ctx, drover.At(now())); err != nil {
				return err
			}
			if err := tx.Accounts.DropAudit(ctx, drover.At(now().Add(-guard.AuditLifetime))); err != nil {
				return err
			}
			if err := tx.Accounts.DropUsage(ctx, quota.Day(now().Add(-guard.AuditLifetime))); err != nil {
				return err
			}
			if err := tx.Accounts.DropMilestoneLinks(ctx, drover.At(now().Add(-fleet.LinkMemory))); err != nil {
				return err
			}
			if err := tx.Fleet.DropRuns(ctx, drover.At(now().Add(-fleet.RunHistory))); err != nil {
				return err
			}
			return tx.Accounts.DropAnswers(ctx, drover.At(now().Add(-guard.AnswerLifetime)))
		})
		if err != nil && ctx.Err() == nil {
			logger.ErrorContext(ctx, "sweep", "err", err)
		}
	}
	return &background.Work{Run: func(ctx context.Context) { background.Every(ctx, sweepInterval, sweep) }}
}
