package deliver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	sweepEvery = time.Minute
	// Keep is how long deliveries can be replayed, and their log be read.
	Keep = 30 * 24 * time.Hour
	// keepEvery is how often old ones are looked for.
	keepEvery = time.Hour
	// keepPage bounds what one transaction forgets.
	keepPage = 500
)

// sweep gives up old positions, forgets what is too old to be replayed, and makes due
// what a clock that was ahead has put off: after the start, where the clock was put back,
// and now and then, because it may have been the clock of a process that is gone.
func (d *Deliverer) sweep(ctx context.Context) {
	next := d.Now().Add(keepEvery)
	var last time.Time
	background.Every(ctx, sweepEvery, func(ctx context.Context) {
		err := d.Supersede(ctx)
		now := d.Now()
		old := !now.Before(next)
		if last.IsZero() || now.Before(last) || old {
			err = errors.Join(err, d.Mend(ctx))
		}
		if last = now; old {
			next = now.Add(keepEvery)
			err = errors.Join(err, d.Forget(ctx))
		}
		if err != nil && ctx.Err() == nil && !store.Silent(err) {
			d.Logger.ErrorContext(ctx, "sweep deliveries", "err", err)
		}
	})
}

// Mend makes deliveries due that a clock has put off which was ahead and has been put
// right since, and has targets looked at when something is due.
func (d *Deliverer) Mend(ctx context.Context) error {
	if _, err := d.Store.Feed.MendTargets(ctx); err != nil {
		return err
	}
	return d.eachTarget(ctx, func(t drover.Target) error {
		for {
			ids, err := d.Store.Feed.AheadDeliveries(ctx, t, d.now(), keepPage)
			if err != nil || len(ids) == 0 {
				return err
			}
			if err := d.Store.UpdateBulk(ctx, func(tx *store.Tx) error { return tx.Feed.MakeDue(ctx, t, ids, d.now()) }); err != nil {
				return err
			}
		}
	})
}

// eachTarget calls f for all targets with deliveries; one that fails holds up no other.
func (d *Deliverer) eachTarget(ctx context.Context, f func(t drover.Target) error) error {
	var failed []error
	for t := (drover.Target{}); ; {
		var err error
		if t, err = d.Store.Feed.NextTarget(ctx, t); errors.Is(err, store.ErrNotFound) {
			return errors.Join(failed...)
		} else if err != nil {
			return errors.Join(append(failed, err)...)
		}
		if err := f(t); err != nil {
			failed = append(failed, fmt.Errorf("target %s: %w", t.ID, err))
		}
	}
}

// Forget drops deliveries that are too old to be replayed, and those to webhooks
// that are gone. It reads beside the writer and deletes in pieces, so that no one
// waits for it; a target that fails holds up no other.
func (d *Deliverer) Forget(ctx context.Context) error {
	before := drover.At(d.Now().Add(-Keep))
	err := d.eachTarget(ctx, func(t drover.Target) error {
		old := func(ctx context.Context) ([]string, error) {
			return d.Store.Feed.SettledDeliveries(ctx, t, before, keepPage)
		}
		lost := func(ctx context.Context) ([]string, error) { return d.Store.Feed.LostDeliveries(ctx, t, keepPage) }
		return errors.Join(d.drop(ctx, t, old), d.drop(ctx, t, lost))
	})
	return errors.Join(err, d.dropIdle(ctx))
}

// drop deletes what find finds, piece by piece.
func (d *Deliverer) drop(ctx context.Context, t drover.Target, find func(context.Context) ([]string, error)) error {
	for {
		ids, err := find(ctx)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := d.Store.UpdateBulk(ctx, func(tx *store.Tx) error { return tx.Feed.DropDeliveries(ctx, t, ids) }); err != nil {
			return err
		}
		if len(ids) < keepPage {
			return nil
		}
	}
}

func (d *Deliverer) dropIdle(ctx context.Context) error {
	for n := keepPage; n == keepPage; {
		err := d.Store.UpdateBulk(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.Feed.DropIdleTargets(ctx, keepPage)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
