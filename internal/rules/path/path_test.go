package path_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo/geotest"
	"github.com/drover-fleet/drover/internal/rules/motion"
	"github.com/drover-fleet/drover/internal/rules/path"
	"github.com/drover-fleet/drover/internal/rules/trip"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// at is a position some seconds after noon, metres east and north of a place on the
// equator.
func at(seconds, east, north, kph float64, set ...func(*drover.Position)) drover.Position {
	p := drover.Position{
		Time: drover.At(noon.Add(time.Duration(seconds * 1e9))), Longitude: east / 111_195, Latitude: north / 111_195,
		SpeedKPH: &kph,
	}
	for _, f := range set {
		f(&p)
	}
	return p
}

func ignition(p *drover.Position)  { p.Ignition = new(true) }
func auxiliary(p *drover.Position) { p.Auxiliary = new(true) }

// segments writes a track's segments as kind:first-last.
func segments(t drover.Track) string {
	var out []string
	for _, s := range t.Segments {
		out = append(out, fmt.Sprintf("%s:%d-%d", s.Kind, s.First, s.Last))
	}
	return strings.Join(out, " ")
}

func TestMake(t *testing.T) {
	t.Parallel()
	corner := []drover.Position{at(0, 0, 0, 50), at(10, 100, 0, 50), at(20, 200, 9, 50), at(30, 300, 0, 50), at(40, 300, 100, 50)}
	for _, tt := range []struct {
		name      string
		positions []drover.Position
		tolerance float64
		points    int
		segments  string
	}{
		{"Nothing", nil, 10, 0, ""},
		{"One", corner[:1], 10, 1, ""},
		{"Two", corner[:2], 10, 2, "driving:0-1"},
		{"CornerStays", corner, 10, 3, "driving:0-2"},
		{"BendStaysWithinTolerance", corner, 8, 4, "driving:0-3"},
		{"AllWithoutTolerance", corner, 0, 5, "driving:0-4"},
		{
			"KindsSplit",
			[]drover.Position{
				at(0, 0, 0, 50), at(60, 900, 0, 50), at(120, 900, 0, 0, ignition), at(180, 900, 0, 0, auxiliary), at(240, 900, 0, 0),
				at(300, 1800, 0, 50),
			},
			10, 6,
			"driving:0-1 idling:1-2 auxiliary:2-3 stopped:3-4 driving:4-5",
		},
		{
			"SlowWorkIsDriving",
			[]drover.Position{
				at(0, 0, 0, 0, ignition, auxiliary), at(60, 67, 0, 4, ignition, auxiliary), at(120, 134, 0, 4, ignition, auxiliary),
				at(180, 134, 0, 4, ignition, auxiliary), at(240, 134, 0, 4, ignition),
			},
			10, 4,
			"driving:0-1 auxiliary:1-2 idling:2-3",
		},
		{"Hole", []drover.Position{at(0, 0, 0, 50), at(901, 5000, 0, 50), at(961, 5900, 0, 50)}, 10, 3, "hole:0-1 driving:1-2"},
		{"StoodInSilence", []drover.Position{at(0, 0, 0, 50), at(901, 199, 0, 50)}, 10, 2, "stopped:0-1"},
		{"HoleOfFifteenMinutes", []drover.Position{at(0, 0, 0, 50), at(900, 5000, 0, 50)}, 10, 2, "hole:0-1"},
		{"NoHoleInTime", []drover.Position{at(0, 0, 0, 50), at(899.999, 5000, 0, 50)}, 10, 2, "driving:0-1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := path.Make(tt.positions, tt.tolerance, trip.DefaultRules())
			if n := len(got.Points.Timestamp); n != tt.points || segments(got) != tt.segments || got.ToleranceMetres != tt.tolerance {
				t.Errorf("%d points, %q, tolerance %v; want %d, %q", n, segments(got), got.ToleranceMetres, tt.points, tt.segments)
			}
		})
	}
}

// TestWorkOfTripsIsDriving holds that the state, the track and the trip say the same of a plough
// that drives out, works at 4 km/h with its auxiliary drive on, and drives home.
func TestWorkOfTripsIsDriving(t *testing.T) {
	t.Parallel()
	for _, interval := range []float64{1, 10, 60} {
		var positions []drover.Position
		var fold trip.State
		var east, seconds, slow float64
		for ; seconds <= 3600; seconds += interval {
			kph := 40.0
			switch {
			case seconds > 600 && seconds <= 3000:
				kph = 4
				slow += interval
			case seconds == 0 || seconds > 3300:
				kph = 0
			}
			east += kph / 3.6 * interval
			p := at(seconds, east, 0, kph, ignition, auxiliary)
			if seconds > 3300 {
				p.Ignition, p.Auxiliary = new(false), new(false)
			}
			fold.Add(p)
			positions = append(positions, p)
			if kph == 4 && motion.At(&positions[len(positions)-2], p, trip.MovingKPH) != drover.DeviceDriving {
				t.Errorf("at a position in %v s: %s in second %v", interval, motion.At(&positions[len(positions)-2], p, trip.MovingKPH), seconds)
			}
		}
		done := fold.Close(noon.Add(2 * time.Hour))
		if len(done.Completed) != 1 || math.Abs(done.Completed[0].Why.WorkingSeconds-slow) > 60 {
			t.Fatalf("at a position in %v s: the trips are %+v, want %v s of work", interval, done.Completed, slow)
		}
		if got := path.Make(positions, 10, trip.DefaultRules()); got.Segments[0].Kind != drover.TrackDriving ||
			got.Segments[0].EndTime.Sub(noon) < 3300*time.Second {
			t.Errorf("at a position in %v s: the track is %s", interval, segments(got))
		}
	}
}

// TestBeside measures how far a place lies from a line: it stays at a tolerance below
// that, and goes at one above.
func TestBeside(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                    string
		lat1, lon1, lat2, lon2  float64
		latMiddle, lonMiddle, d float64 // metres beside the line
	}{
		{"Eastward", 60, 10, 60, 10.02, 60.0005, 10.01, 55.6},
		{"Northward", 60, 10, 60.02, 10, 60.01, 10.001, 55.6},
		{"SouthOfTheEquator", -60, -10, -60.02, -10, -60.01, -10.001, 55.6},
		{"Diagonal", 60, 10, 60.02, 10.04, 60.0095, 10.021, 78.6},
		{"PastTheEnd", 60, 10, 60, 10.02, 60, 10.022, 111.2},
		{"BeforeTheBeginning", 60, 10, 60, 10.02, 60, 9.998, 111.2},
		{"ThereAndBack", 60, 10, 60, 10, 60.0005, 10, 55.6},
		{"OverTheDateLine", 60, 179.99, 60, -179.99, 60.0005, 180, 55.6},
		{"BackOverTheDateLine", 60, -179.99, 60, 179.99, 60.0005, -180, 55.6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			positions := make([]drover.Position, 3)
			for i, place := range [][2]float64{{tt.lat1, tt.lon1}, {tt.latMiddle, tt.lonMiddle}, {tt.lat2, tt.lon2}} {
				positions[i] = at(float64(10*i), 0, 0, 50)
				positions[i].Latitude, positions[i].Longitude = place[0], place[1]
			}
			for tolerance, want := range map[float64]int{0.97 * tt.d: 3, 1.03 * tt.d: 2} {
				if got := len(path.Make(positions, tolerance, trip.DefaultRules()).Points.Timestamp); got != want {
					t.Errorf("with a tolerance of %.1f m there are %d points, want %d", tolerance, got, want)
				}
			}
		})
	}
}

// TestNothingIsLost keeps every position without a tolerance: those at the same place
// too, as many as a way may have, and each once where two segments meet.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	most := make([]drover.Position, path.MaxPoints)
	for i := range most {
		most[i] = at(float64(i), 0, 0, 50)
	}
	split := []drover.Position{
		at(0, 0, 0, 50), at(10, 100, 50, 50), at(20, 200, 0, 50), at(30, 200, 0, 0), at(40, 201, 1, 0),
		at(50, 200, 0, 0),
	}
	for name, positions := range map[string][]drover.Position{"OnePlace": most, "TwoKinds": split} {
		got := path.Make(positions, 0, trip.DefaultRules())
		if len(got.Points.Timestamp) != len(positions) || got.ToleranceMetres != 0 {
			t.Fatalf("%s: %d of %d positions are left, tolerance %v", name, len(got.Points.Timestamp), len(positions), got.ToleranceMetres)
		}
		for i, p := range positions {
			if !got.Points.Timestamp[i].Equal(p.Time.Time) {
				t.Fatalf("%s: point %d is of %s, want %s", name, i, got.Points.Timestamp[i], p.Time)
			}
		}
	}
}

// TestMakeIsBounded draws a way that a small tolerance cannot simplify, and one that
// changes its kind with each position.
func TestMakeIsBounded(t *testing.T) {
	t.Parallel()
	var wild, restless []drover.Position
	for i := range 20_000 {
		s := float64(i)
		wild = append(wild, at(s, 10*s, 200*math.Sin(s), 50))
		restless = append(restless, at(s, 10*s, 0, 50*math.Mod(s, 2)))
	}
	for name, positions := range map[string][]drover.Position{"Wild": wild, "Restless": restless} {
		got := path.Make(positions, 1, trip.DefaultRules())
		n := len(got.Points.Timestamp)
		if n > path.MaxPoints || n < 2 || got.ToleranceMetres <= 1 {
			t.Errorf("%s: %d points, tolerance %v", name, n, got.ToleranceMetres)
		}
		if last := got.Segments[len(got.Segments)-1].Last; last != n-1 {
			t.Errorf("%s: the last segment ends at %d of %d", name, last, n)
		}
	}
}

// TestWayOfASlowMachine holds that a way is driven from the speed of the device's rules on, though nothing says that
// an engine runs.
func TestWayOfASlowMachine(t *testing.T) {
	t.Parallel()
	off := func(p *drover.Position) { p.Ignition = new(false) }
	way := []drover.Position{at(0, 0, 0, 3, off), at(60, 50, 0, 3, off), at(120, 100, 0, 3, off)}
	for moving, want := range map[float64]string{3: "driving:0-1", 3.1: "stopped:0-1"} {
		rules := trip.DefaultRules()
		rules.MovingKPH = moving
		if got := segments(path.Make(way, 10, rules)); got != want {
			t.Errorf("from %v km/h on, the way is %s, want %s", moving, got, want)
		}
	}
}

// TestGapOfAWay holds that a hole begins where the rules of the trips say so.
func TestGapOfAWay(t *testing.T) {
	t.Parallel()
	way := []drover.Position{at(0, 0, 0, 50), at(1200, 9000, 0, 50)}
	blind := []drover.Position{at(0, 0, 0, 0), at(1200, 9000, 0, 0)}
	blind[0].SpeedKPH, blind[1].SpeedKPH = nil, nil
	for gap, want := range map[time.Duration][2]string{
		1201 * time.Second: {"driving:0-1", "hole:0-1"}, 1200 * time.Second: {"hole:0-1", "hole:0-1"},
	} {
		rules := trip.DefaultRules()
		rules.Gap = gap
		got := [2]string{segments(path.Make(way, 10, rules)), segments(path.Make(blind, 10, rules))}
		if got != want {
			t.Errorf("with a gap of %v the ways with and without speeds are %s, want %s", gap, got, want)
		}
	}
}

// TestBoundsOfAWay holds that 200 m are no hole yet, and that what lies exactly at the
// tolerance goes.
func TestBoundsOfAWay(t *testing.T) {
	t.Parallel()
	before, after := at(0, 0, 0, 50), at(901, 0, 0, 50)
	place := geotest.MetresNorthOf(t, before.Point(), 200)
	after.Latitude, after.Longitude = place.Latitude, place.Longitude
	if got := segments(path.Make([]drover.Position{before, after}, 10, trip.DefaultRules())); got != "stopped:0-1" {
		t.Errorf("200 m in a silence are %s", got)
	}
	middle := at(10, 100, 0, 50)
	middle.Latitude = geotest.NorthOf(t, drover.Coordinate{}, 9, func(p drover.Coordinate) float64 { return p.Latitude * 111_195 }).Latitude
	way := []drover.Position{at(0, 0, 0, 50), middle, at(20, 200, 0, 50)}
	for tolerance, want := range map[float64]int{8.999: 3, 9: 2} {
		if got := len(path.Make(way, tolerance, trip.DefaultRules()).Points.Timestamp); got != want {
			t.Errorf("9 m beside the line with a tolerance of %v m: %d points, want %d", tolerance, got, want)
		}
	}
}

// TestFirstOfTheFarthest holds that of two positions equally far from the line the
// first is kept, so that the same way is always drawn alike.
func TestFirstOfTheFarthest(t *testing.T) {
	t.Parallel()
	way := []drover.Position{at(0, 0, 0, 50), at(10, 100, 9, 50), at(20, 200, 9, 50), at(30, 300, 0, 50)}
	got := path.Thin(way, 8, trip.DefaultRules())
	if len(got) != 3 || got[1].Time != way[1].Time {
		t.Errorf("kept are %v, want the first, the second and the last", got)
	}
}

// TestCoarsestTolerance has more ends of segments than a way may have points: no
// tolerance helps, and the greatest stays as it is.
func TestCoarsestTolerance(t *testing.T) {
	t.Parallel()
	var restless []drover.Position
	for i := range path.MaxPoints + 1 {
		s := float64(i)
		restless = append(restless, at(s, 10*s, 0, 50*math.Mod(s, 2)))
	}
	for given, want := range map[float64]float64{999_999: 1_999_998, 1_000_000: 1_000_000} {
		if got := path.Make(restless, given, trip.DefaultRules()).ToleranceMetres; got != want {
			t.Errorf("a tolerance of %v m becomes %v, want %v", given, got, want)
		}
	}
}

// TestPieces holds the length of the pieces that a long way is simplified in, which
// bounds the work: of a straight one their ends are left.
func TestPieces(t *testing.T) {
	t.Parallel()
	var straight []drover.Position
	for i := range 1025 {
		straight = append(straight, at(float64(i), 10*float64(i), 0, 50))
	}
	got := path.Thin(straight, 10, trip.DefaultRules())
	if len(got) != 3 || got[1].Time != straight[512].Time {
		t.Errorf("kept are %d positions, want both ends and the one in the middle", len(got))
	}
}

// TestLegsWithoutSpeed holds that places alone show driving for a quarter of an hour at the most, however long a silence may
// be, and that only a hole says how far the device got unseen.
func TestLegsWithoutSpeed(t *testing.T) {
	t.Parallel()
	rules := trip.DefaultRules()
	rules.Gap = time.Hour
	for seconds, want := range map[float64]drover.TrackKind{900: drover.TrackDriving, 901: drover.TrackHole} {
		first, last := at(0, 0, 0, 0), at(seconds, 5000, 0, 0)
		first.SpeedKPH, last.SpeedKPH = nil, nil
		got := path.Make([]drover.Position{first, last}, 10, rules)
		if len(got.Segments) != 1 || got.Segments[0].Kind != want || (got.Segments[0].Unseen != nil) != (want == drover.TrackHole) {
			t.Errorf("after %v s: %+v", seconds, got.Segments)
		}
	}
}
