package store_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite" // the driver of SQLite

	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// recorded is the folder of what the tests of a release have run; the Makefile's target
// former says how it is made.
var recorded = flag.String("recorded", "", "write testdata/former from the statements in this folder")

// TestFormerRelease holds the schema to the statements of the release before, which goes
// on while one process after the other is replaced: each of them must still run, and
// what it inserts must be complete.
func TestFormerRelease(t *testing.T) {
	t.Parallel()
	if *recorded != "" {
		writeFormer(t, *recorded)
	}
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			o := storetest.Options(t, database)
			storetest.Open(t, o)
			statements := slices.Concat(readFormer(t, "both"), readFormer(t, database))
			if len(statements) < 200 {
				t.Fatalf("only %d statements are recorded", len(statements))
			}
			prepare, columns := onSQLite(t, o)
			if database == "postgres" {
				prepare, columns = onPostgres(t, o)
			}
			if err := prepare(`SELECT no_such_column FROM device`); err == nil {
				t.Fatal("a column that does not exist is not noticed")
			}
			for _, text := range statements {
				if err := prepare(text); err != nil {
					t.Errorf("%s\n%v", text, err)
				}
				checkInsert(t, text, columns)
			}
		})
	}
}

var inserting = regexp.MustCompile(`^INSERT INTO (\w+) \(([^)]*)\)`)

// checkInsert wants every column that an insert leaves out to do without.
func checkInsert(t *testing.T, text string, needed func(table string) []string) {
	t.Helper()
	match := inserting.FindStringSubmatch(text)
	if match == nil {
		return
	}
	given := strings.FieldsFunc(match[2], func(r rune) bool { return r == ',' || r == ' ' })
	for _, column := range needed(match[1]) {
		if !slices.Contains(given, column) {
			t.Errorf("%s.%s needs a value, which the release before does not give: %s", match[1], column, text)
		}
	}
}

// onSQLite compiles statements, and lists the columns of a table that need a value.
func onSQLite(t *testing.T, o store.Options) (func(string) error, func(string) []string) {
	t.Helper()
	if o.Path == "" {
		return nil, nil
	}
	db, err := sql.Open("sqlite", o.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	prepare := func(text string) error {
		st, err := db.PrepareContext(t.Context(), text)
		if err != nil {
			return err
		}
		defer st.Close()
		return nil
	}
	columns := func(table string) (names []string) {
		rows, err := db.QueryContext(t.Context(), `SELECT name FROM pragma_table_info($1) WHERE "notnull" = 1 AND dflt_value IS NULL AND NOT (pk = 1 AND type = 'INTEGER')`, table)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return names
	}
	return prepare, columns
}

// onPostgres plans statements without running them, and lists the columns of a table that
// need a value.
func onPostgres(t *testing.T, o store.Options) (func(string) error, func(string) []string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), o.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = force_generic_plan`); err != nil {
		t.Fatal(err)
	}
	prepare := func(text string) error {
		d, err := conn.Prepare(t.Context(), "former", text)
		if err != nil {
			return err
		}
		defer conn.Deallocate(context.Background(), "former") //nolint:errcheck // the next one would fail
		arguments := strings.TrimSuffix(strings.Repeat("NULL,", len(d.ParamOIDs)), ",")
		if arguments != "" {
			arguments = "(" + arguments + ")"
		}
		_, err = conn.Exec(t.Context(), "EXPLAIN EXECUTE former"+arguments, pgx.QueryExecModeSimpleProtocol)
		return err
	}
	columns := func(table string) []string {
		rows, err := conn.Query(t.Context(), `SELECT column_name::text FROM information_schema.columns
			WHERE table_schema = current_schema() AND table_name = $1 AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'`,
			table)
		if err != nil {
			t.Fatal(err)
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	return prepare, columns
}

func formerFile(name string) string { return filepath.Join("testdata", "former", name+".sql") }

// readFormer reads recorded statements: one in a line, after comments.
func readFormer(t *testing.T, name string) (statements []string) {
	t.Helper()
	text, err := os.ReadFile(formerFile(name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "--") {
			statements = append(statements, strings.TrimSpace(line))
		}
	}
	return statements
}

var (
	spaces = regexp.MustCompile(`\s+`)
	// ofData are the statements that the schema has to bear; partitions have names by
	// their time.
	ofData    = regexp.MustCompile(`^(SELECT|INSERT|UPDATE|DELETE|WITH) `)
	partition = regexp.MustCompile(`\bposition_\d+\b`)
	// moreRows are the rows of an insert after its first.
	moreRows = regexp.MustCompile(`(\((?:\?|\$\d+)(?:, ?(?:\?|\$\d+))*\))(?:, ?\((?:\?|\$\d+)(?:, ?(?:\?|\$\d+))*\))+`)
)

// writeFormer makes the files of what was recorded.
func writeFormer(t *testing.T, folder string) {
	t.Helper()
	seen := map[string]map[string]bool{}
	for _, database := range []string{"sqlite", "postgres"} {
		text, err := os.ReadFile(filepath.Join(folder, database))
		if err != nil {
			t.Fatal(err)
		}
		seen[database] = map[string]bool{}
		for line := range strings.Lines(string(text)) {
			var query string
			if err := json.Unmarshal([]byte(line), &query); err != nil {
				t.Fatal(err)
			}
			query = strings.TrimSpace(spaces.ReplaceAllString(query, " "))
			if ofData.MatchString(query) && !partition.MatchString(query) {
				seen[database][moreRows.ReplaceAllString(query, "$1")] = true
			}
		}
	}
	seen["both"] = map[string]bool{}
	for query := range seen["sqlite"] {
		if seen["postgres"][query] {
			seen["both"][query] = true
			delete(seen["postgres"], query)
		}
	}
	for query := range seen["both"] {
		delete(seen["sqlite"], query)
	}
	for name, queries := range seen {
		out := fmt.Sprintf("-- Statements of the release with schema %d, as its tests ran them. Written by: make former\n", store.KnownSchema())
		out += strings.Join(slices.Sorted(maps.Keys(queries)), "\n") + "\n"
		if err := os.WriteFile(formerFile(name), []byte(out), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
