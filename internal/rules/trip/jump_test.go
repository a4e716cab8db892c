package trip_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
)

// TestJumps holds which positions are jumps. A history is written as a letter for
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
		{"TwoThatAgree", 1, "AABBAA", "..jj.."},
		{"FourThatAgree", 1, "AABBBBAA", "..jjjj.."},
		{"Confirmed", 1, "AABBBBB", "......."},
		{"ConfirmedAndBack", 1, "AABBBBBAAAAA", "............"},
		{"ManyInAShortTime", 0, "AABBBBBBBAA", "..jjjjjjj.."},
		{"BrokenByAThird", 1, "AABBBCBBBAA", "..jjjjjjj.."},
		{"TheFirstIsBelieved", 1, "ABAA", ".j.."},
		{"TheFirstWasWrong", 1, "ABBBBBB", "......."},
		{"SlowEnough", 21, "ABAB", "...."},
		{"AfterASilence", 16, "AABAA", "..j.."},
		{"TwoAfterASilence", 16, "AABBAA", "..j.j."},
		{"AfterALongSilence", 180, "AABB", "...."},
		{"AfterAQuietHour", 10, "AAAAAAABAA", ".......j.."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var positions []drover.Position
			for i, place := range tc.places {
				at := geo.Destination(drover.Coordinate{Latitude: 48, Longitude: 11}, 90, float64(place-'A')*100_000)
				positions = append(positions, drover.Position{
					Time: drover.At(epoch.Add(time.Duration(i*tc.minutes)*time.Minute + time.Duration(i)*time.Second)), Latitude: at.Latitude,
					Longitude: at.Longitude, Ignition: new(false),
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
