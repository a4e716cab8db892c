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
	"runtime/debug"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/drover-fleet/drover/internal/app"
)

// settings are the flags.
type settings struct {
	clients int
	span    time.Duration
	rounds  int
	trips   int
	// positions are stored before the second measurement of the ingest.
	positions int
	// packed are packed before the third, and exported again as Parquet.
	packed int
	// exported are the positions of an export.
	exported int
	// on is the database that is measured; empty is each.
	on string
	// minutes is how long a map stays open whose memory is measured.
	minutes float64
	// against is the program that the part of that name is measured against.
	against string
	// like is a part of the names of the attacks that are measured; empty is all.
	like string
	// tracesDir has recordings of real vehicles.
	tracesDir string
}

const (
	fullTrips = 10_000_000

	fewExport  = 1_000_000
	fullExport = 10_000_000

	fewPacked  = 100_000_000
	fullPacked = 1_000_000_000

	fullMinutes = 10
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == baselineArgument {
		exit(serveBaseline(os.Args[2]))
	}
	if len(os.Args) == 3 && os.Args[1] == readsArgument {
		exit(serveReads(os.Args[2]))
	}
	if len(os.Args) == 3 && os.Args[1] == hashesArgument {
		exit(hashFor(os.Args[2]))
	}
	var s settings
	flag.IntVar(&s.clients, "clients", 32, "connections that send requests, and clients of pgbench")
	flag.DurationVar(&s.span, "span", 700*time.Millisecond, "length of one measurement")
	flag.IntVar(&s.rounds, "rounds", 3, "measurements of each figure, of which the best counts; requests are measured three times as often, in turn with their baselines, and the median of their ratios counts")
	flag.IntVar(&s.trips, "trips", 1_000_000, "trips at which the summaries are measured again")
	flag.IntVar(&s.positions, "positions", fewPositions,
		"stored positions at which the ingest is measured again; a million is the first measurement")
	flag.IntVar(&s.packed, "packed", fewPacked, "packed positions at which the ingest is measured again, and of which up to a hundred million are exported as Parquet; 0 for none")
	flag.IntVar(&s.exported, "exported", fewExport, "positions of an export")
	flag.Float64Var(&s.minutes, "minutes", 1, "how long the console's map stays open, for the part view")
	full := flag.Bool("full", false, "ten million trips, twenty million positions and an export of ten million: the figures that have a target")
	only := flag.String("only", "", "parts to measure, separated by commas: "+partNames())
	flag.StringVar(&s.on, "on", "", "embedded or PostgreSQL, for the parts that make a database for each: ingest, push, history, deliver, attack")
	flag.StringVar(&s.tracesDir, "traces", "", "folder of recordings of real vehicles, for the part traces")
	flag.StringVar(&s.against, "against", "", "another program, such as that of an earlier commit, for the part against")
	flag.StringVar(&s.like, "like", "", "a part of the names of the attacks that are measured, for the part attack")
	profile := flag.String("profile", "", "file for a profile of the processor, of what runs in this program itself: ingest, map")
	flag.Parse()
	debug.SetGCPercent(app.GCPercent) // what runs in this process runs as in the service
	if *full {
		s.trips, s.positions, s.exported, s.minutes, s.packed = fullTrips, fullPositions, fullExport, fullMinutes, fullPacked
	}
	chosen, err := choose(*only)
	if err != nil {
		exit(err)
	}
	if *profile != "" {
		file, err := os.Create(*profile)
		if err == nil {
			err = pprof.StartCPUProfile(file)
		}
		if err != nil {
			exit(err)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err = run(ctx, s, chosen)
	pprof.StopCPUProfile()
	exit(err)
}

// databases are those that are measured.
func (s settings) databases() []string {
	if s.on != "" {
		return []string{s.on}
	}
	return []string{"embedded", "PostgreSQL"}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// run measures the chosen parts and prints the table.
func run(ctx context.Context, s settings, chosen []part) (err error) {
	dir, err := os.MkdirTemp("", "drover-bench-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	b := &bench{settings: s, dir: dir}
	defer func() { err = errors.Join(err, b.close()) }()
	err = b.measure(ctx, chosen)
	return errors.Join(err, b.table.Print(os.Stdout), b.table.Missed())
}
