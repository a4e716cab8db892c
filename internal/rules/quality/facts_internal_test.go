package quality

import (
	"math"
	"testing"
)

// TestPeak finds the middle of the three neighbouring bins with the most values.
func TestPeak(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of   Histogram
		want int
	}{
		"nothing":                         {Histogram{}, 0},
		"one value":                       {Histogram{5: 1}, 5},
		"neighbours outweigh one bin":     {Histogram{1: 1, 2: 5, 3: 1, 10: 6}, 2},
		"a tail on one side":              {Histogram{-1: 4, 0: 9, 1: 4, 2: 3, 3: 3, 4: 3}, 0},
		"the first of two that are alike": {Histogram{2: 3, 8: 3}, 2},
	} {
		if got := c.of.peak(); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}

// TestSizeBin is the same on both sides of zero, and finer near it.
func TestSizeBin(t *testing.T) {
	t.Parallel()
	if got := sizeBin(0); got != 0 {
		t.Errorf("zero is in bin %d", got)
	}
	for _, seconds := range []float64{1, 30, 3600, 86400} {
		bin := sizeBin(seconds)
		if bin <= 0 || sizeBin(-seconds) != -bin {
			t.Errorf("%g s: bins %d and %d", seconds, bin, sizeBin(-seconds))
		}
		if off := math.Abs(sizeOf(bin)-seconds) / (1 + seconds); off > sizeStep || sizeOf(-bin) != -sizeOf(bin) {
			t.Errorf("%g s: bin %d is %g s and %g s", seconds, bin, sizeOf(bin), sizeOf(-bin))
		}
	}
}

// TestNothingSeen is no value, and not zero.
func TestNothingSeen(t *testing.T) {
	t.Parallel()
	var f Facts
	if l := f.latency(); l.P50Seconds != nil || l.P95Seconds != nil {
		t.Errorf("the latency of no position is %v", l)
	}
	merge(&f.Latency, Histogram{})
	if f.Latency != nil {
		t.Error("a count of nothing was kept")
	}
}

// TestEvidence is how much likelier the exchanged map is, by how far the speeds are off at all and by how far from
// their own mean, and nothing of few ways.
func TestEvidence(t *testing.T) {
	t.Parallel()
	ways := func(n int, mean, beside, otherMean, otherBeside float64) (m Mirror) {
		for i := range n {
			sign := float64(1 - i%2*2)
			m.add(mean+sign*beside, otherMean+sign*otherBeside)
		}
		return m
	}
	// Of 40 ways that are so far off on either map: by each way, and by the mean of the squares.
	likelier := func(is, exchanged float64) float64 {
		return 20 * (each(is+0.1, exchanged+0.1) + each(is-0.1, exchanged-0.1))
	}
	same := func(is, exchanged float64) float64 { return 40 * each(is, exchanged) }
	about := func(is, exchanged float64) float64 { return 40 * (is - exchanged) / 2 / (min(is, exchanged) + alike) }
	// Thirty-eight ways say that the map is right, and two fixes that are wrong that it is not.
	strays := ways(38, 0, 0.02, 0.1, 0.02)
	strays.merge(ways(2, 1.3, 0, 0.7, 0))
	for name, c := range map[string]struct {
		of          Mirror
		least, most float64
	}{
		"exchanged":             {ways(40, 0, 0.3, 0, 0.1), same(0.3, 0.1), about(0.09, 0.01)},
		"as it is":              {ways(40, 0, 0.1, 0, 0.3), about(0.01, 0.09), same(0.1, 0.3)},
		"exchanged by the mean": {ways(40, 0.4, 0.1, 0, 0.1), 0, likelier(0.4, 0)},
		"exchanged but farther": {ways(40, 0.1, 0.1, 0.4, 0), 20 * (each(0.2, 0.4) + each(0, 0.4)), about(0.01, 0)},
		"a fix that is wrong":   {ways(40, 7, 0, 9, 0), same(0.8, 1.3), 0},
		"and exchanged":         {ways(40, -9, 0, -7, 0), 0, same(1.3, 0.8)},
		"two wrong fixes":       {strays, 19*(each(0.02, 0.12)+each(0.02, 0.08)) + 2*each(1.2, 0.7), strays.byMean()},
		"few":                   {ways(39, 0, 0.3, 0, 0.1), 0, 0},
	} {
		least, most := c.of.evidence()
		if !(math.Abs(least-c.least) < 1e-6) || !(math.Abs(most-c.most) < 1e-6) {
			t.Errorf("%s: got %v to %v, want %v to %v", name, least, most, c.least, c.most)
		}
	}
}

// each is how much likelier a way makes the exchanged map that is so far off on both.
func each(is, exchanged float64) float64 {
	return math.Log((near*near + is*is) / (near*near + exchanged*exchanged))
}
