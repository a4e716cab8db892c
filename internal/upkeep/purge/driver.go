package purge

import (
	"context"
	"errors"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

const (
	// renameStep is how many numbers of a feed one transaction looks at.
	renameStep = 1000
	// underWay is longer than anything lasts that reads a driver and writes it: a
	// transaction, or a delivery with its answer.
	underWay = 5 * time.Minute
)

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
		ended, err := e.eraseDriver(ctx, &d)
		if err != nil {
			return err
		}
		if ended {
			e.Logger.InfoContext(ctx, "replaced a driver", "tenant", d.TenantID, "pseudonym", d.Pseudonym)
		}
	}
	return ctx.Err()
}

// eraseDriver replaces a driver by a pseudonym wherever the tenant's data name it, and goes
// through all of it until nothing is found. A transaction that has read the driver before may
// still write it afterwards, such as a trip or what is sent: so it ends only where nothing is
// found a second time, after every such one has ended.
func (e *Eraser) eraseDriver(ctx context.Context, d *work.DriverErasure) (ended bool, err error) {
	r := work.NewRename(d.DriverID, d.Pseudonym)
	clean := d.CleanAt != nil
	for again := true; again; {
		before, sent := d.Trips+d.Positions+d.Events, int64(0)
		for _, step := range []func(context.Context, *work.DriverErasure, work.Rename) error{
			e.forgetPerson, e.renameTrips, e.renameRecords, e.renamePositions, e.renameEvents,
		} {
			if err := step(ctx, d, r); err != nil {
				return false, err
			}
		}
		if sent, err = e.renameSent(ctx, d, r); err != nil {
			return false, err
		}
		again = d.Trips+d.Positions+d.Events > before || sent > 0
		clean = clean && !again
	}
	now := drover.At(e.Now())
	return clean, e.Store.UpdateBulk(ctx, func(tx *store.Tx) error {
		if clean {
			return tx.Jobs.EndDriverErasure(ctx, *d, now)
		}
		if err := tx.Jobs.ExpireExportsOf(ctx, d.TenantID, r, now); err != nil {
			return err
		}
		return tx.Jobs.LookAgain(ctx, *d, now, drover.At(e.Now().Add(underWay)))
	})
}

// forgetPerson leaves of the drivers with the id the pseudonym alone, one of each connection.
// It comes first: what names the person goes before what names the id.
func (e *Eraser) forgetPerson(ctx context.Context, d *work.DriverErasure, r work.Rename) error {
	return e.Store.UpdateBulk(ctx, func(tx *store.Tx) error {
		erased, err := tx.Drivers.ForgetDriver(ctx, d.TenantID, r.From, r.To, drover.At(e.Now()))
		if err != nil {
			return err
		}
		for _, one := range erased {
			event, err := drover.NewEvent(drover.EventDriverUpdated, drover.At(e.Now()), one.Notice())
			if err != nil {
				return err
			}
			if err := journal.Publish(ctx, tx, d.TenantID, one.ConnectionID, []drover.Event{event}); err != nil {
				return err
			}
		}
		return tx.Jobs.RenewDriverErasure(ctx, *d, drover.At(e.Now().Add(claim)))
	})
}

func (e *Eraser) renameTrips(ctx context.Context, d *work.DriverErasure, r work.Rename) error {
	for {
		n := int64(0)
		err := e.Store.UpdateBulk(ctx, func(tx *store.Tx) (err error) {
			if n, err = tx.Trips.RenameDriver(ctx, d.TenantID, r); err != nil {
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

// renameRecords goes through the safety events, and through what was stated of who drove. They
// are counted with the trips.
func (e *Eraser) renameRecords(ctx context.Context, d *work.DriverErasure, r work.Rename) error {
	for _, rename := range []func(tx *store.Tx) (int64, error){
		func(tx *store.Tx) (int64, error) { return tx.Vehicles.RenameSafetyDriver(ctx, d.TenantID, r) },
		func(tx *store.Tx) (int64, error) { return tx.Drivers.RenameAssigned(ctx, d.TenantID, r) },
	} {
		for n := int64(work.EraseRows); n >= work.EraseRows; {
			err := e.Store.UpdateBulk(ctx, func(tx *store.Tx) (err error) {
				n, err = rename(tx)
				return err
			})
			if err != nil {
				return err
			}
			d.Trips += n
		}
	}
	return nil
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
	recipients, own, err := e.recipients(ctx, d.TenantID)
	if err != nil {
		return err
	}
	for _, recipient := range recipients {
		if err := e.renameFeed(ctx, d, recipient, own, r); err != nil {
			return err
		}
	}
	return nil
}

// recipients are those who have received something of a tenant's connections, and these.
func (e *Eraser) recipients(ctx context.Context, tenantID string) (recipients, own []string, err error) {
	recipients, err = e.Store.Jobs.Recipients(ctx, tenantID)
	if err != nil || len(recipients) == 0 {
		return nil, nil, err
	}
	connections, err := e.Store.Fleet.Connections(ctx, tenantID, "")
	if err != nil {
		return nil, nil, err
	}
	for _, c := range connections {
		if c.TenantID == tenantID {
			own = append(own, c.ID)
		}
	}
	if len(own) == 0 {
		return nil, nil, nil
	}
	return recipients, own, nil
}

// renameSent goes through what is kept of deliveries and of messages between tenants, and
// reports how much named the driver.
func (e *Eraser) renameSent(ctx context.Context, d *work.DriverErasure, r work.Rename) (n int64, err error) {
	recipients, own, err := e.recipients(ctx, d.TenantID)
	if err != nil {
		return 0, err
	}
	steps := []func(tx *store.Tx) (int64, error){
		func(tx *store.Tx) (int64, error) { return tx.Jobs.RenameInMessages(ctx, d.TenantID, r) },
		func(tx *store.Tx) (int64, error) { return tx.Jobs.RenameInDeliveries(ctx, d.TenantID, nil, r) },
	}
	for _, recipient := range recipients {
		steps = append(steps, func(tx *store.Tx) (int64, error) { return tx.Jobs.RenameInDeliveries(ctx, recipient, own, r) })
	}
	for _, step := range steps {
		for some := int64(1); some > 0; n += some {
			err := e.Store.UpdateBulk(ctx, func(tx *store.Tx) (err error) {
				some, err = step(tx)
				return err
			})
			if err != nil {
				return n, err
			}
		}
	}
	return n, nil
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
