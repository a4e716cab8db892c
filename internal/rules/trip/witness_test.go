package trip_test

import (
	"math"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
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

// metresAt is the way that takes the given seconds at a speed, to the last bit: geo.SpeedKPH says that speed and no other.
func metresAt(t *testing.T, kph, seconds float64) float64 {
	t.Helper()
	metres := kph / 3.6 * seconds * (1 - 1e-15)
	for range 20 {
		if geo.SpeedKPH(metres, seconds) == kph {
			return metres
		}
		metres = math.Nextafter(metres, math.Inf(1))
	}
	t.Fatalf("no way takes %v s at %v km/h", seconds, kph)
	return 0
}

// TestOdometerMovesWithinThePlace holds that 100 metres in five minutes are a movement, and fewer, later or faster ones are
// none.
func TestOdometerMovesWithinThePlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		seconds, metres float64
		want            bool
	}{{300, 100, true}, {300, 99, false}, {301, 100, false}, {2, 100, false}, {36, metresAt(t, 130, 36), true}, {36, 1301, false}} {
		a, b := seen(0, 0, 0, false), seen(tt.seconds, 0, 0, false)
		a.OdometerMetres, b.OdometerMetres = new(0.0), &tt.metres
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

// TestHolesByTheOdometer holds at which speeds, by an odometer, a vehicle drove through half an hour of silence: from 5 to
// 130 km/h where it was under way before, from 15 km/h where it stood, with the engine on or not.
func TestHolesByTheOdometer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kphBefore float64
		engine    bool
		metres    float64
		want      bool
	}{
		{50, true, 2490, false},
		{50, true, 2500, true},
		{50, true, metresAt(t, 130, 1800), true},
		{50, true, 65_100, false},
		{0, false, 7490, false},
		{0, false, 7500, true},
		{0, true, 7490, false},
		{0, true, 7500, true},
	} {
		a, b := seen(0, 0, tt.kphBefore, tt.engine), seen(1800, tt.metres, 50, true)
		a.OdometerMetres, b.OdometerMetres = new(0.0), &tt.metres
		s, _ := fold(a, b)
		want := b.Time
		if tt.want {
			want = a.Time
		}
		if began, open := s.Began(); !open || !began.Equal(want.Time) {
			t.Errorf("%v m after %v km/h: the trip begins at %v, not %v", tt.metres, tt.kphBefore, began, want)
		}
		if hole := trip.Hole(a, b); (hole.KnownBy == drover.ByOdometer) != (tt.metres < 65_100) {
			t.Errorf("%v m are known by %v", tt.metres, hole.KnownBy)
		}
	}
}

// TestWorkFromOneKPH holds that a machine that says 1 km/h, and gets on as fast, works for all of that time.
func TestWorkFromOneKPH(t *testing.T) {
	t.Parallel()
	v := exact()
	v.interval, v.odo, v.auxiliary = time.Minute, false, false
	v.drive(10 * time.Minute)
	v.crawl(60*time.Minute, 1)
	v.drive(10 * time.Minute)
	v.stop(20*time.Minute, false, false)
	if working := one(t, v.positions).Why.WorkingSeconds / 60; math.Abs(working-60) > 4 {
		t.Errorf("%.1f min of work, want 60", working)
	}
}

// TestDoubtedPositionIsTrueOnceNearer holds that a leg as fast as few vehicles is believed where the next position is nearer
// to its end than to its beginning, and not where it is in the middle.
func TestDoubtedPositionIsTrueOnceNearer(t *testing.T) {
	t.Parallel()
	for latitude, want := range map[float64]bool{0: false, 0.001: true} {
		a, b := north(0, drover.Coordinate{Latitude: -0.02, Longitude: 10}, 50), north(60, drover.Coordinate{Latitude: 0.02, Longitude: 10}, 50)
		_, step := fold(a, b, north(120, drover.Coordinate{Latitude: latitude, Longitude: 10}, 50))
		if step.Confirms != want {
			t.Errorf("the next one at %v degrees confirms it: %v", latitude, step.Confirms)
		}
	}
}

// TestSpeedSupportsALeg holds that a leg of up to 1.5 times the speed that is reported is believed.
func TestSpeedSupportsALeg(t *testing.T) {
	t.Parallel()
	a, b := seen(0, 0, 0, true), seen(60, 2600, 0, true)
	kph := geo.SpeedKPH(geo.DistanceMetres(a.Point(), b.Point()), 60)
	for part, want := range map[float64]bool{1.5: false, 1.501: true} {
		a.SpeedKPH = new(kph / part)
		if _, step := fold(a, b); step.Jump != want {
			t.Errorf("%v km/h, where %v are reported: jump %v", kph, *a.SpeedKPH, step.Jump)
		}
	}
}

// TestOdometerThatStood holds that an odometer says that a vehicle stood where it counts up to a tenth of a leg.
func TestOdometerThatStood(t *testing.T) {
	t.Parallel()
	a, b := seen(0, 0, 0, false), seen(60, 1000, 0, false)
	metres := geo.DistanceMetres(a.Point(), b.Point())
	a.SpeedKPH, b.SpeedKPH, a.OdometerMetres = nil, nil, new(0.0)
	for counted, want := range map[float64]bool{0.1 * metres: true, 0.101 * metres: false} {
		b.OdometerMetres = &counted
		if _, step := fold(a, b); step.Jump != want {
			t.Errorf("%v m of %v: jump %v", counted, metres, step.Jump)
		}
	}
}
