package milestone_test

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/milestone"
)

// TestDone holds which part of the way is done: by the straight lines, nothing before
// the start and all after the arrival.
func TestDone(t *testing.T) {
	t.Parallel()
	round := journey()
	round.EndPoint = round.StartPoint
	for _, tc := range []struct {
		name   string
		m      drover.Milestone
		status drover.MilestoneStatus
		latest *drover.Position
		want   float64
	}{
		{"NotStarted", journey(), drover.TripNotStarted, new(seen(0, 5_000)), 0},
		{"NotSeen", journey(), drover.TripInProgress, nil, 0},
		{"AQuarter", journey(), drover.TripInProgress, new(seen(0, 5_000)), 0.25},
		{"InTheOtherDirection", journey(), drover.TripInProgress, new(seen(0, -5_000)), 0},
		{"There", journey(), drover.TripInProgress, new(seen(0, 20_000)), 1},
		{"Ended", journey(), drover.TripEnded, new(seen(0, 5_000)), 1},
		{"RoundTrip", round, drover.TripInProgress, new(seen(0, 5_000)), 0},
	} {
		tc.m.Status = tc.status
		if got := milestone.Done(tc.m, tc.latest); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestShared holds what someone without a user sees: the vehicle only on its way, the
// arrival only while it is heard of, and when it arrived only where it did.
func TestShared(t *testing.T) {
	t.Parallel()
	ended := drover.At(epoch.Add(time.Hour))
	for _, tc := range []struct {
		name                       string
		status                     drover.MilestoneStatus
		latest                     *drover.Position
		expired                    bool
		position, arrival, arrived bool
	}{
		{"NothingSeen", drover.TripNotStarted, nil, false, false, false, false},
		{"BeforeTheStart", drover.TripNotStarted, new(seen(59, 0)), false, false, true, false},
		{"OnItsWay", drover.TripInProgress, new(seen(59, 5_000)), false, true, true, false},
		{"Silent", drover.TripInProgress, new(seen(40, 5_000)), false, true, false, false},
		{"Arrived", drover.TripEnded, new(seen(59, 20_000)), false, false, false, true},
		{"Expired", drover.TripEnded, new(seen(59, 5_000)), true, false, false, false},
	} {
		v := view(tc.latest, epoch.Add(time.Hour))
		v.Milestone.Status, v.State.EndedAt, v.State.Expired = tc.status, &ended, tc.expired
		got := milestone.Shared(v)
		if (got.Position != nil) != tc.position || (got.Arrival != nil) != tc.arrival || (got.ArrivedAt != nil) != tc.arrived {
			t.Errorf("%s: %+v", tc.name, got)
		}
		if tc.position && (*got.DistanceToDestinationKM < 14.9 || *got.DistanceToDestinationKM > 15.1 ||
			!got.UpdatedAt.Equal(tc.latest.Time.Time)) {
			t.Errorf("%s: %v km at %v", tc.name, *got.DistanceToDestinationKM, got.UpdatedAt)
		}
	}
}
