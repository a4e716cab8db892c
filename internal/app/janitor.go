package app

import (
	"context"
	"log/slog"
	"sync"
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

// janitor forgets what has run out: ended sessions, old answers and what was done long ago.
type janitor struct {
	store  *store.Store
	now    func() time.Time
	logger *slog.Logger
}

func newJanitor(s *store.Store, now func() time.Time, logger *slog.Logger) *background.Work {
	j := janitor{s, now, logger}
	return &background.Work{Run: func(ctx context.Context) {
		var beside sync.WaitGroup
		defer beside.Wait()
		beside.Go(func() { background.Every(ctx, sweepInterval, j.sweepNoPlace) })
		s.EachPlace(ctx, func(ctx context.Context) { background.Every(ctx, sweepInterval, j.sweep) })
	}}
}

// sweep forgets what tenants have, all of them or those of a place.
func (j janitor) sweep(ctx context.Context) {
	ago := func(d time.Duration) drover.Time { return drover.At(j.now().Add(-d)) }
	j.update(ctx, func(tx *store.Tx) error {
		for _, drop := range []func() error{
			func() error { return tx.SignIn.DropSessions(ctx, ago(0)) },
			func() error { return tx.SignIn.DropSpentSignIns(ctx, ago(0)) },
			func() error { return tx.Accounts.DropAudit(ctx, ago(guard.AuditLifetime)) },
			func() error { return tx.Accounts.DropUsage(ctx, quota.Day(j.now().Add(-guard.AuditLifetime))) },
			func() error { return tx.Accounts.DropMilestoneLinks(ctx, ago(fleet.LinkMemory)) },
			func() error { return tx.Fleet.DropRuns(ctx, ago(fleet.RunHistory)) },
			func() error { return tx.Accounts.DropAnswers(ctx, ago(guard.AnswerLifetime)) },
		} {
			if err := drop(); err != nil {
				return err
			}
		}
		return nil
	})
}

// sweepNoPlace forgets what belongs to no tenant and, where these lie at places, what the operator has and
// what tenants have used that are gone.
func (j janitor) sweepNoPlace(ctx context.Context) {
	j.update(ctx, func(tx *store.Tx) error {
		if err := auth.DropTries(ctx, tx.Accounts, j.now()); err != nil {
			return err
		}
		return tx.Accounts.DropNames(ctx, drover.At(j.now().Add(-fleet.LinkMemory)))
	})
	if j.store.Distributed() {
		j.sweep(store.At(ctx, ""))
		j.update(ctx, func(tx *store.Tx) error {
			return tx.Accounts.DropUsage(ctx, quota.Day(j.now().Add(-guard.AuditLifetime)))
		})
	}
}

func (j janitor) update(ctx context.Context, change func(tx *store.Tx) error) {
	if err := j.store.Update(ctx, change); err != nil && ctx.Err() == nil && !store.Silent(err) {
		j.logger.ErrorContext(ctx, "sweep", "err", err)
	}
}
