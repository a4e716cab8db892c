package store_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestCatalogue asks the catalogue of PostgreSQL for what could not be where tenants lie
// apart: the exceptions are all that there are.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	o := storetest.Options(t, "postgres")
	storetest.Open(t, o)
	conn, err := pgx.Connect(t.Context(), o.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, c := range []struct {
		name, query string
		known       map[string]string
	}{
		{
			"unique indexes without the tenant", `SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
			JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attname = 'tenant_id'
			WHERE i.indisunique AND c.relnamespace = current_schema()::regnamespace AND NOT a.attnum = ANY (i.indkey::smallint[]) ORDER BY 1`,
			map[string]string{"directory_pkey": "it says whose what comes without a tenant is"},
		},
		{
			"tables without a tenant", `SELECT c.relname FROM pg_class c
			WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
			AND NOT EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id') ORDER BY 1`,
			map[string]string{
				"tenant": "on every server", "auth_version": "of one server", "change_clock": "of one server", "change_mark": "of one server",
				"data_key": "of one server", "goose_db_version": "of one server", "login_try": "of one server", "operator_key": "of one server",
				"packed_before": "of one server", "signing_key": "of one server", "write_probe": "of one server",
			},
		},
		{
			"ids of tenants that are no UUID", `SELECT c.relname FROM pg_class c
			JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
			WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace AND a.atttypid <> 'uuid'::regtype ORDER BY 1`,
			map[string]string{},
		},
		{
			"references to other tables than tenant", `SELECT conname FROM pg_constraint WHERE contype = 'f'
			AND connamespace = current_schema()::regnamespace AND confrelid <> 'tenant'::regclass ORDER BY 1`,
			map[string]string{},
		},
		{
			"sequences", `SELECT relname FROM pg_class WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace ORDER BY 1`,
			map[string]string{"goose_db_version_id_seq": "of one server"},
		},
		{
			"tables with triggers", `SELECT DISTINCT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
			WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace ORDER BY 1`,
			map[string]string{ // what changed since when is numbered by the transactions of one server
				"connection": "", "device": "", "driver": "", "fault": "", "milestone": "", "open_stop": "",
				"reading_series": "", "safety_event": "", "stop": "", "trip": "",
			},
		},
	} {
		rows, err := conn.Query(t.Context(), c.query)
		if err != nil {
			t.Fatal(err)
		}
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(c.known)), append([]string(nil), found...)); diff != "" && len(c.known)+len(found) > 0 {
			t.Errorf("%s (-known +found):\n%s", c.name, diff)
		}
	}
}
