package collect_test

import (
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/declared"
	"github.com/drover-fleet/drover/internal/provider/vendors/bouncie"
	"github.com/drover-fleet/drover/internal/provider/vendors/bouncie/bouncietest"
	"github.com/drover-fleet/drover/internal/provider/vendors/motive"
	"github.com/drover-fleet/drover/internal/provider/vendors/motive/motivetest"
	"github.com/drover-fleet/drover/internal/provider/vendors/ruptela"
	"github.com/drover-fleet/drover/internal/provider/vendors/ruptela/ruptelatest"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// twice is a vendor that has an adapter in Go and a file.
type twice struct {
	inGo        provider.Info
	vendor      func(*sim.Account) http.Handler
	credentials map[string]string
}

func allTwice() []twice {
	return []twice{
		{bouncie.Info, bouncietest.New, map[string]string{
			"client_id": "drover-test", "client_secret": "c1i3nt-s3cr3t",
			"redirect_uri": "https://drover.example/callback", "authorization_code": "c0d3-0f-c0ns3nt",
		}},
		{motive.Info, motivetest.New, map[string]string{"api_key": "9e90504a-82f0-4ed4"}},
		{ruptela.Info, ruptelatest.New, map[string]string{"api_key": "k3y-of-the-fleet"}},
	}
}

// TestFileStoresTheSame collects a day of the past and some hours of the present from one
// vendor with its adapter in Go and with its file, each into a database of its own. All rows of
// all tables are the same, to the last byte, but for what the adapter does beyond files: faults,
// safety events, names of drivers, notices and pushes, which are switched off.
func TestFileStoresTheSame(t *testing.T) {
	t.Parallel()
	for _, v := range allTwice() {
		for _, database := range []string{"sqlite", "postgres"} {
			t.Run(string(v.inGo.Name)+" "+database, func(t *testing.T) {
				t.Parallel()
				inGo, inFile := v.collect(t, database, ""), v.collect(t, database, v.file(t))
				for _, table := range []string{"device", "position", "reading", "reading_series", "trip", "stop", "event", "device_latest"} {
					if len(inGo[table]) == 0 {
						t.Errorf("%s: the adapter in Go stores nothing: nothing is compared", table)
					}
				}
				if table, diff := different(inGo, inFile); diff != "" {
					t.Errorf("%s differs (-in Go +in a file):\n%.3000s", table, diff)
				}
			})
		}
	}
}

// TestFileStoresOther plants mistakes in a file: each is found in what is stored.
func TestFileStoresOther(t *testing.T) {
	t.Parallel()
	v := allTwice()[0]
	inGo := v.collect(t, "sqlite", "")
	for _, c := range []struct{ from, to, table string }{
		{"{path: speed, unit: mph}", "{path: speed, unit: kmh}", "position"},
		{"year: model.year", "year: model.age", "device"},
		{"value: fuelLevel,", "value: {path: fuelLevel, factor: 1.001},", "reading"},
		{"idling: totalIdleDuration", "idling: {path: totalIdleDuration, minus: transactionId}", "trip"},
	} {
		t.Run(c.table, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(v.file(t), c.from, c.to, 1)
			if text == v.file(t) {
				t.Fatalf("%q is not in the file", c.from)
			}
			if inFile := v.collect(t, "sqlite", text); slices.Equal(withoutIDs(inGo[c.table]), withoutIDs(inFile[c.table])) {
				t.Errorf("%s is not seen in the table %s", c.to, c.table)
			}
		})
	}
}

// file is the vendor's file.
func (v twice) file(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../provider/declared/testdata", string(v.inGo.Name)+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// collect reads the vendor with its file, or with its adapter where that is empty, and
// returns the rows of each table.
func (v twice) collect(t *testing.T, database, file string) map[string][]string {
	t.Helper()
	o := storetest.Options(t, database)
	r := newRig(t, storetest.Open(t, o))
	info := v.inGo
	info.Name += "_file" // the name is in rows
	info.Faults, info.Safety, info.Notices, info.Push, info.Features.Drivers = nil, nil, nil, nil, false
	if file != "" {
		read, mistakes := declared.Parse([]byte(file))
		if len(mistakes) > 0 {
			t.Fatal(mistakes)
		}
		info = read.Info()
	}
	info.Limits = nil // time stands still
	r.options.Providers[info.Name] = info
	fleet := sim.New(sim.Options{Vehicles: 4, Seed: 3})
	r.network.serve("vendor.test", v.vendor(sim.NewAccount(fleet, r.clock.Now, v.credentials)))
	credentials := map[string]string{provider.BaseURLField: "https://vendor.test"}
	maps.Copy(credentials, v.credentials)
	conn := r.connect(info.Name, noon.Add(-26*time.Hour), credentials)
	r.run()
	r.pass(2 * time.Hour)
	r.expectState(conn, drover.ConnectionHealthy)
	driver, address := "sqlite", o.Path
	if database == "postgres" {
		driver, address = "pgx", o.URL
	}
	all := tables(t, driver, address)
	for _, e := range r.events() { // their data may be packed
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		all["event"] = append(all["event"], string(line))
	}
	return all
}

// apart are the tables and columns that differ between any two databases, or that say how a
// connection was read rather than what came of it.
var apart = map[string]string{
	"data_key": "random", "signing_key": "random", "connection.credentials": "sealed", "deleted_record.deleted_at": "of the machine's clock",
	"change_clock": "random", "goose_db_version": "of the machine's clock",
	"change": "a number of the whole database", "event": "some are packed: they are read by the store",
	"job": "calls and cursors", "job_hour": "calls", "collection": "calls",
}

// tables reads the rows of all tables as text.
func tables(t *testing.T, driver, address string) map[string][]string {
	t.Helper()
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	names := `SELECT name FROM sqlite_master WHERE type = 'table'`
	if driver == "pgx" {
		names = `SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = current_schema()::regnamespace`
	}
	all := map[string][]string{}
	for _, name := range query(t, db, names, func(values []any, _ []string) string { return fmt.Sprint(values[0]) }) {
		if apart[name] == "" {
			all[name] = query(t, db, "SELECT * FROM "+name, func(values []any, columns []string) string { return row(name, columns, values) })
		}
	}
	return all
}

func query(t *testing.T, db *sql.DB, text string, line func(values []any, columns []string) string) (lines []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line(values, columns))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// forms are what an adapter has found out of an account, such as the unit of its trips.
var forms = regexp.MustCompile(`,"forms":\{[^}]*\}`)

func row(table string, columns []string, values []any) string {
	var b strings.Builder
	for i, value := range values {
		if apart[columns[i]] != "" || apart[table+"."+columns[i]] != "" {
			continue
		}
		if raw, ok := value.([]byte); ok && len(raw) == 16 {
			value = fmt.Sprintf("%x-%x-%x-%x-%x", raw[:4], raw[4:6], raw[6:8], raw[8:10], raw[10:])
		}
		if text, ok := value.(string); ok {
			value = forms.ReplaceAllString(text, "")
		}
		fmt.Fprintf(&b, " %s=%#v", columns[i], value)
	}
	return b.String()
}

// id is one of those that are random: the same row has another in another database.
var id = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

func withoutIDs(rows []string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = id.ReplaceAllString(r, "ID")
	}
	slices.Sort(out)
	return out
}

// different returns the first table whose rows differ, each id being replaced by what all rows
// say of it.
func different(a, b map[string][]string) (table, diff string) {
	for table := range a {
		if diff := cmp.Diff(withoutIDs(a[table]), withoutIDs(b[table])); diff != "" {
			return table, diff
		}
	}
	a, b = identified(a), identified(b)
	for table := range a {
		if diff := cmp.Diff(a[table], b[table]); diff != "" {
			return table + " by ids", diff
		}
	}
	return "", cmp.Diff(len(a), len(b))
}

// identified replaces ids by a sum of the rows in which they are, in which the other ids are
// replaced in the same way.
func identified(all map[string][]string) map[string][]string {
	known := map[string]string{}
	replaced := func(r string) string {
		return id.ReplaceAllStringFunc(r, func(s string) string { return "<" + known[s] + ">" })
	}
	for range 4 { // ids lead to ids, no further than from an event to a connection
		said := map[string][]string{}
		for table, rows := range all {
			for _, r := range rows {
				text := replaced(r)
				for i, s := range id.FindAllString(r, -1) {
					said[s] = append(said[s], fmt.Sprint(table, i, text))
				}
			}
		}
		for s, texts := range said {
			slices.Sort(texts)
			known[s] = fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(texts, "\n"))))[:12]
		}
	}
	out := map[string][]string{}
	for table, rows := range all {
		for _, r := range rows {
			out[table] = append(out[table], replaced(r))
		}
		slices.Sort(out[table])
	}
	return out
}
