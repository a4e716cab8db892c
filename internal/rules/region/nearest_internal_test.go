package region

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// offCoast are places near borders, in the steps of these, that are in no region by themselves.
func offCoast(w *borders, r *rand.Rand, n int) (out []spot) {
	for len(out) < n {
		c := w.points[r.IntN(len(w.points))]
		p := spot{float64(c.x) + 0.3*unit*(2*r.Float64()-1), float64(c.y) + 0.3*unit*(2*r.Float64()-1)}
		if math.Abs(p.y) > 65*unit || math.Abs(p.x) > 179*unit {
			continue
		}
		if column, row := cellOf(p); w.ray(p, column, row) == 0 {
			out = append(out, p)
		}
	}
	return out
}

func (p spot) coordinate() drover.Coordinate {
	return drover.Coordinate{Latitude: p.y / unit, Longitude: p.x / unit}
}

// TestNearestCoast holds each place at sea against the nearest of many places on all borders around it.
func TestNearestCoast(t *testing.T) {
	t.Parallel()
	w := world()
	near, far := 0, 0
	for _, p := range offCoast(w, rand.New(rand.NewPCG(1, 2)), 400) {
		nearest, beside := math.Inf(1), math.Inf(1) // and the nearest that belongs to others
		var want [2]uint16
		wide := 0.5 * unit / math.Cos(p.y/unit*math.Pi/180)
		left, low := cellOf(spot{p.x - wide, p.y - 0.5*unit})
		right, high := cellOf(spot{p.x + wide, p.y + 0.5*unit})
		for row := low; row <= high; row++ {
			for column := left; column <= right; column++ {
				for _, e := range w.edges(column, row) {
					a, b, sides := w.points[e], w.points[e+1], [2]uint16{w.left[e], w.right[e]}
					const parts = 50
					for i := range parts + 1 {
						share := float64(i) / parts
						on := spot{float64(a.x) + share*float64(b.x-a.x), float64(a.y) + share*float64(b.y-a.y)}
						switch d := geo.DistanceMetres(p.coordinate(), on.coordinate()); {
						case sides == want:
							nearest = min(nearest, d)
						case d < nearest:
							nearest, beside, want = d, nearest, sides
						default:
							beside = min(beside, d)
						}
					}
				}
			}
		}
		got := w.found(p, 0)
		switch {
		case nearest > offshoreMetres+300:
			far++
			if got != 0 {
				t.Errorf("%v, %.0f m off the coast, is in region %d", p.coordinate(), nearest, got)
			}
		case nearest < offshoreMetres-300 && beside > nearest+300:
			near++
			if got != want[0] && got != want[1] || got == 0 {
				t.Errorf("%v, %.0f m off the coast of %v, is in region %d", p.coordinate(), nearest, want, got)
			}
		}
	}
	if near < 50 || far < 10 {
		t.Errorf("%d places near a coast and %d far from it say little", near, far)
	}
}

// TestSplitBySteps holds the parts of ways along coasts and borders against many places on them.
func TestSplitBySteps(t *testing.T) {
	t.Parallel()
	w, r := world(), rand.New(rand.NewPCG(3, 4))
	for _, p := range offCoast(w, r, 100) {
		a := p.coordinate()
		b := drover.Coordinate{Latitude: a.Latitude + 3*(r.Float64()-0.5), Longitude: a.Longitude + 3*(r.Float64()-0.5)}
		if math.Abs(b.Longitude) > 179 {
			continue
		}
		want := map[Region]float64{}
		const steps = 1000
		for i := range steps {
			share := (float64(i) + 0.5) / steps
			at := drover.Coordinate{Latitude: a.Latitude + share*(b.Latitude-a.Latitude), Longitude: a.Longitude + share*(b.Longitude-a.Longitude)}
			want[At(at)] += 1.0 / steps
		}
		for _, part := range Split(a, b) {
			want[part.Region] -= part.Share
		}
		for region, off := range want {
			// At sea a way is parted in steps of a tenth of a degree.
			if wide := math.Hypot(b.Latitude-a.Latitude, b.Longitude-a.Longitude); math.Abs(off) > 0.01+0.15/max(wide, 0.15) {
				t.Errorf("from %v to %v: of %q %.3f are missing", a, b, region.Code, off)
			}
		}
	}
}

// TestStepsAtSea holds that a way at sea, between the waters of California and Baja California, is parted in steps of at most
// a tenth of a degree and not in much smaller ones, also where it begins on land.
func TestStepsAtSea(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b  drover.Coordinate
		steps float64
	}{
		{drover.Coordinate{Latitude: 32.75, Longitude: -117.40}, drover.Coordinate{Latitude: 32.20, Longitude: -117.20}, 6},
		{drover.Coordinate{Latitude: 32.70, Longitude: -117.40}, drover.Coordinate{Latitude: 32.30, Longitude: -117.15}, 5},
		{drover.Coordinate{Latitude: 32.90, Longitude: -117.10}, drover.Coordinate{Latitude: 32.20, Longitude: -117.25}, 5},
	} {
		parts := Split(test.a, test.b)
		if len(parts) != 2 || parts[0].Code != "US-CA" || parts[1].Code != "MX-BCN" {
			t.Fatalf("from %v to %v: %v", test.a, test.b, parts)
		}
		sea := 1.0
		if cuts := world().cuts(place(test.a), place(test.b)); len(cuts) > 0 {
			sea -= cuts[len(cuts)-1]
		}
		steps := parts[1].Share / sea * test.steps
		if math.Abs(steps-math.Round(steps)) > 1e-6 {
			t.Errorf("from %v to %v: %v of %v steps are in the south: %v", test.a, test.b, steps, test.steps, parts)
		}
	}
}

// TestPassedCells holds the cells in which borders are looked for against many places on a way: there are no others.
func TestPassedCells(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		a := spot{(2*r.Float64() - 1) * 170 * unit, (2*r.Float64() - 1) * 80 * unit}
		b := spot{a.x + (2*r.Float64()-1)*5*unit, a.y + (2*r.Float64()-1)*5*unit}
		type key struct{ column, row int }
		want, got := map[key]int{}, map[key]int{}
		const steps = 20000
		for i := range steps + 1 {
			share := float64(i) / steps
			column, row := cellOf(spot{a.x + share*(b.x-a.x), a.y + share*(b.y-a.y)})
			want[key{column, row}] = 1
		}
		for column, row := range passed(a, b) {
			got[key{column, row}]++
		}
		if !maps.Equal(got, want) {
			t.Errorf("from %v to %v: looked at %v, passed %v", a, b, got, want)
		}
	}
}
