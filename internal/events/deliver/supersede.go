package deliver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// SupersedeAfter is the age from which positions that were not delivered give way
// to newer ones of the same devices.
const SupersedeAfter = 10 * time.Minute

// supersedePage bounds the batches that are held in memory, and given up, at once.
const supersedePage = 100

// Supersede gives up positions that were not delivered for long where newer ones
// of the same devices wait. A target that cannot be looked at holds up no other.
func (d *Deliverer) Supersede(ctx context.Context) error {
	before := drover.At(d.Now().Add(-SupersedeAfter))
	targets, err := d.Store.Feed.StaleTargets(ctx, before)
	if err != nil {
		return err
	}
	var failed []error
	for _, t := range targets {
		n, err := d.supersede(ctx, t, before)
		d.metrics.superseded.Add(float64(n))
		if err != nil {
			failed = append(failed, fmt.Errorf("target %s: %w", t.ID, err))
		}
	}
	return errors.Join(failed...)
}

// supersede reads what waits for a target, newest first, beside the writer, and
// gives it up page by page.
func (d *Deliverer) supersede(ctx context.Context, t drover.Target, before drover.Time) (total int, err error) {
	newer := coverage{}
	for last := ""; ; {
		page, err := d.Store.Feed.WaitingPositions(ctx, t, last, supersedePage)
		if err != nil {
			return total, err
		}
		old, err := newer.covered(page, before)
		if err != nil {
			return total, err
		}
		if len(old) > 0 {
			var n int
			err := d.Store.Update(ctx, func(tx *store.Tx) (err error) {
				n, err = tx.Feed.SupersedeDeliveries(ctx, t, old)
				return err
			})
			if err != nil {
				return total, err
			}
			total += n
		}
		if len(page) < supersedePage {
			return total, nil
		}
		last = page[len(page)-1].EventID
	}
}

// coverage knows the devices that newer positions wait of.
type coverage map[string]bool

// covered lists the batches of a page, newest first, that are from before the time
// given and whose devices all have newer ones.
func (c coverage) covered(page []work.WaitingBatch, before drover.Time) (old []string, err error) {
	for _, b := range page {
		devices := b.Devices
		if devices == nil {
			batch, err := drover.ReadPositions(b.Data)
			if err != nil {
				return nil, fmt.Errorf("read positions of event %s: %w", b.EventID, err)
			}
			for _, s := range batch.Subjects() {
				devices = append(devices, s.DeviceID)
			}
		}
		covered := b.CreatedAt.Before(before.Time)
		for _, id := range devices {
			covered = covered && c[id]
			c[id] = true
		}
		if covered {
			old = append(old, b.EventID)
		}
	}
	return old, nil
}
