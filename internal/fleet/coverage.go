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

// Coverage holds what a connection's provider is declared to have of each kind of reading
// against what was seen in the last days. It is the owner's.
func (s *Service) Coverage(ctx context.Context, p drover.Principal, id string, days int) ([]drover.Coverage, error) {
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
	seen, err := s.store.Fleet.ReadingCoverage(ctx, p.TenantID, c.ID, drover.At(s.clock().Add(-time.Duration(days)*24*time.Hour)))
	if err != nil {
		return nil, err
	}
	list := make([]drover.Coverage, 0, len(drover.ReadingKinds))
	for _, kind := range drover.ReadingKinds {
		list = append(list, covered(kind, s.providers[c.IntegrationName].Readings, seen, c.Configuration.Forms, devices))
	}
	return list, nil
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
	// What was refused once and comes now is no longer refused.
	if need, refused := forms[provider.WithheldForm+string(kind)]; refused && c.DevicesWith == 0 {
		c.Declared, c.Need = drover.OfferRefused, &need
	}
	if devices > 0 {
		c.Share = new(float64(c.DevicesWith) / float64(devices))
	}
	return c
}
