package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

// idleTarget is of a core.
const idleTarget = 0.5

// idleLine is a line of go test -bench: the database, then the figure among
// others.
var idleLine = regexp.MustCompile(`^BenchmarkIdle/(\w+?)(?:-\d+)?\s.*\s([0-9.e+-]+) cores`)

// idle measures connections that have nothing to tell. It is a benchmark of
// package collect, because it has no door of its own in the program.
func (b *bench) idle(ctx context.Context) error {
	b.progress("10,000 idle connections")
	out, err := exec.CommandContext(ctx, "go", "test", "./internal/ingest/collect", "-run", "^$", "-bench", "^BenchmarkIdle$", "-benchtime",
		"1x", "-timeout", "60m").CombinedOutput()
	if err != nil {
		return fmt.Errorf("run the benchmark: %w: %s", err, out)
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		m := idleLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		v, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return fmt.Errorf("read the benchmark: %w", err)
		}
		b.table.AtMost("10,000 idle connections, "+m[1], v, idleTarget, cores)
	}
	return nil
}

func cores(v float64) string { return fmt.Sprintf("%.2f cores", v) }
