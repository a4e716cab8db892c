package milestone_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/geo/geotest"
	"github.com/drover-fleet/drover/internal/rules/milestone"
)

var (
	epoch = time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	depot = drover.Coordinate{Latitude: 52.5, Longitude: 13.4}
	site  = geo.Destination(depot, 90, 20_000)
)

func journey() drover.Milestone {
	end := drover.At(epoch.Add(4 * time.Hour))
	return drover.Milestone{ID: "m", DeviceID: "d", StartPoint: depot, EndPoint: site, StartTime: drover.At(epoch), EndTime: &end}
}

// seen is a position minutes after the start time, metres east of the depot.
func seen(minutes, metres float64) drover.Position {
	at := geo.Destination(depot, 90, metres)
	return drover.Position{
		Time:     drover.At(epoch.Add(time.Duration(minutes * float64(time.Minute)))),
		Latitude: at.Latitude, Longitude: at.Longitude,
	}
}

func withSpeed(p drover.Position, kph float64) drover.Position {
	p.SpeedKPH = &kph
	return p
}

func TestJudge(t *testing.T) {
	t.Parallel()
	roundTrip, wide := journey(), journey()
	wide.RadiusMetres = new(1000.0)
	roundTrip.EndPoint = geo.Destination(depot, 90, 60)
	for _, tc := range []struct {
		name      string
		milestone drover.Milestone
		positions []drover.Position
		want      string
	}{
		{"NothingSeen", journey(), nil, "trip_not_started"},
		{"WaitsInTheStartCircle", journey(), []drover.Position{seen(0, 0), withSpeed(seen(5, 150), 9)}, "trip_not_started"},
		{"LeavesTheStartCircle", journey(), []drover.Position{seen(0, 0), seen(5, 250)}, "trip_in_progress 5"},
		{"BeforeTheStartTime", journey(), []drover.Position{seen(-20, 0), withSpeed(seen(-10, 5000), 80), seen(-5, 20_000)}, "trip_not_started"},
		{"StandsElsewhere", journey(), []drover.Position{withSpeed(seen(1, 3000), 0), seen(9, 3050)}, "trip_not_started"},
		{"MovesElsewhereBySpeed", journey(), []drover.Position{seen(1, 3000), withSpeed(seen(2, 3010), 30)}, "trip_in_progress 2"},
		{"MovesElsewhereAtTheLeastSpeed", journey(), []drover.Position{seen(1, 3000), withSpeed(seen(2, 3010), 5)}, "trip_in_progress 2"},
		{"RollsElsewhere", journey(), []drover.Position{seen(1, 3000), withSpeed(seen(2, 3010), 4.9)}, "trip_not_started"},
		{"MovesElsewhereByPlace", journey(), []drover.Position{seen(1, 3000), seen(2, 3150), seen(3, 3300)}, "trip_in_progress 3"},
		{
			"ArrivesAndDwells", journey(),
			[]drover.Position{seen(0, 0), seen(5, 5000), seen(20, 19_900), seen(22, 20_000)},
			"trip_in_progress 5 entered 20 trip_ended 20",
		},
		{
			"HasNotDweltYet", journey(),
			[]drover.Position{seen(0, 0), seen(5, 5000), seen(20, 19_900), seen(21.99, 20_000)},
			"trip_in_progress 5 entered 20",
		},
		{"ArrivesAndStops", journey(), []drover.Position{
			seen(0, 0), seen(5, 5000), withSpeed(seen(20, 19_900), 40),
			withSpeed(seen(21, 20_000), 4.9),
		}, "trip_in_progress 5 entered 20 trip_ended 20"},
		{
			"RollsOn", journey(),
			[]drover.Position{seen(0, 0), seen(5, 5000), withSpeed(seen(20, 19_900), 40), withSpeed(seen(21, 20_000), 5)},
			"trip_in_progress 5 entered 20",
		},
		{
			"DrivesThrough", journey(),
			[]drover.Position{seen(0, 0), withSpeed(seen(20, 20_000), 40), seen(21, 21_000), seen(25, 25_000)},
			"trip_in_progress 20 entered 20",
		},
		{"DrivesThroughAndComesBack", journey(), []drover.Position{
			seen(0, 0), seen(5, 5000), withSpeed(seen(20, 20_000), 40), seen(21, 21_000), withSpeed(seen(60, 20_100), 30),
			withSpeed(seen(61, 20_000), 0),
		}, "trip_in_progress 5 entered 20 entered 60 trip_ended 60"},
		{"StopsOutsideOnly", journey(), []drover.Position{
			seen(0, 0), seen(5, 5000), withSpeed(seen(20, 19_790), 0),
			withSpeed(seen(50, 19_790), 0),
		}, "trip_in_progress 5"},
		{
			"IsNextSeenAtTheEnd", journey(),
			[]drover.Position{seen(0, 0), withSpeed(seen(30, 20_000), 0)},
			"trip_in_progress 30 entered 30 trip_ended 30",
		},
		{
			"StaysEnded", journey(),
			[]drover.Position{seen(0, 0), withSpeed(seen(30, 20_000), 0), seen(60, 0), withSpeed(seen(90, 20_000), 0)},
			"trip_in_progress 30 entered 30 trip_ended 30",
		},
		{
			"OwnRadius", wide,
			[]drover.Position{seen(0, 900), seen(5, 5000), withSpeed(seen(20, 19_050), 0)},
			"trip_in_progress 5 entered 20 trip_ended 20",
		},
		{"FetchesFromTheEndFirst", journey(), []drover.Position{
			withSpeed(seen(0, 20_000), 0), withSpeed(seen(5, 19_950), 20), seen(10, 10_000), seen(20, 0), withSpeed(seen(40, 20_000), 0),
		}, "trip_in_progress 5 entered 40 trip_ended 40"},
		{
			"RoundTrip", roundTrip,
			[]drover.Position{seen(0, 0), seen(1, 230), seen(5, 9000), withSpeed(seen(30, 100), 3)},
			"trip_in_progress 1 entered 30 trip_ended 30",
		},
		{"RoundTripStaysNear", roundTrip, []drover.Position{seen(0, 0), seen(1, 230), withSpeed(seen(2, 100), 0)}, "trip_in_progress 1"},
		{"SeenAfterTheDeadline", journey(), []drover.Position{seen(0, 0), seen(16*60, 20_000)}, "trip_ended 960"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			st, transitions := milestone.Judge(tc.milestone, milestone.DefaultConfig(), milestone.Fresh(), tc.positions)
			if diff := cmp.Diff(tc.want, written(st, transitions)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestMovesByPlace holds by which spread of places, north to south, a device without a
// speed moves: more than the radius of the start circle, wherever on earth that is.
func TestMovesByPlace(t *testing.T) {
	t.Parallel()
	at := func(minutes float64, p drover.Coordinate) drover.Position {
		return drover.Position{
			Time: drover.At(epoch.Add(time.Duration(minutes * float64(time.Minute)))), Latitude: p.Latitude,
			Longitude: p.Longitude,
		}
	}
	m := journey()
	m.RadiusMetres = new(50.0)
	equator := m
	equator.StartPoint, equator.EndPoint = drover.Coordinate{}, drover.Coordinate{Latitude: 1}
	first := drover.Coordinate{Latitude: 0.0005}
	exact := geotest.NorthOf(t, first, 50, func(p drover.Coordinate) float64 {
		return geo.DistanceMetres(drover.Coordinate{}, drover.Coordinate{Latitude: p.Latitude - first.Latitude})
	})
	beyond := drover.Coordinate{Latitude: exact.Latitude + 1e-7}
	north, south := func(metres float64) drover.Coordinate { return geo.Destination(depot, 0, metres) },
		func(metres float64) drover.Coordinate { return geo.Destination(depot, 180, metres) }
	for _, tc := range []struct {
		name      string
		milestone drover.Milestone
		places    [2]drover.Coordinate
		want      string
	}{
		{"AtTheRadius", equator, [2]drover.Coordinate{first, exact}, "trip_not_started"},
		{"BeyondTheRadius", equator, [2]drover.Coordinate{first, beyond}, "trip_in_progress 2"},
		{"OnOneSide", m, [2]drover.Coordinate{north(300), north(320)}, "trip_not_started"},
		{"OnBothSides", m, [2]drover.Coordinate{north(60), south(60)}, "trip_in_progress 2"},
	} {
		st, transitions := milestone.Judge(tc.milestone, milestone.DefaultConfig(), milestone.Fresh(),
			[]drover.Position{at(1, tc.places[0]), at(2, tc.places[1])})
		if got := written(st, transitions); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// written has transitions with their minutes, or the status where there are none.
func written(st milestone.State, transitions []milestone.Transition) string {
	if len(transitions) == 0 {
		return string(st.Status)
	}
	words := make([]string, len(transitions))
	for i, tr := range transitions {
		words[i] = fmt.Sprintf("%s %.0f", tr.Status, tr.At.Sub(epoch).Minutes())
		if tr.Entered {
			words[i] = fmt.Sprintf("entered %.0f", tr.At.Sub(epoch).Minutes())
		}
	}
	return strings.Join(words, " ")
}

func TestExpire(t *testing.T) {
	t.Parallel()
	m, cfg := journey(), milestone.DefaultConfig()
	deadline := epoch.Add(16 * time.Hour)
	if st, tr := milestone.Expire(m, cfg, milestone.Fresh(), deadline.Add(-time.Millisecond)); tr != nil ||
		st.Status != drover.TripNotStarted {
		t.Errorf("expired before the deadline: %v", tr)
	}
	st, tr := milestone.Expire(m, cfg, milestone.Fresh(), deadline.Add(time.Hour))
	if len(tr) != 1 || tr[0].Status != drover.TripEnded || !tr[0].At.Equal(deadline) || !st.Expired || !st.EndedAt.Equal(deadline) {
		t.Errorf("did not end at the deadline: %+v, %+v", st, tr)
	}
	if _, again := milestone.Expire(m, cfg, st, deadline.Add(2*time.Hour)); again != nil {
		t.Errorf("expired twice: %v", again)
	}
	m.EndTime = nil
	if _, tr := milestone.Expire(m, cfg, milestone.Fresh(), deadline.AddDate(1, 0, 0)); tr != nil {
		t.Errorf("expired without an end time: %v", tr)
	}
}

func TestNeedsReplay(t *testing.T) {
	t.Parallel()
	m, cfg := journey(), milestone.DefaultConfig()
	st, _ := milestone.Judge(m, cfg, milestone.Fresh(), []drover.Position{seen(0, 0), seen(5, 5000), seen(9, 9000)})
	for _, tc := range []struct {
		name string
		p    drover.Position
		want bool
	}{
		{"InOrder", seen(10, 9000), false},
		{"BeforeTheStartTime", seen(-1, 9000), false},
		{"BeforeItStarted", seen(3, 300), true},
		{"OnTheWay", seen(7, 7000), false},
		{"AtTheEnd", seen(7, 20_000), true},
	} {
		if got := milestone.NeedsReplay(m, cfg, st, tc.p); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// A position concerns the history from the start time up to the one that showed the
// arrival.
func TestConcerns(t *testing.T) {
	t.Parallel()
	m, cfg := journey(), milestone.DefaultConfig()
	open, _ := milestone.Judge(m, cfg, milestone.Fresh(), []drover.Position{seen(0, 0), seen(5, 5000)})
	ended, _ := milestone.Judge(m, cfg, milestone.Fresh(), []drover.Position{seen(0, 0), seen(5, 5000), seen(20, 19_900), seen(23, 20_000)})
	for _, tc := range []struct {
		state   milestone.State
		minutes float64
		want    bool
	}{{open, -1, false}, {open, 0, true}, {open, 90, true}, {ended, -1, false}, {ended, 20, true}, {ended, 23, true}, {ended, 23.1, false}} {
		if got := milestone.Concerns(m, tc.state, seen(tc.minutes, 0).Time); got != tc.want {
			t.Errorf("%s at %v minutes: %v", tc.state.Status, tc.minutes, got)
		}
	}
}

// A replay notifies of what was not known: later statuses, and later times of
// coming into the end circle.
func TestBeyond(t *testing.T) {
	t.Parallel()
	m, cfg := journey(), milestone.DefaultConfig()
	through := []drover.Position{seen(0, 0), seen(5, 5000), withSpeed(seen(20, 20_000), 40), seen(21, 21_000)}
	known, _ := milestone.Judge(m, cfg, milestone.Fresh(), through)
	after, moved := milestone.Judge(m, cfg, milestone.Fresh(), append(through, withSpeed(seen(60, 20_000), 0)))
	if got := written(after, milestone.Beyond(known, moved)); got != "entered 60 trip_ended 60" {
		t.Errorf("beyond a drive-by: %s", got)
	}
	if got := milestone.Beyond(after, moved); got != nil {
		t.Errorf("beyond the end: %+v", got)
	}
	if got := written(after, milestone.Beyond(milestone.Fresh(), moved)); got != "trip_in_progress 5 entered 20 entered 60 trip_ended 60" {
		t.Errorf("beyond nothing: %s", got)
	}
}

// A late position outside parts a stay in the end circle.
func TestLatePositionPartsAStay(t *testing.T) {
	t.Parallel()
	m, cfg := journey(), milestone.DefaultConfig()
	for _, stay := range [][]drover.Position{
		{seen(0, 0), seen(5, 5000), seen(20, 19_900), seen(21, 20_000)},
		{seen(0, 0), seen(5, 5000), seen(20, 19_900), seen(25, 20_000)},
	} {
		st, _ := milestone.Judge(m, cfg, milestone.Fresh(), stay)
		for minutes, want := range map[float64]bool{19: false, 20.5: true, 26: false} {
			if got := milestone.NeedsReplay(m, cfg, st, seen(minutes, 15_000)); got != want {
				t.Errorf("%s: outside after %v minutes: %v", st.Status, minutes, got)
			}
		}
	}
}
