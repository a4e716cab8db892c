//go:build citus

package store_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

// citus starts one with a database that has nothing in it.
func citus(t *testing.T) *storetest.Cluster {
	t.Helper()
	c, err := storetest.StartCluster(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := c.Create(t.Context(), "drover", ""); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestDistribute distributes a database that is in use, twice, and takes a step of a later
// schema on it.
func TestDistribute(t *testing.T) {
	t.Parallel()
	ctx, c := t.Context(), citus(t)
	s := storetest.Open(t, store.Options{URL: c.URL("drover")})
	if s.Distributed() {
		t.Fatal("a new database is distributed already")
	}
	own, _, _ := storetest.TwoTenants(t, s, noon)
	worker, err := store.Open(ctx, store.Options{URL: c.Workers[0].URL("drover")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = worker.Close() })
	if _, err := worker.Distribute(ctx, 8); !errors.Is(err, database.ErrNotCitus) || !strings.Contains(err.Error(), "is a worker") {
		t.Errorf("a worker distributes: %v", err)
	}
	done, err := s.Distribute(ctx, 8)
	if err != nil {
		t.Fatal(err)
	}
	if len(done.Distributed) < 60 || !slices.Equal(done.Copied, []string{"tenant", "account_user"}) || done.Before != 0 || done.Shards != 8 || done.Workers != 2 {
		t.Errorf("it has done %+v", done)
	}
	if !s.Distributed() {
		t.Error("the store does not know")
	}
	again, err := s.Distribute(ctx, 4)
	if err != nil || len(again.Distributed)+len(again.Copied) != 0 || again.Before != len(done.Distributed)+2 || again.Shards != 8 {
		t.Errorf("the second time it has done %+v, %v", again, err)
	}
	if n, err := s.Migrate(ctx); n != 0 || err != nil {
		t.Errorf("%d more steps, %v", n, err)
	}
	connections, err := s.Fleet.ConnectionPage(ctx, own, "", "", 10)
	if err != nil || len(connections) != 1 {
		t.Errorf("there are %d connections afterwards, want the one of before: %v", len(connections), err)
	}
	if err := s.History.MakeWeeks(ctx, noon.Time); err != nil {
		t.Fatal(err)
	}
	is, err := s.Servers(ctx, noon.Time)
	if err != nil {
		t.Fatal(err)
	}
	shards, tenants := 0, 0
	for _, on := range is.All {
		shards, tenants = shards+on.Shards, tenants+on.Tenants
		if !on.Answers || on.Bytes == 0 {
			t.Errorf("of %s is said %+v", on.Name(), on)
		}
	}
	if len(is.All) != 2 || shards != 8 || tenants != 2 || len(is.NotDistributed) != 0 || is.MissingWeeks != 0 {
		t.Errorf("the servers are %+v", is)
	}
	laterStep(ctx, t, c)
	if is, err = s.Servers(ctx, noon.Time); err != nil || len(is.NotDistributed) != 0 {
		t.Errorf("after a step of a later schema %v are not distributed: %v", is.NotDistributed, err)
	}
	if err := c.Coordinator.Execute(ctx, "drover", `CREATE TABLE stray (tenant_id UUID PRIMARY KEY)`); err != nil {
		t.Fatal(err)
	}
	if is, err = s.Servers(ctx, drover.At(noon.AddDate(0, 0, 7)).Time); err != nil || !slices.Equal(is.NotDistributed, []string{"stray"}) || is.MissingWeeks != 1 {
		t.Errorf("%v are not distributed and %d weeks are missing, want one each: %v", is.NotDistributed, is.MissingWeeks, err)
	}
	if err := c.Workers[1].Halt(); err != nil {
		t.Fatal(err)
	}
	if is, err = s.Servers(ctx, noon.Time); err != nil || is.All[1].Answers || !is.All[0].Answers || is.All[0].Bytes == 0 {
		t.Errorf("with a server down they are %+v: %v", is.All, err)
	}
}

// laterStep changes a distributed table and makes another.
func laterStep(ctx context.Context, t *testing.T, c *storetest.Cluster) {
	t.Helper()
	db, err := database.Open(ctx, database.Options{URL: c.URL("drover")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	steps := fstest.MapFS{
		"00001_schema.sql": {Data: []byte(`SELECT 1`)}, "00002_schema.postgres.sql": {Data: []byte(`SELECT 1`)},
		"00003_later.sql": {Data: []byte(`ALTER TABLE device ADD COLUMN later TEXT;
			CREATE INDEX device_later ON device (tenant_id, later);
			CREATE TABLE later (tenant_id UUID NOT NULL, id UUID NOT NULL, change BIGINT, PRIMARY KEY (tenant_id, id));
			CREATE TRIGGER later_added BEFORE INSERT ON later FOR EACH ROW EXECUTE FUNCTION note_change();
			UPDATE device SET later = 'x' WHERE EXISTS (SELECT 1 FROM tenant t WHERE t.id = device.tenant_id);
			DROP INDEX device_later;`)},
	}
	if n, err := db.Migrate(ctx, steps); n != 1 || err != nil {
		t.Errorf("%d steps were taken: %v", n, err)
	}
}

// TestOneServerEachTime runs changes so often that PostgreSQL would keep their plans: each goes to the
// server of its tenant every time.
func TestOneServerEachTime(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	o := storetest.Options(t, "postgres")
	o.URL += "&options=-c%20citus.multi_task_query_log_level%3Derror" // what goes to several fails
	o.MaxConns = 1
	s := storetest.Open(t, o)
	own, _, _ := storetest.TwoTenants(t, s, noon)
	storetest.AwaitPlace(t, s, own)
	target := drover.Target{TenantID: own, ID: store.NewID()}
	for n := range 20 {
		err := s.Update(ctx, func(tx *store.Tx) error {
			attempt := work.Attempt{Target: target, EventID: store.NewID(), Number: 1, Time: noon, State: drover.DeliveryDelivered, DueAt: noon}
			return errors.Join(
				tx.Feed.ReleaseTargets(ctx, "me", own, []string{target.ID}),
				tx.Feed.AddAttempts(ctx, []work.Attempt{attempt}),
				tx.Feed.SkipDisabled(ctx, target),
				tx.Feed.DropDeliveries(ctx, target, []string{attempt.EventID}),
			)
		})
		if err != nil {
			t.Fatalf("the %dth time: %v", n+1, err)
		}
	}
}
