package store_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

// TestDeletionsAreForgottenInSteps has more deletions that are too old than one transaction
// may forget: others would wait for it.
func TestDeletionsAreForgottenInSteps(t *testing.T) {
	t.Parallel()
	onBothRaw(t, func(t *testing.T, s *store.Store, raw *sql.DB) {
		t.Helper()
		const more = 7
		_, err := raw.ExecContext(t.Context(), `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $3)
			INSERT INTO deleted_record (tenant_id, kind, change, id, connection_id, deleted_at) SELECT $1, 'trip', -i, $2, $2, 1 FROM n`,
			store.NewID(), store.NewID(), work.EraseRows+more)
		if err != nil {
			t.Fatal(err)
		}
		mark := func(at time.Time) (n int64) {
			t.Helper()
			err := s.Update(t.Context(), func(tx *store.Tx) (err error) {
				n, err = tx.Fleet.MarkChanges(t.Context(), drover.At(at), time.Hour)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		for i, want := range []int64{work.EraseRows, more, 0} {
			if got := mark(noon.Add(2 * time.Hour)); got != want {
				t.Errorf("step %d forgot %d deletions, want %d", i+1, got, want)
			}
		}
	})
}

// onBothRaw runs f on both databases, which it can also reach past the store.
func onBothRaw(t *testing.T, f func(t *testing.T, s *store.Store, raw *sql.DB)) {
	t.Helper()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := storetest.Options(t, name)
			s := storetest.Open(t, o)
			driver, address := "sqlite", o.Path+"?_pragma=busy_timeout(10000)"
			if name == "postgres" {
				driver, address = "pgx", o.URL
			}
			raw := must[*sql.DB](t)(sql.Open(driver, address))
			t.Cleanup(func() { _ = raw.Close() })
			f(t, s, raw)
		})
	}
}
