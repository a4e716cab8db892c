package store_test

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/drover-fleet/drover/internal/store"
)

// unseen are the columns whose change is no change of the record that a copy has, and why.
// None of them may move its number either: programs would read records that are the same.
var unseen = map[string]map[string]string{
	"connection": {
		"credentials": "no one reads them", "created_at": "not shown", "updated_at": "not shown",
	},
	"device": {
		"edited": "what a person has set shows in the column that it is of", "seen_at": "set by each list of the provider",
		"created_at": "not shown", "updated_at": "not shown",
	},
	"trip": {
		"connection_id": "a trip stays with its connection", "judged_valid": "shows in is_valid", "judged_comment": "shows in validation_comments",
		"driver_by_positions": "how driver_id is known", "announced": "whether there was an event", "why": "read by itself", "parts": "read by itself",
	},
	"stop": {
		"connection_id": "a stop stays with its connection", "device_id": "and with its device", "parts": "read by itself",
	},
	"open_stop": {
		"connection_id": "a stop stays with its connection", "device_id": "the key of the row",
	},
	"milestone": {
		"device_tenant_id": "goes with device_id", "connection_id": "goes with device_id", "created_at": "never changes",
		"state": "of the rules; what shows is status", "due_at": "when the rules look again", "arrived_at": "of the rules",
		"webhook_failing_since": "when the webhook is given up",
	},
	"fault": {
		"connection_id": "a fault stays with its connection", "device_id": "and with its device", "fault_key": "its key at the provider",
		"silent_due": "when the rules look again",
	},
	"driver": {
		"edited": "what a person has set shows in the column that it is of", "seen_at": "set by each list of the provider",
		"created_at": "not shown", "updated_at": "not shown",
	},
	"safety_event": {
		"connection_id": "a safety event stays with its connection", "device_id": "and with its device", "system_event_id": "its key at the provider",
	},
}

// TestEachColumnIsAChange writes each column of the records that copies are kept of, as no
// code of the store need do it, and holds that the record counts as changed. A column that
// is added must be named in both triggers, or above with a reason.
func TestEachColumnIsAChange(t *testing.T) {
	t.Parallel()
	onBothRaw(t, func(t *testing.T, s *store.Store, raw *sql.DB) {
		t.Helper()
		f := newFixture(t, s)
		for table, except := range unseen {
			r := rawRow{fixture: f, db: raw, table: table, id: store.NewID()}
			r.columns = r.read()
			r.add()
			for _, name := range slices.Sorted(maps.Keys(except)) {
				if r.columns[name] == "" {
					t.Errorf("%s has no column %s", table, name)
				}
			}
			for _, name := range slices.Sorted(maps.Keys(r.columns)) {
				if name == "tenant_id" || name == "change" || name == "id" && table != "open_stop" || name == "device_id" && table == "open_stop" {
					continue // which record it is
				}
				before := r.number()
				r.set(name)
				if moved := r.number() != before; moved == (except[name] != "") {
					t.Errorf("%s.%s is written: the record counts as changed: %t, though it is listed: %q", table, name, moved, except[name])
				}
			}
		}
	})
}

// rawRow is a row that is written past the store.
type rawRow struct {
	fixture
	db        *sql.DB // past the store
	table, id string
	columns   map[string]string // their types, as both databases call them
	turn      int
}

// read reads the columns that the table has in the database.
func (r *rawRow) read() map[string]string {
	r.t.Helper()
	rows, err := r.db.QueryContext(r.t.Context(), "SELECT * FROM "+r.table+" WHERE 1 = 0")
	if err != nil {
		r.t.Fatal(err)
	}
	defer rows.Close()
	columns := map[string]string{}
	for _, c := range must[[]*sql.ColumnType](r.t)(rows.ColumnTypes()) {
		columns[c.Name()] = c.DatabaseTypeName()
	}
	if err = rows.Err(); err != nil {
		r.t.Fatal(err)
	}
	return columns
}

// value is one that the column has not had.
func (r *rawRow) value(column string) any {
	r.turn++
	switch name := r.columns[column]; {
	case column == "tenant_id":
		return r.own
	case name == "UUID":
		return store.NewID()
	case strings.HasPrefix(name, "BOOL"):
		return false
	case name == "TEXT":
		return fmt.Sprintf(`["%d"]`, r.turn)
	case name == "BYTEA", name == "BLOB":
		return []byte{byte(r.turn)}
	default:
		return r.turn
	}
}

// add writes a row with a value in each column.
func (r *rawRow) add() {
	r.t.Helper()
	names := slices.Sorted(maps.Keys(r.columns))
	marks, values := make([]string, len(names)), make([]any, len(names))
	for i, name := range names {
		marks[i], values[i] = fmt.Sprintf("$%d", i+1), r.value(name)
		if name == r.key() {
			values[i] = r.id
		}
	}
	r.exec("INSERT INTO "+r.table+" ("+strings.Join(names, ", ")+") VALUES ("+strings.Join(marks, ", ")+")", values...)
}

// set writes another value.
func (r *rawRow) set(column string) {
	r.t.Helper()
	other, args := "$3", []any{r.own, r.id, r.value(column)}
	if strings.HasPrefix(r.columns[column], "BOOL") {
		other, args = "NOT "+column, args[:2]
	}
	r.exec("UPDATE "+r.table+" SET "+column+" = "+other+" WHERE tenant_id = $1 AND "+r.key()+" = $2", args...)
}

// number is that of the record's last change.
func (r *rawRow) number() (n int64) {
	r.t.Helper()
	row := r.db.QueryRowContext(r.t.Context(), "SELECT change FROM "+r.table+" WHERE tenant_id = $1 AND "+r.key()+" = $2", r.own, r.id)
	if err := row.Scan(&n); err != nil {
		r.t.Fatalf("read the change of a %s: %v", r.table, err)
	}
	return n
}

// key is the column that names the row: a device has one open stop.
func (r *rawRow) key() string {
	if r.table == "open_stop" {
		return "device_id"
	}
	return "id"
}

func (r *rawRow) exec(query string, args ...any) {
	r.t.Helper()
	if _, err := r.db.ExecContext(r.t.Context(), query, args...); err != nil {
		r.t.Fatalf("%s: %v", query, err)
	}
}
