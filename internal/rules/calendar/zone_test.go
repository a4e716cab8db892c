package calendar_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/calendar"
)

func zone(t *testing.T, name string) calendar.Zone {
	t.Helper()
	z, err := calendar.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// TestDays has days that are shorter, longer or gone, and when they begin.
func TestDays(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		zone, date, start string
		hours             float64
	}{
		{"UTC", "2026-03-29", "2026-03-29T00:00:00Z", 24},
		{"Asia/Kolkata", "2026-03-29", "2026-03-28T18:30:00Z", 24},
		{"Europe/Berlin", "2026-03-28", "2026-03-27T23:00:00Z", 24},
		{"Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z", 23},
		{"Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z", 25},
		{"Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z", 24.5},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", 23},  // its midnight is left out
		{"America/Havana", "2026-11-01", "2026-11-01T04:00:00Z", 25},     // at one the clock is put back to midnight
		{"America/St_Johns", "2010-11-07", "2010-11-07T03:30:00Z", 24},   // a minute past midnight the clock is put back to the day before
		{"America/St_Johns", "2010-11-06", "2010-11-06T02:30:00Z", 25},   // which has that hour
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", 0},        // there was none
		{"Pacific/Kiritimati", "2026-01-01", "2025-12-31T10:00:00Z", 24}, // first of all
		{"Pacific/Pago_Pago", "1969-12-31", "1969-12-31T11:00:00Z", 24},  // before 1970
	} {
		z := zone(t, tc.zone)
		day, err := calendar.ParseDate(tc.date)
		if err != nil {
			t.Fatal(err)
		}
		start, end := z.Start(day), z.Start(day+1)
		if got := start.String(); got != tc.start {
			t.Errorf("%s begins in %s at %s, want %s", tc.date, tc.zone, got, tc.start)
		}
		if got := end.Sub(start.Time).Hours(); got != tc.hours {
			t.Errorf("%s has in %s %g hours, want %g", tc.date, tc.zone, got, tc.hours)
		}
		if tc.hours == 0 {
			continue
		}
		if got := z.Day(start); got != day {
			t.Errorf("in %s, %s lies in %s", tc.zone, start, calendar.Date(got))
		}
		if got := z.Day(drover.Milli(end.UnixMilli() - 1)); got != day {
			t.Errorf("in %s, a millisecond before %s lies in %s", tc.zone, end, calendar.Date(got))
		}
		if got := calendar.Date(day); got != tc.date {
			t.Errorf("%s is written %s", tc.date, got)
		}
	}
}

func TestUnknownZones(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "Local", "Mars/Olympus", "../etc/passwd", "+05:30"} {
		if z, err := calendar.Load(name); err == nil {
			t.Errorf("%q is %s", name, z.Name())
		}
	}
	for _, text := range []string{"", "2026-02-30", "2026-3-1", "2026-03-01T00:00:00Z"} {
		if _, err := calendar.ParseDate(text); err == nil {
			t.Errorf("%q is a date", text)
		}
	}
}

// TestSplitIsAPartition expects the parts of any time to follow on each other, each in
// one day, none of them empty.
func TestSplitIsAPartition(t *testing.T) {
	t.Parallel()
	names := []string{"UTC", "Asia/Kolkata", "Europe/Berlin", "America/St_Johns", "America/Sao_Paulo", "Pacific/Apia", "Africa/Casablanca"}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		z := zone(t, names[r.IntN(len(names))])
		from := drover.Milli(r.Int64N(2_000_000_000_000))
		to := drover.At(from.Add(time.Duration(r.Int64N(int64(200 * time.Hour)))))
		at := from
		for i, p := range z.Split(from, to) {
			if !p.From.Equal(at.Time) || i > 0 && !p.From.Before(p.To.Time) {
				t.Fatalf("seed %d: part %d of %v to %v begins at %v and ends at %v", seed, i, from, to, p.From, p.To)
			}
			if z.Day(p.From) != p.Day || p.From.Before(z.Start(p.Day).Time) || p.To.After(z.Start(p.Day+1).Time) {
				t.Fatalf("seed %d: %v to %v does not lie in %s", seed, p.From, p.To, calendar.Date(p.Day))
			}
			at = p.To
		}
		if !at.Equal(to.Time) {
			t.Fatalf("seed %d: the parts of %v to %v end at %v", seed, from, to, at)
		}
	}
}
