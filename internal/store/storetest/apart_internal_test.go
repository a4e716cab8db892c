package storetest

import (
	"testing"

	"github.com/drover-fleet/drover/internal/store/database"
)

// TestApart has statements that could not be run where tenants lie apart, and their likes that
// could.
func TestApart(t *testing.T) {
	const clock = `(EXTRACT(EPOCH FROM statement_timestamp()) * 1000)::bigint`
	for query, fine := range map[string]bool{
		`SELECT id FROM device WHERE id = $1 FOR UPDATE`:                                                              false,
		`SELECT id FROM device WHERE tenant_id = $1 AND id = $2 FOR UPDATE`:                                           true,
		`SELECT name FROM tenant WHERE id = $1 FOR UPDATE`:                                                            true,
		`UPDATE job SET due_at = 1 WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM job FOR UPDATE SKIP LOCKED)`:   false,
		`WITH RECURSIVE next AS (SELECT target_id FROM delivery) SELECT * FROM next`:                                  false,
		`WITH RECURSIVE next AS (SELECT target_id FROM delivery WHERE tenant_id = $1) SELECT * FROM next`:             true,
		`DELETE FROM trip WHERE ctid = ANY (ARRAY(SELECT ctid FROM trip LIMIT 9))`:                                    false,
		`DELETE FROM trip WHERE tenant_id = $1 AND ctid = ANY (ARRAY(SELECT ctid FROM trip LIMIT 9))`:                 true,
		`SELECT * FROM unnest($1) AS w(id) CROSS JOIN LATERAL (SELECT * FROM trip t WHERE t.id = w.id LIMIT 1) f`:     false,
		`SELECT t FROM unnest($1::uuid[]) AS t WHERE EXISTS (SELECT 1 FROM trip p WHERE p.tenant_id = t)`:             false,
		`SELECT EXISTS (SELECT 1 FROM tenant t WHERE EXISTS (SELECT 1 FROM trip p WHERE p.tenant_id = t.id))`:         false,
		`INSERT INTO trip (tenant_id, id) VALUES ($1, $2) RETURNING (SELECT COUNT(*) FROM trip WHERE tenant_id = $1)`: false,
		`INSERT INTO trip (tenant_id, id) VALUES ($1, $2) RETURNING id`:                                               true,
		`INSERT INTO job (tenant_id) VALUES ($1) ON CONFLICT DO UPDATE SET x = 1 WHERE due_at < ` + clock:             false,
		`UPDATE job SET due_at = CASE WHEN due_at < ` + clock + ` THEN due_at END WHERE tenant_id = $1`:               false,
		`UPDATE job SET due_at = LEAST(CASE WHEN woken THEN due_at END, ` + clock + `) WHERE tenant_id = $1`:          true,
	} {
		if got := faults(database.Statement{Query: query}) == 0; got != fine {
			t.Errorf("%t, want %t: %s", got, fine, query)
		}
	}
	across := database.Statement{Tx: 7, Query: `SELECT id FROM device WHERE id = $1`}
	one := database.Statement{Tx: 7, Query: `SELECT id FROM device WHERE tenant_id = $1`}
	write := database.Statement{Tx: 7, Table: "device", Query: `DELETE FROM device WHERE tenant_id = $1`}
	outside, other := across, across
	outside.Tx, other.Tx = 0, 8
	for _, c := range []struct {
		name string
		ran  []database.Statement
		want int
	}{
		{"before a change", []database.Statement{across, write}, 1},
		{"after a change", []database.Statement{write, across}, 1},
		{"without a change", []database.Statement{across, one}, 0},
		{"outside of the transaction", []database.Statement{write, outside, one}, 0},
		{"in another transaction", []database.Statement{write, other}, 0},
	} {
		if got := faults(c.ran...); got != c.want {
			t.Errorf("a read over all tenants %s: %d faults, want %d", c.name, got, c.want)
		}
	}
}

// faults counts what is found in statements.
func faults(statements ...database.Statement) int {
	apart.faults, apart.needed = map[string]bool{}, map[[3]string]bool{}
	a := apartness{wrote: map[int64]bool{}, read: map[int64]string{}}
	for _, s := range statements {
		a.look(s)
	}
	return len(apartFaults(false))
}
