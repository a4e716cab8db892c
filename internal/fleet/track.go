package fleet

import (
	"context"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/rules/path"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	// maxTrack bounds the time of a track, and trackPage the positions that are read
	// at once.
	maxTrack  = 31 * 24 * time.Hour
	trackPage = 20_000
	// trackRaw bounds the positions that a track is made of: of more, those of each
	// page are thinned first.
	trackRaw = 200_000
)

// Track reads the way of a device.
func (s Devices) Track(ctx context.Context, p drover.Principal, deviceID string, f drover.TrackFilter) (drover.Track, error) {
	to := s.now()
	if f.To != nil {
		to = *f.To
	}
	if to.Before(f.From.Time) {
		return drover.Track{}, drover.InvalidValue("to must not be before from", "query", "to")
	}
	if to.Sub(f.From.Time) > maxTrack {
		return drover.Track{}, drover.InvalidValue("to must not be more than 31 days after from", "query", "to")
	}
	d, places, err := s.located(ctx, p, deviceID)
	if err != nil {
		return drover.Track{}, err
	}
	rules, err := s.tripRules(ctx, d.TenantID, d.ConnectionID, d.ID)
	if err != nil {
		return drover.Track{}, err
	}
	way, err := s.track(ctx, places, guard.Window{From: f.From, To: to}, f.Tolerance, rules)
	way.DeviceID = deviceID
	return way, err
}

// TripPath reads the way of a trip, its end included.
func (s Trips) TripPath(ctx context.Context, p drover.Principal, id string, tolerance float64) (drover.Track, error) {
	t, err := s.store.Trips.Trip(ctx, p.TenantID, id)
	if err != nil {
		return drover.Track{}, guard.OrNotFound(err, guard.UnknownTrip, id)
	}
	places, err := guard.MayReadPositions(p, t.Access, t.DeviceID)
	if err != nil {
		return drover.Track{}, err
	}
	end := drover.Milli(min(t.EndTime.UnixMilli(), t.StartTime.Add(maxTrack).UnixMilli()) + 1)
	rules, err := s.tripRules(ctx, t.TenantID, t.ConnectionID, t.DeviceID)
	if err != nil {
		return drover.Track{}, err
	}
	way, err := s.track(ctx, places, guard.Window{From: t.StartTime, To: end}, tolerance, rules)
	way.DeviceID, way.To = t.DeviceID, t.EndTime
	return way, err
}

// tripRules are those of a device's trips, by which its track is parted too.
func (s *core) tripRules(ctx context.Context, tenantID, connectionID, deviceID string) (trip.Rules, error) {
	c, err := s.store.Fleet.Connection(ctx, tenantID, connectionID)
	if err != nil {
		return trip.Rules{}, err
	}
	set, err := s.store.Accounts.Settings(ctx, tenantID, deviceID)
	return trip.RulesOf(track.Effective(set, tenantID, c.Configuration.TripRules, deviceID)), err
}

// track reads believed positions page by page and makes the way of them.
func (s *core) track(
	ctx context.Context,
	places guard.Positions,
	w guard.Window,
	tolerance float64,
	rules trip.Rules,
) (drover.Track, error) {
	return store.Read(ctx, s.store, places.Owner(), func(from *store.Store) (drover.Track, error) {
		return readTrack(ctx, from, places, w, tolerance, rules)
	})
}

func readTrack(
	ctx context.Context,
	stored *store.Store,
	places guard.Positions,
	w guard.Window,
	tolerance float64,
	rules trip.Rules,
) (drover.Track, error) {
	from, to := w.From, w.To
	w.Limit = trackPage
	var positions []drover.Position
	for {
		page, err := places.Read(ctx, stored, w)
		if err != nil {
			return drover.Track{}, err
		}
		for i := range page {
			positions = append(positions, page[i].Position)
		}
		if len(page) < trackPage {
			break
		}
		if len(positions) > trackRaw {
			positions = path.Thin(positions, max(tolerance, 1), rules)
		}
		w.From = drover.Milli(page[len(page)-1].Time.UnixMilli() + 1)
	}
	t := path.Make(positions, tolerance, rules)
	t.From, t.To = from, to
	return t, nil
}
