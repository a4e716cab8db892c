package purge

import (
	"context"
	"errors"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// renameStep is how many numbers of a feed one transaction looks at.
const renameStep = 1000

// runDrivers replaces all drivers that are to be, to the end.
func (e *Eraser) runDrivers(ctx context.Context) error {
	for ctx.Err() == nil {
		d, err := e.Store.Jobs.ClaimDriverErasure(ctx, drover.At(e.Now()), drover.At(e.Now().Add(claim)))
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := e.eraseDriver(ctx, &d); err != nil {
			return err
		}
		e.Logger.InfoContext(ctx, "replaced a driver", "tenant", d.TenantID, "pseudonym", d.Pseudonym)
	}
	return ctx.Err()
}

// eraseDriver replaces a driver by a pseudonym wherever the tenant's data name it. It goes
// through all of it until nothing is found: packing moves data meanwhile, and a process that
// died may have done a part.
func (e *Eraser) eraseDriver(ctx context.Context, d *work.DriverErasure) error {
	r := work.NewRename(d.DriverID, d.Pseudonym)
	for {
		before := d.Trips + d.Positions + d.Events
		for _, step := range []func(context.Context, *work.DriverErasure, work.Rename) error{e.renameTrips, e.renamePositions, e.renameEvents} {
			if err := step(ctx, d, r); err != nil {
				return err
			}
		}
		if d.Trips+d.Positions+d.Events == before {
			break
		}
	}
	now := drover.At(e.Now())
	return e.Store.UpdateBulk(ctx, func(tx *store.Tx) error {
		if err := tx.Jobs.RenameInSent(ctx, d.TenantID, r, now); err != nil {
			return err
		}
		return tx.Jobs.EndDriverErasure(ctx, *d, now)
	})
}

func (e *Eraser) renameTrips(ctx context.Context, d *work.DriverErasure, r work.Rename) error {
	for {
		n := int64(0)
		err := e.Store.UpdateBulk(ctx, func(tx *store.Tx) (err error) {
			if n, err = tx.Fleet.RenameDriver(ctx, d.TenantID, r); err != nil {
				return err
			}
			next := *d
			next.Trips += n
			return tx.Jobs.RenewDriverErasure(ctx, next, drover.At(e.Now().Add(claim)))
		})
		if err != nil {
			return err
		}
		if d.Trips += n; n < work.EraseRows {
			return nil
		}
	}
}

func (e *Eraser) renamePositions(ctx context.Context, d *work.DriverErasure, r work.Rename) error {
	for from := ""; ; {
		devices, err := e.Store.Fleet.DevicesFrom(ctx, d.TenantID, nil, from, milestonesAtOnce)
		if err != nil {
			return err
		}
		for _, device := range devices {
			if device.ID == from { // it was the last of those before
				continue
			}
			n, err := e.Store.History.RenameDriver(ctx, d.TenantID, device.ID, r.From, r.To)
			if err != nil {
				return err
			}
			d.Positions += n
			err = e.Store.UpdateBulk(ctx, func(tx *store.Tx) error {
				if err := tx.Fleet.RenameNewestDriver(ctx, d.TenantID, device.ID, r); err != nil {
					return err
				}
				return tx.Jobs.RenewDriverErasure(ctx, *d, drover.At(e.Now().Add(claim)))
			})
			if err != nil {
				return err
			}
		}
		if len(devices) < milestonesAtOnce {
			return nil
		}
		from = devices[len(devices)-1].ID
	}
}

// renameEvents goes through the tenant's own feed, and through what those with whom it
// shares have received of its connections.
func (e *Eraser) renameEvents(ctx context.Context, d *work.DriverErasure, r work.Rename) error {
	if err := e.renameFeed(ctx, d, d.TenantID, nil, r); err != nil {
		return err
	}
	recipients, err := e.Store.Jobs.Recipients(ctx, d.TenantID)
	if err != nil || len(recipients) == 0 {
		return err
	}
	connections, err := e.Store.Fleet.Connections(ctx, d.TenantID, "")
	if err != nil {
		return err
	}
	var own []string
	for _, c := range connections {
		if c.TenantID == d.TenantID {
			own = append(own, c.ID)
		}
	}
	if len(own) == 0 {
		return nil
	}
	for _, recipient := range recipients {
		if err := e.renameFeed(ctx, d, recipient, own, r); err != nil {
			return err
		}
		err := e.Store.UpdateBulk(ctx, func(tx *store.Tx) error { return tx.Jobs.RenameInDeliveries(ctx, recipient, own, r) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *Eraser) renameFeed(ctx context.Context, d *work.DriverErasure, feed string, connections []string, r work.Rename) error {
	last, err := e.Store.Feed.LastEvent(ctx, feed)
	if err != nil {
		return err
	}
	for after := int64(0); after < last; after += renameStep {
		n := int64(0)
		err := e.Store.UpdateBulk(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.Jobs.RenameInEvents(ctx, feed, after, min(last, after+renameStep), connections, r)
			return err
		})
		if err != nil {
			return err
		}
		d.Events += n
	}
	return nil
}
