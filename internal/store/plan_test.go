package store_test

import (
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestPlans holds what is read with every page of positions to the index that was
// made for it. SQLite plans by the text alone: for the sake of an order it read all
// milestones of a tenant, and the stops of all its devices.
func TestPlans(t *testing.T) {
	t.Parallel()
	f, file, take := traced(t)
	device := store.NewID()
	f.addDevice("red")
	for _, c := range []struct {
		index string
		read  func(tx *store.Tx) error
	}{
		{"milestone_webhook", func(tx *store.Tx) error {
			_, err := tx.Feed.OwnReceivers(t.Context(), f.own, []string{device})
			return err
		}},
		{"milestone_device", func(tx *store.Tx) error {
			_, err := tx.Trips.OpenMilestones(t.Context(), f.own, f.own, []string{device})
			return err
		}},
		{"milestone_device", func(tx *store.Tx) error {
			_, err := tx.Trips.EndedMilestones(t.Context(), f.own, f.own, device, noon)
			return err
		}},
		{"milestone_device", func(tx *store.Tx) error {
			_, err := tx.Trips.Tracks(t.Context(), f.other, f.own, []string{device}, nil)
			return err
		}},
		{"milestone_search_reference", func(tx *store.Tx) error {
			_, err := tx.Trips.SearchMilestones(t.Context(), f.own, "order", 10)
			return err
		}},
		{"milestone_search_reference", func(tx *store.Tx) error {
			_, err := tx.Trips.Milestones(t.Context(), f.own, drover.MilestoneFilter{Reference: "order"}, "", 10)
			return err
		}},
		{"device_latest_due", func(tx *store.Tx) error {
			_, err := tx.Fleet.DueTrips(t.Context(), f.own, f.connection, noon, 10)
			return err
		}},
		{"sqlite_autoindex_safety_event_2", func(tx *store.Tx) error {
			_, err := tx.Vehicles.SafetyEventsNamed(t.Context(), f.own, []string{device}, []string{"1"})
			return err
		}},
		{"fault_device", func(tx *store.Tx) error {
			_, err := tx.Vehicles.FaultsOf(t.Context(), f.own, []string{device}, []string{"1"})
			return err
		}},
		{"sqlite_autoindex_assignment_2", func(tx *store.Tx) error {
			_, err := tx.Drivers.AssignmentsNamed(t.Context(), f.own, []string{device}, []string{"1"})
			return err
		}},
		{"assignment_device", func(tx *store.Tx) error {
			_, err := tx.Drivers.AssignmentsAround(t.Context(), f.own, []string{device}, noon, noon)
			return err
		}},
		{"assignment_connection", func(tx *store.Tx) error {
			_, err := tx.Drivers.AssignmentsWithin(t.Context(), f.own, f.connection, noon, noon)
			return err
		}},
		{"assignment_device", func(tx *store.Tx) error {
			_, err := tx.Drivers.AssignmentsStated(t.Context(), f.own, []string{device}, noon, noon, 10)
			return err
		}},
		{"stop_device_time", func(tx *store.Tx) error {
			_, err := tx.Trips.StopsTouching(t.Context(), f.own, device, noon, noon)
			return err
		}},
		{"stop_device_time", func(tx *store.Tx) error {
			_, err := tx.Trips.StopsStarting(t.Context(), f.own, device, noon, noon)
			return err
		}},
		{"stop_device_time", func(tx *store.Tx) error {
			_, err := tx.Trips.Stops(t.Context(), f.own, drover.StopFilter{DeviceID: device}, nil, 10)
			return err
		}},
		{"trip_device_time", func(tx *store.Tx) error {
			_, err := tx.Trips.TripsStarting(t.Context(), f.own, device, noon, noon)
			return err
		}},
		{"trip_time", func(tx *store.Tx) error {
			_, err := tx.Trips.Trips(t.Context(), f.own, drover.TripFilter{From: &noon}, &drover.TripCursor{StartTime: noon, ID: device}, 10)
			return err
		}},
		{"trip_time", func(tx *store.Tx) error {
			_, err := tx.Trips.Trips(t.Context(), f.own, drover.TripFilter{Order: drover.NewestFirst, Valid: new(true)}, nil, 10)
			return err
		}},
		{"trip_connection_time", func(tx *store.Tx) error {
			_, err := tx.Trips.Trips(t.Context(), f.own, drover.TripFilter{ConnectionID: device}, nil, 10)
			return err
		}},
		{"trip_device_time", func(tx *store.Tx) error {
			_, err := tx.Trips.Trips(t.Context(), f.own, drover.TripFilter{ConnectionID: device, DeviceID: device, From: &noon}, nil, 10)
			return err
		}},
		{"trip_driver_time", func(tx *store.Tx) error {
			_, err := tx.Trips.Trips(t.Context(), f.own, drover.TripFilter{DriverID: "D-1", From: &noon, Order: drover.NewestFirst}, nil, 10)
			return err
		}},
		{"trip_invalid_time", func(tx *store.Tx) error {
			_, err := tx.Trips.Trips(t.Context(), f.own, drover.TripFilter{Valid: new(false)}, nil, 10)
			return err
		}},
		{"trip_connection_invalid_time", func(tx *store.Tx) error {
			_, err := tx.Trips.Trips(t.Context(), f.own, drover.TripFilter{
				ConnectionID: device, Valid: new(false), From: &noon,
				Order: drover.NewestFirst,
			}, nil, 10)
			return err
		}},
		{"trip_device_time", func(tx *store.Tx) error {
			_, err := tx.Trips.Trips(t.Context(), f.own, drover.TripFilter{Tag: "red", From: &noon}, nil, 10)
			return err
		}},
		{"trip_connection_time", func(tx *store.Tx) error {
			_, err := tx.Trips.Trips(t.Context(), f.own, drover.TripFilter{To: &noon, Order: drover.NewestFirst}, nil, 10)
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
		if !strings.Contains(plan, " "+c.index+" ") || strings.Contains(plan, " stop_time ") || strings.Contains(plan, "SCAN t") {
			t.Errorf("%s is not used: %s", c.index, plan)
		}
	}
}

// TestDueTripsOnPostgres has PostgreSQL look for trips to end, as it does with every page of
// positions: for the sake of another order it read all devices of the tenant to find none.
func TestDueTripsOnPostgres(t *testing.T) {
	t.Parallel()
	o := storetest.Options(t, "postgres")
	var looked atomic.Pointer[database.Statement]
	o.Trace = func(s database.Statement) {
		if strings.Contains(s.Query, "trip_due <=") {
			looked.Store(&s)
		}
	}
	f := newFixture(t, storetest.Open(t, o))
	connections := []string{f.connection}
	for range 19 {
		connections = append(connections, store.NewID())
	}
	f.update(func(tx *store.Tx) error {
		var states []*store.DeviceState
		for n := range 2000 {
			d := drover.Device{
				ID: store.NewID(), ConnectionID: connections[n%len(connections)], SystemDeviceID: fmt.Sprint(n), Active: true,
				Tags: []string{},
			}
			if err := tx.Fleet.AddDevice(t.Context(), f.own, d, noon); err != nil {
				return err
			}
			states = append(states, &store.DeviceState{
				DeviceID: d.ID, Latest: &drover.Position{Time: noon},
				TripDue: new(drover.At(noon.Add(time.Hour))), TripState: make([]byte, 300),
			})
		}
		return tx.Fleet.SetDeviceStates(t.Context(), f.own, states)
	})
	f.update(func(tx *store.Tx) error {
		_, err := tx.Fleet.DueTrips(t.Context(), f.own, f.connection, noon, 200)
		return err
	})
	db, err := sql.Open("pgx", o.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	// A statement that runs often is planned once, whatever its arguments are.
	for _, statement := range []string{
		`ANALYZE device, device_latest`, `SET plan_cache_mode = force_generic_plan`,
		`PREPARE looked AS ` + looked.Load().Query,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := db.QueryContext(t.Context(), fmt.Sprintf(`EXPLAIN EXECUTE looked('%s', '%s', 0, 200)`, f.own, f.connection))
	plan := strings.Join(must[[]string](t)(database.ReadAll(rows, err, "explain", database.ScanText)), "\n")
	if !strings.Contains(plan, "device_latest_due") {
		t.Errorf("device_latest_due is not used:\n%s", plan)
	}
}

// TestSummaryLooksAtNoDevice holds the count of devices to indexes alone: a look at each of
// ten thousand took half of the processor time of a service that was asked for little else.
func TestSummaryLooksAtNoDevice(t *testing.T) {
	t.Parallel()
	f, file, take := traced(t)
	take()
	must[drover.AccountSummary](t)(f.Fleet.AccountSummary(t.Context(), f.own, noon))
	counts := slices.DeleteFunc(take(), func(s database.Statement) bool { return !strings.Contains(s.Query, "FROM device WHERE") })
	if len(counts) == 0 {
		t.Fatal("no devices were counted")
	}
	plan := planOf(t, file, counts[0])
	if !strings.Contains(plan, "USING COVERING INDEX device_inactive ") || strings.Contains(plan, "SEARCH device USING INDEX") ||
		strings.Contains(plan, "SCAN device") {
		t.Errorf("the devices are counted so: %s", plan)
	}
}

// TestListsOfOneTenant holds lists of what a tenant has and what is shared with it to its
// own rows and the shared ones: for the sake of one condition for both, SQLite went through
// the rows of all tenants.
func TestListsOfOneTenant(t *testing.T) {
	t.Parallel()
	f, file, take := traced(t)
	id := f.addDevice("red").ID
	ctx, own, place := t.Context(), f.own, &drover.TripCursor{StartTime: noon, ID: store.NewID()}
	devices := func(filter drover.DeviceFilter, order drover.DeviceOrder, after string) func(tx *store.Tx) error {
		return func(tx *store.Tx) error {
			_, err := tx.Fleet.SortedDevices(ctx, own, filter, order, drover.SortCursor{ID: after}, 10)
			return err
		}
	}
	stops := func(filter drover.StopFilter, after *drover.TripCursor) func(tx *store.Tx) error {
		return func(tx *store.Tx) error {
			_, err := tx.Trips.Stops(ctx, own, filter, after, 10)
			return err
		}
	}
	for name, read := range map[string]func(tx *store.Tx) error{
		"devices":                 devices(drover.DeviceFilter{}, drover.DeviceOrder{}, ""),
		"devices after one":       devices(drover.DeviceFilter{}, drover.DeviceOrder{}, id),
		"devices, last first":     devices(drover.DeviceFilter{}, drover.DeviceOrder{Order: drover.NewestFirst}, ""),
		"devices of a connection": devices(drover.DeviceFilter{ConnectionID: id}, drover.DeviceOrder{}, ""),
		"devices with a tag":      devices(drover.DeviceFilter{Tag: "red"}, drover.DeviceOrder{}, ""),
		"devices with a text":     devices(drover.DeviceFilter{Text: "x"}, drover.DeviceOrder{}, ""),
		"devices by plate":        devices(drover.DeviceFilter{}, drover.DeviceOrder{Sort: drover.DevicesByRegistration}, ""),
		"devices by position":     devices(drover.DeviceFilter{}, drover.DeviceOrder{Sort: drover.DevicesByPositionTime}, ""),
		"stops":                   stops(drover.StopFilter{}, nil),
		"stops after one":         stops(drover.StopFilter{From: &noon}, place),
		"stops of a device":       stops(drover.StopFilter{DeviceID: id}, nil),
		"connections": func(tx *store.Tx) error {
			_, err := tx.Fleet.ConnectionPage(ctx, own, "", id, 10)
			return err
		},
		"devices of connections, counted": func(tx *store.Tx) error {
			_, err := tx.Fleet.VisibleDeviceCounts(ctx, own)
			return err
		},
		"streams": func(tx *store.Tx) error {
			_, err := tx.Fleet.VisibleJobs(ctx, own)
			return err
		},
		"sums of days": func(tx *store.Tx) error {
			_, err := tx.Trips.TripSums(ctx, own, drover.TripFilter{})
			return err
		},
		"time use": func(tx *store.Tx) error {
			_, err := tx.Trips.TimeUse(ctx, own, noon, noon)
			return err
		},
		"invalid trips": func(tx *store.Tx) error {
			_, err := tx.Trips.InvalidTrips(ctx, own, noon, noon, 10)
			return err
		},
	} {
		take()
		f.update(read)
		looked := 0
		for _, s := range take() {
			if !strings.Contains(s.Query, "SELECT") {
				continue
			}
			looked++
			if step := ofAllTenants(planOf(t, file, s)); step != "" {
				t.Errorf("%s go through the rows of all tenants: %s", name, step)
			}
		}
		if looked == 0 {
			t.Errorf("%s: no statement was seen", name)
		}
	}
}

var (
	// overRecords is a step over records of tenants, and byTenant one that keeps to a tenant or an id.
	overRecords = regexp.MustCompile(`^(SCAN|SEARCH) [cdrst]( |$)`)
	byTenant    = regexp.MustCompile(`\((tenant_id|id)=\?`)
)

// ofAllTenants is the first step of a plan that goes through records of all tenants. What
// a plan makes first is none, though it may have the name of a table.
func ofAllTenants(plan string) string {
	made := map[string]int{}
	for step := range strings.SplitSeq(plan, "; ") {
		if name, ok := strings.CutPrefix(step, "CO-ROUTINE "); ok {
			made["SCAN "+name]++
		}
		switch {
		case !overRecords.MatchString(step) || byTenant.MatchString(step):
		case made[step] > 0:
			made[step]--
		default:
			return step
		}
	}
	return ""
}

// traced is a fixture on SQLite, its file, and what takes the statements that ran since.
func traced(t *testing.T) (f fixture, file *sql.DB, take func() []database.Statement) {
	t.Helper()
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
	f = newFixture(t, storetest.Open(t, o))
	file, err := sql.Open("sqlite", o.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return f, file, func() []database.Statement {
		mu.Lock()
		defer mu.Unlock()
		all := ran
		ran = nil
		return all
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
