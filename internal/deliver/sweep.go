package deliver

import (
	"context"
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
	keepPage  = 100
)

// sweep gives up old positions, and forgets what is too old to be replayed.
func (d *Deliverer) sweep(ctx context.Context) {
	next := d.Now().Add(keepEvery)
	background.Every(ctx, sweepEvery, func(ctx context.Context) {
		err := d.Supersede(ctx)
		if err == nil && !d.Now().Before(next) {
			next = d.Now().Add(keepEvery)
			err = d.forgetOld(ctx)
		}
		if err != nil && ctx.Err() == nil {
			d.Logger.ErrorContext(ctx, "sweep deliveries", "err", err)
		}
	})
}

func (d *Deliverer) forgetOld(ctx context.Context) error {
	before := drover.At(d.Now().Add(-Keep))
	for after := (drover.Target{}); ; {
		page, err := d.Store.Targets(ctx, after, keepPage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, t := range page {
			if err := d.Store.Update(ctx, func(tx *store.Tx) error { return tx.DropDeliveries(ctx, t, before) }); err != nil {
				return err
			}
			after = t
		}
	}
}
