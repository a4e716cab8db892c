package purge_test

import (
	"database/sql"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
	"github.com/drover-fleet/drover/internal/upkeep/purge"
)

func TestMain(m *testing.M) { storetest.PlannedMain(m) }

var now = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// kept are tables whose rows of a connection stay, and why.
var kept = map[string]string{
	"deleted_record": "programs that keep a copy hear of the deletion; retention takes it",
	"outbox":         "events on their way to others go within a second, by those who take them",
}

// world is a tenant with two connections of which each table has a row.
type world struct {
	t          *testing.T
	store      *store.Store
	raw        *sql.DB
	postgres   bool
	tenant     string
	gone, stay drover.Connection
	devices    map[string]string // by connection
	tables     map[string][]column
	late       time.Duration // how much time has passed
}

type column struct {
	name, typ string
	needed    bool
}

// TestErase fills every table that names a connection or a device, as the database
// itself lists them, and erases one of two connections: nothing is left of it, and all
// of the other. So a table that is new is seen by this test.
func TestErase(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, name)
			before := w.count(w.stay)
			w.erase(nil)
			for table, n := range w.count(w.gone) {
				if n > 0 && kept[table] == "" {
					t.Errorf("%s has %d rows of a connection that was erased", table, n)
				}
			}
			for table, n := range w.count(w.stay) {
				if n != before[table] || n == 0 {
					t.Errorf("%s has %d rows of another connection, and had %d", table, n, before[table])
				}
			}
			if _, err := w.store.Fleet.Connection(t.Context(), w.tenant, w.gone.ID); err == nil {
				t.Error("the connection is still there")
			}
		})
	}
}

// TestEraseInterrupted stops after each step, as a process does that dies, and lets
// another go on.
func TestEraseInterrupted(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, name)
			steps := 0
			w.erase(func() bool { steps++; return true })
			if steps < 3 {
				t.Errorf("%d steps, want some", steps)
			}
			for table, n := range w.count(w.gone) {
				if n > 0 && kept[table] == "" {
					t.Errorf("%s has %d rows of a connection that was erased", table, n)
				}
			}
		})
	}
}

// erase runs to the end; where there is a stop, with a new claim for every step.
func (w *world) erase(stop func() bool) {
	w.t.Helper()
	clock := now.Add(w.late)
	e := purge.New(purge.Options{Store: w.store, Now: func() time.Time { return clock }, Logger: slog.New(slog.DiscardHandler)})
	if stop == nil {
		if err := e.RunDue(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
		return
	}
	for more := true; more && stop(); {
		clock = clock.Add(time.Hour)
		p, err := w.store.Jobs.ClaimPurge(w.t.Context(), drover.At(clock), drover.At(clock.Add(time.Minute)))
		if err != nil {
			w.t.Fatal(err)
		}
		if more, err = e.Step(w.t.Context(), &p); err != nil {
			w.t.Fatal(err)
		}
	}
}

func newWorld(t *testing.T, name string) *world {
	t.Helper()
	o := storetest.Options(t, name)
	w := &world{t: t, store: storetest.Open(t, o), postgres: name == "postgres", tenant: store.NewID(), devices: map[string]string{}}
	driver, address := "sqlite", o.Path+"?_pragma=busy_timeout(10000)"
	if w.postgres {
		driver, address = "pgx", o.URL
	}
	raw, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = raw.Close() })
	w.raw = raw
	ctx := t.Context()
	w.update(func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(ctx, drover.Tenant{ID: w.tenant, Name: "tenant", CreatedAt: drover.At(now)})
	})
	w.gone, w.stay = w.connection(), w.connection()
	w.tables = w.schema()
	for table, columns := range w.tables {
		for _, c := range []drover.Connection{w.gone, w.stay} {
			w.fill(table, columns, c)
		}
	}
	w.update(func(tx *store.Tx) error {
		return tx.Jobs.AddPurge(ctx, work.Purge{TenantID: w.tenant, ConnectionID: w.gone.ID, EventTo: 40_001}, drover.At(now))
	})
	return w
}

func (w *world) update(f func(tx *store.Tx) error) {
	w.t.Helper()
	if err := w.store.Update(w.t.Context(), f); err != nil {
		w.t.Fatal(err)
	}
}

// connection adds a connection with a device that has positions.
func (w *world) connection() drover.Connection {
	w.t.Helper()
	ctx := w.t.Context()
	c := drover.Connection{
		ID: store.NewID(), TenantID: w.tenant, IntegrationName: drover.Traccar, BusinessName: "Haulage", CollectionStartTime: drover.At(now),
		Configuration: drover.Configuration{
			Health: drover.ConnectionArchived,
			Purge:  &drover.PurgeProgress{RequestedAt: drover.At(now), DevicesTotal: 1},
		},
	}
	d := drover.Device{ID: store.NewID(), ConnectionID: c.ID, SystemDeviceID: "1", Active: true, Tags: []string{}}
	w.devices[c.ID] = d.ID
	w.update(func(tx *store.Tx) error {
		if err := tx.Fleet.AddConnection(ctx, c, []byte("sealed"), drover.At(now)); err != nil {
			return err
		}
		if err := tx.Fleet.AddDevice(ctx, w.tenant, d, drover.At(now)); err != nil {
			return err
		}
		_, err := tx.History.AddPositions(ctx, w.tenant, []history.Position{history.Of(d.ID, drover.Position{Time: drover.At(now)})})
		return err
	})
	return c
}

// schema lists the tables that name a tenant and a connection, a device or a subject.
func (w *world) schema() map[string][]column {
	w.t.Helper()
	query := `SELECT m.name, p.name, p.type, p."notnull" = 1 AND p.dflt_value IS NULL FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table'`
	if w.postgres {
		query = `SELECT table_name, column_name, upper(data_type), is_nullable = 'NO' AND column_default IS NULL FROM information_schema.columns
			WHERE table_schema = current_schema() AND table_name NOT LIKE 'position%' OR table_name IN ('position_block', 'position_change')`
	}
	rows, err := w.raw.QueryContext(w.t.Context(), query)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	all := map[string][]column{}
	for rows.Next() {
		var table string
		var c column
		if err := rows.Scan(&table, &c.name, &c.typ, &c.needed); err != nil {
			w.t.Fatal(err)
		}
		all[table] = append(all[table], c)
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	for table, columns := range all {
		has := func(name string) bool {
			return slices.ContainsFunc(columns, func(c column) bool { return c.name == name })
		}
		if !has("tenant_id") || !has("connection_id") && !has("device_id") && !has("subject_id") || table == "device" || table == "purge" {
			delete(all, table)
		}
	}
	if len(all) < 15 {
		w.t.Fatalf("%d tables name a connection or a device: %v", len(all), all)
	}
	return all
}

// fill adds a row of a connection to a table.
func (w *world) fill(table string, columns []column, c drover.Connection) {
	w.t.Helper()
	var names, marks []string
	var args []any
	for _, col := range columns {
		value := w.value(col, c)
		if value == nil {
			continue
		}
		names, args = append(names, col.name), append(args, value)
		marks = append(marks, fmt.Sprintf("$%d", len(args)))
	}
	_, err := w.raw.ExecContext(w.t.Context(), `INSERT INTO `+table+` (`+strings.Join(names, ", ")+`) VALUES (`+strings.Join(marks, ", ")+
		`) ON CONFLICT DO NOTHING`, args...)
	if err != nil {
		w.t.Fatalf("%s: %s", table, err)
	}
}

// value is what a column of a row gets; nil for its default.
func (w *world) value(col column, c drover.Connection) any {
	switch col.name {
	case "tenant_id", "device_tenant_id":
		return w.tenant
	case "connection_id":
		return c.ID
	case "device_id", "subject_id":
		return w.devices[c.ID]
	case "ids":
		return `["` + store.NewID() + `"]`
	case "filters":
		return `{"connection_id":"` + c.ID + `"}`
	case "status":
		if strings.ToUpper(col.typ) == "TEXT" {
			return string(drover.TripNotStarted)
		}
	case "sequence", "first_sequence", "last_sequence", "first", "last", "day":
		return int64(slices.Index([]string{w.gone.ID, w.stay.ID}, c.ID) + 40_000)
	}
	if !col.needed {
		return nil
	}
	switch strings.ToUpper(col.typ) {
	case "UUID":
		return store.NewID()
	case "TEXT":
		return "{}"
	case "BYTEA", "BLOB":
		return []byte("x")
	case "BOOLEAN":
		return false
	case "DOUBLE PRECISION":
		return 1.0
	}
	return int64(1)
}

// count counts the rows of a connection and its device in every table.
func (w *world) count(c drover.Connection) map[string]int {
	w.t.Helper()
	counts := map[string]int{}
	for table, columns := range w.tables {
		var parts []string
		args := []any{}
		for _, col := range columns {
			switch col.name {
			case "connection_id":
				args = append(args, c.ID)
			case "device_id", "subject_id":
				args = append(args, w.devices[c.ID])
			default:
				continue
			}
			parts = append(parts, fmt.Sprintf("%s = $%d", col.name, len(args)))
		}
		var n int
		if err := w.raw.QueryRowContext(w.t.Context(), `SELECT COUNT(*) FROM `+table+` WHERE `+strings.Join(parts, " OR "),
			args...).Scan(&n); err != nil {
			w.t.Fatalf("%s: %s", table, err)
		}
		counts[table] = n
	}
	query := `SELECT COUNT(*) FROM position WHERE device = unhex($1, '-')`
	if w.postgres {
		query = `SELECT COUNT(*) FROM position WHERE device_id = $1`
	}
	var n int
	if err := w.raw.QueryRowContext(w.t.Context(), query, w.devices[c.ID]).Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	counts["position"] = n
	return counts
}
