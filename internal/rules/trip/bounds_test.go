package trip_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo/geotest"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// TestChosenRules holds that what was set is what trips are derived by, in seconds and
// metres.
func TestChosenRules(t *testing.T) {
	t.Parallel()
	if got := trip.RulesOf(trip.Effective()); got != trip.DefaultRules() {
		t.Errorf("where nothing was set the rules are %+v", got)
	}
	set := trip.Effective().Narrow(drover.TripRules{
		StopSeconds: new(61), IdleSeconds: new(602), GapSeconds: new(303), RadiusMetres: new(44.5), MinDistanceMetres: new(505.5),
		MovingKPH: new(2.5),
	}, drover.FromDevice)
	want := trip.Rules{
		StopAfter: 61 * time.Second, IdleAfter: 602 * time.Second, Gap: 303 * time.Second, PlaceMetres: 44.5,
		MinTripMetres: 505.5, MovingKPH: 2.5,
	}
	if got := trip.RulesOf(set); got != want {
		t.Errorf("the rules are %+v, want %+v", got, want)
	}
}

// north is a position some seconds after the epoch, where a place is, with a speed.
func north(seconds float64, at drover.Coordinate, kph float64) drover.Position {
	return drover.Position{
		Time: drover.At(epoch.Add(time.Duration(seconds * float64(time.Second)))), Latitude: at.Latitude,
		Longitude: at.Longitude, SpeedKPH: &kph,
	}
}

// TestFreshState holds that nothing is known of a device without positions, and that a
// position at the time of the newest is not a later one.
func TestFreshState(t *testing.T) {
	t.Parallel()
	var s trip.State
	if _, some := s.Accepted(); some {
		t.Error("a position was accepted")
	}
	if _, some := s.Seen(); some {
		t.Error("a position was seen")
	}
	if _, some := s.Began(); some {
		t.Error("a trip began")
	}
	s.Add(seen(0, 0, 50, true))
	at, accepted := s.Accepted()
	last, some := s.Seen()
	if !accepted || !some || !at.Equal(epoch) || !last.Equal(epoch) {
		t.Errorf("accepted at %v, seen at %v", at, last)
	}
	if began, some := s.Began(); !some || !began.Equal(epoch) {
		t.Errorf("the trip under way began at %v, %v", began, some)
	}
	for seconds, want := range map[float64]bool{-1: false, 0: false, 0.001: true} {
		if got := s.InOrder(seen(seconds, 0, 0, true).Time); got != want {
			t.Errorf("%v s after the newest is in order: %v", seconds, got)
		}
	}
}

// TestAfterThreeHours holds what a silence of exactly three hours does: the rule begins
// again, with a trip where the vehicle moves. A quiet hour begins none, though the engine
// runs.
func TestAfterThreeHours(t *testing.T) {
	t.Parallel()
	s, step := fold(seen(0, 0, 0, false), seen(3*3600, 0, 50, true))
	if began, underWay := s.Began(); !step.Cut || !underWay || !began.Equal(epoch.Add(3*time.Hour)) {
		t.Errorf("after three hours: cut %v, under way %v since %v", step.Cut, underWay, began)
	}
	positions := []drover.Position{seen(-600, -5000, 50, true), seen(-300, -2500, 50, true)}
	for m := range 13 {
		positions = append(positions, seen(float64(m)*300, 0, 0, true))
	}
	if s, step := fold(positions...); !step.Cut || s.Open() {
		t.Errorf("after a quiet hour: cut %v, under way %v", step.Cut, s.Open())
	}
}

// TestInItsPlaceToTheMetre holds that 50 m away a vehicle is still in its place, and
// still at rest there.
func TestInItsPlaceToTheMetre(t *testing.T) {
	t.Parallel()
	var home drover.Coordinate
	home.Latitude, home.Longitude = 1e-9, 1 // not at 0/0, which is no place
	edge := geotest.MetresNorthOf(t, home, trip.PlaceMetres)
	if s, _ := fold(north(0, home, 0), north(60, edge, 0)); s.Open() {
		t.Error("50 m are a movement")
	}
	beyond := drover.Coordinate{Latitude: edge.Latitude + 1e-6, Longitude: edge.Longitude}
	if s, _ := fold(north(0, home, 0), north(60, beyond, 0)); !s.Open() {
		t.Error("50.1 m are no movement")
	}
	for place, want := range map[drover.Coordinate]bool{edge: true, beyond: false} {
		_, step := fold(north(0, home, 0), north(900, home, 0), north(1800, place, 0), north(2700, home, 0), north(3600, home, 0))
		if step.Cut != want {
			t.Errorf("at rest within %v: %v", place, step.Cut)
		}
	}
}

// TestDriftToTheMetre holds that a receiver which drifts by exactly 200 m, while the ignition
// is off, is still at rest.
func TestDriftToTheMetre(t *testing.T) {
	t.Parallel()
	home := drover.Coordinate{Latitude: 1e-9, Longitude: 1}
	edge := geotest.MetresNorthOf(t, home, 4*trip.PlaceMetres)
	off := func(minutes float64, at drover.Coordinate) drover.Position {
		p := north(60*minutes, at, 0)
		p.Ignition = new(false)
		return p
	}
	beyond := drover.Coordinate{Latitude: edge.Latitude + 1e-6, Longitude: edge.Longitude}
	for place, want := range map[drover.Coordinate]bool{edge: true, beyond: false} {
		_, step := fold(off(0, home), off(15, home), off(30, place), off(45, home), off(60, home))
		if step.Cut != want {
			t.Errorf("at rest within %v: %v", place, step.Cut)
		}
	}
}

// TestScatterToTheMetre holds what is a trip: one that gets 100 m away, or that ends
// where it began after three movements.
func TestScatterToTheMetre(t *testing.T) {
	t.Parallel()
	home := drover.Coordinate{Latitude: 1e-9, Longitude: 1}
	edge := geotest.MetresNorthOf(t, home, trip.MinTripMetres)
	short := drover.Coordinate{Latitude: edge.Latitude - 1e-6, Longitude: 1}
	far := drover.Coordinate{Latitude: 0.01, Longitude: 1}
	farther := drover.Coordinate{Latitude: 0.02, Longitude: 1}
	for _, tc := range []struct {
		name   string
		places []drover.Coordinate
		trips  int
	}{
		{"100 m", []drover.Coordinate{home, edge}, 1},
		{"99.9 m", []drover.Coordinate{home, short}, 0},
		{"out and back", []drover.Coordinate{home, far, home}, 0},
		{"out, on and back", []drover.Coordinate{home, far, farther, home}, 1},
		{"back to 100 m", []drover.Coordinate{home, far, edge}, 1},
		{"back to 99.9 m", []drover.Coordinate{home, far, short}, 0},
	} {
		var positions []drover.Position
		for i, p := range tc.places {
			positions = append(positions, north(120*float64(i), p, 0))
		}
		last := tc.places[len(tc.places)-1]
		positions = append(positions, north(120*float64(len(tc.places))+200, last, 0), north(120*float64(len(tc.places))+400, last, 0))
		for i := range positions { // an odometer is the witness
			positions[i].OdometerMetres = new(1000 * float64(min(i, len(tc.places)-1)))
		}
		if trips, _ := foldAll(positions); len(trips) != tc.trips {
			t.Errorf("%s: %d trips, want %d", tc.name, len(trips), tc.trips)
		}
	}
}

// TestWhatDecided holds that a stop names the position that shows it, and a silence none.
func TestWhatDecided(t *testing.T) {
	t.Parallel()
	driven := []drover.Position{seen(0, 0, 50, true), seen(60, 800, 50, true), seen(120, 1600, 0, false)}
	_, step := fold(append(driven, seen(420, 1600, 0, false))...)
	if at := step.Trip.Why.DecidedAt; at == nil || !at.Equal(epoch.Add(420*time.Second)) {
		t.Errorf("the stop was decided at %v", at)
	}
	s, _ := fold(driven...)
	if out := s.Close(epoch.Add(time.Hour)); len(out.Completed) != 1 || out.Completed[0].Why.DecidedAt != nil {
		t.Errorf("silence completes %+v", out.Completed)
	}
}

// TestNoChanges holds when there is nothing to change.
func TestNoChanges(t *testing.T) {
	t.Parallel()
	if !(trip.Changes{}).Empty() {
		t.Error("nothing is something")
	}
	for name, c := range map[string]trip.Changes{
		"one to add": {Add: []int{0}}, "one to remove": {Remove: []int{0}},
		"one to revise": {Revise: []trip.Pair{{}}}, "one each way": {Add: []int{0}, Remove: []int{0}},
		"one of both": {Remove: []int{0}, Revise: []trip.Pair{{}}},
	} {
		if c.Empty() {
			t.Errorf("%s is nothing", name)
		}
	}
}

// TestOdometerIsPlausible holds which odometer is trusted, to the metre: not shorter
// than the straight line by more than 5 % and 100 m, at most twice the legs and a
// kilometre, at most 130 km/h, and not standing still.
func TestOdometerIsPlausible(t *testing.T) {
	t.Parallel()
	home := drover.Coordinate{Latitude: 1e-9, Longitude: 1}
	end := geotest.MetresNorthOf(t, home, 10_000)
	half := drover.Coordinate{Latitude: end.Latitude / 2, Longitude: 1}
	for _, tc := range []struct {
		name           string
		places         []drover.Coordinate
		seconds, shown float64
		trusted        bool
	}{
		{"AsShortAsItMayBe", []drover.Coordinate{home, half, end}, 300, 9_400, true},
		{"TooShort", []drover.Coordinate{home, half, end}, 300, 9_399.5, false},
		{"AsLongAsItMayBe", []drover.Coordinate{home, half, end}, 300, 21_000, true},
		{"TooLong", []drover.Coordinate{home, half, end}, 300, 21_000.5, false},
		{"AsFastAsItMayBe", []drover.Coordinate{home, half, end}, 180, 12_999, true},
		{"TooFast", []drover.Coordinate{home, half, end}, 180, 13_001, false},
		{"StandsStill", []drover.Coordinate{home, half, end, home}, 300, 0, false},
	} {
		var positions []drover.Position
		for i, p := range tc.places {
			kph := 150.0
			if i == len(tc.places)-1 {
				kph = 0
			}
			q := north(tc.seconds*float64(i), p, kph)
			q.OdometerMetres = new(tc.shown * float64(i) / float64(len(tc.places)-1))
			positions = append(positions, q)
		}
		last := positions[len(positions)-1]
		for _, more := range []float64{200, 400} {
			p := last
			p.Time = drover.At(last.Time.Add(time.Duration(more) * time.Second))
			positions = append(positions, p)
		}
		if got := one(t, positions).DistanceMetres; (got == tc.shown) != tc.trusted {
			t.Errorf("%s: the distance is %v, the odometer shows %v", tc.name, got, tc.shown)
		}
	}
}

// TestJumpsInAllDirections holds what is a jump: more than 200 m and faster than
// 300 km/h, in any direction, across the equator and the meridian too.
func TestJumpsInAllDirections(t *testing.T) {
	t.Parallel()
	at := func(lat, lon float64) drover.Coordinate { return drover.Coordinate{Latitude: lat, Longitude: lon} }
	near, origin := at(20, 10), at(1e-9, 1)
	for _, tc := range []struct {
		name     string
		from, to drover.Coordinate
		seconds  float64
		jump     bool
	}{
		{"North", near, at(25, 10), 60, true},
		{"South", near, at(15, 10), 60, true},
		{"East", near, at(20, 15), 60, true},
		{"West", near, at(20, 5), 60, true},
		{"OverTheEquator", at(-10, 20), at(10, 20), 60, true},
		{"OverTheMeridian", at(20, -10), at(20, 10), 60, true},
		{"Exactly200Metres", origin, geotest.MetresNorthOf(t, origin, trip.MinJumpMetres), 1, false},
		{"Exactly300KPH", origin, geotest.MetresNorthOf(t, origin, 7_500), 90, false},
		{"FasterThan300KPH", near, at(20.068, 10), 90, true},
	} {
		if _, step := fold(north(0, tc.from, 250), north(tc.seconds, tc.to, 250)); step.Jump != tc.jump {
			t.Errorf("%s: jump %v", tc.name, step.Jump)
		}
	}
}

// TestMovesFromFiveKPH holds that a vehicle moves at 5 km/h, and that a position of the
// first moment of 2000 is kept.
func TestMovesFromFiveKPH(t *testing.T) {
	t.Parallel()
	home := drover.Coordinate{Latitude: 1, Longitude: 1}
	for kph, want := range map[float64]bool{4.9: false, 5: true} {
		if s, _ := fold(north(0, home, 0), north(60, home, kph)); s.Open() != want {
			t.Errorf("at %v km/h a trip is under way: %v", kph, s.Open())
		}
	}
	first := north(0, home, 0)
	first.Time = drover.At(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
	if reason, suspect := trip.Suspect(first, epoch); suspect {
		t.Errorf("the first moment of 2000 is %s", reason)
	}
	first.Time = drover.At(first.Time.Add(-time.Millisecond))
	if reason, _ := trip.Suspect(first, epoch); reason != trip.Invalid {
		t.Errorf("the moment before is %q", reason)
	}
}

// TestFaultsToTheMetre holds at which distance and speed the catalogue finds fault.
func TestFaultsToTheMetre(t *testing.T) {
	t.Parallel()
	start := drover.Coordinate{Latitude: 1e-3, Longitude: 1}
	end := geotest.MetresNorthOf(t, start, 10_000)
	facts := func(end drover.Coordinate, metres, seconds float64) trip.Facts {
		return trip.Facts{
			Start: &start, End: &end, StartTime: drover.At(epoch),
			EndTime: drover.At(epoch.Add(time.Duration(seconds) * time.Second)), DistanceMetres: &metres,
		}
	}
	for _, tc := range []struct {
		name  string
		facts trip.Facts
		want  string
	}{
		{"AsShortAsItMayBe", facts(end, 9_400, 3600), ""},
		{"NoDistance", facts(start, 0, 3600), ""},
		{"Negative", facts(start, -1, 3600), "the distance of -1 m is negative"},
		{
			"AsLongAsTheStraightLine", facts(end, 10_000, 60),
			"impossible speed: a straight line of 10000 m in 1m0s is 600 km/h on average, more than 250 km/h",
		},
	} {
		got := ""
		if comments := trip.Comments(trip.Check(tc.facts, epoch.Add(24*time.Hour), nil)); comments != nil {
			got = *comments
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
	for into, want := range map[string]string{
		"":  "the trip was dissolved: late positions show that there was none",
		"7": "the trip was dissolved: late positions show that it is part of the trip 7",
	} {
		if got := *trip.Comments([]trip.Fault{trip.DissolvedInto(into)}); got != want {
			t.Errorf("dissolved into %q: %s", into, got)
		}
	}
}

// TestStoredForms holds that a state with bytes too many is refused, in words, and that
// every cause is read back, the first too.
func TestStoredForms(t *testing.T) {
	t.Parallel()
	s, _ := fold(seen(0, 0, 50, true))
	text, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.UnmarshalBinary(append(text, 0)); err == nil || err.Error() != "read the trip state: 402 bytes, not 401" {
		t.Errorf("a state with a byte too many: %v", err)
	}
	var c trip.Cause
	name, err := c.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.UnmarshalText(name); err != nil || c != 0 {
		t.Errorf("%s is read as %v, %v", name, c, err)
	}
}

// TestSharesThroughSilence holds that what a position says of engine and auxiliary does
// not hold through a silence of a quarter of an hour.
func TestSharesThroughSilence(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]float64{899: 899, 900: 0} {
		first, second := seen(0, 0, 0, true), seen(seconds, 0, 0, true)
		first.Auxiliary = new(true)
		got := trip.DefaultRules().Shares(trip.Span{From: first.Time, To: second.Time}, nil, []drover.Position{first, second})
		if len(got) != 1 || got[0].EngineOn != want || got[0].AuxiliaryOn != want {
			t.Errorf("a leg of %v s: %+v", seconds, got)
		}
	}
}
