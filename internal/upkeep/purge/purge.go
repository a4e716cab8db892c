// Package purge erases the data of connections and tenants, device by device, and replaces drivers
// by pseudonyms, in many small transactions with the lowest priority. Each step looks at what is
// left, so a process that dies loses no work that was committed.
package purge

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

const (
	// every is how often connections to erase are looked for.
	every = time.Second
	// claim is how long a process keeps one to itself from step to step.
	claim = 5 * time.Minute
	// eventStep is how many events of a feed one transaction looks at.
	eventStep = 20_000
	// milestonesAtOnce bounds those that are read at once.
	milestonesAtOnce = 100
)

// Options are what an Eraser works with.
type Options struct {
	Store  *store.Store
	Now    func() time.Time
	Logger *slog.Logger
}

// Eraser is the background work, of any number of processes.
type Eraser struct {
	Options
	background.Work
}

// New makes an Eraser.
func New(o Options) *Eraser {
	e := &Eraser{Options: o}
	e.Run = func(ctx context.Context) { o.Store.EachPlace(ctx, e.run) }
	return e
}

func (e *Eraser) run(ctx context.Context) {
	background.Every(ctx, every, func(ctx context.Context) {
		if err := e.RunDue(ctx); err != nil && ctx.Err() == nil && !store.Silent(err) {
			e.Logger.ErrorContext(ctx, "erase", "err", err)
		}
	})
}

// RunDue erases all tenants, connections and drivers that are to be, to the end. One that
// fails is tried again once its claim has ended.
func (e *Eraser) RunDue(ctx context.Context) error {
	return errors.Join(e.runTenants(ctx), e.runConnections(ctx), e.runDrivers(ctx))
}

func (e *Eraser) runConnections(ctx context.Context) error {
	for ctx.Err() == nil {
		p, err := e.Store.Jobs.ClaimPurge(ctx, drover.At(e.Now()), drover.At(e.Now().Add(claim)))
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		for more := true; more; {
			if more, err = e.Step(ctx, &p); err != nil {
				return err
			}
		}
		e.Logger.InfoContext(ctx, "erased a connection", "tenant", p.TenantID, "connection", p.ConnectionID)
	}
	return ctx.Err()
}

// Step erases the next part, and reports whether there is more.
func (e *Eraser) Step(ctx context.Context, p *work.Purge) (more bool, err error) {
	if err := e.eraseRoads(ctx, *p); err != nil {
		return false, err
	}
	devices, err := e.Store.Fleet.DevicesFrom(ctx, p.TenantID, &p.ConnectionID, "", 1)
	switch {
	case err != nil:
		return false, err
	case len(devices) > 0:
		return true, e.eraseDevice(ctx, *p, devices[0].ID)
	case p.EventAfter < p.EventTo:
		return true, e.eraseEvents(ctx, p)
	}
	if err := e.eraseDeliveries(ctx, *p); err != nil {
		return false, err
	}
	if err := e.eraseDrivers(ctx, *p); err != nil {
		return false, err
	}
	if err := e.expireExports(ctx, *p); err != nil {
		return false, err
	}
	erased := false
	err = e.Store.UpdateBulk(ctx, func(tx *store.Tx) (err error) {
		erased, err = tx.Fleet.EraseConnection(ctx, *p)
		return err
	})
	if errors.Is(err, store.ErrNotFound) { // another process was faster
		return false, nil
	}
	return !erased, err
}

// eraseRoads erases where the vehicles of a connection have driven. It comes first, so that
// maps do not show it while the rest goes.
func (e *Eraser) eraseRoads(ctx context.Context, p work.Purge) error {
	for {
		some, err := e.Store.Trips.HasRoads(ctx, p.TenantID, p.ConnectionID)
		if err != nil || !some {
			return err
		}
		err = e.Store.UpdateBulk(ctx, func(tx *store.Tx) error {
			_, err := tx.Trips.EraseRoads(ctx, p.TenantID, p.ConnectionID)
			return err
		})
		if err != nil {
			return err
		}
	}
}

// eraseDeliveries erases what was sent of a connection.
func (e *Eraser) eraseDeliveries(ctx context.Context, p work.Purge) error {
	for more := true; more; {
		err := e.Store.UpdateBulk(ctx, func(tx *store.Tx) (err error) {
			more, err = tx.Jobs.EraseDeliveries(ctx, p)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eraseDrivers erases the drivers that a connection's provider lists.
func (e *Eraser) eraseDrivers(ctx context.Context, p work.Purge) error {
	for more := true; more; {
		err := e.Store.UpdateBulk(ctx, func(tx *store.Tx) (err error) {
			more, err = tx.Drivers.EraseDrivers(ctx, p.TenantID, p.ConnectionID)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eraseDevice erases a device and all that is of it.
func (e *Eraser) eraseDevice(ctx context.Context, p work.Purge, id string) error {
	if err := e.eraseMilestones(ctx, p, id); err != nil {
		return err
	}
	if err := e.Store.History.ErasePositions(ctx, p.TenantID, id); err != nil {
		return err
	}
	type erasing func(ctx context.Context, tenantID, deviceID string) (more bool, err error)
	for _, of := range []func(tx *store.Tx) erasing{
		func(tx *store.Tx) erasing { return tx.Vehicles.EraseReadings },
		func(tx *store.Tx) erasing { return tx.Vehicles.EraseFaults },
		func(tx *store.Tx) erasing { return tx.Vehicles.EraseSafetyEvents },
		func(tx *store.Tx) erasing { return tx.Vehicles.EraseAssignments },
		func(tx *store.Tx) erasing { return tx.Vehicles.EraseNotes },
		func(tx *store.Tx) erasing { return tx.Trips.EraseTrips },
	} {
		for more := true; more; {
			err := e.Store.UpdateBulk(ctx, func(tx *store.Tx) (err error) {
				more, err = of(tx)(ctx, p.TenantID, id)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return e.Store.UpdateBulk(ctx, func(tx *store.Tx) error {
		if err := tx.Fleet.EraseDevice(ctx, p.TenantID, id); err != nil {
			return err
		}
		return e.count(ctx, tx, p)
	})
}

// count notes in the connection that another device has gone.
func (e *Eraser) count(ctx context.Context, tx *store.Tx, p work.Purge) error {
	c, err := tx.Fleet.ConnectionForUpdate(ctx, p.TenantID, p.ConnectionID)
	if err != nil {
		return err
	}
	if progress := c.Configuration.Purge; progress != nil {
		progress.DevicesDone++
		progress.DevicesTotal = max(progress.DevicesTotal, progress.DevicesDone)
	}
	if err := tx.Fleet.SetConnection(ctx, c, drover.At(e.Now())); err != nil {
		return err
	}
	return tx.Jobs.RenewPurge(ctx, p, drover.At(e.Now().Add(claim)))
}

// eraseMilestones deletes the milestones of a device. Those of tenants that it was
// shared with go too: nothing is left to follow.
func (e *Eraser) eraseMilestones(ctx context.Context, p work.Purge, deviceID string) error {
	for {
		milestones, err := e.Store.Trips.MilestonesOf(ctx, p.TenantID, deviceID, milestonesAtOnce)
		if err != nil || len(milestones) == 0 {
			return err
		}
		for _, m := range milestones {
			err := e.Store.UpdateBulk(ctx, func(tx *store.Tx) error { return e.eraseMilestone(ctx, tx, m) })
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
	}
}

func (e *Eraser) eraseMilestone(ctx context.Context, tx *store.Tx, m store.Milestone) error {
	if _, err := tx.Trips.MilestoneForUpdate(ctx, m.TenantID, m.ID); err != nil {
		return err
	}
	if err := tx.Trips.DropMilestone(ctx, m.TenantID, m.ID); err != nil {
		return err
	}
	if err := tx.Jobs.EraseMilestoneEvents(ctx, m.TenantID, m.ID); err != nil {
		return err
	}
	event, err := drover.NewEvent(drover.EventMilestoneDeleted, drover.At(e.Now()), m.Milestone)
	if err != nil {
		return err
	}
	return journal.AppendOf(ctx, tx, m.TenantID, m.DeviceTenantID, []drover.Event{event})
}

// eraseEvents erases the next part of what the feed says of the connection.
func (e *Eraser) eraseEvents(ctx context.Context, p *work.Purge) error {
	next := *p
	to := min(p.EventTo, p.EventAfter+eventStep)
	err := e.Store.UpdateBulk(ctx, func(tx *store.Tx) error {
		if err := tx.Jobs.EraseEvents(ctx, *p, to); err != nil {
			return err
		}
		next.EventAfter = to
		return tx.Jobs.RenewPurge(ctx, next, drover.At(e.Now().Add(claim)))
	})
	if err == nil {
		*p = next
	}
	return err
}

// expireExports lets the exports go that may hold records of the connection: those
// that were not of other connections alone.
func (e *Eraser) expireExports(ctx context.Context, p work.Purge) error {
	var ids []string
	for before := ""; ; {
		exports, err := e.Store.Jobs.Exports(ctx, p.TenantID, before, milestonesAtOnce)
		if err != nil {
			return err
		}
		for _, x := range exports {
			before = x.ID
			if x.ExpiresAt == nil || x.ExpiresAt.After(e.Now()) {
				if mayHold(x.Filters, p.ConnectionID) {
					ids = append(ids, x.ID)
				}
			}
		}
		if len(exports) < milestonesAtOnce {
			break
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return e.Store.UpdateBulk(ctx, func(tx *store.Tx) error { return tx.Jobs.ExpireExports(ctx, p.TenantID, ids, drover.At(e.Now())) })
}

// mayHold reports whether the records that filters choose may be of a connection. The
// connection is a text or a list of them.
func mayHold(filters json.RawMessage, connectionID string) bool {
	var one struct {
		ConnectionID string `json:"connection_id"`
	}
	var many struct {
		ConnectionIDs []string `json:"connection_id"`
	}
	switch {
	case json.Unmarshal(filters, &one) == nil:
		return one.ConnectionID == "" || one.ConnectionID == connectionID
	case json.Unmarshal(filters, &many) == nil:
		return len(many.ConnectionIDs) == 0 || slices.Contains(many.ConnectionIDs, connectionID)
	}
	return true
}
