package traces

import (
	"math"
	"testing"
)

// TestLeftOut holds that a recording does not teach the range that it is held against: one that is
// off by far more than the others lies outside, and they lie within.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	var all []guess
	for _, v := range []struct {
		vehicle string
		wide    float64
	}{{"a", 0.1}, {"b", 0.1}, {"c", 2}} {
		for i := range 101 {
			off := v.wide * float64(i-50) / 50
			all = append(all, guess{
				vehicle: v.vehicle, whole: 20_000, straight: 10_000, p10: 90, p50: 100, p90: 110, took: 100 * math.Exp(off),
			})
		}
	}
	for name, learn := range map[string]func(map[string][]guess) ranger{"bands": bandsOf, "scale": scaleOf} {
		got := leftOut(map[string][]guess{tripRides: all}, learn)[tripRides]
		if len(got) != len(all) {
			t.Fatalf("%s: %d of %d predictions", name, len(got), len(all))
		}
		share := func(vehicle string) float64 {
			return inRange(keep(got, func(g guess) bool { return g.vehicle == vehicle }))
		}
		if a, c := share("a"), share("c"); a < 0.99 || c > 0.1 {
			t.Errorf("%s: of the ones that are alike %.2f are within, of the other one %.2f", name, a, c)
		}
	}
}

// TestClassOf tells journeys apart by their length, by what is left and by what the vehicle reports.
func TestClassOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind        string
		whole, left float64
		want        class
	}{
		{tripRides, 4_999, 1_000, class{0, 0, false}},
		{haulRides, 60_000, 20_000, class{2, 3, false}},
		{directRides, 300_000, 250_000, class{2, 6, true}},
	} {
		if got := classOf(c.kind, guess{whole: c.whole, straight: c.left}); got != c.want {
			t.Errorf("%s of %v m, %v m left: %+v, want %+v", c.kind, c.whole, c.left, got, c.want)
		}
	}
}
