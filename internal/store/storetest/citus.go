package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// CitusVariable names the folder with the binaries of a PostgreSQL that has Citus. Where it is
// set, tests that ask for PostgreSQL get one whose tenants lie on several servers.
const CitusVariable = "DROVER_TEST_CITUS"

// citusShards are few: each is a table on a worker, for each of the tables.
const citusShards = 8

// citusWorkers are two, so that a tenant lies apart from another.
const citusWorkers = 2

// Citus reports whether tests are to run on one.
func Citus() bool { return os.Getenv(CitusVariable) != "" }

// onPlain are tests that stay on one PostgreSQL where Citus is asked for, with the reason.
var onPlain = func() map[string]string {
	const (
		plans     = "it explains statements whose tenant is not known yet, which is for one PostgreSQL"
		catalogue = "it looks at what one PostgreSQL has of the schema"
		changes   = "each server numbers its own changes: lists of them are not there"
		others    = "on several servers what is another's, and not shared, is found for no one"
	)
	return map[string]string{
		"TestAPIKey":                        others,
		"TestExportOfAnother":               others,
		"TestDevice":                        others,
		"TestShareGivesAccess":              others,
		"TestTightenAfterABreak":            "it breaks an index of a partition, of which each server has its own",
		"TestPlanner":                       plans,
		"TestPlans":                         plans,
		"TestDueTripsOnPostgres":            plans,
		"TestFormerRelease":                 plans,
		"TestCatalogue":                     catalogue,
		"TestFaultsOfAShareWithoutReadings": changes,
		"TestChangesAfterATime":             changes,
		"TestCopyEqualsTheService":          changes,
		"TestDeletionsForgottenMeanwhile":   changes,
		"TestChangesAreReadForOnePage":      changes,
		"TestForgedCursorsOfChanges":        changes,
		"TestAddressesHideTheirQueries":     changes,
		"TestPackingBesideWriters":          "its packers drop weeks without a rest, and may drop one each time that others have made it for a writer",
		"TestPausedWhilePreparing":          "it locks a table that a coordinator has no rows of",
	}
}()

// stays reports whether a test is one of those.
func stays(tb testing.TB) bool {
	tb.Helper()
	name, _, _ := strings.Cut(tb.Name(), "/")
	return onPlain[name] != ""
}

// ownFolder stands for a server's folder in its options.
const ownFolder = "{folder}"

// Cluster is a Citus: a coordinator, and the workers that have the tenants.
type Cluster struct {
	Coordinator *Server
	Workers     []*Server
}

// StartCluster starts a coordinator and workers from the binaries that the environment names.
func StartCluster(ctx context.Context, workers int, options ...string) (*Cluster, error) {
	bin := os.Getenv(CitusVariable)
	if bin == "" {
		return nil, errors.New(CitusVariable + " is to name the folder with the binaries of a PostgreSQL that has Citus")
	}
	options = slices.Concat([]string{
		"-c", "shared_preload_libraries=citus", "-c", "wal_level=logical", "-c", "max_prepared_transactions=300",
		"-c", "max_connections=600", "-c", "max_worker_processes=128", "-c", "max_replication_slots=32", "-c", "max_wal_senders=32",
		"-c", "citus.node_conninfo=sslmode=disable connect_timeout=2",
		"-c", "citus.node_connection_timeout=1000", "-c", "citus.local_hostname=" + ownFolder,
	}, options)
	plugins, err := knowsPlugins(ctx, bin)
	if err != nil {
		return nil, err
	}
	if plugins {
		options = append(options, "-c", outputPlugins+"=pgoutput,test_decoding,citus")
	}
	c := &Cluster{}
	for i := range workers + 1 {
		s, err := startFrom(ctx, bin, options)
		if err != nil {
			return nil, errors.Join(err, c.Stop())
		}
		if i == 0 {
			c.Coordinator = s
		} else {
			c.Workers = append(c.Workers, s)
		}
	}
	return c, nil
}

// outputPlugins is a setting of the servers that ask which plugins they may decode with.
const outputPlugins = "output_plugin_libraries"

func knowsPlugins(ctx context.Context, bin string) (bool, error) {
	settings, err := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), "--describe-config").Output()
	if err != nil {
		return false, fmt.Errorf("list the settings of PostgreSQL: %w", err)
	}
	return bytes.Contains(settings, []byte(outputPlugins)), nil
}

// Servers are all of them, the coordinator first.
func (c *Cluster) Servers() []*Server {
	if c.Coordinator == nil {
		return nil
	}
	return append([]*Server{c.Coordinator}, c.Workers...)
}

// Create makes a database on every server, as a copy of template where that is not empty: what
// Citus knows of its servers is in the database, and names no other.
func (c *Cluster) Create(ctx context.Context, name, template string) error {
	for _, s := range c.Servers() {
		if err := c.createOn(ctx, s, name, template); err != nil {
			return err
		}
	}
	if template != "" {
		return nil
	}
	for _, s := range c.Servers() {
		if err := s.Execute(ctx, name, `CREATE EXTENSION citus`); err != nil {
			return err
		}
	}
	statements := []string{fmt.Sprintf(`SELECT citus_set_coordinator_host('%s', 5432)`, c.Coordinator.dir)}
	for _, w := range c.Workers {
		statements = append(statements, fmt.Sprintf(`SELECT citus_add_node('%s', 5432)`, w.dir))
	}
	return c.Coordinator.Execute(ctx, name, statements...)
}

// createOn makes a database on one server. Everyone leaves the template first: the daemon of
// Citus, and the connections that servers keep to each other.
func (c *Cluster) createOn(ctx context.Context, s *Server, name, template string) error {
	for {
		if template != "" {
			if err := s.Execute(ctx, "postgres", `SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE datname = '`+template+`'`); err != nil {
				return err
			}
		}
		err := s.Create(ctx, name, template)
		if err == nil || !strings.Contains(err.Error(), "being accessed by other users") {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond): // the daemon comes back
		}
	}
}

// Drop removes a database from every server.
func (c *Cluster) Drop(ctx context.Context, name string) error {
	var failed []error
	for _, s := range c.Servers() {
		failed = append(failed, s.Drop(ctx, name))
	}
	return errors.Join(failed...)
}

// URL is the address of a database: that of the coordinator.
func (c *Cluster) URL(database string) string { return c.Coordinator.URL(database) }

// Stop ends all servers and removes their folders.
func (c *Cluster) Stop() error {
	var failed []error
	for _, s := range c.Servers() {
		failed = append(failed, s.Stop())
	}
	return errors.Join(failed...)
}

// Execute runs statements in a database of the server.
func (s *Server) Execute(ctx context.Context, database string, statements ...string) error {
	conn, err := pgx.Connect(ctx, s.URL(database))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing was left undone
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// keepLog leaves what a server has written where DROVER_TEST_LOGS names a folder.
func (s *Server) keepLog() error {
	folder := os.Getenv("DROVER_TEST_LOGS")
	if folder == "" {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, filepath.Base(s.dir)), text, 0o600)
}
