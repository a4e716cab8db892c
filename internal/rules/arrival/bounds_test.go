package arrival

import (
	"math"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/geo/geotest"
)

// noon is a time for tests of bounds.
var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// straightTrip is a valid trip north along a meridian.
func straightTrip(to drover.Coordinate, road, seconds float64) drover.Trip {
	return drover.Trip{
		StartLatitude: new(0.0), StartLongitude: new(0.0), EndLatitude: &to.Latitude, EndLongitude: &to.Longitude,
		DistanceMetres: &road, DurationSeconds: seconds, IsValid: true,
	}
}

// TestLearnsFromTwoKilometres holds which trips teach: those of exactly 2 km, of exactly
// three times the straight line, and that took any time.
func TestLearnsFromTwoKilometres(t *testing.T) {
	t.Parallel()
	edge := geotest.MetresNorthOf(t, drover.Coordinate{}, minLearnMetres)
	if !Teaches(straightTrip(edge, 2000, 200)) {
		t.Error("2 km teach nothing")
	}
	far := geotest.MetresNorthOf(t, drover.Coordinate{}, 10_000)
	for _, tt := range []struct {
		name          string
		road, seconds float64
		learned       bool
	}{
		{"three times the straight line", 30_000, 3600, true},
		{"more than three times", 30_001, 3600, false},
		{"no time at all", 13_000, 0, false},
		{"less than no time", 13_000, -1, false},
	} {
		if got := (Profile{}).Learn(straightTrip(far, tt.road, tt.seconds)).Trips == 1; got != tt.learned {
			t.Errorf("%s: learned %v", tt.name, got)
		}
	}
	if _, ok := NewJourney([]drover.Position{{Time: drover.At(noon)}, {Time: drover.At(noon.Add(time.Minute)), Latitude: edge.Latitude}},
		noon.Add(time.Minute)); !ok {
		t.Error("a journey of 2 km between two positions teaches nothing")
	}
}

// TestWeightOfATrip holds that the first trip counts as much as what is assumed, the
// second a third, and later ones at least a twentieth.
func TestWeightOfATrip(t *testing.T) {
	t.Parallel()
	to := geotest.MetresNorthOf(t, drover.Coordinate{}, 10_000)
	next := straightTrip(to, 20_000, 3600)
	p := Profile{}.Learn(next)
	about(t, "the detour after one trip", p.Detour, priorDetour+(2-priorDetour)/2, 1e-9)
	about(t, "the detour after two", p.Learn(next).Detour, p.Detour+(2-p.Detour)/3, 1e-9)
	old := Profile{Detour: 1, SpeedKPH: 50, Trips: 100}
	about(t, "the detour after a hundred", old.Learn(next).Detour, 1+0.05, 1e-9)
}

// TestRounded holds that an arrival is rounded to ten seconds up to ten minutes ahead,
// and to the minute beyond.
func TestRounded(t *testing.T) {
	t.Parallel()
	in := Input{Now: noon}
	for seconds, want := range map[float64]float64{
		0: 0, 4: 0, 6: 10, 114: 110, 595: 600, 599: 600, 600: 600, 601: 600, 635: 660, 3629: 3600,
		3631: 3660, -5: 0,
	} {
		if got := in.rounded(noon.Add(time.Duration(seconds * float64(time.Second)))).Sub(noon).Seconds(); got != want {
			t.Errorf("%v s ahead become %v, want %v", seconds, got, want)
		}
	}
}

// TestNothingRemains holds that at the destination nothing remains, and that a route
// without a time is no route.
func TestNothingRemains(t *testing.T) {
	t.Parallel()
	in := Input{Now: noon, From: noon}
	if got := in.remaining(); got != 0 {
		t.Errorf("%v s remain of nothing", got)
	}
	in = Input{StraightMetres: 1000, Route: &Route{Metres: 5000}}
	if got := in.distanceKM(); got != 1.3 {
		t.Errorf("a route without a time gives %v km", got)
	}
	in.Route.Duration = time.Second
	if got := in.distanceKM(); got != 5 {
		t.Errorf("a route gives %v km", got)
	}
}

// TestOwnPaceCounts holds how much the recent pace counts: nearly all once it has moved
// for a while and the arrival is near.
func TestOwnPaceCounts(t *testing.T) {
	t.Parallel()
	usual := 10.0
	for _, moving := range []float64{30, 95, 895} {
		in := Input{
			StraightMetres: 10_000, WholeMetres: 10_000, Track: Track{MovingMetres: 20 * moving, MovingSeconds: moving},
			Profile: Profile{Trips: 1, Detour: 1, SpeedKPH: 36, IdleSeconds: 1},
		}
		weight := 10_800.0 / (10_800 + 10_000/usual) * moving / (moving + 5)
		about(t, "the time", in.seconds(10_000, usual), 10_000/(usual+weight*10)+weight*0.25, 1e-6)
	}
}

// TestDirectIsTwiceTheStraightLine holds that a journey of exactly twice its straight
// line still leads somewhere.
func TestDirectIsTwiceTheStraightLine(t *testing.T) {
	t.Parallel()
	start, end := drover.Coordinate{}, geotest.MetresNorthOf(t, drover.Coordinate{}, 10_000)
	aside := geotest.MetresNorthOf(t, start, 5_000)
	for more, want := range map[float64]bool{0: true, 1e-5: false} {
		by := drover.Coordinate{Latitude: aside.Latitude + more}
		j := Journey{Way: []Waypoint{{start, 4}, {by, 3}, {start, 2}, {end, 0}}}
		if got := j.direct(); got != want {
			t.Errorf("%v m of way to a place 10 km away: direct %v", j.metres(), got)
		}
	}
}

// TestShortRestTeaches holds that a way of which exactly a minute remains still teaches
// a pace.
func TestShortRestTeaches(t *testing.T) {
	t.Parallel()
	for left, want := range map[float64]int{minLeftSeconds: 2, minLeftSeconds - 1: 1} {
		j := Journey{Way: []Waypoint{{home, 400}, {east(2_000), left}, {east(4_000), 0}}}
		values := 0
		for _, paces := range NewModel(History{Own: []Journey{j}}).own.pace {
			values += len(paces)
		}
		if values != want {
			t.Errorf("with %v s before the end there are %d values, want %d", left, values, want)
		}
	}
}

// TestSlackOfPasses holds how far an earlier way may miss: half of the way that remains,
// and 1.5 km in any case; and that what it lacks is added at the usual pace.
func TestSlackOfPasses(t *testing.T) {
	t.Parallel()
	m := NewModel(History{Own: []Journey{line(0, 20_000, 36)}})
	for _, tt := range []struct {
		from, to float64
		passes   int
	}{
		{10_000, 25_000, 1}, // misses by 5 of 15 km
		{10_000, 29_000, 1}, // 9 of 19
		{10_000, 31_000, 0}, // 11 of 21
		{19_000, 21_400, 1}, // 1.4 of 2.4
		{18_900, 21_600, 0}, // 1.6 of 2.7
	} {
		straight := tt.to - tt.from
		if got := m.passes(east(tt.from), east(tt.to), straight, math.Log(straight*0.1)); len(got) != tt.passes {
			t.Errorf("from %v to %v there are %+v", tt.from, tt.to, got)
		}
	}
	got := m.passes(east(10_000), east(25_000), 15_000, math.Log(15_000*0.2))
	if len(got) != 1 {
		t.Fatalf("passes %+v", got)
	}
	about(t, "the time", math.Exp(got[0].logSeconds), 1000+(5_000-freeMetres)*0.2, 5)
}

// TestSecondsOfARoute holds that no route has no time.
func TestSecondsOfARoute(t *testing.T) {
	t.Parallel()
	var none *Route
	if none.Seconds() != nil {
		t.Error("no route takes time")
	}
	if got := (&Route{Duration: time.Minute}).Seconds(); got == nil || *got != 60 {
		t.Errorf("a minute takes %v", got)
	}
}

// driveEast is a drive to the east at 36 km/h, seen every minute.
func driveEast(minutes int) (out []drover.Position) {
	for m := range minutes + 1 {
		at := east(600 * float64(m))
		out = append(out, drover.Position{
			Time: drover.At(noon.Add(time.Duration(m) * time.Minute)), Latitude: at.Latitude,
			Longitude: at.Longitude,
		})
	}
	return out
}

// TestTrackWindows holds of which positions a track is made: two are enough, the pace
// is that of the last quarter of an hour, and where the road leads now is seen from the
// last hundredth of the way.
func TestTrackWindows(t *testing.T) {
	t.Parallel()
	two := NewTrack(east(100_000), driveEast(1))
	about(t, "the interval of two positions", two.IntervalSeconds, 60, 1e-9)
	about(t, "the pace of two positions", two.MovingSeconds, 60, 1e-9)
	long := NewTrack(east(100_000), driveEast(17))
	about(t, "the time of the pace", long.MovingSeconds, 15*60, 1e-9)
	about(t, "the way of the pace", long.MovingMetres, 9_000, 1)
	about(t, "the last stretch", long.AheadMetres, 1_200, 1) // two steps make a kilometre
	about(t, "what it covers", long.AheadCovered, 1_200, 1)
	if got := NewTrack(east(100_000), driveEast(0)); got != (Track{}) {
		t.Errorf("one position gives %+v", got)
	}
}

// TestTrackBounds holds from which movement on a track shows something: half a minute,
// a kilometre, and 5 km/h.
func TestTrackBounds(t *testing.T) {
	t.Parallel()
	if _, ok := (Track{MovingMetres: 600, MovingSeconds: minMoving}).pace(); !ok {
		t.Error("half a minute shows no pace")
	}
	if _, ok := (Track{PathMetres: 1_300, CoveredMetres: minCovered}).detour(); !ok {
		t.Error("a kilometre shows no detour")
	}
	from := drover.Position{Time: drover.At(noon)}
	place := geotest.MetresNorthOf(t, from.Point(), 100)
	to := drover.Position{Time: drover.At(noon.Add(72 * time.Second)), Latitude: place.Latitude}
	if got := NewTrack(drover.Coordinate{Latitude: 1}, []drover.Position{from, to}); got.MovingSeconds != 72 {
		t.Errorf("100 m in 72 s: %+v", got)
	}
	if share, squared := (vector{3, 4}).along(vector{}, vector{}); share != 0 || squared != 25 {
		t.Errorf("a leg without a length: %v, %v", share, squared)
	}
}

// TestShortestClass holds that the pace of the last two kilometres is that of ways of
// which as little remained.
func TestShortestClass(t *testing.T) {
	t.Parallel()
	j := Journey{Way: []Waypoint{{home, 1_600}, {east(2_500), 1_500}, {east(4_000), 0}}}
	pace, values := NewModel(History{Own: []Journey{j}}).usual(1_000)
	if values != 1 {
		t.Errorf("%d values", values)
	}
	about(t, "the pace", math.Exp(pace), 1, 0.01)
}

// TestPredictToTheEdge holds that the way is counted to the edge of the end circle, by
// the pace of earlier journeys too.
func TestPredictToTheEdge(t *testing.T) {
	t.Parallel()
	m := NewModel(History{Own: []Journey{line(0, 90_000, 46), line(0, 90_000, 46), line(0, 90_000, 46), line(0, 90_000, 46)}})
	whole := m.Predict(Input{Now: noon, From: noon, StraightMetres: 100_000, WholeMetres: 100_000})
	half := m.Predict(Input{Now: noon, From: noon, StraightMetres: 100_000, WholeMetres: 100_000, RadiusMetres: 50_000})
	about(t, "half of the way", half.P50.Sub(noon).Seconds()/whole.P50.Sub(noon).Seconds(), 0.5, 0.02)
}

// TestRouteBesideBothHistories holds that a router is not taken at its word where
// journeys are known, no matter who drove them.
func TestRouteBesideBothHistories(t *testing.T) {
	t.Parallel()
	in := Input{Now: noon, From: noon, StraightMetres: 100_000, WholeMetres: 100_000}
	without := NewModel(History{Own: []Journey{line(0, 90_000, 46)}, Fleet: []Journey{line(0, 90_000, 46)}}).Predict(in)
	in.Route = &Route{Metres: 100_000, Duration: 10 * time.Hour}
	with := NewModel(History{Own: []Journey{line(0, 90_000, 46)}, Fleet: []Journey{line(0, 90_000, 46)}}).Predict(in)
	if !with.P50.Equal(without.P50.Time) {
		t.Errorf("an unknown router moves the arrival from %v to %v", without.P50, with.P50)
	}
}

// TestBoundsOfPasses holds that a way which misses by exactly the slack is none, and
// that one of exactly a minute is one.
func TestBoundsOfPasses(t *testing.T) {
	t.Parallel()
	w := newWay(line(0, 20_000, 36))
	from, to := geo.Destination(east(5_000), 0, 1_000), geo.Destination(east(15_000), 0, 1_000)
	missA, _ := w.nearest(w.plane.of(from))
	missB, _ := w.nearest(w.plane.of(to))
	if p, ok := w.pass(from, to, missA+missB, 0.1); ok {
		t.Errorf("a way that misses by the slack is %+v", p)
	}
	if _, ok := w.pass(from, to, missA+missB+1, 0.1); !ok {
		t.Error("a way that misses by less than the slack is none")
	}
	minute := newWay(Journey{Way: []Waypoint{{home, 120}, {east(1_200), 60}, {east(2_400), 0}}})
	if _, ok := minute.pass(minute.Way[1].Place, minute.Way[2].Place, 5_000, 0.1); !ok {
		t.Error("a way of a minute is none")
	}
}

// TestTwoHundredMetresTeach holds that a way of which exactly 200 m remain teaches a
// pace.
func TestTwoHundredMetresTeach(t *testing.T) {
	t.Parallel()
	var end drover.Coordinate
	way := func(p drover.Coordinate) Journey { return Journey{Way: []Waypoint{{p, 100}, {end, 0}}} }
	start := geotest.NorthOf(t, end, minLeft, func(p drover.Coordinate) float64 {
		w := newWay(way(p))
		return w.toEnd(0)
	})
	if got := NewModel(History{Own: []Journey{way(start)}}).own.pace[0]; len(got) != 1 {
		t.Errorf("the paces are %v", got)
	}
}

// TestPaceWithinBounds takes no speed of a track for more or less than a vehicle drives.
func TestPaceWithinBounds(t *testing.T) {
	t.Parallel()
	for metres, kph := range map[float64]float64{100: 10, 1_000: 36, 10_000: 130} {
		pace, ok := Track{MovingMetres: metres, MovingSeconds: 100}.pace()
		if !ok {
			t.Fatalf("%v m in 100 s are no pace", metres)
		}
		about(t, "the pace in km/h", pace*3.6, kph, 1e-9)
	}
}

// TestEachShareOfAWayTeaches takes a pace from each share of the way, the first waypoints included.
func TestEachShareOfAWayTeaches(t *testing.T) {
	t.Parallel()
	var j Journey
	for i := range maxWaypoints {
		j.Way = append(j.Way, Waypoint{Place: east(1_000 * float64(i)), Left: 60 * float64(maxWaypoints-1-i)})
	}
	taught, l := 0, learn([]Journey{j}, 1)
	for _, paces := range l.pace {
		taught += len(paces)
	}
	if taught != len(shares) {
		t.Errorf("%d paces, want %d", taught, len(shares))
	}
}

// TestNoTimeIsNoMovement holds that two places of one moment say nothing of a speed.
func TestNoTimeIsNoMovement(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]bool{0: false, 1: true} {
		if got := (step{metres: 100, seconds: seconds}).moves(); got != want {
			t.Errorf("100 m in %v s: moves %v", seconds, got)
		}
	}
}
