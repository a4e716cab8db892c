package trip_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/geo"
)

// TestJumps holds which positions are jumps. A history is told by a letter for
// each place, 100 km apart from the others, each so many minutes after the one
// before.
func TestJumps(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		minutes int
		places  string
		want    string // j is a jump
	}{
		{"AlwaysThere", 1, "AAAA", "...."},
		{"Once", 1, "AABAA", "..j.."},
		{"Twice", 1, "ABABA", ".j.j."},
		{"AndToAThird", 1, "AABCAA", "..jj.."},
		{"TheNewest", 1, "AAB", "..j"},
		{"Confirmed", 1, "AABB", "...."},
		{"ConfirmedAndBack", 1, "AABBAA", "......"},
		{"BackOnce", 1, "AABBAB", "....j."},
		{"TheFirstIsBelieved", 1, "ABAA", ".j.."},
		{"SlowEnough", 21, "ABAB", "...."},
		{"AfterASilence", 16, "AABAA", "..j.."},
		{"ConfirmedAfterASilence", 16, "AABB", "...."},
		{"OnTheHourAfterAQuietOne", 10, "AAAAAABAA", "......j.."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var positions []drover.Position
			for i, place := range tc.places {
				at := geo.Destination(drover.Coordinate{Latitude: 48, Longitude: 11}, 90, float64(place-'A')*100_000)
				positions = append(positions, drover.Position{
					Time: drover.At(epoch.Add(time.Duration(i*tc.minutes) * time.Minute)), Latitude: at.Latitude, Longitude: at.Longitude, Ignition: new(false),
				})
			}
			var want []drover.Time
			for i, mark := range tc.want {
				if mark == 'j' {
					want = append(want, positions[i].Time)
				}
			}
			_, got := foldAll(positions)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the jumps (-want +got):\n%s", diff)
			}
		})
	}
}
