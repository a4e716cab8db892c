package rfms

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

var midnight = time.Date(2024, 5, 2, 0, 0, 0, 0, time.UTC)

// at returns a status of the given minute of the day.
func at(minute int, trigger string, more ...func(*report)) report {
	r := report{VIN: "V1", Created: wire.TimeOf(midnight.Add(time.Duration(minute) * time.Minute))}
	r.Trigger.Type = wire.Text(trigger)
	for _, change := range more {
		change(&r)
	}
	return r
}

func speed(kph float64) func(*report) {
	return func(r *report) { r.Snapshot.WheelBasedSpeed = wire.NumberOf(kph) }
}

func ignition(on bool) func(*report) {
	return func(r *report) { _ = r.Snapshot.Ignition.UnmarshalJSON(strconv.AppendBool(nil, on)) } // a bool is always read
}

func metres(m float64) func(*report) {
	return func(r *report) { r.Distance = wire.NumberOf(m) }
}

func TestTrips(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		reports []report
		horizon int // minute; zero: that of the last report
		want    []string
	}{
		{"ignition", []report{at(10, "IGNITION_ON"), at(50, "IGNITION_OFF")}, 0, []string{"10-50"}},
		{"engine", []report{at(10, "ENGINE_ON"), at(50, "ENGINE_OFF"), at(60, "engine_on"), at(70, "engine_off")}, 0, []string{"10-50", "60-70"}},
		{
			"a change of the ignition",
			[]report{at(10, "IGNITION_CHANGE", ignition(true)), at(50, "IGNITION_CHANGE", ignition(false))},
			0,
			[]string{"10-50"},
		},
		{
			"both kinds of event",
			[]report{at(10, "IGNITION_ON"), at(11, "ENGINE_ON"), at(49, "ENGINE_OFF"), at(50, "IGNITION_OFF")},
			0,
			[]string{"10-50"},
		},
		{
			"both, engine first",
			[]report{at(10, "ENGINE_ON"), at(11, "IGNITION_ON"), at(49, "ENGINE_OFF"), at(50, "IGNITION_OFF")},
			0,
			[]string{"10-50"},
		},
		{
			"an engine that stops at lights",
			[]report{at(10, "IGNITION_ON"), at(20, "ENGINE_OFF"), at(21, "ENGINE_ON"), at(40, "ENGINE_ON"), at(50, "IGNITION_OFF")},
			0,
			[]string{"10-50"},
		},
		{"each reported twice", []report{
			at(10, "IGNITION_ON"), at(10, "IGNITION_ON"), at(50, "IGNITION_OFF"), at(50, "IGNITION_OFF"), at(10, "IGNITION_ON"),
		}, 0, []string{"10-50"}},
		{"no end, then another start", []report{
			at(10, "IGNITION_ON"), at(40, "TIMER", speed(50)), at(45, "TIMER", speed(0)), at(90, "IGNITION_ON"), at(99, "IGNITION_OFF"),
		}, 0, []string{"10-40", "90-99"}},
		{"no end, metres instead of a speed", []report{
			at(10, "IGNITION_ON", metres(5)), at(40, "TIMER", metres(6)), at(45, "TIMER", metres(6)), at(90, "IGNITION_ON"),
		}, 0, []string{"10-40"}},
		{"no end, shown by the ignition", []report{at(10, "IGNITION_ON"), at(50, "TIMER", ignition(false))}, 0, []string{"10-50"}},
		{"a start alone", []report{at(10, "IGNITION_ON"), at(90, "IGNITION_ON"), at(99, "IGNITION_OFF")}, 0, []string{"90-99"}},
		{"no start", []report{at(5, "TIMER", speed(0)), at(10, "TIMER", speed(30)), at(50, "IGNITION_OFF")}, 0, []string{"10-50"}},
		{
			"under way before",
			[]report{at(10, "TIMER", speed(30)), at(50, "IGNITION_OFF"), at(60, "IGNITION_ON"), at(70, "IGNITION_OFF")},
			0,
			[]string{"60-70"},
		},
		{
			"under way before, without its end",
			[]report{at(10, "TIMER", speed(30)), at(12, "IGNITION_ON"), at(70, "IGNITION_OFF")},
			0,
			[]string{"12-70"},
		},
		{"not under way before, as nothing was heard", []report{at(80, "TIMER", speed(30)), at(110, "IGNITION_OFF")}, 0, []string{"80-110"}},
		{"a start that comes late", []report{at(30, "TIMER", speed(30)), at(10, "IGNITION_ON"), at(50, "IGNITION_OFF")}, 0, []string{"10-50"}},
		{"an end that comes late", []report{
			at(10, "IGNITION_ON"), at(60, "TIMER", speed(30)), at(50, "IGNITION_OFF"), at(55, "IGNITION_ON"), at(99, "IGNITION_OFF"),
		}, 0, []string{"10-50", "55-99"}},
		{
			"a report that comes after the end",
			[]report{at(10, "IGNITION_ON"), at(50, "IGNITION_OFF"), at(40, "TIMER", speed(30))},
			2000,
			[]string{"10-50"},
		},
		{"no event at all", []report{
			at(5, "TIMER", speed(0)), at(10, "TIMER", speed(30)), at(60, "TIMER", speed(30)), at(100, "TIMER", speed(0)),
			at(160, "TIMER", speed(30)),
		}, 0, []string{"10-60"}},
		{"silence without an event", []report{at(5, "TIMER"), at(10, "TIMER", speed(30)), at(60, "TIMER", speed(30))}, 136, []string{"10-60"}},
		{"silence after an event", []report{at(10, "IGNITION_ON"), at(60, "TIMER", speed(30))}, 1499, nil},
		{"silence for a day", []report{at(10, "IGNITION_ON"), at(60, "TIMER", speed(30))}, 1501, []string{"10-60"}},
		{"reception after hours", []report{at(10, "IGNITION_ON"), at(60, "TIMER", speed(30)), at(600, "IGNITION_OFF")}, 0, []string{"10-600"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := tripCursor{Begin: midnight.UnixMilli(), Tracks: map[string]*track{}}
			horizon := midnight.Add(time.Duration(test.horizon) * time.Minute)
			if test.horizon == 0 {
				horizon = test.reports[len(test.reports)-1].Created.Time
			}
			var got []string
			for _, trip := range c.follow(test.reports, horizon, provider.Query{}) {
				got = append(got, fmt.Sprintf("%.0f-%.0f", trip.StartTime.Sub(midnight).Minutes(), trip.EndTime.Sub(midnight).Minutes()))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("trips (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTripWithoutCounters(t *testing.T) {
	t.Parallel()
	c := tripCursor{Tracks: map[string]*track{}}
	trips := c.follow([]report{
		at(10, "IGNITION_ON", metres(900)), at(50, "IGNITION_OFF", metres(100)),
	}, midnight.Add(time.Hour), provider.Query{})
	if len(trips) != 1 {
		t.Fatalf("%d trips, want 1", len(trips))
	}
	trip := trips[0]
	if trip.DistanceMetres != nil || trip.DrivingSeconds != nil || trip.Start != nil {
		t.Errorf("a counter that was reset, one that is missing and a place that is not known give %+v", trip)
	}
}

func TestRestingVehiclesLeaveTheCursor(t *testing.T) {
	t.Parallel()
	c := tripCursor{Tracks: map[string]*track{}}
	c.follow([]report{at(10, "IGNITION_ON"), at(50, "IGNITION_OFF")}, midnight.Add(24*time.Hour), provider.Query{})
	if len(c.Tracks) != 1 {
		t.Errorf("after a day: %d tracks, want 1", len(c.Tracks))
	}
	c.follow(nil, midnight.Add(72*time.Hour), provider.Query{})
	if len(c.Tracks) != 0 {
		t.Errorf("after three days: %d tracks, want none", len(c.Tracks))
	}
}

// A report is followed once, however often it is read: when it is old enough.
func TestRipe(t *testing.T) {
	t.Parallel()
	received := func(minute int) func(*report) {
		return func(r *report) { r.Received = wire.TimeOf(midnight.Add(time.Duration(minute) * time.Minute)) }
	}
	reports := []report{
		at(100, "YOUNG", received(100)), at(40, "LATE", received(70)), at(55, "WAITED", received(55)),
		at(45, "KNOWN", received(45)), at(45, "LATE TOO", received(65)), at(60, "NEXT PAGE", received(110)),
	}
	got := reading{reports: reports, reached: midnight.Add(105 * time.Minute)}
	var names []string
	for _, r := range got.ripe(byReceived, midnight.Add(time.Hour), 10*time.Minute) {
		names = append(names, r.trigger())
	}
	if diff := cmp.Diff([]string{"LATE", "LATE TOO", "WAITED"}, names); diff != "" {
		t.Errorf("reports to follow (-want +got):\n%s", diff)
	}
}
