package collect_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// jumper is a device that stands at home, and may tell of the end of its journey,
// 500 km away.
type jumper struct {
	*rig
	s      *stub
	device string
	end    drover.Coordinate
}

func newJumper(r *rig, name string, with ...func(*drover.ConnectionInput)) *jumper {
	r.t.Helper()
	s, conn := r.stub(name, noon.Add(-time.Hour), []string{"a"}, with...)
	r.run()
	j := &jumper{rig: r, s: s, device: r.devices(conn)["a"].ID, end: drover.Coordinate{Latitude: -33, Longitude: 145}}
	m := store.Milestone{
		Milestone: drover.Milestone{
			ID: store.NewID(), TenantID: r.principal.TenantID, DeviceID: j.device, Status: drover.TripNotStarted,
			StartTime: drover.At(noon.Add(-time.Hour)), StartPoint: drover.Coordinate{Latitude: -37, Longitude: 145}, EndPoint: j.end,
		},
		DeviceTenantID: r.principal.TenantID, State: []byte(`{}`),
	}
	r.update(func(ctx context.Context, tx *store.Tx) error { return tx.Trips.AddMilestone(ctx, m) })
	return j
}

func (j *jumper) home(minute int) provider.Position {
	return at("a", noon.Add(time.Duration(minute-30)*time.Minute), -37, 145)
}

func (j *jumper) away(minute int) provider.Position {
	return at("a", noon.Add(time.Duration(minute-30)*time.Minute), j.end.Latitude, j.end.Longitude)
}

// tell has the vendor report positions, in a transaction of their own.
func (j *jumper) tell(positions ...provider.Position) {
	j.t.Helper()
	j.s.next(positions...)
	j.pass(time.Minute)
}

// expect holds what is stored and what has been reported: a letter for each minute, h
// for home and a for away, and j for away as a jump.
func (j *jumper) expect(marks string, reported []int, status drover.MilestoneStatus) {
	j.t.Helper()
	var letters []string
	var newest drover.Time
	for _, p := range j.positions(j.device) {
		letter := "h"
		if p.Latitude == j.end.Latitude {
			letter = "a"
		}
		if p.Suspect == "jump" {
			letter = "j"
		} else {
			newest = p.Time
		}
		letters = append(letters, letter)
	}
	if got := strings.Join(letters, ""); got != marks {
		j.t.Errorf("the positions are %s, want %s", got, marks)
	}
	if latest, err := j.store.Fleet.LatestPosition(j.t.Context(), j.principal.TenantID, j.device); err != nil ||
		!latest.Time.Equal(newest.Time) {
		j.t.Errorf("the newest position is of %v, %v; want %v", latest.Time, err, newest)
	}
	var minutes []int
	for _, e := range j.events(drover.EventPositionUpdated) {
		for _, p := range decode[drover.PositionBatch](j.t, e).Positions {
			if p.DeviceID != j.device {
				continue
			}
			minutes = append(minutes, int(p.Timestamp.Sub(noon.Add(-30*time.Minute)).Minutes()))
		}
	}
	if diff := cmp.Diff(reported, minutes); diff != "" {
		j.t.Errorf("the positions reported (-want +got):\n%s", diff)
	}
	all, err := j.store.Trips.Milestones(j.t.Context(), j.principal.TenantID, drover.MilestoneFilter{DeviceID: j.device}, "", 2)
	if err != nil || len(all) != 1 || all[0].Status != status {
		j.t.Errorf("the milestones are %v, %v; want one that is %s", all, err, status)
	}
	j.checkReportedStatus(all[0].ID, status)
}

// onBothKinds runs f with a connection whose trips are derived and with one whose
// vendor reports them: what is a jump depends on neither.
func onBothKinds(t *testing.T, f func(t *testing.T, j *jumper)) {
	t.Helper()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		f(t, newJumper(r, "derived"))
		f(t, newJumper(r, "native", native))
	})
}

// TestJump holds that nothing follows from a jump.
func TestJump(t *testing.T) {
	t.Parallel()
	onBothKinds(t, func(t *testing.T, j *jumper) {
		t.Helper()
		j.tell(j.home(0), j.home(1))
		j.tell(j.away(2))
		j.expect("hhj", []int{0, 1}, drover.TripNotStarted)
		j.tell(j.home(3), j.away(4), j.home(5))
		j.expect("hhjhjh", []int{0, 1, 3, 5}, drover.TripNotStarted)
		shown, err := j.fleet.Devices.Positions(t.Context(), j.principal, j.device,
			drover.PositionFilter{From: drover.Milli(0), To: new(drover.At(noon))}, drover.PositionCursor{}, 100)
		if err != nil || len(shown) != 4 {
			t.Errorf("%d positions are shown as believed, %v; want 4", len(shown), err)
		}
	})
}

// TestJumpConfirmed holds that a jump that several positions over minutes confirm
// was none: all that was held back follows, in order.
func TestJumpConfirmed(t *testing.T) {
	t.Parallel()
	onBothKinds(t, func(t *testing.T, j *jumper) {
		t.Helper()
		j.tell(j.home(0), j.home(1))
		j.tell(j.away(2))
		j.tell(j.away(3), j.away(4))
		j.tell(j.away(5))
		j.expect("hhjjjj", []int{0, 1}, drover.TripNotStarted)
		j.tell(j.away(6))
		j.expect("hhaaaaa", []int{0, 1, 2, 3, 4, 5, 6}, drover.TripEnded)
		for _, e := range j.events(drover.EventMilestoneStarted, drover.EventMilestoneEnded) {
			// Of any device: all of them have left at the same time.
			if got := decode[drover.MilestoneStep](t, e).OccurredAt; !got.Equal(j.away(2).Time.Time) {
				t.Errorf("%s occurred at %v, want %v", e.Type, got, j.away(2).Time)
			}
		}
	})
}

// TestJumpRefuted holds that what a position brought about that only late ones show
// to be a jump is undone.
func TestJumpRefuted(t *testing.T) {
	t.Parallel()
	onBothKinds(t, func(t *testing.T, j *jumper) {
		t.Helper()
		j.tell(j.away(2))
		j.expect("a", []int{2}, drover.TripInProgress)
		j.tell(j.home(0), j.home(1))
		j.expect("hhj", []int{2, 0, 1}, drover.TripNotStarted)
		j.tell(j.home(3))
		j.expect("hhjh", []int{2, 0, 1, 3}, drover.TripNotStarted)
	})
}

// TestJumpBetween holds that a jump becomes one that is believed when a late
// position confirms it.
func TestJumpBetween(t *testing.T) {
	t.Parallel()
	onBothKinds(t, func(t *testing.T, j *jumper) {
		t.Helper()
		j.tell(j.home(0), j.home(1), j.away(2), j.away(3), j.away(5), j.away(6))
		j.tell(j.home(7), j.home(8), j.home(9), j.home(10), j.home(11))
		j.expect("hhjjjjhhhhh", []int{0, 1, 7, 8, 9, 10, 11}, drover.TripNotStarted)
		j.tell(j.away(4))
		j.expect("hhaaaaahhhhh", []int{0, 1, 7, 8, 9, 10, 11, 2, 3, 4, 5, 6}, drover.TripEnded)
	})
}

// TestJumpsOfOldStates holds that devices whose state another version of the rule
// made, or none, have their jumps found too.
func TestJumpsOfOldStates(t *testing.T) {
	t.Parallel()
	onBothKinds(t, func(t *testing.T, j *jumper) {
		t.Helper()
		j.tell(j.home(0), j.home(1), j.away(2), j.home(3))
		j.setState([]byte{1, 2, 3})
		j.tell(j.away(5), j.home(4))
		j.expect("hhjhhj", []int{0, 1, 3, 4}, drover.TripNotStarted)
		j.setState(nil)
		j.tell(j.home(8), j.away(7), j.home(6))
		j.expect("hhjhhjhjh", []int{0, 1, 3, 4, 6, 8}, drover.TripNotStarted)
	})
}

// setState replaces the fold of the device's positions.
func (j *jumper) setState(fold []byte) {
	j.t.Helper()
	j.update(func(ctx context.Context, tx *store.Tx) error {
		states, err := tx.Fleet.DeviceStates(ctx, j.principal.TenantID, []string{j.device})
		if err != nil {
			return err
		}
		states[j.device].TripState = fold
		return tx.Fleet.SetDeviceStates(ctx, j.principal.TenantID, []*store.DeviceState{states[j.device]})
	})
}
