package store_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/drover-fleet/drover/internal/store/storetest"
)

// globalIndexes are unique over all tenants.
var globalIndexes = map[string]string{
	"account_user_login_name_key":  "a login names no tenant",
	"account_user_login_email_key": "a login names no tenant",
}

// TestUniqueIndexesHoldTheTenant asks the catalogue of PostgreSQL.
func TestUniqueIndexesHoldTheTenant(t *testing.T) {
	t.Parallel()
	o := storetest.Options(t, "postgres")
	storetest.Open(t, o)
	conn, err := pgx.Connect(t.Context(), o.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), `SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attname = 'tenant_id'
		WHERE i.indisunique AND c.relnamespace = current_schema()::regnamespace AND NOT a.attnum = ANY (i.indkey::smallint[]) ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, index := range found {
		if globalIndexes[index] == "" {
			t.Errorf("the unique index %s holds no tenant", index)
		}
	}
	if len(found) != len(globalIndexes) {
		t.Errorf("%s: the list of exceptions is out of date", fmt.Sprint(found))
	}
}
