package fleet

import (
	"context"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/rules/region"
	"github.com/drover-fleet/drover/internal/store"
)

// TimeUse reports the time use of a month, the present one where month is empty.
func (s Trips) TimeUse(ctx context.Context, p drover.Principal, month string) (drover.TimeUse, error) {
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
func (s *core) zone(ctx context.Context, p drover.Principal) (*time.Location, error) {
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

const (
	// longestRegions is the longest time of a report by region: a quarter of a year.
	longestRegions = 100 * 24 * time.Hour
	regionTrips    = 1000
)

// Regions reports by vehicle, in the order of their ids, how far valid trips went in each region,
// and after which vehicle the report goes on, empty after the last. A shared vehicle whose
// positions the caller may not read is left out.
func (s Trips) Regions(
	ctx context.Context,
	p drover.Principal,
	f drover.RegionFilter,
	after drover.IDCursor,
	limit int,
) (rows []drover.DeviceRegions, next drover.IDCursor, err error) {
	switch {
	case f.To.Before(f.From.Time):
		return nil, "", drover.InvalidValue("to must not be before from", "query", "to")
	case f.To.Sub(f.From.Time) > longestRegions:
		return nil, "", drover.InvalidValue("to must not be more than 100 days after from", "query", "to")
	}
	list := drover.DeviceFilter{ConnectionID: f.ConnectionID, Tag: f.Tag}
	if f.DeviceID != "" {
		list.IDs = []string{f.DeviceID}
	}
	devices, err := Devices(s).Devices(ctx, p, list, after, limit+1)
	if err != nil {
		return nil, "", err
	}
	if len(devices) > limit {
		devices, next = devices[:limit], drover.IDCursor(devices[limit-1].ID)
	}
	rows = []drover.DeviceRegions{}
	for _, d := range devices {
		row := drover.DeviceRegions{
			DeviceID: d.ID, ConnectionID: d.ConnectionID, Registration: d.Registration, Description: d.Description,
			Regions: []drover.RegionDistance{},
		}
		_, places, err := s.located(ctx, p, d.ID)
		if drover.ErrorKind(err) == drover.KindForbidden || drover.ErrorKind(err) == drover.KindNotFound {
			continue
		}
		if err == nil {
			err = s.addRegions(ctx, p, places, &row, f)
		}
		if err != nil {
			return nil, "", err
		}
		rows = append(rows, row)
	}
	return rows, next, nil
}

// addRegions fills in the row of a vehicle.
func (s *core) addRegions(
	ctx context.Context, p drover.Principal, places guard.Positions, row *drover.DeviceRegions, of drover.RegionFilter,
) (err error) {
	f := drover.TripFilter{DeviceID: row.DeviceID, From: &of.From, To: &of.To, Valid: new(true)}
	var trips []drover.TripView
	for n := regionTrips; n == regionTrips; {
		var after *drover.TripCursor
		if len(trips) > 0 {
			last := trips[len(trips)-1]
			after = &drover.TripCursor{StartTime: last.StartTime, ID: last.ID}
		}
		page, err := s.store.Trips.TripViews(ctx, p.TenantID, f, after, regionTrips)
		if err != nil {
			return err
		}
		n = len(page)
		trips = append(trips, page...)
	}
	row.Trips = int64(len(trips))
	row.Regions, err = store.Read(ctx, s.store, places.Owner(), func(from *store.Store) ([]drover.RegionDistance, error) {
		return tallyRegions(ctx, from, places, trips)
	})
	for i := range row.Regions {
		row.DistanceMetres += row.Regions[i].DistanceMetres
	}
	return err
}

// tallyRegions reads the positions of trips, which are in the order of their start.
func tallyRegions(
	ctx context.Context, from *store.Store, places guard.Positions, trips []drover.TripView,
) ([]drover.RegionDistance, error) {
	var tally region.Tally
	w := guard.Window{Limit: trackPage}
	for _, t := range trips {
		w.To = drover.Milli(max(w.To.UnixMilli(), t.EndTime.UnixMilli()+1))
	}
	for n := trackPage; n == trackPage && len(trips) > 0; {
		w.From = drover.Milli(max(w.From.UnixMilli(), trips[0].StartTime.UnixMilli()))
		page, err := places.Read(ctx, from, w)
		if err != nil {
			return nil, err
		}
		for i := range page {
			for len(trips) > 0 && page[i].Time.After(trips[0].EndTime.Time) {
				tally.End(trips[0].DistanceMetres)
				trips = trips[1:]
			}
			if len(trips) > 0 && !page[i].Time.Before(trips[0].StartTime.Time) {
				tally.Pass(page[i].Position)
			}
		}
		if n = len(page); n > 0 {
			w.From = drover.Milli(page[n-1].Time.UnixMilli() + 1)
		}
	}
	for _, t := range trips {
		tally.End(t.DistanceMetres)
	}
	return tally.Rows(), nil
}
