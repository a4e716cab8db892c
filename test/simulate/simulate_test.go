package simulate

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

var (
	seedFlag    = flag.Uint64("seed", 0, "simulate this seed alone")
	seedsFlag   = flag.Int("seeds", defaultSeeds, "simulate so many seeds")
	foreverFlag = flag.Bool("forever", false, "simulate random seeds until stopped")
	traceFlag   = flag.String("story", "", "write the whole trace of a seed to a file")
)

func TestMain(m *testing.M) {
	flag.Parse()
	runtime.GOMAXPROCS(1) // one thing happens at a time anyway
	code := m.Run()
	if installed.folder != "" {
		_ = os.RemoveAll(installed.folder) // the machine sweeps what is left
	}
	os.Exit(code)
}

// TestSeeds simulates a number of worlds.
func TestSeeds(t *testing.T) { //nolint:paralleltest // a world has the process for itself
	switch {
	case *seedFlag != 0:
		run(t, *seedFlag)
	case *foreverFlag:
		for {
			run(t, rand.Uint64()>>24) //nolint:gosec // any seed is as good
		}
	default:
		for seed := range uint64(*seedsFlag) { //nolint:gosec // a small number
			run(t, seed+1)
		}
	}
}

// run simulates a seed, reports what is wrong and returns what stands for all that
// happened.
func run(t *testing.T, seed uint64) (hash string) {
	t.Helper()
	t.Run(fmt.Sprint(seed), func(t *testing.T) {
		// Collecting garbage would let others go first, now and then.
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		w := simulate(t, seed, *traceFlag != "")
		hash = w.trace.hash()
		t.Logf("seed %d: %d lines, %s, %d processes", seed, w.trace.lines, hash, w.starts)
		for _, v := range w.violations[:min(len(w.violations), 10)] {
			t.Error(v)
		}
		if t.Failed() {
			t.Logf("%d violations; repeat with: make simulate SEED=%d", len(w.violations), seed)
		}
		if *traceFlag != "" {
			if err := os.WriteFile(*traceFlag, []byte(strings.Join(w.trace.last, "\n")+"\n"), 0o600); err != nil {
				t.Error(err)
			}
		}
	})
	runtime.GC()
	return hash
}
