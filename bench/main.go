// Command bench measures the built service and prints one table: each figure
// beside its baseline from the same run, because only the ratio of two numbers
// from one machine at one time says anything.
//
// The service runs as its own process, embedded and on a private PostgreSQL. The
// baselines are a bare net/http handler in a process of its own that writes the
// same bytes with the same headers, and pgbench -S on the same PostgreSQL. All
// HTTP is loaded by the same lean generator.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// settings are the flags.
type settings struct {
	clients int
	span    time.Duration
	rounds  int
	trips   int
}

const (
	fewTrips  = 100_000
	fullTrips = 10_000_000
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == baselineArgument {
		exit(serveBaseline(os.Args[2]))
	}
	var s settings
	flag.IntVar(&s.clients, "clients", 8, "connections that send requests, and clients of pgbench")
	flag.DurationVar(&s.span, "span", 700*time.Millisecond, "length of one measurement")
	flag.IntVar(&s.rounds, "rounds", 3, "measurements of each figure; the best counts")
	flag.IntVar(&s.trips, "trips", 1_000_000, "trips at which the summaries are measured again")
	full := flag.Bool("full", false, "the same with ten million trips")
	flag.Parse()
	if *full {
		s.trips = fullTrips
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	exit(run(ctx, s))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// run prepares everything, measures, and prints the table.
func run(ctx context.Context, s settings) (err error) {
	dir, err := os.MkdirTemp("", "drover-bench-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	binary := filepath.Join(dir, "drover")
	if err := build(ctx, binary); err != nil {
		return err
	}
	database, err := startPostgres(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, database.Stop()) }()
	if err := preparePgbench(ctx, database); err != nil {
		return err
	}
	embedded := &place{name: "embedded", binary: binary, data: filepath.Join(dir, "embedded")}
	shared := &place{name: "PostgreSQL", binary: binary, data: filepath.Join(dir, "postgres"), url: database.URL(databaseName)}
	b := &bench{settings: s, places: []*place{embedded, shared}, postgres: database}
	defer b.close()
	if err := b.measure(ctx); err != nil {
		return err
	}
	return b.table.print(os.Stdout)
}
