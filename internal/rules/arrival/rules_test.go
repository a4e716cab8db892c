package arrival

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

var (
	monday = time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	home   = drover.Coordinate{Latitude: 52.5, Longitude: 13.4}
)

// east is a place metres east of home.
func east(metres float64) drover.Coordinate { return geo.Destination(home, 90, metres) }

// line is a journey east from one place to another, with waypoints every km, at a
// speed in km/h.
func line(from, to, kph float64) Journey {
	var j Journey
	steps := int(math.Round(math.Abs(to-from) / 1000))
	for i := range steps + 1 {
		done := float64(i) / float64(steps)
		j.Way = append(j.Way, Waypoint{Place: east(from + done*(to-from)), Left: math.Abs(to-from) * (1 - done) / kph * 3.6})
	}
	return j
}

func about(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestReachOf(t *testing.T) {
	t.Parallel()
	for metres, want := range map[float64]int{
		0: 0, 1999: 0, 2000: 1, 4999: 1, 5000: 2, 11_999: 2, 12_000: 3, 30_000: 4, 80_000: 5,
		199_999: 5, 200_000: 6, 9e6: 6,
	} {
		if got := reachOf(metres); got != want {
			t.Errorf("%v m are in class %d, want %d", metres, got, want)
		}
	}
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	sorted := []float64{1, 2, 4, 8}
	for q, want := range map[float64]float64{0: 1, 0.2: 1, 0.3: 1.5, 0.5: 3, 0.7: 6, 0.9: 8, 1: 8} {
		about(t, "a quantile", quantile(sorted, q), want, 1e-9)
	}
	about(t, "that of one", quantile([]float64{7}, 0.9), 7, 0)
	about(t, "the median of none", median(nil, 5), 5, 0)
}

// What is one's own counts more than the fleet's, and that more than what is
// assumed, by how many there are of each.
func TestShrunk(t *testing.T) {
	t.Parallel()
	about(t, "of nothing", shrunk(nil, nil, 0.5, 3, 20), 3, 0)
	about(t, "of as many as assumed", shrunk(nil, []float64{1, 1, 1, 1}, 0.5, 3, 4), 2, 1e-9)
	about(t, "of both", shrunk([]float64{0, 0, 0, 0}, []float64{1, 1, 1, 1}, 0.5, 3, 4), 1, 1e-9)
	many := make([]float64, 1000)
	about(t, "of more than enough", shrunk(many, nil, 0.5, 3, enough), 1.5, 1e-9)
}

func TestNewJourney(t *testing.T) {
	t.Parallel()
	var positions []drover.Position
	for i := range 201 { // 100 m every 10 s
		p := east(float64(i) * 100)
		positions = append(positions, drover.Position{
			Time: drover.At(monday.Add(time.Duration(i) * 10 * time.Second)), Latitude: p.Latitude,
			Longitude: p.Longitude,
		})
	}
	arrived := positions[200].Time.Time
	j, ok := NewJourney(positions, arrived)
	if !ok || len(j.Way) > maxWaypoints || len(j.Way) < maxWaypoints-6 {
		t.Fatalf("%v, %d waypoints", ok, len(j.Way))
	}
	about(t, "the time at the start", j.Way[0].Left, 2000, 0)
	about(t, "the time at the end", j.Way[len(j.Way)-1].Left, 0, 0)
	about(t, "its length", j.metres(), 20_000, 5)
	short, ok := NewJourney(positions[:22], positions[21].Time.Time)
	if !ok {
		t.Fatal("2.1 km teach nothing")
	}
	for i := 1; i < len(short.Way)-1; i++ {
		if step := geo.DistanceMetres(short.Way[i-1].Place, short.Way[i].Place); step < minSpacing || step > minSpacing+101 {
			t.Errorf("%v m between two waypoints", step)
		}
	}
	for name, few := range map[string][]drover.Position{"none": nil, "one": positions[:1], "1.9 km": positions[:20]} {
		if _, ok := NewJourney(few, arrived); ok {
			t.Errorf("learned from %s", name)
		}
	}
	if _, ok := NewJourney(positions, positions[0].Time.Time); ok {
		t.Error("learned from a journey that took no time")
	}
}

// A change of the stored form needs a new version: stored journeys stay readable.
func TestJourneyIsStoredAs(t *testing.T) {
	t.Parallel()
	j := Journey{
		Way: []Waypoint{
			{drover.Coordinate{Latitude: 52.5, Longitude: 13.4}, 600},
			{drover.Coordinate{Latitude: 52.50001, Longitude: 13.3}, 0},
		},
		Outcomes: []Outcome{{Metres: 1500, LogRatio: -0.25}, {Metres: 900, LogRatio: 0.5, LogRoute: new(0.125)}},
	}
	const golden = `{"v":1,"way":[5250000,1340000,600,1,-10000,-600],"off":[[1500,-250],[900,500,125]]}`
	text, err := json.Marshal(j)
	if err != nil || string(text) != golden {
		t.Errorf("%s, %v, want %s", text, err, golden)
	}
	var back Journey
	if err := json.Unmarshal([]byte(golden), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(j, back, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	for _, other := range []string{`{"v":2,"way":[1,2,3]}`, `{"v":1,"way":[1,2]}`, `{"v":1,"way":[1,2,3],"off":[[1]]}`} {
		if err := json.Unmarshal([]byte(other), &back); !errors.Is(err, errVersion) {
			t.Errorf("%s: %v", other, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"v":"x"}`), &back); err == nil {
		t.Error("read what is no journey")
	}
}

func TestNewOutcome(t *testing.T) {
	t.Parallel()
	o := NewOutcome(5000, 100, 200, new(400.0))
	about(t, "the ratio", o.LogRatio, math.Log(2), 1e-9)
	about(t, "that of the router", *o.LogRoute, math.Log(0.5), 1e-9)
	if o := NewOutcome(5000, 0, 200, new(0.0)); o.LogRoute != nil || math.Abs(o.LogRatio-math.Log(20)) > 1e-9 {
		t.Errorf("a prediction of now: %+v", o)
	}
}

func TestUsual(t *testing.T) {
	t.Parallel()
	if _, values := NewModel(History{}).usual(5000); values != 0 {
		t.Errorf("%d values of nothing", values)
	}
	m := NewModel(History{Own: []Journey{line(0, 9_000, 36)}})
	pace, values := m.usual(10_000)
	about(t, "the pace in its class", math.Exp(pace), 0.1, 1e-3)
	if values != 3 { // at 2, 10 and 25 % there are more than 5 km left
		t.Errorf("%d values", values)
	}
	far, values := m.usual(500_000)
	about(t, "the pace in a class without values", math.Exp(far), 0.1, 1e-3)
	if values == 0 {
		t.Error("another class does not stop in")
	}
	both := NewModel(History{Own: []Journey{line(0, 10_000, 36)}, Fleet: []Journey{line(0, 10_000, 72)}})
	mixed, _ := both.usual(10_000)
	if got := math.Exp(mixed); got <= 0.05 || got >= 0.1 {
		t.Errorf("own and fleet together: %v s/m", got)
	}
}

// A journey that wandered about teaches no pace.
func TestWanderingTeachesNoPace(t *testing.T) {
	t.Parallel()
	there, back := line(0, 10_000, 36), line(10_000, 2_500, 36)
	for i := range there.Way {
		there.Way[i].Left += back.Way[0].Left
	}
	there.Way = append(there.Way, back.Way[1:]...)
	m := NewModel(History{Own: []Journey{there}})
	if _, values := m.usual(5000); values != 0 || len(m.own.ways) != 1 {
		t.Errorf("%d values, %d ways", values, len(m.own.ways))
	}
}

func TestPass(t *testing.T) {
	t.Parallel()
	j := line(0, 20_000, 36) // a metre takes 0.1 s
	w := newWay(j)
	for _, tc := range []struct {
		name     string
		from, to drover.Coordinate
		seconds  float64
		weight   float64
	}{
		{"SameWay", east(0), east(20_000), 2000, 1},
		{"PartOfIt", east(5_000), east(15_500), 1050, 1},
		{"Reverse", east(15_500), east(5_000), 1050, reverseWeight},
		{"GoesOnBeyond", east(12_000), east(22_000), 800 + (2000-freeMetres)*0.2, 0.6 * 0.6},
		{"Beside", geo.Destination(east(10_000), 0, 200), east(20_000), 1000, 0.96 * 0.96},
		{"TooFarBeyond", east(15_000), east(25_001), 0, 0},
		{"ElsewhereNorth", geo.Destination(east(10_000), 0, 5_100), east(20_000), 0, 0},
		{"ElsewhereEast", east(26_000), east(20_000), 0, 0},
		{"NoTimeBetween", east(10_000), east(10_500), 0, 0},
	} {
		p, ok := w.pass(tc.from, tc.to, 5_000, 0.2)
		if ok != (tc.seconds > 0) {
			t.Errorf("%s: %v", tc.name, ok)
			continue
		}
		if ok {
			about(t, tc.name, math.Exp(p.logSeconds), tc.seconds, 2)
			about(t, tc.name+"'s weight", p.weight, tc.weight, 0.005)
		}
	}
}

func TestPassesAreBounded(t *testing.T) {
	t.Parallel()
	own, fleet := line(0, 20_000, 36), line(0, 20_000, 40)
	m := NewModel(History{Own: []Journey{own}, Fleet: []Journey{fleet}})
	usual := math.Log(2000)
	got := m.passes(home, east(20_000), 20_000, usual)
	if len(got) != 2 || got[0].weight < 0.99 || math.Abs(got[1].weight-fleetWeight) > 0.01 {
		t.Errorf("an own and another: %+v", got)
	}
	if got := m.passes(home, east(20_000), 20_000, usual-maxPassLog-0.01); len(got) != 1 {
		t.Errorf("one that differs too much counts: %+v", got)
	}
	var many []Journey
	for range 20 {
		many = append(many, own)
	}
	if got := NewModel(History{Own: many}).passes(home, east(20_000), 20_000, usual); len(got) != enoughPasses {
		t.Errorf("%d passes, %v are enough", len(got), enoughPasses)
	}
}

func TestMiddle(t *testing.T) {
	t.Parallel()
	if _, weight := middle(nil); weight != 0 {
		t.Errorf("nothing weighs %v", weight)
	}
	got, weight := middle([]pass{{9, 1}, {1, 1}, {3, 1}, {2, 1}})
	about(t, "the middle half", got, 2.5, 1e-9)
	about(t, "the weight", weight, 4, 1e-9)
	got, _ = middle([]pass{{1, 1}, {9, 3}})
	about(t, "by weight", got, 9, 1e-9)
}

func TestModelIsBounded(t *testing.T) {
	t.Parallel()
	var many []Journey
	for range 500 {
		many = append(many, line(0, 5_000, 50))
	}
	m := NewModel(History{Own: many, Fleet: many})
	if len(m.own.ways) != MaxOwn || len(m.fleet.ways) != MaxFleet {
		t.Errorf("%d and %d ways", len(m.own.ways), len(m.fleet.ways))
	}
	if empty := NewModel(History{Own: []Journey{{}}}); len(empty.own.ways) != 0 {
		t.Error("a journey without a way was learned")
	}
}

// The box around a way spares looking at it, and leaves out nothing near it.
func TestHolds(t *testing.T) {
	t.Parallel()
	var j Journey
	for i := range 11 { // north-east
		place := geo.Destination(home, 45, float64(i)*1000)
		j.Way = append(j.Way, Waypoint{Place: place, Left: float64(10-i) * 100})
	}
	w := newWay(j)
	middle := geo.Destination(home, 45, 5000)
	for _, tc := range []struct {
		name  string
		place drover.Coordinate
		want  bool
	}{
		{"OnIt", middle, true},
		{"AtItsEnds", j.Way[10].Place, true},
		{"AtItsStart", home, true},
		{"North", geo.Destination(middle, 0, 9_000), false},
		{"South", geo.Destination(middle, 180, 9_000), false},
		{"East", geo.Destination(middle, 90, 9_000), false},
		{"West", geo.Destination(middle, 270, 9_000), false},
		{"NearNorth", geo.Destination(middle, 0, 4_000), true},
	} {
		if got := w.holds(w.plane.of(tc.place), 1_000); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
	if metres, left := w.nearest(w.plane.of(geo.Destination(home, 45, 2500))); metres > 10 || math.Abs(left-750) > 2 {
		t.Errorf("halfway between two waypoints: %v m, %v s left", metres, left)
	}
}

// Where no journey had as little before it, those with more stand in; and the last
// stretch, too short to say anything, teaches no pace.
func TestUsualOfLongerWays(t *testing.T) {
	t.Parallel()
	long := Journey{Way: []Waypoint{{home, 10_000}, {east(100_000), 0}}}
	pace, values := NewModel(History{Own: []Journey{long}}).usual(1_000)
	if values != 1 {
		t.Errorf("%d values", values)
	}
	about(t, "the pace", math.Exp(pace), 0.1, 1e-3)
	short := Journey{Way: []Waypoint{{home, 400}, {east(3_900), 30}, {east(4_000), 0}}}
	if m := NewModel(History{Own: []Journey{short}}); len(m.own.pace[0]) != 0 || len(m.own.pace[1]) != 1 {
		t.Errorf("paces %v", m.own.pace)
	}
}
