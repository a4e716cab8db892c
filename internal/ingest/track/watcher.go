package track

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/rules/arrival"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	// claimTime is how long a process keeps a milestone to itself.
	claimTime = time.Minute
	// claimLimit bounds the milestones that are claimed at once, and lookers
	// those that are looked at.
	claimLimit = 64
	lookers    = 8
	// watchIdle is the longest wait: another process may make a milestone due.
	watchIdle = time.Second
)

// Watcher looks at milestones when their time has come, whatever their positions
// do. It is background work, of any number of processes.
type Watcher struct {
	background.Work
	Store   *store.Store
	Tracker *Tracker
	Logger  *slog.Logger
}

// NewWatcher makes a Watcher.
func NewWatcher(s *store.Store, t *Tracker, logger *slog.Logger) *Watcher {
	w := &Watcher{Store: s, Tracker: t, Logger: logger}
	w.Run = func(ctx context.Context) { s.EachPlace(ctx, w.run) }
	return w
}

func (w *Watcher) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := w.RunDue(ctx); err != nil && ctx.Err() == nil && !store.Silent(err) {
			w.Logger.ErrorContext(ctx, "look at milestones", "err", err)
		}
		w.wait(ctx)
	}
}

// wait returns when the next milestone is due.
func (w *Watcher) wait(ctx context.Context) {
	wait := watchIdle
	next, err := w.Store.Trips.NextMilestone(ctx)
	if err == nil {
		wait = min(watchIdle, max(next.Sub(w.Tracker.Now()), 10*time.Millisecond))
	} else if !errors.Is(err, store.ErrNotFound) && ctx.Err() == nil && !store.Silent(err) {
		w.Logger.ErrorContext(ctx, "look for milestones", "err", err)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// RunDue looks at every milestone that is due now.
func (w *Watcher) RunDue(ctx context.Context) error {
	for {
		now := w.Tracker.Now()
		claims, err := w.Store.ClaimMilestones(ctx, drover.At(now), drover.At(now.Add(claimTime)), claimLimit)
		if err != nil || len(claims) == 0 {
			return err
		}
		var wg sync.WaitGroup
		free := make(chan struct{}, lookers)
		for _, c := range claims {
			free <- struct{}{}
			wg.Go(func() {
				defer func() { <-free }()
				if err := w.look(ctx, c); err != nil && ctx.Err() == nil {
					w.Logger.ErrorContext(ctx, "look at milestone", "tenant", c.TenantID, "milestone", c.ID, "err", err)
				}
			})
		}
		wg.Wait()
	}
}

// look decides about a milestone, after what is left of its past has been judged. One
// that was deleted meanwhile needs no look.
func (w *Watcher) look(ctx context.Context, c store.DueMilestone) error {
	for {
		err := w.decide(ctx, c)
		if errors.Is(err, errPast) {
			err = w.resume(ctx, c)
			if err == nil {
				continue
			}
		}
		return unlessGone(err)
	}
}

// decide asks for the way first, and then decides with the milestone locked.
func (w *Watcher) decide(ctx context.Context, c store.DueMilestone) error {
	var route *arrival.Route
	if w.Tracker.Router != nil {
		m, err := w.Store.Trips.Milestone(ctx, c.TenantID, c.ID)
		if err != nil {
			return err
		}
		v, err := w.Tracker.View(ctx, w.Store.Fleet, w.Store.History.Reader, m)
		if err != nil {
			return err
		}
		if v.State.Status == drover.TripInProgress {
			route = w.Tracker.Ask(ctx, v)
		}
	}
	return w.Store.Update(ctx, func(tx *store.Tx) error {
		m, err := tx.Trips.MilestoneForUpdate(ctx, c.TenantID, c.ID)
		if err != nil {
			return err
		}
		return w.Tracker.look(ctx, tx, &m, route)
	})
}

func unlessGone(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}
