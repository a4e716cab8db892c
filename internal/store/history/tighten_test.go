package history_test

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// loosePositions stores positions of some vehicles in turns, as they come in, so that each
// grows at its own end.
func (b bench) loosePositions(vehicles, pages int) (stored map[string][]history.Position) {
	b.t.Helper()
	const each = 100
	stored = map[string][]history.Position{}
	ids := make([]string, vehicles)
	for n := range ids {
		ids[n] = store.NewID()
	}
	for page := range pages {
		var all []history.Position
		for _, id := range ids {
			part := every(id, time.Duration(page*each)*time.Second, time.Duration((page+1)*each)*time.Second, time.Second)
			all, stored[id] = append(all, part...), append(stored[id], part...)
		}
		b.add(all...)
	}
	return stored
}

// keyBytes is the size of the keys of all partitions but for the two pages that an empty one takes, and
// how many of their indexes are not valid.
func (b bench) keyBytes(db *sql.DB) (bytes int64, broken int) {
	b.t.Helper()
	keys := `SELECT SUM(GREATEST(pg_relation_size(i.indexrelid) - 16384, 0)) || ' ' || SUM(CASE WHEN i.indisvalid THEN 0 ELSE 1 END) AS result
		FROM pg_inherits h JOIN pg_index i ON i.indrelid = h.inhrelid WHERE h.inhparent::regclass::text ~ '^"?position"?(_\d+)?$'`
	if b.Distributed() {
		keys = `SELECT * FROM run_command_on_workers($$` + keys + `$$)`
	}
	err := db.QueryRowContext(b.t.Context(), `SELECT SUM(split_part(result, ' ', 1)::bigint), SUM(split_part(result, ' ', 2)::int) FROM (`+keys+`) AS each`).
		Scan(&bytes, &broken)
	if err != nil {
		b.t.Fatal(err)
	}
	return bytes, broken
}

func (b bench) tighten() (rebuilt int) {
	b.t.Helper()
	for _, place := range b.Places() {
		n, err := b.History.Tighten(store.At(b.t.Context(), place))
		if err != nil {
			b.t.Fatal(err)
		}
		rebuilt += n
	}
	return rebuilt
}

// TestTighten rebuilds the key of a partition once it takes far more than it needs, and not
// again while there is as much in it.
func TestTighten(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		if b.Database() != "postgres" {
			if n := b.tighten(); n != 0 {
				t.Errorf("%d keys were rebuilt", n)
			}
			return
		}
		db, err := sql.Open("pgx", b.where)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() }) // nothing was left undone
		if n := b.tighten(); n != 0 {
			t.Errorf("%d keys of an empty history were rebuilt", n)
		}
		const vehicles, pages = 10, 20
		stored := b.loosePositions(vehicles, pages)
		before, _ := b.keyBytes(db)
		rebuilt := b.tighten()
		if b.Distributed() { // a server that was not reached at once is asked through another one for a while
			storetest.Until(t, "a key is rebuilt", func() bool { rebuilt += b.tighten(); return rebuilt > 0 })
		}
		if rebuilt != 1 {
			t.Errorf("%d keys were rebuilt, want 1 of %d bytes", rebuilt, before)
		}
		after, broken := b.keyBytes(db)
		if most := int64(60 * vehicles * pages * 100); after > most || before <= most || broken != 0 {
			t.Errorf("the keys take %d bytes, want at most %d; they took %d; %d are broken", after, most, before, broken)
		}
		if n := b.tighten(); n != 0 {
			t.Errorf("%d keys were rebuilt again", n)
		}
		for id, want := range stored {
			same(t, b.read(b.all(id)), want)
			if fresh := b.add(want[0]); fresh[0] {
				t.Error("a position was stored twice")
			}
			break
		}
	})
}

// TestTightenAfterABreak drops what a rebuild has left that was broken off, unless someone
// is rebuilding.
func TestTightenAfterABreak(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b bench) {
		t.Helper()
		if b.Database() != "postgres" {
			return
		}
		b.add(every(b.devices[0], 0, time.Minute, time.Second)...)
		db, err := sql.Open("pgx", b.where)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() }) // nothing was left undone
		var partition string
		if err := db.QueryRowContext(t.Context(), `SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'position'::regclass AND inhrelid <> 'position_default'::regclass`).Scan(&partition); err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf(`CREATE UNIQUE INDEX CONCURRENTLY half ON %s (tenant_id, device_id)`,
			partition)); err == nil {
			t.Fatal("an index of one row for each device was made")
		}
		if _, broken := b.keyBytes(db); broken != 1 {
			t.Fatalf("%d indexes are broken, want 1", broken)
		}
		other, err := database.Open(t.Context(), database.Options{URL: b.where})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = other.Close() }) // nothing was left undone
		err = other.Alone(t.Context(), func(database.Upkeep) error {
			b.tighten()
			if _, broken := b.keyBytes(db); broken != 1 {
				t.Errorf("%d indexes are broken while another process rebuilds, want 1", broken)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 60 { // what is in its way, such as a vacuum, is left to the next round
			b.tighten()
			if _, broken := b.keyBytes(db); broken == 0 {
				return
			}
		}
		t.Error("the index stays broken")
	})
}
