package sim_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/sim"
)

// TestJourneysAreTrips finds each trip of a week in the samples.
func TestJourneysAreTrips(t *testing.T) {
	t.Parallel()
	fleet := sim.New(sim.Options{Seed: 5})
	v := fleet.Vehicles()[0]
	end := monday.AddDate(0, 0, 7)
	var got, want [][2]int64
	for _, run := range sim.Journeys(fleet.Positions(v, monday, end)) {
		got = append(got, [2]int64{run[0].ID, run[len(run)-1].ID})
	}
	for _, trip := range fleet.Trips(v, monday, end) {
		want = append(want, [2]int64{trip.StartID, trip.EndID})
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("journeys by their first and last sample (-trips +samples):\n%s", diff)
	}
}

func TestJourneysAreCutByTheWindow(t *testing.T) {
	t.Parallel()
	fleet := sim.New(sim.Options{Seed: 5})
	v := fleet.Vehicles()[0]
	trip := fleet.Trips(v, monday, monday.AddDate(0, 0, 7))[0]
	within := fleet.Positions(v, trip.StartTime.Add(time.Minute), trip.EndTime)
	runs := sim.Journeys(within)
	if len(runs) != 1 || len(runs[0]) != len(within) {
		t.Errorf("%d journeys in the middle of one", len(runs))
	}
}

func TestUnderWay(t *testing.T) {
	t.Parallel()
	fleet := sim.New(sim.Options{Seed: 5})
	var now time.Time
	account := sim.NewAccount(fleet, func() time.Time { return now }, nil)
	v := fleet.Vehicles()[0]
	for _, trip := range fleet.Trips(v, monday, monday.AddDate(0, 0, 7)) {
		now = trip.StartTime.Add(-time.Second)
		if run := account.UnderWay(v); run != nil {
			t.Errorf("under way since %v before the start at %v", run[0].Time, trip.StartTime)
		}
		now = trip.EndTime.Add(-time.Second)
		run := account.UnderWay(v)
		if len(run) == 0 || run[0].ID != trip.StartID || run[len(run)-1].Time.After(now) {
			t.Errorf("%d samples of the trip that began at %v", len(run), trip.StartTime)
		}
		now = trip.EndTime
		if run := account.UnderWay(v); run != nil {
			t.Errorf("under way since %v after the end at %v", run[0].Time, trip.EndTime)
		}
	}
}
