package guard

import (
	"context"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// Readings is the leave to read what the instruments of one device say. Only
// MayReadReadings gives it.
type Readings struct{ tenantID, deviceID string }

// MayReadReadings refuses a caller who may not read what the instruments of a device say.
func MayReadReadings(p drover.Principal, a store.Access, deviceID string) (Readings, error) {
	if err := Readable(p, a); err != nil {
		return Readings{}, err
	}
	if !GrantOf(p, a).Readings() {
		return Readings{}, drover.Requires(drover.ScopeReadings)
	}
	return Readings{a.TenantID, deviceID}, nil
}

// Series reads the series of the device with their newest values.
func (r Readings) Series(ctx context.Context, from *store.Store) ([]store.ReadingSeries, error) {
	return from.Vehicles.DeviceReadings(ctx, r.tenantID, r.deviceID)
}

// Read reads values of the device.
func (r Readings) Read(ctx context.Context, from *store.Store, of store.ReadingRange) ([]drover.ReadingRow, error) {
	of.TenantID, of.DeviceID = r.tenantID, r.deviceID
	return from.Vehicles.Readings(ctx, of)
}

// InOrder refuses a span of a list that ends before it begins.
func InOrder(from, to *drover.Time) error {
	if from != nil && to != nil && to.Before(from.Time) {
		return drover.InvalidValue("to must not be before from", "query", "to")
	}
	return nil
}

// MayReadSafety refuses a caller who may not read the safety events of a device.
func MayReadSafety(p drover.Principal, a store.Access) error {
	if err := Readable(p, a); err != nil {
		return err
	}
	if !GrantOf(p, a).Safety() {
		return drover.Requires(drover.ScopeSafety)
	}
	return nil
}
