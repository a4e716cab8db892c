package trip_test

import (
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// TestSeenElsewhere says of the step that ends a silence whether the vehicle is elsewhere: then a stop ends
// there, though no trip does.
func TestSeenElsewhere(t *testing.T) {
	t.Parallel()
	for metres, want := range map[float64]bool{0: false, trip.StopMetres - 1: false, trip.StopMetres + 1: true} {
		if _, first := fold(seen(0, metres, 0, false)); first.Moved {
			t.Errorf("the first position, at %v m, is elsewhere", metres)
		}
		if _, step := fold(seen(0, 0, 0, false), seen(4*3600, metres, 0, false)); step.Moved != want || step.Completed {
			t.Errorf("%v m away after a silence: elsewhere: %t, a trip: %t", metres, step.Moved, step.Completed)
		}
	}
}

// TestTripNamesADriver says whether any position of a trip names a driver.
func TestTripNamesADriver(t *testing.T) {
	t.Parallel()
	for _, driver := range []*string{nil, new("ann")} {
		positions := []drover.Position{seen(0, 0, 50, true), seen(60, 800, 50, true), seen(120, 1600, 50, true), seen(200, 2000, 0, false)}
		positions[1].DriverID = driver
		for at := 300.0; at <= 1200; at += 300 {
			positions = append(positions, seen(at, 2000, 0, false))
		}
		if got := one(t, positions); got.HasDriver != (driver != nil) {
			t.Errorf("a driver is named: %t, and it says %t", driver != nil, got.HasDriver)
		}
	}
}

// TestOdometerIsAWitness takes a way of 300 m and back that nothing but places shows for a trip where the
// odometer counts it, and for scatter where that stands still.
func TestOdometerIsAWitness(t *testing.T) {
	t.Parallel()
	for counted, want := range map[float64]int{600: 1, 99: 0, 0: 0} {
		var positions []drover.Position
		add := func(at, metres, odometer float64) {
			p := seen(at, metres, 0, false)
			p.SpeedKPH, p.Ignition, p.OdometerMetres = nil, nil, new(7000+odometer)
			positions = append(positions, p)
		}
		add(0, 0, 0)
		for i, metres := range []float64{100, 200, 300, 300, 200, 100, 0} {
			add(400+60*float64(i), metres, counted*float64(i+1)/7)
		}
		for at := 900.0; at <= 2400; at += 60 {
			add(at, 0, counted)
		}
		if trips, _ := foldAll(positions); len(trips) != want {
			t.Errorf("the odometer counts %v m: %d trips, want %d", counted, len(trips), want)
		}
	}
}

// TestSlowWorkIsAWitness takes a way of 300 m and back at walking pace for a trip where the engine runs, and
// for scatter where it is off.
func TestSlowWorkIsAWitness(t *testing.T) {
	t.Parallel()
	for _, engine := range []bool{true, false} {
		positions := []drover.Position{seen(0, 0, 0, engine)}
		for i := range 12 {
			metres := 50 * float64(i+1)
			if i >= 6 {
				metres = 50 * float64(11-i)
			}
			positions = append(positions, seen(60*float64(i+1), metres, 3, engine))
		}
		for at := 780.0; at <= 2400; at += 60 {
			positions = append(positions, seen(at, 0, 0, false))
		}
		if trips, _ := foldAll(positions); (len(trips) == 1) != engine {
			t.Errorf("with the engine on: %t: %d trips", engine, len(trips))
		}
	}
}
