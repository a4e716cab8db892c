package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"

	"github.com/drover-fleet/drover/internal/store/storetest"
)

const (
	databaseName = "drover"
	pgbenchName  = "pgbench"
)

// startPostgres starts a private server as an operator would run it: it syncs
// its disk, and keeps the data in memory.
func startPostgres(ctx context.Context) (*storetest.Server, error) {
	s, err := storetest.StartServer(ctx, asOperated()...)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{databaseName, pgbenchName} {
		if err := s.Create(ctx, name, ""); err != nil {
			return nil, fmt.Errorf("make database %s: %w", name, err)
		}
	}
	return s, nil
}

// asOperated are the settings of a server that is not only for tests.
func asOperated() []string {
	return []string{
		"-c", "fsync=on", "-c", "full_page_writes=on", "-c", "synchronous_commit=on",
		"-c", "shared_buffers=1GB", "-c", "max_wal_size=8GB", "-c", "checkpoint_timeout=30min", "-c", "maintenance_work_mem=512MB",
	}
}

// preparePgbench fills the tables of pgbench: a million accounts.
func preparePgbench(ctx context.Context, s *storetest.Server) error {
	out, err := exec.CommandContext(ctx, "pgbench", "-i", "-q", "-s", "10", "-h", s.Dir(), "-U", "drover", pgbenchName).CombinedOutput()
	if err != nil {
		return fmt.Errorf("pgbench -i: %w: %s", err, out)
	}
	return nil
}

var tpsLine = regexp.MustCompile(`tps = ([0-9.]+)`)

// pgbenchRate is the transactions a second of pgbench -S: a read by key, which
// is the least that a request on PostgreSQL can cost. It has as many connections
// as the load generator and is run as one would type it: with the simple protocol.
func pgbenchRate(ctx context.Context, s *storetest.Server, c settings) (float64, error) {
	seconds := max(1, int(c.span.Seconds()+0.5))
	out, err := exec.CommandContext(ctx, "pgbench", "-S", "-n", "-T", strconv.Itoa(seconds),
		"-c", strconv.Itoa(c.clients), "-j", "2", "-h", s.Dir(), "-U", "drover", pgbenchName).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("pgbench: %w: %s", err, out)
	}
	match := tpsLine.FindSubmatch(out)
	if match == nil {
		return 0, fmt.Errorf("pgbench printed no rate: %s", out)
	}
	return strconv.ParseFloat(string(match[1]), 64)
}
