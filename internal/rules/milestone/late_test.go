package milestone_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/milestone"
)

// due is a milestone under way, whose device is some seconds before its predicted
// arrival: a router says so.
func due(now time.Time, deadline drover.Time, was bool) milestone.View {
	start := drover.At(now.Add(-time.Hour))
	site := drover.Coordinate{Latitude: 52.5, Longitude: 13.4}
	depot := geo.Destination(site, 270, 50_000)
	return milestone.View{
		Milestone: drover.Milestone{StartPoint: depot, EndPoint: site, StartTime: start, EndTime: &deadline, Status: drover.TripInProgress},
		State:     milestone.State{Status: drover.TripInProgress, StartedAt: &start, Late: was},
		Latest:    &drover.Position{Time: drover.At(now), Latitude: depot.Latitude, Longitude: depot.Longitude},
		Config:    milestone.DefaultConfig(), Now: now,
	}
}

// The bounds of being late, on both sides: a tenth of the time that remains, five minutes
// at least; and back when it is no longer later at all.
func TestLatenessBounds(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	eta := due(now, drover.At(now), false).Predict().P50.Time
	left := eta.Sub(now)
	if left < 55*time.Minute {
		t.Fatalf("only %s are left: the share is not what is tested", left)
	}
	for _, c := range []struct {
		name string
		by   time.Duration // by how much the arrival is later than the deadline
		was  bool
		want bool
	}{
		{"far earlier", -time.Hour, false, false},
		{"a little later", left/10 - time.Millisecond, false, false},
		{"a tenth later", left/10 + time.Millisecond, false, true},
		{"it stays late within the tenth", time.Millisecond, true, true},
		{"it is on time at the deadline", 0, true, false},
		{"it is on time before", -time.Minute, true, false},
	} {
		v := due(now, drover.Time{Time: eta.Add(-c.by)}, c.was)
		got, known := v.Lateness()
		if !known || got.Late != c.want || got.By != c.by || got.P10 == nil || got.P90 == nil || !got.ETA.Equal(eta) {
			t.Errorf("%s: %+v, known %t, want late %t by %s", c.name, got, known, c.want, c.by)
		}
	}
}

// Where nothing can be predicted the clock decides: a deadline that has passed is not
// met, and nothing says that it will be.
func TestLatenessWithoutPrediction(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		since time.Duration
		was   bool
		want  bool
	}{
		{-time.Hour, false, false},
		{-time.Hour, true, true},
		{5*time.Minute - time.Millisecond, false, false},
		{5 * time.Minute, false, true},
	} {
		v := due(now, drover.Time{Time: now.Add(-c.since)}, c.was)
		v.Latest = nil
		if got, known := v.Lateness(); !known || got.Late != c.want || got.ETA != nil || got.P10 != nil || got.By != c.since {
			t.Errorf("%s after its deadline, late before %t: %+v", c.since, c.was, got)
		}
	}
	v := due(now, drover.At(now), false)
	v.Milestone.EndTime = nil
	if _, known := v.Lateness(); known {
		t.Error("without a deadline it is late or not")
	}
	v = due(now, drover.At(now), false)
	v.State.Status = drover.TripEnded
	if _, known := v.Lateness(); known {
		t.Error("a journey that ended without an arrival is late or not")
	}
	v.ArrivedAt = new(drover.At(now.Add(5 * time.Minute)))
	if got, _ := v.Lateness(); !got.Late || got.By != 5*time.Minute || got.P10 != nil {
		t.Errorf("an arrival after its deadline: %+v", got)
	}
}

// A prediction that wavers by less than the margin is reported once, whatever the
// order; and looks that are not forced by anything else become rarer the more time there is.
func TestLatenessDoesNotFlap(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	eta := due(now, drover.At(now), false).Predict().P50.Time
	margin := max(5*time.Minute, eta.Sub(now)/10)
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 7))
		middle := time.Duration(random.Float64()*4-2) * time.Hour
		late, crossings := false, 0
		for range 50 {
			// The arrival wavers by less than the margin; the deadline is where it is.
			by := middle + time.Duration((random.Float64()-0.5)*float64(margin-time.Second))
			got, _ := due(now, drover.Time{Time: eta.Add(-by)}, late).Lateness()
			if got.Late != late {
				crossings++
			}
			late = got.Late
		}
		if crossings > 1 {
			t.Fatalf("seed %d: reported %d times around %s", seed, crossings, middle)
		}
	}
	v := due(now, drover.At(now.Add(24*time.Hour)), false)
	l, _ := v.Lateness()
	looks := 0
	for {
		next, again := l.Again(v)
		if !again {
			break
		}
		if looks++; !next.After(v.Now) || looks > 100 {
			t.Fatalf("after %d looks the next one at %s is at %s", looks, v.Now, next)
		}
		v.Now = next.Time // the device stays silent
		l, _ = v.Lateness()
	}
	if !l.Late || looks > 20 {
		t.Errorf("after %d looks in a day it is late: %t", looks, l.Late)
	}
}

// TestLookedAtAgain holds that lateness is looked at again when half of the time to spare is over.
func TestLookedAtAgain(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	end := drover.At(now.Add(10 * time.Hour))
	v := milestone.View{Milestone: drover.Milestone{EndTime: &end}, Now: now}
	if next, again := (milestone.Lateness{By: -4 * time.Hour}).Again(v); !again || !next.Equal(now.Add(2*time.Hour)) {
		t.Errorf("with four hours to spare: %v, %v", next, again)
	}
}
