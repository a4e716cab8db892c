package fleet

import (
	"context"
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// TagDevices adds tags to devices and takes others away, all in one transaction.
func (s Devices) TagDevices(ctx context.Context, p drover.Principal, in drover.DeviceTagInput) (drover.DeviceTagResult, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.DeviceTagResult{}, err
	}
	add, err := drover.NormalizeTags(in.Add)
	if err != nil {
		return drover.DeviceTagResult{}, drover.Under(err, "body", "add")
	}
	remove, err := drover.NormalizeTags(in.Remove)
	if err != nil {
		return drover.DeviceTagResult{}, drover.Under(err, "body", "remove")
	}
	ids := slices.Compact(slices.Sorted(slices.Values(in.DeviceIDs))) // in one order everywhere
	for _, id := range ids {
		d, err := s.store.Fleet.Device(ctx, p.TenantID, id)
		if err != nil {
			return drover.DeviceTagResult{}, guard.AsInvalid(err, guard.UnknownDevice, id, slices.Index(in.DeviceIDs, id))
		}
		if err := guard.Owned(p, d.TenantID); err != nil {
			return drover.DeviceTagResult{}, err
		}
	}
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.DeviceTagResult, error) {
		var result drover.DeviceTagResult
		for _, id := range ids {
			changed, err := s.tagDevice(ctx, tx, p, id, add, remove)
			if err != nil {
				return result, drover.Under(err, "body", "add")
			}
			if changed {
				result.Changed++
			}
		}
		return result, nil
	})
}

func (s *core) tagDevice(ctx context.Context, tx *store.Tx, p drover.Principal, id string, add, remove []string) (bool, error) {
	before, err := tx.Fleet.DeviceForUpdate(ctx, p.TenantID, id)
	if err != nil {
		return false, guard.OrNotFound(err, guard.UnknownDevice, id)
	}
	kept := slices.DeleteFunc(slices.Clone(before.Tags), func(tag string) bool { return slices.Contains(remove, tag) })
	tags, err := drover.NormalizeTags(append(kept, add...))
	if err != nil {
		return false, drover.InvalidValue("device " + id + " would have more than 10 tags")
	}
	if slices.Equal(tags, before.Tags) {
		return false, nil
	}
	after := before
	after.Tags = tags
	if err := tx.Fleet.SetDevice(ctx, after, s.now()); err != nil {
		return false, err
	}
	return true, s.deviceUpdated(ctx, tx, p.TenantID, before.Device, after.Device)
}
