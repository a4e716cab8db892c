package wire_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := wire.Zone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestZone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "Local", "Mars/Olympus"} {
		if z, err := wire.Zone(name); err == nil {
			t.Errorf("%q is the zone %s", name, z)
		}
	}
}

func TestParseTimeIn(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 10, 1, 19, 0, 21, 0, time.UTC)
	tests := map[string]time.Time{
		"2026-10-01 21:00:21+02":       at,
		"2026-10-02 00:30:21+05:30":    at,
		"2026-10-01 21:00:21":          at,
		"2026-10-01T21:00:21.25":       at.Add(250 * time.Millisecond),
		"2026-10-01T19:00:21Z":         at,
		"2026-10-01 19:00:21.000+0000": at,
		"1790881221":                   at,
		"":                             {},
		"0001-01-01 00:00:00":          {},
	}
	for text, want := range tests {
		got, err := wire.ParseTimeIn(text, zone(t, "Africa/Johannesburg"))
		if err != nil || !got.Equal(want) {
			t.Errorf("%q = %v, %v; want %v", text, got, err, want)
		}
	}
	if got, err := wire.ParseTimeIn("yesterday", time.UTC); err == nil {
		t.Errorf("yesterday is %v", got)
	}
}

// TestLocalBounds checks every hour of two days on which clocks are changed: a
// vendor that reads the bounds, in either way where there are two, gets no less
// than was asked for.
func TestLocalBounds(t *testing.T) {
	t.Parallel()
	warsaw := zone(t, "Europe/Warsaw")
	const layout = "2006-01-02 15:04:05"
	for _, day := range []time.Time{time.Date(2024, 3, 31, 0, 0, 0, 0, time.UTC), time.Date(2024, 10, 27, 0, 0, 0, 0, time.UTC)} {
		for half := range 48 {
			at := day.Add(time.Duration(half) * 30 * time.Minute)
			from, to := wire.LocalBounds(at, at, warsaw)
			for _, hours := range []int{1, 2} {
				read := func(text string) time.Time {
					got, err := time.ParseInLocation(layout, text, time.FixedZone("", hours*3600))
					if err != nil {
						t.Fatal(err)
					}
					if _, offset := got.In(warsaw).Zone(); offset != hours*3600 {
						return at // this reading does not exist
					}
					return got
				}
				if got := read(from.Format(layout)); got.After(at) {
					t.Errorf("from %s is sent as %s and may be read as %s", at, from, got)
				}
				if got := read(to.Format(layout)); got.Before(at) {
					t.Errorf("to %s is sent as %s and may be read as %s", at, to, got)
				}
			}
		}
	}
	summer := time.Date(2024, 7, 1, 10, 0, 0, 0, time.UTC)
	if from, to := wire.LocalBounds(summer, summer, warsaw); from.Format(layout) != "2024-07-01 12:00:00" || !from.Equal(to) {
		t.Errorf("in summer: %s, %s", from, to)
	}
}
