package quality_test

import (
	"math"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/quality"
)

// exact is a position so many metres north of a place on the equator, to the last bit of a measured distance.
type exact struct {
	seconds, metres float64
	speed, odometer float64
	ignition        bool
}

func north(t *testing.T, metres float64) drover.Coordinate {
	t.Helper()
	begin := drover.Coordinate{Longitude: 60}
	p := drover.Coordinate{Latitude: metres / degree, Longitude: 60}
	p.Latitude *= metres / max(1e-9, geo.DistanceMetres(begin, p))
	for range 1 << 20 {
		switch got := geo.DistanceMetres(begin, p); {
		case got < metres:
			p.Latitude = math.Nextafter(p.Latitude, 1)
		case got > metres:
			p.Latitude = math.Nextafter(p.Latitude, 0)
		default:
			return p
		}
	}
	t.Fatalf("no place is %v m from another", metres)
	return p
}

func measured(t *testing.T, all ...exact) quality.Facts {
	t.Helper()
	var o quality.Observer
	for _, e := range all {
		place := north(t, e.metres)
		p := drover.Position{
			Time: drover.At(monday.Add(time.Duration(e.seconds * float64(time.Second)))), Latitude: place.Latitude, Longitude: place.Longitude,
			SpeedKPH: &e.speed, OdometerMetres: &e.odometer, Ignition: &e.ignition,
		}
		o.Observe([]quality.Fix{{Device: "a", Position: &p}}, monday, false)
	}
	return o.Take()
}

// TestExactly holds what a distance says that is exactly one of the rules.
func TestExactly(t *testing.T) {
	t.Parallel()
	t.Run("PlaceOf50Metres", func(t *testing.T) {
		t.Parallel()
		// After a silence it is another place: the odometer counts from there.
		f := measured(t, exact{}, exact{seconds: 720, metres: 50, odometer: 90_000}, exact{seconds: 800, metres: 1250, odometer: 91_200})
		if len(f.Odometer) != 1 || f.Odometer[0] != 1 {
			t.Errorf("odometers %v", f.Odometer)
		}
	})
	t.Run("StandOf50Metres", func(t *testing.T) {
		t.Parallel()
		if f := measured(t, exact{ignition: true}, exact{seconds: 60, metres: 50, ignition: true}); f.StoodOn != 0 {
			t.Errorf("it stood for %d s", f.StoodOn)
		}
	})
	t.Run("250KPH", func(t *testing.T) {
		t.Parallel()
		if f := measured(t, exact{}, exact{seconds: 36, metres: 2500}); f.Stretches != 1 {
			t.Errorf("%d stretches", f.Stretches)
		}
	})
	t.Run("StepOf25Metres", func(t *testing.T) {
		t.Parallel()
		f := measured(t, exact{speed: 36}, exact{seconds: 1, metres: 25, speed: 36}, exact{seconds: 2, speed: 36},
			exact{seconds: 15, metres: 100, speed: 36})
		if f.Speed[0] != 1 {
			t.Errorf("there and back are no part of the way: %v", f.Speed)
		}
	})
	t.Run("100Metres", func(t *testing.T) {
		t.Parallel()
		if f := measured(t, exact{}, exact{seconds: 20, metres: 100}); f.Stretches != 1 || f.Moving != 1 {
			t.Errorf("%d stretches, %d moving positions", f.Stretches, f.Moving)
		}
	})
	t.Run("100MetresBySpeed", func(t *testing.T) {
		t.Parallel()
		if f := measured(t, exact{speed: 36}, exact{seconds: 10, metres: 60, speed: 36}); f.Stretches != 1 {
			t.Errorf("%d stretches", f.Stretches)
		}
	})
	t.Run("RepeatedForElevenMinutes", func(t *testing.T) {
		t.Parallel()
		f := measured(t, exact{speed: 36}, exact{seconds: 660, speed: 36}, exact{seconds: 670, metres: 670, speed: 36})
		if f.Speed[-46] != 1 {
			t.Errorf("of 6,700 m a tenth was driven: %v", f.Speed)
		}
	})
	t.Run("SpeedsThatChooseTheirWay", func(t *testing.T) {
		t.Parallel()
		// At 36 km/h it is far by its speeds; by its way only from 10 km/h on, 15 with bends, where no position lies between.
		for _, c := range []struct {
			seconds, metres float64
			between, want   int64
		}{{119, 320, 0, 1}, {120, 320, 0, 0}, {120, 320, 1, 1}, {144, 400, 0, 1}} {
			all := []exact{{speed: 36}}
			if c.between > 0 {
				all = append(all, exact{seconds: 9, speed: 36})
			}
			f := measured(t, append(all, exact{seconds: c.seconds, metres: c.metres, speed: 36})...)
			if n := f.Speed[ratio(c.metres/(10*c.seconds))]; n != c.want || f.Stretches != 1 || f.Mirror[0] != 1 {
				t.Errorf("%v m in %v s: %v of %d stretches", c.metres, c.seconds, f.Speed, f.Stretches)
			}
		}
	})
	t.Run("OdometerOf1000Metres", func(t *testing.T) {
		t.Parallel()
		if f := measured(t, exact{}, exact{seconds: 100, metres: 1000, odometer: 1000}); f.Odometer[0] != 1 {
			t.Errorf("odometers %v", f.Odometer)
		}
	})
	t.Run("OdometerStuckFor5000Metres", func(t *testing.T) {
		t.Parallel()
		if f := measured(t, exact{}, exact{seconds: 300, metres: 5000}); f.Odometer[160] != 1 {
			t.Errorf("odometers %v", f.Odometer)
		}
	})
	t.Run("OdometerOfASlowWay", func(t *testing.T) {
		t.Parallel()
		slow, fast := north(t, 60), north(t, 1200)
		way := geo.DistanceMetres(drover.Coordinate{Longitude: 60}, slow) + geo.DistanceMetres(slow, fast)
		if f := measured(t, exact{}, exact{seconds: 130, metres: 60}, exact{seconds: 200, metres: 1200, odometer: way}); f.Odometer[0] != 1 {
			t.Errorf("odometers %v", f.Odometer)
		}
	})
}

// ratio is the bin of a ratio, in steps of 5 %.
func ratio(of float64) int { return int(math.Round(math.Log(of) / 0.05)) }
