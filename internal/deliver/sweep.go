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

// sweep gives up old positions, and forgets what is too old to be replayed.
func (d *Deliverer) sweep(ctx context.Context) {
	next := d.Now().Add(keepEvery)
	background.Every(ctx, sweepEvery, func(ctx context.Context) {
		err := d.Supersede(ctx)
		if !d.Now().Before(next) {
			next = d.Now().Add(keepEvery)
			err = errors.Join(err, d.Forget(ctx))
		}
		if err != nil && ctx.Err() == nil {
			d.Logger.ErrorContext(ctx, "sweep deliveries", "err", err)
		}
	})
}

// Forget drops deliveries that are too old to be replayed, and those to webhooks
// that are gone. It reads beside the writer and deletes in pieces, so that nobody
// waits for it; a target that fails holds up no other.
func (d *Deliverer) Forget(ctx context.Context) error {
	before := drover.At(d.Now().Add(-Keep))
	var failed []error
	for t := (drover.Target{}); ; {
		var err error
		if t, err = d.Store.NextTarget(ctx, t); errors.Is(err, store.ErrNotFound) {
			break
		} else if err != nil {
			return errors.Join(append(failed, err)...)
		}
		old := func(ctx context.Context) ([]string, error) {
			return d.Store.SettledDeliveries(ctx, t, before, keepPage)
		}
		lost := func(ctx context.Context) ([]string, error) { return d.Store.LostDeliveries(ctx, t, keepPage) }
		if err := errors.Join(d.drop(ctx, t, old), d.drop(ctx, t, lost)); err != nil {
			failed = append(failed, fmt.Errorf("target %s: %w", t.ID, err))
		}
	}
	return errors.Join(append(failed, d.dropIdle(ctx))...)
}

// drop deletes what find finds, piece by piece.
func (d *Deliverer) drop(ctx context.Context, t drover.Target, find func(context.Context) ([]string, error)) error {
	for {
		ids, err := find(ctx)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := d.Store.UpdateBulk(ctx, func(tx *store.Tx) error { return tx.DropDeliveries(ctx, t, ids) }); err != nil {
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
			n, err = tx.DropIdleTargets(ctx, keepPage)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
