//go:build !race

package simulate

import "testing"

// defaultSeeds are simulated by make test beside those under the race detector.
const defaultSeeds = 12

// TestRepeats simulates a world until all of it has happened twice, in the same order
// and at the same moments. Two runs are enough on a machine that has nothing else to do.
// Otherwise a system call may take so long that Go lets someone else go first, which is
// a tie that the bus cannot see; some runs then still have two of a kind, and a world
// that leaves its order to chance has not, however many there are. The race detector has goroutines run in a
// random order, so it is left out there.
func TestRepeats(t *testing.T) { //nolint:paralleltest // a world has the process for itself
	const seed, most = 7, 12
	seen := map[string]bool{}
	for range most {
		hash := run(t, seed)
		if seen[hash] {
			return
		}
		seen[hash] = true
	}
	t.Errorf("%d runs of seed %d are all different", most, seed)
}
