package trip_test

import (
	"math"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// The shapes of this file were seen on real vehicles.

// elsewhere reports some positions from a place far away, as corrupt receivers do.
func (v *vehicle) elsewhere(positions int, kph float64) {
	home := v.place
	v.place = geo.Destination(home, 200, 315_000)
	for range positions {
		v.report(kph, true, false)
	}
	v.place = home
}

// TestCorruptFixesThatAgree holds that a wrong place which a receiver repeats for a
// while neither ends a trip nor begins one.
func TestCorruptFixesThatAgree(t *testing.T) {
	t.Parallel()
	for _, wrong := range []int{2, 3, trip.ConfirmPositions - 1} {
		v := exact()
		v.odo = false
		v.drive(20 * time.Minute)
		v.elsewhere(wrong, 40)
		v.drive(20 * time.Minute)
		d := one(t, v.positions)
		if d.DistanceMetres > 100_000 || len(trip.Check(d.Facts(), v.at, nil)) > 0 {
			t.Errorf("%d wrong positions make %+v", wrong, d)
		}
		parked := exact()
		parked.stop(20*time.Minute, false, false)
		parked.elsewhere(wrong, 40)
		parked.stop(20*time.Minute, false, false)
		if got, _ := foldAll(parked.positions); len(got) != 0 {
			t.Errorf("%d wrong positions of a parked vehicle make %+v", wrong, got)
		}
	}
}

// TestRelocation holds that a vehicle which was carried elsewhere is accepted there
// in the end, without a trip in between.
func TestRelocation(t *testing.T) {
	t.Parallel()
	v := exact()
	v.stop(20*time.Minute, false, false)
	v.place = geo.Destination(v.place, 90, 554_000)
	v.stop(10*time.Minute, false, false)
	trips, jumps := foldAll(v.positions)
	if len(trips) != 0 || len(jumps) != 0 {
		t.Errorf("trips %v and jumps %v", trips, jumps)
	}
}

// TestShortHop holds that a receiver which is off by some hundred metres for a
// moment makes no trip.
func TestShortHop(t *testing.T) {
	t.Parallel()
	v := exact()
	v.interval = time.Second
	v.stop(10*time.Minute, true, false)
	home := v.place
	v.place = geo.Destination(home, 90, 400)
	v.stop(4*time.Second, true, false)
	v.place = home
	v.stop(10*time.Minute, true, false)
	trips, jumps := foldAll(v.positions)
	if len(trips) != 0 || len(jumps) != 4 {
		t.Errorf("trips %v, %d jumps of 4", trips, len(jumps))
	}
}

// TestHoleOnTheWay holds that a trip goes on where its vehicle drove on unseen, and
// that this part is marked as estimated.
func TestHoleOnTheWay(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		silence time.Duration
		metres  float64
		before  func(v *vehicle)
		after   func(v *vehicle)
		trips   int
	}{
		"DrivesOn":       {silence: 40 * time.Minute, metres: 30_000, trips: 1},
		"ForLong":        {silence: trip.Forget - time.Minute, metres: 90_000, trips: 1},
		"TooLong":        {silence: trip.Forget, metres: 90_000, trips: 2},
		"ComesToAStand":  {silence: 40 * time.Minute, metres: 30_000, after: func(v *vehicle) { v.stop(2*time.Minute, true, false) }, trips: 1},
		"StoodABit":      {silence: 40 * time.Minute, metres: 30_000, before: func(v *vehicle) { v.stop(2*time.Minute, true, false) }, trips: 1},
		"WasOff":         {silence: 40 * time.Minute, metres: 30_000, before: func(v *vehicle) { v.stop(2*time.Minute, false, false) }, trips: 1},
		"WasOffAndSlow":  {silence: 40 * time.Minute, metres: 9000, before: func(v *vehicle) { v.stop(2*time.Minute, false, false) }, trips: 2},
		"IsOff":          {silence: 40 * time.Minute, metres: 30_000, after: func(v *vehicle) { v.stop(2*time.Minute, false, false) }, trips: 1},
		"TooFast":        {silence: 40 * time.Minute, metres: 90_000, trips: 2},
		"TooSlow":        {silence: 40 * time.Minute, metres: 2000, trips: 2},
		"InThePlace":     {silence: 40 * time.Minute, metres: 0, trips: 2},
		"ShortOfASilent": {silence: 14 * time.Minute, metres: 9000, trips: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := exact()
			v.odo = false
			v.drive(10 * time.Minute)
			if tc.before != nil {
				tc.before(v)
			}
			v.at = v.at.Add(tc.silence - v.interval)
			v.place = geo.Destination(v.place, v.heading, tc.metres)
			if tc.after != nil {
				tc.after(v)
			}
			v.drive(10 * time.Minute)
			trips, _ := foldAll(v.positions)
			if len(trips) != tc.trips {
				t.Fatalf("%d trips, want %d: %+v", len(trips), tc.trips, trips)
			}
			hole := tc.trips == 1 && tc.silence >= trip.Gap
			if got := trips[0].Why.UnseenSeconds; hole && math.Abs(got-tc.silence.Seconds()) > 1 || !hole && got != 0 {
				t.Errorf("%v s are estimated of a silence of %v", got, tc.silence)
			}
			if got := trips[0].Why.UnseenMetres; hole && math.Abs(got-tc.metres) > 3000 {
				t.Errorf("%v m are estimated of %v", got, tc.metres)
			}
		})
	}
}

// TestClockIsNoRule holds that the hour of the day decides nothing.
func TestClockIsNoRule(t *testing.T) {
	t.Parallel()
	v := exact()
	v.interval = 2 * time.Minute
	for range 4 {
		v.stop(95*time.Minute, true, false)
		v.drive(40 * time.Minute)
		v.stop(170*time.Minute, false, false)
	}
	want, _ := foldAll(v.positions)
	for _, shift := range []time.Duration{15 * time.Minute, 31 * time.Minute, 47*time.Minute + 13*time.Second} {
		moved := slices.Clone(v.positions)
		for i := range moved {
			moved[i].Time = drover.At(moved[i].Time.Add(shift))
		}
		got, _ := foldAll(moved)
		for i := range got {
			got[i].StartTime, got[i].EndTime = drover.At(got[i].StartTime.Add(-shift)), drover.At(got[i].EndTime.Add(-shift))
			got[i].Why.DecidedAt, got[i].SystemTripID = want[i].Why.DecidedAt, want[i].SystemTripID
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("moved by %v (-before +after):\n%s", shift, diff)
		}
	}
}

// TestCreeping holds that the way of a vehicle counts which moves a little whenever
// its engine is switched: a trip is never shorter than its straight line.
func TestCreeping(t *testing.T) {
	t.Parallel()
	v := exact()
	v.odo = false
	v.drive(time.Minute)
	for i := range 12 {
		v.place = geo.Destination(v.place, v.heading, 45)
		v.report(0, i%2 == 0, false)
	}
	v.stop(10*time.Minute, false, false)
	d := one(t, v.positions)
	if straight := geo.DistanceMetres(d.Start, d.End); d.DistanceMetres < straight {
		t.Errorf("%.0f m reported, %.0f m straight", d.DistanceMetres, straight)
	}
}

// TestDrivingTakesItsTime holds that a leg is not driven as a whole where the
// vehicle stood for most of it.
func TestDrivingTakesItsTime(t *testing.T) {
	t.Parallel()
	v := exact()
	v.odo, v.interval = false, 9*time.Minute
	v.stop(9*time.Minute, true, false)
	v.place = geo.Destination(v.place, 90, 700)
	v.stop(9*time.Minute, true, false)
	v.stop(time.Hour, false, false)
	d := one(t, v.positions)
	if d.DrivingSeconds > 190 || d.DrivingSeconds < 150 {
		t.Errorf("%v s of driving for %v m", d.DrivingSeconds, d.DistanceMetres)
	}
	if idling := *d.IdlingSeconds; idling < 6*60 {
		t.Errorf("idling for %v s with the engine on all the time", idling)
	}
}

// TestDrivingOfSparsePositions holds that driving is not much longer where
// positions are few.
func TestDrivingOfSparsePositions(t *testing.T) {
	t.Parallel()
	v := exact()
	v.odo = false
	for range 40 {
		v.drive(17 * time.Minute)
		v.stop(4*time.Minute, true, false)
		v.drive(6 * time.Minute)
		v.stop(20*time.Minute, false, false)
	}
	driving := func(every int) (sum float64) {
		var kept []drover.Position
		for i := 0; i < len(v.positions); i += every {
			kept = append(kept, v.positions[i])
		}
		trips, _ := foldAll(kept)
		for _, d := range trips {
			sum += d.DrivingSeconds
		}
		return sum
	}
	dense, sparse := driving(1), driving(10)
	if share := sparse / dense; share < 0.9 || share > 1.1 {
		t.Errorf("at a position in 5 min %.0f s of driving, in 30 s %.0f s: %.2f", sparse, dense, share)
	}
}

// TestStopWithoutSpeed holds that scatter of 80 m is a stop where no speed says
// otherwise.
func TestStopWithoutSpeed(t *testing.T) {
	t.Parallel()
	v := exact()
	v.speed, v.ignition, v.auxiliary, v.odo, v.interval = false, false, false, false, time.Minute
	v.drive(20 * time.Minute)
	home := v.place
	for i := range 8 {
		v.place = geo.Destination(home, float64(i*90), 80)
		v.report(0, false, false)
	}
	v.place = home
	v.drive(20 * time.Minute)
	if trips, _ := foldAll(v.positions); len(trips) != 2 {
		t.Errorf("%d trips around a stop of 8 minutes, want 2", len(trips))
	}
}
