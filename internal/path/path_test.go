package path_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/path"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// at is a position some seconds after noon, metres east and north of a place on the
// equator.
func at(seconds, east, north, kph float64, set ...func(*drover.Position)) drover.Position {
	p := drover.Position{Time: drover.At(noon.Add(time.Duration(seconds * 1e9))), Longitude: east / 111_195, Latitude: north / 111_195, SpeedKPH: &kph}
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
			[]drover.Position{at(0, 0, 0, 50), at(60, 900, 0, 50), at(120, 900, 0, 0, ignition), at(180, 900, 0, 0, auxiliary), at(240, 900, 0, 0), at(300, 1800, 0, 50)},
			10, 6,
			"driving:0-1 idling:1-2 auxiliary:2-3 stopped:3-4 driving:4-5",
		},
		{"Hole", []drover.Position{at(0, 0, 0, 50), at(901, 5000, 0, 50), at(961, 5900, 0, 50)}, 10, 3, "hole:0-1 driving:1-2"},
		{"StoodInSilence", []drover.Position{at(0, 0, 0, 50), at(901, 199, 0, 50)}, 10, 2, "stopped:0-1"},
		{"NoHoleInTime", []drover.Position{at(0, 0, 0, 50), at(900, 5000, 0, 50)}, 10, 2, "driving:0-1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := path.Make(tt.positions, tt.tolerance)
			if n := len(got.Points.Timestamp); n != tt.points || segments(got) != tt.segments || got.ToleranceMetres != tt.tolerance {
				t.Errorf("%d points, %q, tolerance %v; want %d, %q", n, segments(got), got.ToleranceMetres, tt.points, tt.segments)
			}
		})
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
		got := path.Make(positions, 1)
		n := len(got.Points.Timestamp)
		if n > path.MaxPoints || n < 2 || got.ToleranceMetres <= 1 {
			t.Errorf("%s: %d points, tolerance %v", name, n, got.ToleranceMetres)
		}
		if last := got.Segments[len(got.Segments)-1].Last; last != n-1 {
			t.Errorf("%s: the last segment ends at %d of %d", name, last, n)
		}
	}
}
