package store_test

import (
	"database/sql"
	"strings"
	"sync"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/database"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestPlans holds what is read with every page of positions to the index that was
// made for it. SQLite plans by the text alone: for the sake of an order it read all
// milestones of a tenant, and the stands of all its devices.
func TestPlans(t *testing.T) {
	t.Parallel()
	o := storetest.Options(t, "sqlite")
	var mu sync.Mutex
	var ran []database.Statement
	o.Trace = func(s database.Statement) {
		if strings.HasPrefix(s.Query, "PRAGMA") {
			return // of the upkeep, which may come at any moment
		}
		mu.Lock()
		defer mu.Unlock()
		ran = append(ran, s)
	}
	take := func() []database.Statement {
		mu.Lock()
		defer mu.Unlock()
		all := ran
		ran = nil
		return all
	}
	f := newFixture(t, storetest.Open(t, o))
	file, err := sql.Open("sqlite", o.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	device := store.NewID()
	f.addDevice("red")
	for _, c := range []struct {
		index string
		read  func(tx *store.Tx) error
	}{
		{"milestone_webhook", func(tx *store.Tx) error {
			_, err := tx.OwnReceivers(t.Context(), f.own, []string{device})
			return err
		}},
		{"milestone_device", func(tx *store.Tx) error {
			_, err := tx.OpenMilestones(t.Context(), f.own, f.own, []string{device})
			return err
		}},
		{"milestone_device", func(tx *store.Tx) error {
			_, err := tx.EndedMilestones(t.Context(), f.own, f.own, device, noon)
			return err
		}},
		{"milestone_device", func(tx *store.Tx) error {
			_, err := tx.ForeignTrackers(t.Context(), f.own, []string{device}, nil)
			return err
		}},
		{"stand_device_time", func(tx *store.Tx) error {
			_, err := tx.StandsTouching(t.Context(), f.own, device, noon, noon)
			return err
		}},
		{"stand_device_time", func(tx *store.Tx) error {
			_, err := tx.StandsStarting(t.Context(), f.own, device, noon, noon)
			return err
		}},
		{"trip_device_time", func(tx *store.Tx) error {
			_, err := tx.TripsStarting(t.Context(), f.own, device, noon, noon)
			return err
		}},
		{"trip_time", func(tx *store.Tx) error {
			_, err := tx.Trips(t.Context(), f.own, drover.TripFilter{From: &noon}, &drover.TripCursor{StartTime: noon, ID: device}, 10)
			return err
		}},
		{"trip_time", func(tx *store.Tx) error {
			_, err := tx.Trips(t.Context(), f.own, drover.TripFilter{Order: drover.NewestFirst, Valid: new(true)}, nil, 10)
			return err
		}},
		{"trip_connection_time", func(tx *store.Tx) error {
			_, err := tx.Trips(t.Context(), f.own, drover.TripFilter{ConnectionID: device}, nil, 10)
			return err
		}},
		{"trip_device_time", func(tx *store.Tx) error {
			_, err := tx.Trips(t.Context(), f.own, drover.TripFilter{ConnectionID: device, DeviceID: device, From: &noon}, nil, 10)
			return err
		}},
		{"trip_driver_time", func(tx *store.Tx) error {
			_, err := tx.Trips(t.Context(), f.own, drover.TripFilter{DriverID: "D-1", From: &noon, Order: drover.NewestFirst}, nil, 10)
			return err
		}},
		{"trip_invalid_time", func(tx *store.Tx) error {
			_, err := tx.Trips(t.Context(), f.own, drover.TripFilter{Valid: new(false)}, nil, 10)
			return err
		}},
		{"trip_connection_invalid_time", func(tx *store.Tx) error {
			_, err := tx.Trips(t.Context(), f.own, drover.TripFilter{ConnectionID: device, Valid: new(false), From: &noon, Order: drover.NewestFirst}, nil, 10)
			return err
		}},
		{"trip_device_time", func(tx *store.Tx) error {
			_, err := tx.Trips(t.Context(), f.own, drover.TripFilter{Tag: "red", From: &noon}, nil, 10)
			return err
		}},
		{"trip_connection_time", func(tx *store.Tx) error {
			_, err := tx.Trips(t.Context(), f.own, drover.TripFilter{To: &noon, Order: drover.NewestFirst}, nil, 10)
			return err
		}},
	} {
		take()
		f.update(c.read)
		ran := take()
		plan := planOf(t, file, ran[len(ran)-1])
		if strings.Contains(c.index, "trip") {
			// A list of trips is several readings.
			plan = ""
			for _, s := range ran {
				if strings.Contains(s.Query, "FROM trip") || strings.Contains(s.Query, "JOIN trip") {
					plan += planOf(t, file, s) + "; "
				}
			}
		}
		if !strings.Contains(plan, " "+c.index+" ") || strings.Contains(plan, " stand_time ") || strings.Contains(plan, "SCAN t") {
			t.Errorf("%s is not used: %s", c.index, plan)
		}
	}
}

// TestSummaryLooksAtNoDevice holds the count of devices to indexes alone: of ten thousand
// devices it takes a millisecond so, and twenty where each one is looked at.
func TestSummaryLooksAtNoDevice(t *testing.T) {
	t.Parallel()
	o := storetest.Options(t, "sqlite")
	counts := make(chan database.Statement, 100)
	o.Trace = func(s database.Statement) {
		if strings.Contains(s.Query, "FROM device WHERE") {
			counts <- s
		}
	}
	f := newFixture(t, storetest.Open(t, o))
	must[drover.AccountSummary](t)(f.AccountSummary(t.Context(), f.own, noon))
	file, err := sql.Open("sqlite", o.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plan := planOf(t, file, <-counts)
	if !strings.Contains(plan, "USING COVERING INDEX device_inactive ") || strings.Contains(plan, "SEARCH device USING INDEX") || strings.Contains(plan, "SCAN device") {
		t.Errorf("the devices are counted so: %s", plan)
	}
}

// planOf is how SQLite would run a statement.
func planOf(t *testing.T, file *sql.DB, s database.Statement) string {
	t.Helper()
	rows, err := file.QueryContext(t.Context(), `EXPLAIN QUERY PLAN `+s.Query, s.Args...)
	steps := must[[]string](t)(database.ReadAll(rows, err, "explain", func(row database.Scanner) (string, error) {
		var id, parent, unused int
		var step string
		return step, row.Scan(&id, &parent, &unused, &step)
	}))
	return strings.Join(steps, "; ")
}
