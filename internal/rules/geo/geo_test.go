package geo_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

var (
	berlin = drover.Coordinate{Latitude: 52.5200, Longitude: 13.4050}
	paris  = drover.Coordinate{Latitude: 48.8566, Longitude: 2.3522}
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s = %v, want %v within %v", what, got, want, tolerance)
	}
}

func TestDistanceMetres(t *testing.T) {
	t.Parallel()
	quarter := math.Pi / 2 * geo.EarthRadiusMetres
	for _, tc := range []struct {
		name      string
		a, b      drover.Coordinate
		want      float64
		tolerance float64
	}{
		{"Same", berlin, berlin, 0, 0},
		{"BerlinToParis", berlin, paris, 877_464, 50},
		{"PoleToEquator", drover.Coordinate{Latitude: 90}, drover.Coordinate{Longitude: 77}, quarter, 1e-3},
		{"Antipodes", drover.Coordinate{}, drover.Coordinate{Longitude: 180}, 2 * quarter, 1e-3},
		{"OverTheDateLine", drover.Coordinate{Longitude: 179.9995}, drover.Coordinate{Longitude: -179.9995}, 111.195, 1e-2},
		{"OneMetre", drover.Coordinate{Latitude: 45}, drover.Coordinate{Latitude: 45 + 1/111_195.08}, 1, 1e-5},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			near(t, "distance", geo.DistanceMetres(tc.a, tc.b), tc.want, tc.tolerance)
		})
	}
}

func TestBearingDegrees(t *testing.T) {
	t.Parallel()
	origin := drover.Coordinate{}
	for want, to := range map[float64]drover.Coordinate{
		0:   {Latitude: 1},
		90:  {Longitude: 1},
		180: {Latitude: -1},
		270: {Longitude: -1},
	} {
		near(t, "bearing", geo.BearingDegrees(origin, to), want, 1e-9)
	}
}

func TestLengthMetres(t *testing.T) {
	t.Parallel()
	there := geo.DistanceMetres(berlin, paris)
	near(t, "no points", geo.LengthMetres(nil), 0, 0)
	near(t, "one point", geo.LengthMetres([]drover.Coordinate{berlin}), 0, 0)
	near(t, "there and back", geo.LengthMetres([]drover.Coordinate{berlin, paris, berlin}), 2*there, 1e-6)
}

func TestPlausible(t *testing.T) {
	t.Parallel()
	for p, want := range map[drover.Coordinate]bool{
		berlin:                                   true,
		{}:                                       false,
		{Latitude: 0.00001, Longitude: -0.00005}: false,
		{Latitude: 0, Longitude: 9}:              true,
		{Latitude: 0, Longitude: 1e-4}:           true,
		{Latitude: -1e-4, Longitude: 0}:          true,
		{Latitude: 91}:                           false,
		{Latitude: 1, Longitude: 181}:            false,
		{Latitude: math.Inf(1), Longitude: 1}:    false,
	} {
		if got := geo.Plausible(p); got != want {
			t.Errorf("Plausible(%v) = %v, want %v", p, got, want)
		}
	}
	if geo.Plausible(drover.Coordinate{Latitude: math.NaN(), Longitude: 1}) {
		t.Error("NaN is plausible")
	}
}

func TestSpeedKPH(t *testing.T) {
	t.Parallel()
	near(t, "100 m in 10 s", geo.SpeedKPH(100, 10), 36, 1e-9)
	near(t, "standing", geo.SpeedKPH(0, 0), 0, 0)
	if !math.IsInf(geo.SpeedKPH(1, 0), 1) {
		t.Error("a distance in no time is not infinitely fast")
	}
}

func TestWrapLongitude(t *testing.T) {
	t.Parallel()
	for in, want := range map[float64]float64{0: 0, 180: 180, -180: -180, 181: -179, -181: 179, 540: -180, -190: 170, 725: 5} {
		near(t, "wrapped", geo.WrapLongitude(in), want, 1e-9)
	}
	for _, within := range []float64{0.1, -0.1, 179.9} {
		near(t, "left as it is, to the last digit", geo.WrapLongitude(within), within, 0)
	}
}

func TestInsideIncludesTheEdge(t *testing.T) {
	t.Parallel()
	edge := geo.DistanceMetres(berlin, paris)
	if !geo.Inside(berlin, edge, paris) || geo.Inside(berlin, edge-0.001, paris) {
		t.Error("a circle does not end with its edge")
	}
}

// The functions must agree with each other wherever on earth they are used.
func TestProperties(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		a := drover.Coordinate{Latitude: r.Float64()*178 - 89, Longitude: r.Float64()*360 - 180}
		b := drover.Coordinate{Latitude: r.Float64()*178 - 89, Longitude: r.Float64()*360 - 180}
		c := drover.Coordinate{Latitude: r.Float64()*178 - 89, Longitude: r.Float64()*360 - 180}
		d := geo.DistanceMetres(a, b)
		near(t, "the way back", geo.DistanceMetres(b, a), d, 1e-6)
		if around := geo.DistanceMetres(a, c) + geo.DistanceMetres(c, b); around < d-1e-3 {
			t.Fatalf("a detour over %v from %v to %v is shorter: %v < %v", c, a, b, around, d)
		}
		bearing := geo.BearingDegrees(a, b)
		if bearing < 0 || bearing >= 360 {
			t.Fatalf("bearing %v", bearing)
		}
		near(t, "distance from b to where its bearing leads", geo.DistanceMetres(geo.Destination(a, bearing, d), b), 0, 1)
		metres := r.Float64() * 100_000
		to := geo.Destination(a, r.Float64()*360, metres)
		if !to.Valid() {
			t.Fatalf("destination %v is no coordinate", to)
		}
		near(t, "distance of the destination", geo.DistanceMetres(a, to), metres, 1e-3)
		if !geo.Inside(a, metres+0.01, to) || geo.Inside(a, metres-0.01, to) {
			t.Fatalf("the circle of %v m around %v has its edge elsewhere than %v", metres, a, to)
		}
	}
}

func BenchmarkDistanceMetres(b *testing.B) {
	for b.Loop() {
		geo.DistanceMetres(berlin, paris)
	}
}

func TestOffset(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		center, p   drover.Coordinate
		north, east float64
	}{
		{"NorthEast", drover.Coordinate{Latitude: 10, Longitude: 20}, drover.Coordinate{Latitude: 11, Longitude: 22}, 1, 2},
		{"SouthWest", drover.Coordinate{Latitude: -10, Longitude: -20}, drover.Coordinate{Latitude: -11, Longitude: -22}, -1, -2},
		{"OverTheDateLine", drover.Coordinate{Longitude: 179}, drover.Coordinate{Longitude: -179}, 0, 2},
		{"BackOverTheDateLine", drover.Coordinate{Longitude: -179}, drover.Coordinate{Longitude: 179}, 0, -2},
	} {
		if north, east := geo.Offset(tt.center, tt.p); north != tt.north || east != tt.east {
			t.Errorf("%s: %v north and %v east, want %v and %v", tt.name, north, east, tt.north, tt.east)
		}
	}
}

// TestAtMostMetres bounds distances everywhere, and is exact along a meridian and the equator.
func TestAtMostMetres(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		a := drover.Coordinate{Latitude: 180*random.Float64() - 90, Longitude: 360*random.Float64() - 180}
		b := drover.Coordinate{Latitude: 180*random.Float64() - 90, Longitude: 360*random.Float64() - 180}
		if near := random.Float64(); near < 0.8 {
			b.Latitude, b.Longitude = a.Latitude+near*(b.Latitude-a.Latitude)/1000, a.Longitude+near*(b.Longitude-a.Longitude)/1000
		}
		if exact, bound := geo.DistanceMetres(a, b), geo.AtMostMetres(a, b); exact > bound {
			t.Fatalf("from %v to %v it is %v m, and at most %v", a, b, exact, bound)
		}
	}
	from := drover.Coordinate{Longitude: 10}
	for _, to := range []drover.Coordinate{{Latitude: 0.01, Longitude: 10}, {Longitude: 10.01}} {
		if exact, bound := geo.DistanceMetres(from, to), geo.AtMostMetres(from, to); bound < exact || bound > exact*1.000001 {
			t.Errorf("to %v it is %v m, and at most %v", to, exact, bound)
		}
	}
}
