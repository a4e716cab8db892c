package fill

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/test/e2e/world"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// onBoth runs f on a fresh installation on each database.
func onBoth(t *testing.T, f func(t *testing.T, o store.Options, w *world.World)) {
	t.Helper()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			o, data := storetest.Options(t, database), t.TempDir()
			if o.URL == "" {
				o.Path = filepath.Join(data, "drover.db")
			}
			w, err := world.Make(t.Context(), config.Store{Data: data, Database: o.URL})
			if err != nil {
				t.Fatal(err)
			}
			f(t, o, w)
		})
	}
}

// indexes are the statements that make a table's indexes, sorted.
func indexes(t *testing.T, o store.Options, table string) []string {
	t.Helper()
	b, err := Open(o.Path, o.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, create, err := b.indexes(t.Context(), table)
	if err := errors.Join(err, b.Close()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(create)
	return create
}

// TestTrips fills in two steps and reads through the store, which must find the
// trips by their keys and its sums right.
func TestTrips(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o store.Options, w *world.World) {
		t.Helper()
		before := indexes(t, o, "trip")
		for _, step := range [][2]int{{0, 700}, {700, 2100}} {
			if err := Trips(t.Context(), o, w, step[0], step[1]); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(before, indexes(t, o, "trip")); diff != "" || len(before) == 0 {
			t.Errorf("the indexes changed (-before +after):\n%s", diff)
		}
		s := storetest.Open(t, o)
		totals, err := s.Fleet.AccountSummary(t.Context(), w.Owner.ID, w.Owner.CreatedAt)
		if err != nil {
			t.Fatal(err)
		}
		if got := totals.Trips; got.Total != 2100 || got.Valid != 1800 || got.DrivingSeconds == nil || *got.DrivingSeconds != 1800*1700 ||
			got.AuxiliarySeconds != nil {
			t.Errorf("got %+v, want 2100 trips, 1800 of them valid with 1700 s each", got)
		}
		days, err := s.Fleet.ActivitySummary(t.Context(), w.Owner.ID, TripDays+2, 10, false, w.Owner.CreatedAt)
		if err != nil {
			t.Fatal(err)
		}
		if got := days.Totals; got.Trips != 2100 || got.ValidTrips != 1800 || *got.DistanceMetres != *totals.Trips.DistanceMetres {
			t.Errorf("the days add up to %+v, want the same as %+v", got, totals.Trips)
		}
		trip, err := s.Trips.Trip(t.Context(), w.Owner.ID, TripID(1999))
		if err != nil || trip.DeviceID != w.Devices[9].ID || trip.ConnectionID != w.Devices[9].ConnectionID {
			t.Errorf("the seldom trip is %+v, %v", trip, err)
		}
	})
}

// TestHistory fills a history and reads it through the store.
func TestHistory(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o store.Options, w *world.World) {
		t.Helper()
		h := Past{Tenant: w.Owner.ID, Devices: len(w.Devices), Each: 200, Span: HistorySpan, End: time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)}
		fillHistory(t, h, o, w.Devices[0].ID)
		s := storetest.Open(t, o)
		for _, d := range w.Devices {
			r := history.Range{TenantID: h.Tenant, DeviceID: d.ID, From: drover.At(h.End.Add(-HistorySpan)), To: drover.At(h.End)}
			got, err := s.History.Positions(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != h.Each {
				t.Errorf("device %s has %d positions, want %d", d.ID, len(got), h.Each)
			}
			if last := got[len(got)-1]; h.End.Sub(last.Time.Time) > HistorySpan/time.Duration(h.Each) || last.Ignition == nil {
				t.Errorf("the newest position is %+v", last)
			}
		}
	})
}

func fillHistory(t *testing.T, h Past, o store.Options, device string) {
	t.Helper()
	before := indexes(t, o, "position")
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.MakeRoom(t.Context(), s, device); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := h.Fill(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, indexes(t, o, "position")); diff != "" {
		t.Errorf("the indexes changed (-before +after):\n%s", diff)
	}
}
