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

// TestClassOf tells journeys apart by their length and by what the vehicle reports.
func TestClassOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind  string
		whole float64
		want  class
	}{
		{tripRides, 4_999, class{0, false}},
		{tripRides, 5_000, class{1, false}},
		{haulRides, 50_000, class{2, false}},
		{directRides, 4_999, class{0, true}},
		{directRides, 300_000, class{1, true}},
	} {
		if got := classOf(c.kind, guess{whole: c.whole}); got != c.want {
			t.Errorf("%s of %v m: %+v, want %+v", c.kind, c.whole, got, c.want)
		}
	}
}

// TestDelayOf finds a stop that every late journey makes, and a pace, where that is how they are late.
func TestDelayOf(t *testing.T) {
	t.Parallel()
	made := func(early, late, stop float64) (out []weighted) {
		for _, predicted := range []float64{60, 300, 1_200, 7_200} {
			for i := range 100 {
				w := weighted{took: predicted, predicted: predicted, weight: 1}
				switch {
				case i < 15:
					w.took *= early
				case i >= 85:
					w.took = late*predicted + stop
				}
				out = append(out, w)
			}
		}
		return out
	}
	for _, want := range []delay{{0.5, 1.5, 600}, {0.9, 2, 0}, {0.7, 1, 1800}} {
		if got := delayOf(made(want.early, want.late, want.stop), 0.2); math.Abs(got.early-want.early)+math.Abs(got.late-want.late) > 1e-9 ||
			got.stop != want.stop {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

// TestBandsOfKinds weighs the kinds of a class alike, however many journeys each has.
func TestBandsOfKinds(t *testing.T) {
	t.Parallel()
	made := func(n int, took float64) (out []guess) {
		for range n {
			out = append(out, guess{whole: 60_000, p50: 1_000, took: took})
		}
		return out
	}
	rangeOf := bandsOf(map[string][]guess{tripRides: made(1_000, 1_000), haulRides: made(40, 2_000)})
	if _, high := rangeOf(tripRides, guess{whole: 60_000, p50: 1_000}); math.Abs(high-math.Log(2)) > 1e-9 {
		t.Errorf("the late end is at %v times the middle, want 2", math.Exp(high))
	}
	if _, high := rangeOf(tripRides, guess{whole: 10_000, p50: 1_000}); math.Abs(high-math.Log(2)) > 1e-9 {
		t.Errorf("of a class that nothing is known of the late end is at %v times the middle, want 2", math.Exp(high))
	}
}
