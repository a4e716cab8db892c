package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

const (
	ingestTarget = 30_000
	ingestKept   = 0.8
	idleTarget   = 0.5 // of a core
	fewPositions = 1_000_000
	allPositions = 20_000_000
)

// benchmarkLine is a line of go test -bench: the name, then values with units.
var benchmarkLine = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// collection measures the way of positions behind an adapter, and connections
// that have nothing to tell. These are benchmarks of package collect, because
// what they measure has no door of its own in the program.
func (b *bench) collection(ctx context.Context) error {
	stored := []int{fewPositions}
	if b.trips == fullTrips {
		stored = append(stored, allPositions)
	}
	first := map[string]float64{}
	for _, n := range stored {
		b.progress(fmt.Sprintf("ingest at %s stored positions", thousands(float64(n))))
		values, err := goBench(ctx, "^BenchmarkIngest$", "600000x", n)
		if err != nil {
			return err
		}
		for _, database := range []string{"sqlite", "postgres"} {
			rate := values["Ingest/"+database+" positions/s"]
			name := fmt.Sprintf("positions in, %s, %s stored", database, thousands(float64(n)))
			b.table.atLeast(name, rate, "target", ingestTarget, 1)
			if first[database] > 0 {
				b.table.atLeast(name, rate, "at the first million", first[database], ingestKept)
			} else {
				first[database] = rate
			}
		}
	}
	b.progress("10,000 idle connections")
	values, err := goBench(ctx, "^BenchmarkIdle$", "1x", 0)
	if err != nil {
		return err
	}
	for name, v := range values {
		if strings.HasPrefix(name, "Idle") && strings.HasSuffix(name, " cores") {
			b.table.atMost("10,000 idle connections, "+strings.TrimSuffix(name, " cores"), v, idleTarget, cores)
		}
	}
	return nil
}

func cores(v float64) string { return fmt.Sprintf("%.2f cores", v) }

// goBench runs a benchmark of package collect and returns its values by name and
// unit.
func goBench(ctx context.Context, name, times string, stored int) (map[string]float64, error) {
	command := exec.CommandContext(ctx, "go", "test", "./internal/collect", "-run", "^$", "-bench", name, "-benchtime", times, "-timeout", "60m")
	command.Env = append(os.Environ(), "DROVER_BENCH_STORED="+strconv.Itoa(stored))
	out, err := command.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w: %s", name, err, out)
	}
	values := map[string]float64{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		m := benchmarkLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		fields := strings.Fields(m[2])
		for i := 0; i+1 < len(fields); i += 2 {
			if v, err := strconv.ParseFloat(fields[i], 64); err == nil {
				values[m[1]+" "+fields[i+1]] = v
			}
		}
	}
	return values, nil
}
