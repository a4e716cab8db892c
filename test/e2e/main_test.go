// Package e2e runs the built program as its users do: as processes on loopback
// ports, over both databases, through restarts, kills and changes of keys.
package e2e

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/test/e2e/world"
)

// patience bounds every wait: long for a busy machine, never for a passing test.
const patience = 5 * time.Minute

// shared is what all tests use: the program and one PostgreSQL.
var shared struct {
	binary    string
	postgres  *storetest.Server
	databases atomic.Int64
}

func TestMain(m *testing.M) {
	run := runAll
	if os.Getenv(receiverVariable) != "" {
		run = runReceiver
	}
	code, err := run(m)
	if err != nil {
		slog.Error("end-to-end tests", "err", err)
		code = 1
	}
	os.Exit(code)
}

func runAll(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "drover-e2e-")
	if err != nil {
		return 1, fmt.Errorf("make a folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	shared.binary = filepath.Join(dir, "drover")
	build := exec.CommandContext(ctx, "go", "build", "-tags", buildTags, "-o", shared.binary, "github.com/drover-fleet/drover/cmd/drover")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build: %w: %s", err, out)
	}
	if shared.postgres, err = storetest.StartServer(ctx); err != nil {
		return 1, err
	}
	code := m.Run()
	return code, shared.postgres.Stop()
}

// site is one installation: a data folder and, for PostgreSQL, a database. It
// is filled with a world.
type site struct {
	data     string
	database string // address of PostgreSQL; empty for SQLite
	world    *world.World
}

// newSite makes an installation that is gone with the test: a copy of one that
// was filled once.
func newSite(t *testing.T, database string) site {
	t.Helper()
	filled, err := templates[database]()
	if err != nil {
		t.Fatal(err)
	}
	s := site{data: filepath.Join(t.TempDir(), "data"), world: filled.world}
	if err := os.CopyFS(s.data, os.DirFS(filled.data)); err != nil {
		t.Fatal(err)
	}
	// The copy is as private as the original.
	if err := errors.Join(os.Chmod(s.data, 0o700), os.Chmod(filepath.Join(s.data, "master.key"), 0o600)); err != nil { // a folder
		t.Fatal(err)
	}
	if database == "sqlite" {
		return s
	}
	name := fmt.Sprintf("e2e_%d", shared.databases.Add(1))
	if err := shared.postgres.Create(t.Context(), name, templateDatabase); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := shared.postgres.Drop(context.Background(), name); err != nil {
			t.Error(err)
		}
	})
	s.database = shared.postgres.URL(name)
	return s
}

const templateDatabase = "e2e_template"

// templates fill an installation on each database, once.
var templates = map[string]func() (site, error){
	"sqlite": sync.OnceValues(func() (site, error) {
		return fill(site{data: filepath.Join(filepath.Dir(shared.binary), "sqlite")})
	}),
	"postgres": sync.OnceValues(func() (site, error) {
		s := site{data: filepath.Join(filepath.Dir(shared.binary), "postgres"), database: shared.postgres.URL(templateDatabase)}
		if err := shared.postgres.Create(context.Background(), templateDatabase, ""); err != nil {
			return s, err
		}
		return fill(s)
	}),
}

func fill(s site) (site, error) {
	var err error
	s.world, err = world.Make(context.Background(), config.Store{Data: s.data, Database: s.database})
	return s, err
}

// onBoth runs f as a subtest with an installation on each database.
func onBoth(t *testing.T, f func(t *testing.T, s site)) {
	t.Helper()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			f(t, newSite(t, database))
		})
	}
}

// flags name the installation on a command line.
func (s site) flags() []string {
	flags := []string{"--data", s.data}
	if s.database != "" {
		flags = append(flags, "--database", s.database)
	}
	return flags
}

// rest waits, where all processes were killed, until PostgreSQL has done what they had sent
// to it: it goes on with that, and commits it, while no one is there any more.
func (s site) rest(t *testing.T) {
	t.Helper()
	if s.database == "" {
		return
	}
	conn, err := pgx.Connect(t.Context(), s.database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	eventually(t, func() error {
		var others int
		err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND backend_type = 'client backend' AND application_name = 'drover'`).Scan(&others)
		if err == nil && others > 0 {
			err = fmt.Errorf("%d connections are still open", others)
		}
		return err
	})
}

// eventually waits until f reports that it is satisfied. What it says otherwise
// is the failure.
func eventually(t *testing.T, f func() error) {
	t.Helper()
	within(t, patience, f)
}

// within is eventually with a limit of its own.
func within(t *testing.T, limit time.Duration, f func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := f()
		if err == nil {
			return
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("not within %s: %v", limit, err)
		}
	}
}
