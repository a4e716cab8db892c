package fleet

import (
	"context"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// Device reads one device.
func (s Devices) Device(ctx context.Context, p drover.Principal, id string) (drover.Device, error) {
	d, err := s.device(ctx, p, id)
	return d.Device, err
}

func (s *core) device(ctx context.Context, p drover.Principal, id string) (store.Device, error) {
	d, err := s.store.Fleet.Device(ctx, p.TenantID, id)
	if err != nil {
		return d, guard.OrNotFound(err, guard.UnknownDevice, id)
	}
	return d, guard.Readable(p, d.Access)
}

// Devices lists devices by id, after the id given.
func (s Devices) Devices(
	ctx context.Context,
	p drover.Principal,
	f drover.DeviceFilter,
	after drover.IDCursor,
	limit int,
) ([]drover.Device, error) {
	f.Tag = drover.NormalizeTag(f.Tag)
	return s.store.Fleet.Devices(ctx, p.TenantID, f, string(after), limit)
}

// DevicesIn lists devices in one state, an empty one being any, in an order, after a
// place of it.
func (s Devices) DevicesIn(
	ctx context.Context,
	p drover.Principal,
	state drover.DeviceState,
	f drover.DeviceFilter,
	o drover.DeviceOrder,
	after drover.SortCursor,
	limit int,
) ([]drover.Sorted[drover.Device], error) {
	f.Tag = drover.NormalizeTag(f.Tag)
	if state == "" {
		return s.store.Fleet.SortedDevices(ctx, p.TenantID, f, o, after, limit)
	}
	newest := drover.NewestFilter{States: []drover.DeviceState{state}}
	if f.ConnectionID != "" {
		newest.ConnectionIDs = []string{f.ConnectionID}
	}
	found, _, err := s.NewestPositions(ctx, p, newest)
	if err != nil {
		return nil, err
	}
	for _, d := range found {
		f.IDs = append(f.IDs, d.DeviceID)
	}
	if len(f.IDs) == 0 {
		return nil, nil
	}
	return s.store.Fleet.SortedDevices(ctx, p.TenantID, f, o, after, limit)
}

// UpdateDevice changes the fields that were sent. From then on collection leaves
// those fields alone.
func (s Devices) UpdateDevice(ctx context.Context, p drover.Principal, id string, u drover.DeviceUpdate) (drover.Device, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.Device{}, err
	}
	seen, err := s.store.Fleet.Device(ctx, p.TenantID, id)
	if err != nil {
		return drover.Device{}, guard.OrNotFound(err, guard.UnknownDevice, id)
	}
	if err := guard.Owned(p, seen.TenantID); err != nil {
		return drover.Device{}, err
	}
	if _, err := u.Apply(seen.Device); err != nil {
		return drover.Device{}, drover.Under(err, "body")
	}
	var changed store.Device
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error {
		before, err := tx.Fleet.DeviceForUpdate(ctx, p.TenantID, id)
		if err != nil {
			return guard.OrNotFound(err, guard.UnknownDevice, id)
		}
		if err := guard.Unchanged(ctx, before.Device); err != nil {
			return err
		}
		changed = before
		if changed.Device, err = u.Apply(before.Device); err != nil {
			return drover.Under(err, "body")
		}
		changed.Edited = editedFields(before.Edited, u)
		if drover.SameDevice(before.Device, changed.Device) && len(changed.Edited) == len(before.Edited) {
			return nil
		}
		if err := tx.Fleet.SetDevice(ctx, changed, s.now()); err != nil {
			return err
		}
		return s.deviceUpdated(ctx, tx, p.TenantID, before.Device, changed.Device)
	})
	return changed.Device, err
}

func (s *core) deviceUpdated(ctx context.Context, tx *store.Tx, tenantID string, before, after drover.Device) error {
	if drover.SameDevice(before, after) {
		return nil
	}
	e, err := drover.NewEvent(drover.EventDeviceUpdated, s.now(), after)
	if err != nil {
		return err
	}
	return journal.Append(ctx, tx, tenantID, []drover.Event{e})
}

// editedFields adds to the names of the fields that the tenant has set itself.
func editedFields(before []string, u drover.DeviceUpdate) []string {
	edited := slices.Clone(before)
	for _, f := range []struct {
		name string
		sent bool
	}{
		{"description", u.Description.Set},
		{"registration", u.Registration.Set},
		{"make", u.Make.Set},
		{"model", u.Model.Set},
		{"year", u.Year.Set},
		{"active", u.Active.Set},
	} {
		if f.sent && !slices.Contains(edited, f.name) {
			edited = append(edited, f.name)
		}
	}
	return edited
}
