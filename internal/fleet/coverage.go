package fleet

import (
	"context"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// Coverage holds what a connection's provider is declared to have of each kind of reading, of
// faults and of who drives against what was seen in the last days. It is the owner's.
func (s Connections) Coverage(ctx context.Context, p drover.Principal, id string, days int) ([]drover.Coverage, error) {
	c, err := s.store.Fleet.Connection(ctx, p.TenantID, id)
	if err != nil {
		return nil, guard.OrNotFound(err, guard.UnknownConnection, id)
	}
	if err := guard.Readable(p, c.Access); err != nil {
		return nil, err
	}
	if c.Connection.TenantID != p.TenantID {
		return nil, drover.Forbidden()
	}
	devices, err := s.store.Fleet.CountDevices(ctx, p.TenantID, &c.ID)
	if err != nil {
		return nil, err
	}
	since := drover.At(s.clock().Add(-time.Duration(days) * 24 * time.Hour))
	seen, err := s.store.Vehicles.ReadingCoverage(ctx, p.TenantID, c.ID, since)
	if err != nil {
		return nil, err
	}
	faults, err := s.store.Vehicles.FaultCoverage(ctx, p.TenantID, c.ID, since)
	if err != nil {
		return nil, err
	}
	list := make([]drover.Coverage, 0, len(drover.ReadingKinds))
	info := s.provider(c.IntegrationName)
	for _, kind := range drover.ReadingKinds {
		list = append(list, covered(kind, info.Readings, seen, c.Configuration.Forms, devices))
	}
	var names []string
	if info.Faults != nil {
		names = info.Faults.Names
	}
	list = append(list, coveredBesides(drover.FieldFault, info.Faults != nil, names, faults, c.Configuration.Forms, devices))
	safety, err := s.store.Vehicles.SafetyCoverage(ctx, p.TenantID, c.ID, since)
	if err != nil {
		return nil, err
	}
	list = append(list, coveredSafety(info.Safety, safety, c.Configuration.Forms, devices)...)
	drivers, err := s.driverCoverage(ctx, c.Connection, since, devices)
	if err != nil {
		return nil, err
	}
	assignments, err := s.store.Drivers.AssignmentCoverage(ctx, p.TenantID, c.ID, since)
	if names = nil; info.Assignments != nil {
		names = info.Assignments.Names
	}
	stated := coveredBesides(drover.FieldAssignment, info.Assignments != nil, names, assignments, c.Configuration.Forms, devices)
	return append(list, drivers, stated), err
}

// coveredSafety is the coverage of each type of safety events.
func coveredSafety(of *provider.Safety, seen []store.RecordCoverage, forms map[string]string, devices int) []drover.Coverage {
	list := make([]drover.Coverage, len(drover.SafetyTypes))
	for i := range seen {
		seen[i].Field = drover.FieldSafety + "." + seen[i].Field
	}
	for i, typ := range drover.SafetyTypes {
		field := drover.FieldSafety + "." + string(typ)
		declared := of != nil && (slices.Contains(of.Types, typ) || typ == drover.SafetyOther)
		need, withheld := forms[provider.WithheldForm+drover.FieldSafety]
		if one, alone := forms[provider.WithheldForm+field]; alone && !withheld {
			need, withheld = one, true
		}
		var refusal map[string]string
		if withheld && declared {
			refusal = map[string]string{provider.WithheldForm + field: need}
		}
		list[i] = coveredBesides(field, declared, nil, seen, refusal, devices)
	}
	return list
}

// coveredBesides is the coverage of what is no reading.
func coveredBesides(
	field string,
	declared bool,
	names []string,
	seen []store.RecordCoverage,
	forms map[string]string,
	devices int,
) drover.Coverage {
	c := drover.Coverage{
		Field: field, Declared: drover.OfferNone, NativeNames: append([]string{}, names...), Sources: []drover.ReadingSource{}, Devices: devices,
	}
	if declared {
		c.Declared = drover.OfferNative
	}
	if i := slices.IndexFunc(seen, func(s store.RecordCoverage) bool { return s.Field == field }); i >= 0 {
		c.Declared, c.DevicesWith, c.NewestAt = drover.OfferNative, seen[i].Devices, &seen[i].Newest
	}
	return refused(c, forms)
}

// driverCoverage is what a connection gives of who drives: devices with trips that name a
// driver, and whether the account may list them.
func (s *core) driverCoverage(ctx context.Context, c drover.Connection, since drover.Time, devices int) (drover.Coverage, error) {
	covered := drover.Coverage{
		Field: "driver", Declared: drover.OfferNone, NativeNames: []string{}, Sources: []drover.ReadingSource{}, Devices: devices,
	}
	if f := s.provider(c.IntegrationName).Features; f.Driver || f.Drivers {
		covered.Declared = drover.OfferNative
	}
	var err error
	if covered.DevicesWith, covered.NewestAt, err = s.store.Trips.DriverCoverage(ctx, c.TenantID, c.ID, since); err != nil {
		return covered, err
	}
	listed, _, err := s.store.Drivers.CountDrivers(ctx, c.TenantID, c.ID)
	if need, refused := c.Configuration.Forms[provider.WithheldForm+covered.Field]; refused && listed == 0 {
		covered.Declared, covered.Need = drover.OfferRefused, &need
	}
	if devices > 0 {
		covered.Share = new(float64(covered.DevicesWith) / float64(devices))
	}
	return covered, err
}

// covered is the coverage of one kind.
func covered(
	kind drover.ReadingKind,
	declared []drover.ReadingSeries,
	seen []store.ReadingCoverage,
	forms map[string]string,
	devices int,
) drover.Coverage {
	c := drover.Coverage{
		Field: string(kind), Declared: drover.OfferNone, NativeNames: []string{}, Sources: []drover.ReadingSource{}, Devices: devices,
	}
	for _, d := range declared {
		if d.Kind == kind && !slices.Contains(c.NativeNames, d.NativeName) {
			c.Declared, c.NativeNames = drover.OfferNative, append(c.NativeNames, d.NativeName)
		}
	}
	if i := slices.IndexFunc(seen, func(s store.ReadingCoverage) bool { return s.Kind == kind }); i >= 0 {
		c.Declared, c.NativeNames, c.DevicesWith, c.NewestAt = drover.OfferNative, seen[i].Names, seen[i].Devices, &seen[i].Newest
		c.Sources = append(c.Sources, seen[i].Sources...)
	}
	return refused(c, forms)
}

// refused says what the account lacks. What was refused once and comes now is no longer refused.
func refused(c drover.Coverage, forms map[string]string) drover.Coverage {
	if need, withheld := forms[provider.WithheldForm+c.Field]; withheld && c.DevicesWith == 0 {
		c.Declared, c.Need = drover.OfferRefused, &need
	}
	if c.Devices > 0 {
		c.Share = new(float64(c.DevicesWith) / float64(c.Devices))
	}
	return c
}
