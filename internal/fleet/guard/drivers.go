package guard

import (
	"context"
	"errors"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// MayReadDrivers refuses a caller who may not know who drives the vehicles of a connection.
// A driver's record is all about a person, so that nothing of it is for others.
func MayReadDrivers(p drover.Principal, a store.Access) error {
	if err := Readable(p, a); err != nil {
		return err
	}
	if !GrantOf(p, a).Drivers() {
		return drover.Requires(drover.ScopeDrivers)
	}
	return nil
}

// DriverNow is whom the newest position of a device names, empty where it names no one, and when
// that was, for a caller who may know who drives. Where the device was is not part of it.
func DriverNow(ctx context.Context, from *store.Store, p drover.Principal, d store.Device) (driver string, at drover.Time, err error) {
	if err := MayReadDrivers(p, d.Access); err != nil {
		return "", at, err
	}
	newest, err := from.Fleet.LatestPosition(ctx, d.TenantID, d.ID)
	if errors.Is(err, store.ErrNotFound) {
		return "", at, nil
	}
	if err != nil || newest.DriverID == nil {
		return "", newest.Time, err
	}
	return *newest.DriverID, newest.Time, nil
}
