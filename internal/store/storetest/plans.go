package storetest

import (
	"context"
	_ "embed" // the rows of an installation
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
)

// PostgreSQL plans a statement that runs often once, for whatever arguments it may get.
// With many tenants, or with few large ones, that plan may go through the records of all
// of them: along the index of another order, or through a whole table.

//go:embed installation.sql
var installation string

// Shape is the size of an installation.
type Shape struct {
	Name     string
	Tenants  int
	Each     int // connections of a tenant
	Devices  int // of a connection
	Trips    int // of a device
	Events   int // of a tenant
	SeqScans bool
}

// Shapes are those for which statements are planned. Where a tenant has a large part of a
// table, reading it from end to end is in order.
var Shapes = []Shape{
	{Name: "many", Tenants: 250, Each: 4, Devices: 5, Trips: 3, Events: 40},
	{Name: "few", Tenants: 4, Each: 5, Devices: 100, Trips: 3, Events: 500, SeqScans: true},
}

// manyRows are so many that PostgreSQL reads one of them by an index where there is one.
const manyRows = 2000

// Planner plans statements for an installation.
type Planner struct {
	conn   *pgx.Conn
	shape  Shape
	tables map[string]int // the rows of tables of tenants
}

// NewPlanner fills a migrated database.
func NewPlanner(ctx context.Context, url string, shape Shape) (*Planner, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	p := &Planner{conn: conn, shape: shape, tables: map[string]int{}}
	for _, statements := range []string{
		fmt.Sprintf(`CREATE TEMP TABLE shape AS SELECT %d AS tenants, %d AS connections, %d AS devices, %d AS trips, %d AS events`,
			shape.Tenants, shape.Each, shape.Devices, shape.Trips, shape.Events),
		installation,
		`VACUUM ANALYZE`,
		`SET plan_cache_mode = force_generic_plan`,
		`SET jit = off`,
	} {
		if _, err := conn.Exec(ctx, statements); err != nil {
			return nil, errors.Join(fmt.Errorf("fill: %w", err), p.Close(ctx))
		}
	}
	rows, err := conn.Query(ctx, `SELECT c.relname, c.reltuples::bigint FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
		WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace`)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the tables: %w", err), p.Close(ctx))
	}
	var table string
	var size int
	_, err = pgx.ForEachRow(rows, []any{&table, &size}, func() error {
		p.tables[table] = size
		return nil
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the tables: %w", err), p.Close(ctx))
	}
	return p, nil
}

// Close ends the connection.
func (p *Planner) Close(ctx context.Context) error { return p.conn.Close(ctx) }

// step is one of a plan.
type step struct {
	Type  string `json:"Node Type"`
	Table string `json:"Relation Name"`
	Index string `json:"Index Name"`
	Cond  string `json:"Index Cond"`
	Steps []step `json:"Plans"`
}

// AcrossTenants are the steps of a statement that go through records of all tenants.
func (p *Planner) AcrossTenants(ctx context.Context, query string) ([]string, error) {
	const name = "planned"
	prepared, err := p.conn.Prepare(ctx, name, query)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	arguments := make([]string, len(prepared.ParamOIDs))
	for i, oid := range prepared.ParamOIDs {
		arguments[i] = argument(oid)
	}
	list := ""
	if len(arguments) > 0 {
		list = "(" + strings.Join(arguments, ", ") + ")"
	}
	var text string
	if err := p.conn.QueryRow(ctx, "EXPLAIN (FORMAT JSON) EXECUTE "+name+list, pgx.QueryExecModeSimpleProtocol).Scan(&text); err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	var plans []struct{ Plan step }
	if err := json.Unmarshal([]byte(text), &plans); err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	return p.across(plans[0].Plan, ""), p.conn.Deallocate(ctx, name)
}

// argument is a value of a type. The plan does not depend on it, but for the partitions
// that a time leaves.
func argument(oid uint32) string {
	switch oid {
	case pgtype.Int8OID, pgtype.Int4OID:
		return "700000000"
	case pgtype.UUIDOID:
		return "made('tenant 1')"
	}
	return "NULL"
}

// narrow are the columns that leave few rows of an index.
var narrow = regexp.MustCompile(`\b(tenant_id|device_tenant_id|shared_with|id|hash|login_name|login_email)\)?(::text)? = `)

func (p *Planner) across(s step, table string) (found []string) {
	if s.Table != "" {
		table = s.Table
	}
	size, ofTenants := p.tables[table]
	switch {
	case !ofTenants:
	case s.Type == "Seq Scan" && size >= manyRows && !p.shape.SeqScans:
		found = append(found, "all of "+table)
	case s.Index != "" && !narrow.MatchString(s.Cond):
		found = append(found, fmt.Sprintf("%s along %s by %q", table, s.Index, s.Cond))
	}
	for _, below := range s.Steps {
		found = append(found, p.across(below, table)...)
	}
	return found
}

// ran are the statements that tests have run on PostgreSQL.
var ran struct {
	mu      sync.Mutex
	kept    bool
	queries map[string]bool
	seen    sync.Map // by the text of a statement, as it was run
}

var (
	anySpace  = regexp.MustCompile(`\s+`)
	ofRecords = regexp.MustCompile(`^(SELECT|INSERT|UPDATE|DELETE|WITH) `)
	// ofPartition is of a table that is named by its time.
	ofPartition = regexp.MustCompile(`\bposition_\d+\b`)
)

// keep has the statements of a store kept to be planned, where they are asked for.
func keep(o store.Options) store.Options {
	if o.URL == "" || !ran.kept {
		return o
	}
	before := o.Trace
	rules := apartness{wrote: map[int64]bool{}, read: map[int64]string{}}
	o.Trace = func(s database.Statement) {
		if before != nil {
			before(s)
		}
		rules.look(s)
		if _, known := ran.seen.LoadOrStore(s.Query, true); known {
			return
		}
		query := strings.TrimSpace(anySpace.ReplaceAllString(s.Query, " "))
		if ofRecords.MatchString(query) && !ofPartition.MatchString(query) {
			ran.mu.Lock()
			defer ran.mu.Unlock()
			ran.queries[query] = true
		}
	}
	return o
}

// PlannedMain is Main, and has PostgreSQL plan all statements that the tests of the package
// have run on it. One that goes through the records of all tenants, and is not listed as
// made for that, is a failure. Where only some tests are run, there is nothing to plan. What
// could not be run where tenants lie apart is a failure too.
func PlannedMain(m *testing.M) {
	ran.kept, ran.queries = true, map[string]bool{}
	apart.faults, apart.needed = map[string]bool{}, map[[3]string]bool{}
	end(m, func(code int) int {
		all := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.list").Value.String() == ""
		if code != 0 {
			return code
		}
		faults := apartFaults(all)
		if all {
			faults = append(faults, planAll(context.Background()))
		}
		if err := errors.Join(faults...); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	})
}

// planAll plans what was run for each shape.
func planAll(ctx context.Context) error {
	if Citus() { // it plans no statement before it knows the tenant
		return nil
	}
	if len(ran.queries) == 0 {
		return errors.New("no statement was run on PostgreSQL")
	}
	var faults []error
	for _, shape := range Shapes {
		name := "planned_" + shape.Name
		if err := shared.plain.server.Create(ctx, name, migratedTemplate); err != nil {
			return err
		}
		p, err := NewPlanner(ctx, shared.plain.server.URL(name), shape)
		if err != nil {
			return err
		}
		for _, query := range slices.Sorted(maps.Keys(ran.queries)) {
			found, err := p.AcrossTenants(ctx, query)
			if err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", query, err))
			}
			for _, step := range found {
				if !meantForAll(query, step) {
					faults = append(faults, fmt.Errorf("with %s tenants, PostgreSQL reads %s: %s", shape.Name, step, query))
				}
			}
		}
		if err := p.Close(ctx); err != nil {
			return err
		}
	}
	return errors.Join(faults...)
}

// forAll are steps that go through records of all tenants and are to, by a part of the
// statement and one of the step, with the reason.
var forAll = [][3]string{
	{"UPDATE collection SET due_at", "along collection_due", "connections are claimed by their due time"},
	{"SELECT due_at, leased_until FROM collection", "along collection_due", "the next connection that is due"},
	{"SELECT tenant_id, connection_id FROM collection WHERE due_at", "along collection_due", "those of a place are found by their due time"},
	{"SELECT m.tenant_id, m.id FROM milestone m WHERE m.due_at", "along milestone_due", "those of a place are found by their due time"},
	{"UPDATE milestone SET due_at", "along milestone_due", "milestones are claimed by their due time"},
	{"SELECT m.due_at FROM milestone m", "along milestone_due", "the next milestone that is due"},
	{"m.arrived_at >= $1", "", "an operator's report of what was predicted"},
	{"FROM device_latest l WHERE l.silent_due <= $1", "along device_latest_silent", "devices that have fallen silent"},
	{"FROM recompute", "along recompute_due", "jobs that wait are few"},
	{"FROM purge p WHERE p.due_at <= $1", "along purge_due", "connections that are being erased are few"},
	{"leased_by = $1 AND leased_until > 0", "along delivery_target_lease", "a process renews the leases that it has"},
	{"SELECT w.tenant_id FROM export w WHERE", "along export_waiting", "exports that wait are few"},
	{"FROM export e WHERE e.expires_at <= $1", "along export_age", "retention"},
	{"DELETE FROM export_chunk AS c", "all of export", "files that no one owns are looked for when a process starts"},
	{"DELETE FROM audit WHERE time", "along audit_time", "retention"},
	{"SELECT DISTINCT tenant_id, target_id FROM delivery", "along delivery_position", "retention of positions that wait"},
	{"MIN(d.due_at) AS wrong", "along delivery_due", "targets are mended: one step for each delivery that waits"},
	{"FROM delivery_target t WHERE t.due_at <= $1", "along delivery_target_due", "targets are found by the time of what waits"},
	{"FROM delivery WHERE (tenant_id, target_id) > ($1, $2)", "along delivery_pkey", "one step for each target"},
	{"SELECT d.tenant_id, d.id FROM device d WHERE", "along device_pkey", "packing goes from device to device"},
	{"FROM outbox UNION SELECT", "all of", "what tenants leave for one another is soon taken"},
	{"WHERE id > $1 ORDER BY id LIMIT", "_id by", "keys are changed for all tenants"},
	{"SET change = 0", "all of", "a database that was restored numbers its changes again"},
	{"AS kind, login_name AS key", "all of", "an operator verifies the directory"},
	{"DELETE FROM deleted_record", "deleted_record", "retention, and a database that was restored"},
	{"AS wrong", "all of", "an operator verifies all sums and feeds"},
}

func meantForAll(query, step string) bool {
	return slices.ContainsFunc(forAll, func(known [3]string) bool {
		return strings.Contains(query, known[0]) && strings.Contains(step, known[1])
	})
}
