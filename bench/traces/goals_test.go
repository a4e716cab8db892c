package traces

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

// TestGoals holds that a trip which no reported speed supports is called wrong, and
// explained, and that one which moves is not.
func TestGoals(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		kph  float64
		said int
	}{"Moves": {30, 0}, "ReportsNoMovement": {0, 1}} {
		trace := Trace{name: "truck-01"}
		for i, metres := range []float64{0, 3000, 6000} {
			trace.Positions = append(trace.Positions, drover.Position{
				Time: drover.At(time.Unix(1_700_000_000+int64(i)*300, 0)), Latitude: 1 + metres/111_195, Longitude: 1,
				SpeedKPH: new(tc.kph * float64(i%2)), Ignition: new(true),
			})
		}
		for i := range 8 {
			p := trace.Positions[2]
			p.Time, p.Ignition = drover.At(time.Unix(1_700_000_900+int64(i)*300, 0)), new(false)
			trace.Positions = append(trace.Positions, p)
		}
		var figures table.Table
		var said []string
		r := &report{table: &figures, progress: func(doing string) { said = append(said, doing) }}
		r.goals([]Trace{trace})
		if len(said) != tc.said || tc.said == 1 && !strings.Contains(said[0], "none of its") {
			t.Errorf("%s: it says %q", name, said)
		}
		if missed := figures.Missed() != nil; missed != (tc.said == 1) {
			t.Errorf("%s: a goal is missed: %v", name, missed)
		}
	}
}

// driven are positions a minute apart, each at some metres, whose odometer counts them.
func driven(metres ...float64) (positions []drover.Position) {
	for i, m := range metres {
		positions = append(positions, drover.Position{
			Time: drover.At(time.Unix(1_700_000_000+int64(i)*60, 0)), Latitude: 1 + m/111_195, Longitude: 1, OdometerMetres: new(m),
		})
	}
	return positions
}

// TestMissedGoals has for each goal what is right and what is not.
func TestMissedGoals(t *testing.T) {
	t.Parallel()
	trace := Trace{name: "truck-01"}
	stop := func(positions []drover.Position) []trip.Stop {
		return []trip.Stop{{Place: positions[0].Point(), From: positions[0].Time, To: positions[len(positions)-1].Time}}
	}
	stood, elsewhere, left := driven(0, 5, 0, 5), driven(0, 700, 700, 700), driven(0, 0, 0, 1500)
	silent := driven(0, 5000)
	silent[1].Time = drover.At(silent[1].Time.Add(20 * time.Minute))
	way := driven(0, 1000, 2000)
	drove := trip.Derived{StartTime: way[0].Time, EndTime: way[2].Time, DistanceMetres: 2000}
	ranges := make([]guess, 200)
	for i := range ranges {
		ranges[i] = guess{took: 60, p10: 50, p50: 60, p90: 70}
	}
	mixed := slices.Clone(ranges)
	for i := range 40 {
		mixed[i].took = 71
	}
	for name, tc := range map[string]struct {
		judge  func(r *report)
		missed bool
	}{
		"StopInItsPlace":    {func(r *report) { r.places(trace, stood, stop(stood)) }, false},
		"StopElsewhere":     {func(r *report) { r.places(trace, elsewhere, stop(elsewhere)) }, true},
		"StopThatEndsAfar":  {func(r *report) { r.places(trace, left, stop(left)) }, true},
		"StopWithoutPlaces": {func(r *report) { r.places(trace, stood[:1], stop(stood[1:])) }, false},
		"HoleInATrip": {func(r *report) {
			r.holes(trace, truth{positions: silent}, nil, []trip.Derived{{StartTime: silent[0].Time, EndTime: silent[1].Time}})
		}, false},
		"HoleInAStop":       {func(r *report) { r.holes(trace, truth{positions: silent}, stop(silent), nil) }, true},
		"HoleInNothing":     {func(r *report) { r.holes(trace, truth{positions: silent}, nil, nil) }, true},
		"OdometerOfTrips":   {func(r *report) { r.odometer(trace, way, []trip.Derived{drove}, nil) }, false},
		"OdometerOfNothing": {func(r *report) { r.odometer(trace, way, nil, nil) }, true},
		"RangesThatHold":    {func(r *report) { r.ranges("", map[string][]guess{tripRides: mixed}) }, false},
		"RangesTooWide":     {func(r *report) { r.ranges("", map[string][]guess{tripRides: ranges}) }, true},
		"RangesOfTooFew":    {func(r *report) { r.ranges("", map[string][]guess{tripRides: ranges[1:]}) }, false},
	} {
		var figures table.Table
		tc.judge(&report{table: &figures, progress: func(string) {}})
		if missed := figures.Missed() != nil; missed != tc.missed {
			t.Errorf("%s: a goal is missed: %v", name, missed)
		}
	}
}

// TestUnusableTraces has a recording without a fix beside one that stands.
func TestUnusableTraces(t *testing.T) {
	t.Parallel()
	nowhere := Trace{name: "lost-01", Positions: driven(0, 0)}
	for i := range nowhere.Positions {
		nowhere.Positions[i].Latitude, nowhere.Positions[i].Longitude = 0, 0
	}
	var said []string
	r := &report{progress: func(doing string) { said = append(said, doing) }}
	got := r.usable([]Trace{nowhere, {name: "truck-01", Positions: driven(0, 0)}})
	if len(got) != 1 || got[0].name != "truck-01" || len(said) != 1 || !strings.Contains(said[0], "lost-01") {
		t.Errorf("usable are %v, and it says %q", got, said)
	}
}

// TestEveryFaultIsExplained holds that no trip is counted as wrong without a word.
func TestEveryFaultIsExplained(t *testing.T) {
	t.Parallel()
	positions := driven(0, 1000, 2000, 3000, 3000, 3000, 3000, 3000, 3000, 3000, 4000, 5000, 6000)
	for i := range positions {
		positions[i].SpeedKPH, positions[i].Ignition = new(60.0), new(true)
		if i > 3 && i < 10 {
			positions[i].SpeedKPH, positions[i].Ignition = new(0.0), new(false)
		}
	}
	at := func(minute int) time.Time { return positions[minute].Time.Time }
	var y tally
	said := map[string]int{}
	explain := func(_ trip.Derived, fault string) { said[strings.Join(strings.Fields(fault)[:3], " ")]++ }
	y.add(positions, truth{positions: positions, stops: []span{{at(1), at(2)}}}, explain)
	if y.missed != 1 || said["it misses the"] != 1 || y.splits != 1 || said["neither a stop"] != 1 {
		t.Errorf("it says %v of %+v", said, y)
	}
}
