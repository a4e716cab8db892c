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

// TestEvidence is how likely a line is beside what lies off it, and nothing of few pairs, or of
// such as say nothing.
func TestEvidence(t *testing.T) {
	t.Parallel()
	lines := func(pairs int, x, slope, off float64) (out Trend) {
		for i := range pairs {
			at, beside := x, off
			if i%2 == 1 {
				at = -x
			}
			if i/2%2 == 1 {
				beside = -off
			}
			out.add(at, slope*at+beside)
		}
		return out
	}
	for name, c := range map[string]struct {
		of   Trend
		want float64
	}{
		"grows":     {lines(24, 0.5, 1, 0.1), 0.5 * 6 / (0.24/22 + alike)},
		"does not":  {lines(24, 0.5, 0, 0.1), -0.5 * 6 / (0.24/22 + alike)},
		"too few":   {lines(23, 0.5, 1, 0.1), 0},
		"one place": {lines(24, 0, 1, 0.1), 0},
	} {
		if got := c.of.evidence(); !(math.Abs(got-c.want) < 1e-6) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
