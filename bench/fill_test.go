package main

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/history"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/test/e2e/world"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// onBoth runs f on a fresh installation on each database.
func onBoth(t *testing.T, f func(t *testing.T, o store.Options, p *place)) {
	t.Helper()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			o, p := storetest.Options(t, database), &place{data: t.TempDir()}
			if p.url = o.URL; p.url == "" {
				o.Path = filepath.Join(p.data, "drover.db")
			}
			var err error
			if p.world, err = world.Make(t.Context(), config.Store{Data: p.data, Database: p.url}); err != nil {
				t.Fatal(err)
			}
			f(t, o, p)
		})
	}
}

// indexes are the statements that make a table's indexes, sorted.
func indexes(t *testing.T, o store.Options, table string) []string {
	t.Helper()
	b, err := openBulk(o.Path, o.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, create, err := b.indexes(t.Context(), table)
	if err := errors.Join(err, b.close()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(create)
	return create
}

// TestTrips fills in two steps and reads through the store, which must find the
// trips by their keys and its sums right.
func TestTrips(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o store.Options, p *place) {
		t.Helper()
		before := indexes(t, o, "trip")
		for _, step := range [][2]int{{0, 700}, {700, 2100}} {
			if err := p.addTrips(t.Context(), step[0], step[1]); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(before, indexes(t, o, "trip")); diff != "" || len(before) == 0 {
			t.Errorf("the indexes changed (-before +after):\n%s", diff)
		}
		s := storetest.Open(t, o)
		totals, err := s.AccountSummary(t.Context(), p.world.Owner.ID, p.world.Owner.CreatedAt)
		if err != nil {
			t.Fatal(err)
		}
		if got := totals.Trips; got.Total != 2100 || got.Valid != 1800 || got.DrivingSeconds == nil || *got.DrivingSeconds != 1800*1700 || got.AuxiliarySeconds != nil {
			t.Errorf("got %+v, want 2100 trips, 1800 of them valid with 1700 s each", got)
		}
		days, err := s.ActivitySummary(t.Context(), p.world.Owner.ID, tripDays+2, 10, false, p.world.Owner.CreatedAt)
		if err != nil {
			t.Fatal(err)
		}
		if got := days.Totals; got.Trips != 2100 || got.ValidTrips != 1800 || *got.DistanceMetres != *totals.Trips.DistanceMetres {
			t.Errorf("the days add up to %+v, want the same as %+v", got, totals.Trips)
		}
		trip, err := s.Trip(t.Context(), p.world.Owner.ID, tripID(1999))
		if err != nil || trip.DeviceID != p.world.Devices[9].ID || trip.ConnectionID != p.world.Devices[9].ConnectionID {
			t.Errorf("the seldom trip is %+v, %v", trip, err)
		}
	})
}

// TestHistory fills a history and reads it through the store.
func TestHistory(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o store.Options, p *place) {
		t.Helper()
		h := past{tenant: p.world.Owner.ID, devices: len(p.world.Devices), each: 200, span: historySpan, end: time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)}
		fillHistory(t, h, o, p.world.Devices[0].ID)
		s := storetest.Open(t, o)
		for _, d := range p.world.Devices {
			r := history.Range{TenantID: h.tenant, DeviceID: d.ID, From: drover.At(h.end.Add(-historySpan)), To: drover.At(h.end)}
			got, err := s.Positions(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != h.each {
				t.Errorf("device %s has %d positions, want %d", d.ID, len(got), h.each)
			}
			if last := got[len(got)-1]; h.end.Sub(last.Time.Time) > historySpan/time.Duration(h.each) || last.Ignition == nil {
				t.Errorf("the newest position is %+v", last)
			}
		}
	})
}

func fillHistory(t *testing.T, h past, o store.Options, device string) {
	t.Helper()
	before := indexes(t, o, "position")
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.makeRoom(t.Context(), s, device); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := h.fill(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, indexes(t, o, "position")); diff != "" {
		t.Errorf("the indexes changed (-before +after):\n%s", diff)
	}
}
