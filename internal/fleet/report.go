package fleet

import (
	"context"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// TimeUse reports the time use of a month, the present one where month is empty.
func (s *Service) TimeUse(ctx context.Context, p drover.Principal, month string) (drover.TimeUse, error) {
	zone, err := s.zone(ctx, p)
	if err != nil {
		return drover.TimeUse{}, err
	}
	if month == "" {
		month = s.clock().In(zone).Format("2006-01")
	}
	r := drover.TimeUse{Month: month, TimeZone: zone.String()}
	if r.From, r.To, err = drover.ParseMonth(month, zone); err != nil {
		return r, err
	}
	r.Vehicles, err = store.Read(ctx, s.store, p.TenantID, func(from *store.Store) ([]drover.TimeUseRow, error) {
		return from.Trips.TimeUse(ctx, p.TenantID, r.From, r.To)
	})
	if err != nil {
		return r, err
	}
	for _, row := range r.Vehicles {
		r.Totals.Add(row.TimeUseSeconds)
	}
	r.LeftOut, err = store.Read(ctx, s.store, p.TenantID, func(from *store.Store) ([]drover.TimeUseTrip, error) {
		return from.Trips.InvalidTrips(ctx, p.TenantID, r.From, r.To, drover.MaxLeftOut)
	})
	return r, err
}

// zone is the caller's time zone, UTC where the tenant has set none.
func (s *Service) zone(ctx context.Context, p drover.Principal) (*time.Location, error) {
	settings, err := s.store.Accounts.Settings(ctx, p.TenantID)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(settings[p.TenantID].TimeZone)
	if err != nil {
		return nil, fmt.Errorf("load the tenant's time zone: %w", err)
	}
	return zone, nil
}
