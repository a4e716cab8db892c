package trip_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// hops is a vehicle that reports no speed of movement: from its place so many steps of so many metres, a minute each, with
// the ignition on, and then a stop with nothing running.
func hops(steps int, metres float64) (out []drover.Position) {
	out = append(out, seen(0, 0, 0, false))
	for i := range steps {
		out = append(out, seen(60*float64(i+1), metres*float64(i+1), 0, true))
	}
	end := 60 * float64(steps)
	return append(out, seen(end+60, metres*float64(steps), 0, false), seen(end+600, metres*float64(steps), 0, false))
}

// TestTripWithoutAWitness holds that places alone make a trip of a vehicle that reports its speed only where they are few and far.
func TestTripWithoutAWitness(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		steps  int
		metres float64
		want   int
	}{
		{"FourPositionsFar", 3, 205, 1},
		{"FourPositionsNear", 3, 195, 0},
		{"FivePositions", 4, 205, 0},
	} {
		if got, _ := foldAll(hops(tt.steps, tt.metres)); len(got) != tt.want {
			t.Errorf("%s: %d trips, want %d: %+v", tt.name, len(got), tt.want, got)
		}
	}
}

// TestHoleIsNoWitness holds that a hole between two positions that stand shows no speed.
func TestHoleIsNoWitness(t *testing.T) {
	t.Parallel()
	for kph, want := range map[float64]int{0: 0, 30: 1} {
		all := hops(4, 205)[:5]
		all = append(all, seen(240+960, 820+2000, kph, true), seen(1260, 2820, 0, true), seen(1320, 2820, 0, false), seen(1900, 2820, 0, false))
		if got, _ := foldAll(all); len(got) != want {
			t.Errorf("at %v km/h after the hole: %d trips, want %d: %+v", kph, len(got), want, got)
		}
	}
}

// TestWayBackWithoutSpeeds holds that a vehicle of which only places are known has gone far where it came back.
func TestWayBackWithoutSpeeds(t *testing.T) {
	t.Parallel()
	for metres, want := range map[float64]int{290: 0, 310: 1} {
		var all []drover.Position
		for i, step := range []float64{0, 1, 2, 1, 0, 0, 0} {
			p := seen(120*float64(i), metres*step, 0, false)
			p.SpeedKPH, p.Ignition = nil, nil
			all = append(all, p)
		}
		last := all[len(all)-1]
		last.Time = drover.At(last.Time.Add(10 * time.Minute))
		if got, _ := foldAll(append(all, last)); len(got) != want {
			t.Errorf("%v m away: %d trips, want %d: %+v", 2*metres, len(got), want, got)
		}
	}
}

// TestOdometerAsAWitness holds that a vehicle which its odometer moved as far as a trip has driven.
func TestOdometerAsAWitness(t *testing.T) {
	t.Parallel()
	for counted, want := range map[float64]int{100: 1, 99: 0} {
		all := hops(4, 205)
		for i := range all {
			all[i].OdometerMetres = new(5000.0)
			if i >= 4 {
				all[i].OdometerMetres = new(5000 + counted)
			}
		}
		if got, _ := foldAll(all); len(got) != want {
			t.Errorf("%v m counted: %d trips, want %d: %+v", counted, len(got), want, got)
		}
	}
}

// TestOdometerMovesWithinThePlace holds that 100 metres in five minutes are a movement, and fewer or later ones are none.
func TestOdometerMovesWithinThePlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		seconds, metres float64
		want            bool
	}{{300, 100, true}, {300, 99, false}, {301, 100, false}, {2, 100, false}} {
		a, b := seen(0, 0, 0, false), seen(tt.seconds, 0, 0, false)
		a.OdometerMetres, b.OdometerMetres = new(5000.0), new(5000+tt.metres)
		var s trip.State
		s.Add(a)
		s.Add(b)
		if s.Open() != tt.want {
			t.Errorf("%v m in %v s: a trip is under way: %v, want %v", tt.metres, tt.seconds, s.Open(), tt.want)
		}
	}
}

// TestSlowWorkWithAnAuxiliary holds that slow work is driving though an auxiliary runs, and no auxiliary time.
func TestSlowWorkWithAnAuxiliary(t *testing.T) {
	t.Parallel()
	v := exact()
	v.odo = false
	v.drive(10 * time.Minute)
	for range 40 {
		v.place.Latitude += 3 / 3.6 * v.interval.Seconds() / 111_195
		v.report(3, true, true)
	}
	v.drive(10 * time.Minute)
	v.stop(20*time.Minute, false, false)
	d := one(t, v.positions)
	if worked := 40 * v.interval.Seconds(); d.Why.WorkingSeconds < 0.9*worked || *d.AuxiliarySeconds > 0.1*worked {
		t.Errorf("of %v s of work %v are, and %v are auxiliary", worked, d.Why.WorkingSeconds, *d.AuxiliarySeconds)
	}
}

// TestScatterThatLeftItsStop holds that what is no trip has moved the vehicle where it got more than 500 metres away.
func TestScatterThatLeftItsStop(t *testing.T) {
	t.Parallel()
	for metres, want := range map[float64]bool{130: true, 120: false} {
		var s trip.State
		moved := false
		for _, p := range hops(4, metres) {
			step := s.Add(p)
			moved = moved || step.Moved
			if step.Completed {
				t.Errorf("steps of %v m are a trip: %+v", metres, step.Trip)
			}
		}
		if moved != want {
			t.Errorf("steps of %v m: it may have left its stop: %v, want %v", metres, moved, want)
		}
	}
}
