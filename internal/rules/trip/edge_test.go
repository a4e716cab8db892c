package trip_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// seen is a position some seconds after the epoch, metres east of a place.
func seen(seconds, metres, kph float64, ignition bool) drover.Position {
	at := geo.Destination(drover.Coordinate{Latitude: 48.1, Longitude: 11.5}, 90, metres)
	return drover.Position{
		Time:     drover.At(epoch.Add(time.Duration(seconds * float64(time.Second)))),
		Latitude: at.Latitude, Longitude: at.Longitude, SpeedKPH: &kph, Ignition: &ignition,
	}
}

// fold folds positions and returns the state and the last step.
func fold(positions ...drover.Position) (s trip.State, last trip.Step) {
	for _, p := range positions {
		last = s.Add(p)
	}
	return s, last
}

// TestEndsAtTheMinute holds after which rest a trip ends, to the second.
func TestEndsAtTheMinute(t *testing.T) {
	t.Parallel()
	driven := []drover.Position{seen(0, 0, 50, true), seen(60, 800, 50, true), seen(120, 1600, 50, true)}
	for _, tc := range []struct {
		engine  bool
		seconds []float64 // of the stop
		ends    bool
	}{
		{false, []float64{300, 599}, false},
		{false, []float64{300, 600}, true},
		{true, []float64{300, 900, 1500, 2099}, false},
		{true, []float64{300, 900, 1500, 2100}, true},
	} {
		positions := driven
		for _, at := range tc.seconds {
			positions = append(positions[:len(positions):len(positions)], seen(at, 1600, 0, tc.engine))
		}
		if _, step := fold(positions...); step.Completed != tc.ends {
			t.Errorf("with the engine on: %t, seen at %v: ended: %t", tc.engine, tc.seconds, step.Completed)
		}
	}
}

// TestBeginsAtTheLastPosition holds up to which age the last position begins a trip
// of a vehicle that moves in its place.
func TestBeginsAtTheLastPosition(t *testing.T) {
	t.Parallel()
	for age, want := range map[float64]float64{300: 0, 301: 301} {
		trips, _ := foldAll([]drover.Position{
			seen(0, 0, 0, true), seen(1, 0, 0, false), seen(age+1, 20, 30, false), seen(age+61, 800, 50, false), seen(age+400, 1600, 0, false),
			seen(age+800, 1600, 0, false),
		})
		if len(trips) != 1 || trips[0].StartTime.Sub(epoch).Seconds() != want+1 {
			t.Errorf("after %v s the trips are %+v", age, trips)
		}
	}
}

// TestHoleAfterAStop holds for how long a vehicle may have stood before a hole that
// it drove through.
func TestHoleAfterAStop(t *testing.T) {
	t.Parallel()
	for stood, want := range map[float64]int{300: 1, 301: 2} {
		trips, _ := foldAll([]drover.Position{
			seen(0, 0, 50, true), seen(60, 800, 50, true), seen(120, 810, 0, true), seen(120+stood, 810, 0, true),
			seen(2400, 6_000, 50, true), seen(2460, 6_800, 50, true),
		})
		if len(trips) != want {
			t.Errorf("after a stop of %v s there are %d trips, want %d", stood, len(trips), want)
		}
	}
	trips, _ := foldAll([]drover.Position{
		seen(0, 0, 0, false), seen(60, 0, 0, true), seen(1800, 20_000, 50, true),
		seen(1860, 20_800, 50, true),
	})
	if len(trips) != 1 || trips[0].StartTime.Sub(epoch) != 60*time.Second || trips[0].Why.UnseenMetres != 20_000 {
		t.Errorf("a vehicle that had not set off before a hole makes %+v", trips)
	}
}

// TestDrivingInAHole holds that a hole is driven at the mean of the speeds at its
// ends.
func TestDrivingInAHole(t *testing.T) {
	t.Parallel()
	trips, _ := foldAll([]drover.Position{
		seen(0, 0, 60, true), seen(60, 1000, 60, true), seen(2460, 21_000, 40, true),
		seen(2520, 21_700, 40, true),
	})
	if len(trips) != 1 || math.Abs(trips[0].DrivingSeconds-(60+20.0/50*3600+60)) > 5 {
		t.Errorf("the trips are %+v", trips)
	}
}

// TestRoundTripThroughHoles holds that a way through a hole is a movement too: out and
// back through two of them is no scatter.
func TestRoundTripThroughHoles(t *testing.T) {
	t.Parallel()
	trips, _ := foldAll([]drover.Position{seen(0, 0, 50, true), seen(1800, 20_000, 50, true), seen(3600, 0, 50, true)})
	if len(trips) != 1 || math.Abs(trips[0].Why.UnseenMetres-40_000) > 100 {
		t.Errorf("the trips are %+v", trips)
	}
}

// TestDrivingAtTheSlowestSpeed holds that a speed at the edge of moving counts.
func TestDrivingAtTheSlowestSpeed(t *testing.T) {
	t.Parallel()
	trips, _ := foldAll([]drover.Position{
		seen(0, 0, 0, true), seen(60, 70, trip.MovingKPH, true), seen(120, 1000, 50, true),
		seen(180, 2000, 0, false), seen(600, 2000, 0, false),
	})
	if len(trips) != 1 || math.Abs(trips[0].DrivingSeconds-(70/5*3.6+60+60)) > 2 {
		t.Errorf("the trips are %+v", trips)
	}
}

// TestCreepingIsATrip holds that a vehicle gets away also where it is seen to move
// once, and to be switched on and off a little farther each time.
func TestCreepingIsATrip(t *testing.T) {
	t.Parallel()
	trips, _ := foldAll([]drover.Position{
		seen(0, 0, 5, false), seen(60, 0, 0, true), seen(120, 45, 0, false), seen(180, 90, 0, true), seen(240, 135, 0, false),
		seen(600, 135, 0, false),
	})
	if len(trips) != 1 || math.Abs(trips[0].DistanceMetres-135) > 1 {
		t.Errorf("the trips are %+v", trips)
	}
}

// TestQuietHour holds when a vehicle at rest has the rule start from nothing.
func TestQuietHour(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		minutes []float64
		cut     bool
	}{
		{[]float64{0, 15, 30, 45, 60}, true},
		{[]float64{0, 15, 30, 45, 59.9}, false},
		{[]float64{0, 20, 40, 60}, false},
		{[]float64{0, 20, 40, 60, 61}, true},
	} {
		positions := []drover.Position{seen(-60, -5000, 50, true)}
		for _, m := range tc.minutes {
			positions = append(positions, seen(m*60, 0, 0, false))
		}
		if _, step := fold(positions...); step.Cut != tc.cut {
			t.Errorf("seen at rest after %v minutes: %t", tc.minutes, step.Cut)
		}
	}
}

// TestConfirmedInTime holds over which time a jump is confirmed.
func TestConfirmedInTime(t *testing.T) {
	t.Parallel()
	for span, want := range map[float64]bool{179: false, 180: true} {
		positions := []drover.Position{seen(-60, 0, 0, false), seen(-30, 0, 0, false)}
		for i := range 5 {
			positions = append(positions, seen(span*float64(i)/4, 500_000, 0, false))
		}
		if _, step := fold(positions...); step.Confirms != want {
			t.Errorf("five positions over %v s confirm a jump: %t", span, step.Confirms)
		}
	}
}

// TestClosedAndDissolved holds that a trip which Close has completed is taken back when it
// turns out to be scatter, and one that was not completed is not.
func TestClosedAndDissolved(t *testing.T) {
	t.Parallel()
	away := []drover.Position{seen(0, 0, 0, true), seen(60, 700, 0, true)}
	back := []drover.Position{seen(120, 0, 0, false), seen(420, 0, 0, false)}
	s, _ := fold(away...)
	if closed := s.Close(epoch.Add(time.Hour)).Completed; len(closed) != 1 {
		t.Fatalf("%d trips were completed, want one", len(closed))
	}
	closed := s
	s.Add(back[0])
	if step := s.Add(back[1]); step.Completed || step.Dissolved.IsZero() {
		t.Errorf("a position shows %+v", step)
	}
	closed.Add(back[0])
	if out := closed.Close(epoch.Add(time.Hour)); len(out.Completed) != 0 || len(out.Revised) != 1 || len(out.Revised[0].Trips) != 0 ||
		out.Revised[0].Span != (trip.Span{From: drover.At(epoch), To: drover.At(epoch.Add(time.Millisecond))}) {
		t.Errorf("silence shows %+v", out)
	}
	if _, step := fold(append(away, back...)...); step.Completed || !step.Dissolved.IsZero() {
		t.Errorf("what was not completed is %+v", step)
	}
}

// TestStanding holds what counts of a stop.
func TestStanding(t *testing.T) {
	t.Parallel()
	for leg, want := range map[float64]float64{899: 899, 900: 0} {
		var s trip.Standing
		s.Add(seen(0, 0, 0, true))
		s.Add(seen(leg, 0, 0, false))
		if on := s.Stops[0].EngineOn; len(s.Stops) != 1 || on == nil || *on != want || s.Stops[0].Auxiliary != nil {
			t.Errorf("a leg of %v s counts %+v", leg, s.Stops)
		}
	}
	var s trip.Standing
	p := seen(0, 0, 0, true)
	p.Ignition, p.Auxiliary = nil, new(true)
	s.Add(p)
	s.Add(seen(60, 0, 0, false))
	if got := s.Stops[0]; got.Auxiliary == nil || *got.Auxiliary != 60 || got.EngineOn == nil || *got.EngineOn != 0 {
		t.Errorf("an auxiliary counts %+v", got)
	}
}

// TestStopsAreWhereTheirPositionsAre holds that a stop never spans the way to another
// place: one ends with its last position there, and the next begins with the first.
func TestStopsAreWhereTheirPositionsAre(t *testing.T) {
	t.Parallel()
	var s trip.Standing
	for _, p := range []drover.Position{
		seen(0, 0, 40, true), seen(14_400, 9600, 0, true), seen(14_460, 9610, 0, true), seen(14_700, 9900, 0, false),
		seen(15_000, 9600, 0, false),
		seen(15_300, 12_000, 0, false), seen(15_600, 15_000, 0, false), seen(16_200, 15_010, 0, false),
	} {
		s.Add(p)
	}
	var got [][2]float64
	for _, stop := range s.Stops {
		got = append(got, [2]float64{stop.From.Sub(epoch).Seconds(), stop.To.Sub(epoch).Seconds()})
	}
	want := [][2]float64{{0, 0}, {14_400, 15_000}, {15_600, 16_200}}
	if !slices.Equal(got, want) {
		t.Errorf("the stops last %v, want %v", got, want)
	}
	if on := s.Stops[1].EngineOn; on == nil || *on != 300 {
		t.Errorf("the engine was on for %v", on)
	}
	if u := s.Stops[0].Unseen; u == nil || !u.StartTime.Equal(epoch) || u.EndTime.Sub(epoch).Seconds() != 14_400 ||
		math.Abs(u.DistanceMetres-9600) > 50 || u.KnownBy != drover.ByStraightLine {
		t.Errorf("the way after the first stop is %+v", u)
	}
	if s.Stops[1].Unseen != nil || s.Stops[2].Unseen != nil {
		t.Error("a way without a silence is unseen")
	}
}

// TestStrayPosition holds that a single position elsewhere ends no stop, but that the way
// there and back is not counted.
func TestStrayPosition(t *testing.T) {
	t.Parallel()
	var s trip.Standing
	for _, p := range []drover.Position{
		seen(0, 0, 0, true), seen(60, 0, 0, true), seen(120, 2000, 0, true), seen(180, 0, 0, true),
		seen(240, 0, 0, true),
	} {
		s.Add(p)
	}
	if len(s.Stops) != 1 || s.Stops[0].To.Sub(epoch) != 4*time.Minute || *s.Stops[0].EngineOn != 120 {
		t.Errorf("the stops are %+v", s.Stops)
	}
	s.Add(seen(3600, 3000, 0, true))
	s.Add(seen(3660, 0, 0, true))
	if len(s.Stops) != 2 || s.Stops[1].From.Sub(epoch) != 61*time.Minute {
		t.Errorf("after an unseen way the stops are %+v", s.Stops)
	}
}

// TestUnseenWays holds what is reported between two stops: a silence of 15 minutes after which
// the vehicle is elsewhere, or after which its odometer has counted that it was.
func TestUnseenWays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		seconds, metres, counted float64
		stops                    int
		unseen                   float64
		by                       drover.KnownBy
	}{
		"elsewhere":                   {900, 2000, 0, 2, 2000, drover.ByStraightLine},
		"elsewhere without a silence": {899, 2000, 0, 2, 0, ""},
		"elsewhere by the odometer":   {900, 2000, 3000, 2, 3000, drover.ByOdometer},
		"there and back":              {900, 0, 3000, 2, 3000, drover.ByOdometer},
		"there and back in sight":     {899, 0, 3000, 1, 0, ""},
		"within the place":            {900, 0, 500, 1, 0, ""},
		"no vehicle is so fast":       {900, 0, 40_000, 1, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := seen(0, 0, 0, false), seen(c.seconds, c.metres, 0, false)
			if c.counted > 0 {
				from.OdometerMetres, to.OdometerMetres = new(1e6), new(1e6+c.counted)
			}
			var s trip.Standing
			s.Add(from)
			s.Add(to)
			if len(s.Stops) != c.stops {
				t.Fatalf("there are %d stops, want %d", len(s.Stops), c.stops)
			}
			switch u := s.Stops[0].Unseen; {
			case c.by == "" && u != nil:
				t.Errorf("%+v is unseen", *u)
			case c.by != "" && (u == nil || math.Abs(u.DistanceMetres-c.unseen) > 10 || u.KnownBy != c.by):
				t.Errorf("the unseen way is %+v, want %v m by %s", u, c.unseen, c.by)
			}
		})
	}
}
