// Package storetest gives tests a fresh, migrated store on each of the two
// databases. The PostgreSQL half starts a private server from the binaries of
// the machine; where there are none, the tests fail and say what to install.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// server is one PostgreSQL, or a Cluster.
type server interface {
	Create(ctx context.Context, name, template string) error
	Drop(ctx context.Context, name string) error
	URL(database string) string
	Stop() error
}

// ofProcess is a server that the tests of a process share.
type ofProcess struct {
	once   sync.Once
	server server
	err    error
}

// shared are the servers of a test process: one PostgreSQL, and a Citus where it is asked for.
var shared struct {
	plain, citus ofProcess
	ends         bool // by a TestMain
	number       atomic.Int64
}

// Main runs the tests of a package and then stops the server that they used. A
// package whose tests use PostgreSQL calls it from TestMain.
func Main(m *testing.M) { end(m, func(code int) int { return code }) }

// end runs the tests, what comes after them with their code, and stops the server.
func end(m *testing.M, after func(code int) int) {
	shared.ends = true
	code := after(m.Run())
	for _, on := range []*ofProcess{&shared.plain, &shared.citus} {
		if on.server == nil {
			continue
		}
		if err := on.server.Stop(); err != nil {
			slog.Error("stop PostgreSQL", "err", err)
			code = 1
		}
	}
	os.Exit(code)
}

// OnBoth runs f as a subtest on SQLite and as one on PostgreSQL, each with a
// store of its own.
func OnBoth(t *testing.T, f func(t *testing.T, s *store.Store)) {
	t.Helper()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			f(t, Open(t, Options(t, database)))
		})
	}
}

// OnEach runs f as OnBoth does, on PostgreSQL held to the rules of tenancy, and once more
// on SQLite without a cache.
func OnEach(t *testing.T, f func(t *testing.T, s *store.Store)) {
	t.Helper()
	for name, change := range map[string]func(t *testing.T, o *store.Options){
		"sqlite":                 func(*testing.T, *store.Options) {},
		"sqlite without a cache": func(_ *testing.T, o *store.Options) { o.NoCache = true },
		"postgres":               func(t *testing.T, o *store.Options) { t.Helper(); o.Trace = watchTenancy(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database, _, _ := strings.Cut(name, " ")
			o := Options(t, database)
			change(t, &o)
			f(t, Open(t, o))
		})
	}
}

// Open opens and migrates a store and closes it with the test.
func Open(tb testing.TB, o store.Options) *store.Store {
	tb.Helper()
	s, err := store.Open(tb.Context(), record(tb, keep(o)))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close the store: %v", err)
		}
	})
	if _, err := s.Migrate(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return s
}

// TwoTenants adds two tenants, and a connection of the first.
func TwoTenants(tb testing.TB, s *store.Store, at drover.Time) (own, other, connection string) {
	tb.Helper()
	own, other, connection = store.NewID(), store.NewID(), store.NewID()
	err := s.Update(tb.Context(), func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(tb.Context(), drover.Tenant{ID: other, Name: "other", CreatedAt: at})
	})
	if err != nil {
		tb.Fatal(err)
	}
	err = s.Update(tb.Context(), func(tx *store.Tx) error {
		return errors.Join(
			tx.Accounts.AddTenant(tb.Context(), drover.Tenant{ID: own, Name: "own", CreatedAt: at}),
			tx.Fleet.AddConnection(tb.Context(), drover.Connection{
				ID: connection, TenantID: own, IntegrationName: drover.Traccar, BusinessName: "Haulage", Active: true, CollectionStartTime: at,
				Configuration: drover.Configuration{Health: drover.ConnectionPending, Trips: drover.TripsNative, PollIntervalSeconds: 30},
			}, []byte("sealed"), at),
		)
	})
	if err != nil {
		tb.Fatal(err)
	}
	return own, other, connection
}

// Options names a fresh database: a file in the test's folder, or a database of
// the private PostgreSQL that is dropped with the test.
func Options(tb testing.TB, database string) store.Options {
	tb.Helper()
	if database == "sqlite" {
		return store.Options{Path: filepath.Join(tb.TempDir(), "drover.db"), Temporary: true}
	}
	return store.Options{URL: freshPostgres(tb, migratedTemplate), MaxConns: 8}
}

// Empty names a fresh database without a schema.
func Empty(tb testing.TB, database string) store.Options {
	tb.Helper()
	if database == "sqlite" {
		return Options(tb, database)
	}
	return store.Options{URL: freshPostgres(tb, ""), MaxConns: 8}
}

// migratedTemplate is a database of which each test's is a copy.
const migratedTemplate = "template_drover"

func freshPostgres(tb testing.TB, template string) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if !shared.ends {
		tb.Fatal("the server would be left behind: the package needs func TestMain(m *testing.M) { storetest.Main(m) }")
	}
	on := &shared.plain
	if Citus() && !stays(tb) {
		on = &shared.citus
	}
	on.once.Do(func() { on.start(ctx) })
	if on.err != nil {
		tb.Fatal(on.err)
	}
	name := fmt.Sprintf("test_%d", shared.number.Add(1))
	if err := on.server.Create(ctx, name, template); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := on.server.Drop(context.Background(), name); err != nil {
			tb.Error(err)
		}
	})
	return on.server.URL(name)
}

func (on *ofProcess) start(ctx context.Context) {
	if on == &shared.plain {
		var s *Server
		if s, on.err = StartServer(ctx); on.err != nil {
			return
		}
		on.server = s
	} else {
		var c *Cluster
		if c, on.err = StartCluster(ctx, citusWorkers); on.err != nil {
			return
		}
		on.server = c
	}
	on.err = makeTemplate(ctx, on.server)
}

// makeTemplate migrates once.
func makeTemplate(ctx context.Context, on server) error {
	if err := on.Create(ctx, migratedTemplate, ""); err != nil {
		return err
	}
	s, err := store.Open(ctx, store.Options{URL: on.URL(migratedTemplate)})
	if err != nil {
		return err
	}
	if _, err := s.Migrate(ctx); err != nil {
		return errors.Join(err, s.Close())
	}
	if _, of := on.(*Cluster); of {
		if _, err := s.Distribute(ctx, citusShards); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	return s.Close()
}
