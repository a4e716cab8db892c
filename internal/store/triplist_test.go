package store_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// listed is a trip of a tenant's list, with what its filters ask for.
type listed struct {
	store.Trip
	tags []string
}

// scatter stores trips of two tenants, of which the first shares a connection with the
// second: at random times of three years, with days on which they begin in the same
// moment, and years without any.
func scatter(f fixture, random *rand.Rand) (all []listed) {
	ctx := f.t.Context()
	f.share()
	hidden, foreign := store.NewID(), store.NewID()
	for tenant, id := range map[string]string{f.own: hidden, f.other: foreign} {
		c := drover.Connection{
			ID: id, TenantID: tenant, IntegrationName: drover.Traccar, BusinessName: "b", Active: true,
			CollectionStartTime: noon,
		}
		f.update(func(tx *store.Tx) error { return tx.Fleet.AddConnection(ctx, c, []byte("sealed"), noon) })
	}
	for i := range 60 {
		tenant, connection := f.own, f.connection
		switch i % 6 {
		case 0:
			connection = hidden
		case 1:
			tenant, connection = f.other, foreign
		}
		tags := [][]string{{}, {"red"}, {"red", "blue"}}[i/6%3]
		d := drover.Device{ID: store.NewID(), ConnectionID: connection, SystemDeviceID: fmt.Sprint(i), Active: true, Tags: tags}
		trips := scattered(random, store.Trip{
			Access: store.Access{TenantID: tenant}, ConnectionID: connection,
			Trip: drover.Trip{DeviceID: d.ID},
		})
		f.update(func(tx *store.Tx) error {
			err := tx.Fleet.AddDevice(ctx, tenant, d, noon)
			for _, t := range trips {
				err = errors.Join(err, tx.Trips.AddTrip(ctx, t))
			}
			return err
		})
		for _, t := range trips {
			all = append(all, listed{t, tags})
		}
	}
	return all
}

// scattered are trips of a device.
func scattered(random *rand.Rand, of store.Trip) (trips []store.Trip) {
	for n := range 12 {
		start := noon.Add(-time.Duration(random.IntN(1000)) * time.Minute)
		switch n % 3 {
		case 1:
			start = noon.AddDate(-2, 0, -random.IntN(100))
		case 2:
			start = noon.Add(-time.Duration(random.IntN(3000)) * time.Hour)
		}
		t := of
		t.ID, t.SystemTripID, t.DriverID = store.NewID(), fmt.Sprint(n), new(fmt.Sprint(n%4))
		t.StartTime, t.EndTime, t.IsValid = drover.At(start), drover.At(start.Add(time.Minute)), n%5 > 0
		trips = append(trips, t)
	}
	return trips
}

// TestTripPages goes through the list of each tenant page by page, by every filter and
// both ways, and expects what the filter means, each trip once.
func TestTripPages(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		all := scatter(f, rand.New(rand.NewPCG(13, 1)))
		from, to := drover.At(noon.AddDate(0, -1, 0)), drover.At(noon.Add(-5*time.Hour))
		some := all[len(all)/2] // of the shared connection
		for _, filter := range []drover.TripFilter{
			{},
			{From: &from},
			{To: &to},
			{From: &from, To: &to},
			{Tag: "red"},
			{Tag: "blue", From: &from},
			{Tag: "green"},
			{Tag: "red", ConnectionID: some.ConnectionID, To: &to},
			{Tag: "red", DeviceID: some.DeviceID},
			{ConnectionID: some.ConnectionID},
			{DeviceID: some.DeviceID, ConnectionID: some.ConnectionID},
			{DriverID: "2"},
			{DriverID: "2", Tag: "blue"},
			{Valid: new(false)},
			{Valid: new(false), ConnectionID: some.ConnectionID},
			{Valid: new(false), ConnectionID: some.ConnectionID, From: &from, Tag: "red"},
			{Valid: new(true), Tag: "blue"},
		} {
			for _, order := range []drover.EventOrder{"asc", drover.NewestFirst} {
				filter.Order = order
				for _, asker := range []string{f.own, f.other} {
					want := expected(f, all, asker, filter)
					for _, limit := range []int{23, 100, 1000} {
						if got := paged(f, asker, filter, limit); !slices.Equal(got, want) {
							f.t.Errorf("%+v, pages of %d, own %t: %d trips, want %d", filter, limit, asker == f.own, len(got), len(want))
						}
					}
				}
			}
		}
	})
}

// expected are the ids of the trips that a filter means.
func expected(f fixture, all []listed, asker string, filter drover.TripFilter) []string {
	kept := slices.DeleteFunc(slices.Clone(all), func(t listed) bool {
		return t.TenantID != asker && t.ConnectionID != f.connection ||
			filter.Tag != "" && !slices.Contains(t.tags, filter.Tag) ||
			filter.DeviceID != "" && t.DeviceID != filter.DeviceID ||
			filter.ConnectionID != "" && t.ConnectionID != filter.ConnectionID ||
			filter.DriverID != "" && *t.DriverID != filter.DriverID ||
			filter.Valid != nil && t.IsValid != *filter.Valid ||
			filter.From != nil && t.StartTime.Before(filter.From.Time) ||
			filter.To != nil && !t.StartTime.Before(filter.To.Time)
	})
	slices.SortFunc(kept, func(a, b listed) int { return cmp.Or(a.StartTime.Compare(b.StartTime.Time), cmp.Compare(a.ID, b.ID)) })
	if filter.Order == drover.NewestFirst {
		slices.Reverse(kept)
	}
	var ids []string
	for _, t := range kept {
		ids = append(ids, t.ID)
	}
	return ids
}

// paged are the ids of the trips as they are listed.
func paged(f fixture, asker string, filter drover.TripFilter, limit int) (ids []string) {
	f.t.Helper()
	var after *drover.TripCursor
	for {
		page := must[[]drover.TripView](f.t)(f.Trips.TripViews(f.t.Context(), asker, filter, after, limit))
		for _, t := range page {
			ids = append(ids, t.ID)
		}
		if len(page) < limit {
			return ids
		}
		last := page[limit-1]
		after = &drover.TripCursor{StartTime: last.StartTime, ID: last.ID}
	}
}
