package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

// former writes what the release before writes, with its statements.
type former struct {
	t          *testing.T
	statements []string
	exec       func(text string, args ...any) error
}

// TestFormerRows has the release before write on its own schema and, after the migration,
// beside this one: what both have written is read as one, and adds up.
func TestFormerRows(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := storetest.Empty(t, name)
			migrateFormer(t, o)
			f := newFormer(t, name, o)
			first, second := newFormerFleet(), newFormerFleet()
			f.begin(first)
			f.drive(first, 1)
			s := storetest.Open(t, o)
			f.drive(first, 2)
			f.begin(second)
			f.drive(second, 1)
			f.insert("connection_share", map[string]any{
				"tenant_id": first.tenant, "connection_id": first.connection, "shared_with": second.tenant,
				"id": store.NewID(), "positions": true, "drivers": false, "readings": false, "safety": false, "created_at": noon.UnixMilli(),
			})
			err := s.Update(t.Context(), func(tx *store.Tx) error {
				return tx.Trips.AddTrip(t.Context(), store.Trip{
					ConnectionID: first.connection, Access: store.Access{TenantID: first.tenant},
					Trip: first.trip(3),
				})
			})
			if err != nil {
				t.Fatal(err)
			}
			f.drive(first, 4)
			for fleet, trips := range map[formerFleet]int{first: 4, second: 1} {
				checkFormer(t, s, fleet, trips)
			}
		})
	}
}

// migrateFormer makes the schema of the release before.
func migrateFormer(t *testing.T, o store.Options) {
	t.Helper()
	text, err := os.ReadFile(formerFile("both"))
	if err != nil {
		t.Fatal(err)
	}
	var schema int
	if _, err := fmt.Sscanf(string(text), "-- Statements of the release with schema %d,", &schema); err != nil {
		t.Fatal(err)
	}
	all, steps := os.DirFS("migration"), fstest.MapFS{}
	names := must[[]string](t)(fs.Glob(all, "*.sql"))
	for _, name := range names {
		if name < fmt.Sprintf("%05d", schema+1) {
			steps[name] = &fstest.MapFile{Data: must[[]byte](t)(fs.ReadFile(all, name))}
		}
	}
	db, err := database.Open(t.Context(), database.Options{Path: o.Path, URL: o.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Migrate(t.Context(), steps); err != nil {
		t.Fatal(err)
	}
}

func newFormer(t *testing.T, name string, o store.Options) *former {
	t.Helper()
	f := &former{t: t, statements: slices.Concat(readFormer(t, name), readFormer(t, "both"))}
	if o.URL == "" {
		db, err := sql.Open("sqlite", o.Path+"?_pragma=busy_timeout(60000)")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		f.exec = func(text string, args ...any) error {
			_, err := db.ExecContext(t.Context(), text, args...)
			return err
		}
		return f
	}
	conn, err := pgx.Connect(t.Context(), o.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	f.exec = func(text string, args ...any) error {
		_, err := conn.Exec(t.Context(), text, args...)
		return err
	}
	return f
}

// formerFleet is a tenant with a connection and a device.
type formerFleet struct{ tenant, connection, device string }

func newFormerFleet() formerFleet { return formerFleet{store.NewID(), store.NewID(), store.NewID()} }

// trip is the trip of a number: all are on one day.
func (n formerFleet) trip(number int) drover.Trip {
	start := drover.At(noon.Add(time.Duration(number) * time.Hour))
	return drover.Trip{
		ID: store.NewID(), DeviceID: n.device, SystemTripID: fmt.Sprint(number), StartTime: start, EndTime: drover.At(start.Add(time.Minute)),
		DurationSeconds: 60,
		DistanceMetres:  new(1000.0), DrivingSeconds: new(50.0), IdlingSeconds: new(10.0), IsValid: true,
	}
}

// begin stores a tenant with what it has.
func (f *former) begin(n formerFleet) {
	f.t.Helper()
	at := noon.UnixMilli()
	f.insert("tenant", map[string]any{"id": n.tenant, "name": n.tenant, "suspended": false, "created_at": at})
	f.insert("event_sequence", map[string]any{"tenant_id": n.tenant})
	f.insert("connection", map[string]any{
		"tenant_id": n.tenant, "id": n.connection, "integration_name": "traccar", "business_name": "Haulage", "active": true,
		"collection_start_time": at, "configuration": "{}", "credentials": []byte("sealed"), "state": "healthy", "created_at": at,
	})
	f.insert("device", map[string]any{
		"tenant_id": n.tenant, "id": n.device, "connection_id": n.connection, "system_device_id": "7", "active": true, "tags": "[]",
		"edited":     "[]",
		"created_at": at, "updated_at": at,
	})
	f.insert("milestone", map[string]any{
		"tenant_id": n.tenant, "id": store.NewID(), "device_tenant_id": n.tenant, "device_id": n.device, "start_latitude": 1.0,
		"start_longitude": 1.0,
		"end_latitude":    2.0, "end_longitude": 2.0, "start_time": at, "created_at": at, "updated_at": at, "status": "trip_not_started",
		"state":           "{}",
		"webhook_enabled": false, "webhook_error_count": 0, "due_at": at,
	})
	f.insert("webhook", map[string]any{
		"tenant_id": n.tenant, "id": store.NewID(), "url": "https://example.com", "enabled": true, "error_count": 0, "created_at": at,
		"updated_at": at,
		"filters":    "{}", "options": "{}", "secrets": []byte("sealed"),
	})
}

// drive stores a trip, its sums and its event.
func (f *former) drive(n formerFleet, number int) {
	f.t.Helper()
	t := n.trip(number)
	f.insert("trip", map[string]any{
		"tenant_id": n.tenant, "id": t.ID, "connection_id": n.connection, "device_id": n.device, "start_time": t.StartTime.UnixMilli(),
		"end_time":        t.EndTime.UnixMilli(),
		"distance_metres": *t.DistanceMetres, "duration_seconds": t.DurationSeconds, "driving_seconds": *t.DrivingSeconds,
		"idling_seconds": *t.IdlingSeconds,
		"system_trip_id": t.SystemTripID, "is_valid": true, "validation_comments": "", "announced": true,
		"driver_by_positions": false,
	})
	sums := map[string]any{
		"tenant_id": n.tenant, "connection_id": n.connection, "day": t.StartTime.Day(), "trips": 1, "valid_trips": 1,
		"distance_mm": 1_000_000, "driving_ms": 50_000, "idling_ms": 10_000, "auxiliary_ms": 0,
		"distance_known": 1, "driving_known": 1, "idling_known": 1, "auxiliary_known": 0,
	}
	f.insert("trip_day", sums)
	f.insert("trip_total", sums)
	if err := f.exec(f.find(`UPDATE event_sequence SET last = last +`), n.tenant, 1); err != nil {
		f.t.Fatal(err)
	}
	sequence := number
	if number > 3 { // the third was stored by this release, without an event
		sequence--
	}
	f.insert("event", map[string]any{
		"tenant_id": n.tenant, "sequence": sequence, "id": store.NewID(), "type": string(drover.EventTripCompleted),
		"time":          t.EndTime.UnixMilli(),
		"connection_id": n.connection, "device_id": n.device, "data": `{"number":1}`,
	})
}

// find is the statement that begins in a way.
func (f *former) find(begin string) string {
	f.t.Helper()
	for _, text := range f.statements {
		if strings.HasPrefix(text, begin) {
			return text
		}
	}
	f.t.Fatalf("no statement begins with %s", begin)
	return ""
}

// value is a place in the statement for the value of a column.
var value = regexp.MustCompile(`\?|\$(\d+)(?:::(\w+)\[\])?`)

// insert runs the insert of a table. Columns without a value are null.
func (f *former) insert(table string, row map[string]any) {
	f.t.Helper()
	text := f.find(`INSERT INTO ` + table + ` `)
	open, end := strings.Index(text, "("), strings.Index(text, ")")
	columns := strings.Split(text[open+1:end], ", ")
	source, _, _ := strings.Cut(text[end+1:], " ON CONFLICT")
	args := map[int]any{}
	for i, place := range value.FindAllStringSubmatch(source, -1) {
		number, column := i+1, i
		if place[1] != "" {
			number = must[int](f.t)(strconv.Atoi(place[1]))
		}
		if strings.HasPrefix(source, " SELECT") { // a parameter has the number of its column
			column = number - 1
		}
		if _, again := args[number]; again || column >= len(columns) {
			continue
		}
		args[number] = row[columns[column]]
		if place[2] != "" {
			args[number] = listOf(place[2], args[number])
		}
	}
	values := make([]any, len(args))
	for number, arg := range args {
		values[number-1] = arg
	}
	if err := f.exec(text, values...); err != nil {
		f.t.Fatalf("%s: %v", text, err)
	}
}

// listOf is a list of one, as PostgreSQL takes it.
func listOf(typ string, v any) any {
	switch typ {
	case "bigint":
		return one(func() int64 { return whole(v) }, v)
	case "boolean", "bool":
		return one(func() bool { return v.(bool) }, v)
	case "bytea":
		return one(func() []byte { return v.([]byte) }, v)
	default:
		return one(func() string { return v.(string) }, v)
	}
}

func one[T any](read func() T, v any) []*T {
	if v == nil {
		return []*T{nil}
	}
	return []*T{new(read())}
}

func whole(v any) int64 {
	if n, is := v.(int); is {
		return int64(n)
	}
	return v.(int64)
}

// checkFormer reads what both releases have written.
func checkFormer(t *testing.T, s *store.Store, n formerFleet, trips int) {
	t.Helper()
	ctx := t.Context()
	check(t, must[store.Device](t)(s.Fleet.Device(ctx, n.tenant, n.device)).SystemDeviceID, "7")
	check(t, must[store.Connection](t)(s.Fleet.Connection(ctx, n.tenant, n.connection)).BusinessName, "Haulage")
	check(t, len(must[[]drover.Trip](t)(s.Trips.Trips(ctx, n.tenant, drover.TripFilter{DeviceID: n.device}, nil, 10))), trips)
	check(t, len(must[[]drover.Webhook](t)(s.Webhooks.Webhooks(ctx, n.tenant, "", 10))), 1)
	last := must[int64](t)(s.Feed.LastEvent(ctx, n.tenant))
	check(t, len(must[[]drover.Event](t)(s.Feed.Events(ctx, n.tenant, drover.EventFilter{}, work.EventRange{To: last, Limit: 10}))),
		min(trips, 3))
	totals := must[drover.AccountSummary](t)(s.Fleet.AccountSummary(ctx, n.tenant, noon)).Trips
	check(t, totals.TripSizes, drover.TripSizes{
		DistanceMetres: new(1000.0 * float64(trips)), DrivingSeconds: new(50.0 * float64(trips)),
		IdlingSeconds: new(10.0 * float64(trips)),
	})
	for _, err := range []error{s.CheckSums(ctx), s.CheckFeeds(ctx)} {
		if err != nil {
			t.Error(err)
		}
	}
	claims := must[[]store.DueMilestone](t)(s.ClaimMilestones(ctx, noon, noon, 10))
	check(t, slices.ContainsFunc(claims, func(m store.DueMilestone) bool { return m.TenantID == n.tenant }), true)
}
