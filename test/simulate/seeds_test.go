//go:build !race

package simulate

import "testing"

// defaultSeeds are simulated by make test beside those under the race detector.
const defaultSeeds = 8

// TestRepeats simulates a world twice: everything happens again, in the same order
// and at the same moments. The race detector has goroutines run in a random order, so
// it is left out there.
func TestRepeats(t *testing.T) { //nolint:paralleltest // a world has the process for itself
	const seed = 7
	if first, again := run(t, seed), run(t, seed); first != again {
		t.Errorf("the traces are %s and %s", first, again)
	}
}
