package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// Driver reads one driver, of a shared connection with the scope for who drives alone.
func (s Drivers) Driver(ctx context.Context, p drover.Principal, id string) (drover.Driver, error) {
	d, err := s.store.Drivers.Driver(ctx, p.TenantID, id)
	if err != nil {
		return drover.Driver{}, guard.OrNotFound(err, guard.UnknownDriver, id)
	}
	if err := guard.MayReadDrivers(p, d.Access); err != nil {
		return drover.Driver{}, err
	}
	return d.Driver, nil
}

// Drivers lists drivers by id, after the id given.
func (s Drivers) Drivers(
	ctx context.Context,
	p drover.Principal,
	f drover.DriverFilter,
	after drover.IDCursor,
	limit int,
) ([]drover.Driver, error) {
	f.Tag = drover.NormalizeTag(f.Tag)
	return s.store.Drivers.Drivers(ctx, p.TenantID, f, string(after), limit)
}

// UpdateDriver changes the fields that were sent.
func (s Drivers) UpdateDriver(ctx context.Context, p drover.Principal, id string, u drover.DriverUpdate) (drover.Driver, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.Driver{}, err
	}
	seen, err := s.store.Drivers.Driver(ctx, p.TenantID, id)
	if err != nil {
		return drover.Driver{}, guard.OrNotFound(err, guard.UnknownDriver, id)
	}
	if err := guard.Owned(p, seen.TenantID); err != nil {
		return drover.Driver{}, err
	}
	if _, err := u.Apply(seen.Driver); err != nil {
		return drover.Driver{}, drover.Under(err, "body")
	}
	var changed store.Driver
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error {
		before, err := tx.Drivers.DriverForUpdate(ctx, p.TenantID, id)
		if err != nil {
			return guard.OrNotFound(err, guard.UnknownDriver, id)
		}
		if err := guard.Unchanged(ctx, before.Driver); err != nil {
			return err
		}
		changed = before
		if changed.Driver, err = u.Apply(before.Driver); err != nil {
			return drover.Under(err, "body")
		}
		if u.Active.Set && !slices.Contains(before.Edited, "active") {
			changed.Edited = append(slices.Clone(before.Edited), "active")
		}
		same := drover.SameDriver(before.Driver, changed.Driver)
		if same && len(changed.Edited) == len(before.Edited) {
			return nil
		}
		if err := tx.Drivers.SetDriver(ctx, changed, s.now()); err != nil || same {
			return err
		}
		e, err := drover.NewEvent(drover.EventDriverUpdated, s.now(), changed.Notice())
		if err != nil {
			return err
		}
		return journal.Append(ctx, tx, p.TenantID, []drover.Event{e})
	})
	return changed.Driver, err
}

const (
	// maxDriverID bounds the id of a driver, in bytes.
	maxDriverID = 255
	// maxErasures is how many a tenant may have waiting: each goes through all that it has.
	maxErasures = 100
)

// EraseDriver has a driver, by the provider's id or by that of its record, replaced by a
// pseudonym wherever the tenant's data name it, and the person forgotten. It is written
// down under the pseudonym: the audit would keep the id otherwise. Where that is under way
// already, it goes on.
func (s Drivers) EraseDriver(ctx context.Context, p drover.Principal, driverID string) (drover.DriverErasure, error) {
	if err := guard.MayAdminister(p); err != nil {
		return drover.DriverErasure{}, err
	}
	if driverID == "" || len(driverID) > maxDriverID || strings.ContainsRune(driverID, 0) {
		return drover.DriverErasure{}, drover.InvalidValue("a driver id must have 1 to 255 bytes", "path", "driver_id")
	}
	if d, err := s.store.Drivers.Driver(ctx, p.TenantID, driverID); err == nil && d.TenantID == p.TenantID {
		driverID = d.SystemDriverID // the record's id was given
	} else if err != nil && !errors.Is(err, store.ErrNotFound) {
		return drover.DriverErasure{}, err
	}
	e := work.DriverErasure{TenantID: p.TenantID, DriverID: driverID, DriverErasure: drover.DriverErasure{
		ID: store.NewID(), Pseudonym: drover.ErasedDriver + strings.ToLower(rand.Text()[:16]), State: drover.JobQueued, RequestedAt: s.now(),
	}}
	waits := drover.DriverErasure{}
	err := s.guard.Update(guard.About(ctx, "driver", e.Pseudonym), p, func(tx *store.Tx) error {
		if err := tx.Accounts.LockCounts(ctx, p.TenantID); err != nil {
			return err
		}
		waiting, err := tx.Jobs.WaitingDriverErasures(ctx, p.TenantID)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(waiting, func(w work.DriverErasure) bool { return w.DriverID == driverID }); i >= 0 {
			waits = waiting[i].DriverErasure
			return nil
		}
		if len(waiting) >= maxErasures {
			return drover.Errorf(drover.KindForbidden, "Limit of %d erasures under way reached", maxErasures)
		}
		waits = e.DriverErasure
		return tx.Jobs.AddDriverErasure(ctx, e)
	})
	return waits, err
}

// DriverErasure says how far the erasure of a driver is.
func (s Drivers) DriverErasure(ctx context.Context, p drover.Principal, id string) (drover.DriverErasure, error) {
	if err := guard.MayAdminister(p); err != nil {
		return drover.DriverErasure{}, err
	}
	other, err := s.store.Jobs.OtherDriverErasure(ctx, p.TenantID, id)
	if err != nil {
		return drover.DriverErasure{}, err
	}
	if other {
		return drover.DriverErasure{}, drover.Forbidden()
	}
	e, err := s.store.Jobs.DriverErasure(ctx, p.TenantID, id)
	return e.DriverErasure, guard.OrNotFound(err, guard.UnknownErasure, id)
}
