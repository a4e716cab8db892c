package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/drover-fleet/drover"
)

func isMilestone(typ drover.EventType) bool { return strings.HasPrefix(string(typ), "milestone.") }

// checkLog waits until nothing is under way any more, and compares the log of the
// webhook's deliveries with the receiver's journal.
func (j *journey) checkLog() {
	j.t.Helper()
	var log []drover.DeliveryAttempt
	eventually(j.t, func() error {
		log = deliveryLog(j.t, j.c, j.hook)
		attempts := map[string]int{}
		for _, a := range log {
			attempts[a.EventID] = max(attempts[a.EventID], a.Attempt)
		}
		for _, a := range log { // an attempt that has failed says so for ever
			if last := a.Attempt == attempts[a.EventID]; last != (a.State == drover.DeliveryDelivered) {
				return fmt.Errorf("attempt %d of %d at delivery %s of %s is %s", a.Attempt, attempts[a.EventID], a.EventID, a.Type, a.State)
			}
		}
		return nil
	})
	logged, answered := map[string][]int{}, map[string][]int{}
	slices.SortFunc(log, func(a, b drover.DeliveryAttempt) int { return a.Attempt - b.Attempt })
	for _, a := range log {
		if logged[a.EventID] = append(logged[a.EventID], *a.Status); len(logged[a.EventID]) != a.Attempt {
			j.t.Errorf("delivery %s has no attempt before number %d", a.EventID, a.Attempt)
		}
	}
	for _, r := range j.receiver.at(j.t, hookPath) {
		answered[r.ID] = append(answered[r.ID], r.Status)
	}
	if diff := cmp.Diff(answered, logged); diff != "" {
		j.t.Errorf("attempts (-answered +logged):\n%s", diff)
	}
	j.checkHealth()
}

// checkHealth holds that the milestone remembers what went wrong with its own
// webhook, and that it no longer does.
func (j *journey) checkHealth() {
	j.t.Helper()
	eventually(j.t, func() error {
		var m drover.Milestone
		j.c.must(j.t, &m, http.MethodGet, "/milestone/"+j.milestone.ID, "")
		if m.WebhookErrorCount != 0 || m.LastWebhookError == nil || !strings.Contains(*m.LastWebhookError, "503") {
			return fmt.Errorf("the health of the milestone's webhook is %+v", m)
		}
		return nil
	})
}

// checkReported looks at all that the receiver was sent, when no one is left to tell
// it more.
func (j *journey) checkReported() {
	j.t.Helper()
	hook, own := j.receiver.at(j.t, hookPath), j.receiver.at(j.t, milestonePath)
	if all := j.receiver.journal(j.t); len(all) != len(hook)+len(own) {
		j.t.Errorf("%d of %d deliveries came to other paths", len(all)-len(hook)-len(own), len(all))
	}
	for _, journal := range [][]receipt{hook, own} {
		checkOrder(j.t, journal)
		j.checkMilestone(journal)
	}
	j.checkPositions(hook, len(j.drive.samples), cmp.Options{})
	// After the end of the journey its own webhook hears of no more positions, and it
	// asks for nothing more of each.
	j.checkPositions(own, j.drive.ended+1, cmpopts.IgnoreFields(drover.CurrentPosition{}, "Speed", "DriverID"))
}

// checkOrder holds that every delivery was accepted once, that only those were
// refused that were to be, and that all came in order: what was refused comes again
// behind others.
func checkOrder(t *testing.T, journal []receipt) {
	t.Helper()
	first, accepted := map[string]receipt{}, map[string]int{}
	var newest int64
	refused := map[drover.EventType]int{}
	for _, r := range journal {
		before, again := first[r.ID]
		switch {
		case r.Fault != "":
			t.Errorf("%s %s at %s: %s", r.Type, r.ID, r.Path, r.Fault)
		case again && (before.Sequence != r.Sequence || string(before.Data) != string(r.Data)):
			t.Errorf("%s %s at %s is not what it was (-before +again):\n%s", r.Type, r.ID, r.Path, cmp.Diff(before, r))
		case !again && r.Sequence <= newest:
			t.Errorf("%s at %s came with sequence %d after %d", r.Type, r.Path, r.Sequence, newest)
		}
		if !again {
			first[r.ID], newest = r, r.Sequence
		}
		if r.accepted() {
			accepted[r.ID]++
		} else {
			refused[r.Type]++
		}
	}
	for id, r := range first {
		if accepted[id] != 1 {
			t.Errorf("%s %s at %s was accepted %d times", r.Type, id, r.Path, accepted[id])
		}
	}
	want := map[drover.EventType]int{}
	for typ := range refusals {
		want[typ] = 1
	}
	if diff := cmp.Diff(want, refused); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}

// checkMilestone holds that a receiver was sent the milestone as the feed of
// events tells, with the ids and times of the drive.
func (j *journey) checkMilestone(journal []receipt) {
	j.t.Helper()
	var got []drover.MilestoneStep
	var types []drover.EventType
	for _, r := range slices.SortedStableFunc(slices.Values(journal), func(a, b receipt) int { return int(a.Sequence - b.Sequence) }) {
		if isMilestone(r.Type) && r.accepted() {
			var reported drover.MilestoneStep
			j.decode(r, &reported)
			got, types = append(got, reported), append(types, r.Type)
		}
	}
	if diff := cmp.Diff([]drover.EventType{
		drover.EventMilestoneCreated, drover.EventMilestoneStarted, drover.EventMilestoneEntered,
		drover.EventMilestoneEnded,
	}, types); diff != "" {
		j.t.Fatalf("reported of the milestone (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(j.milestone, got[0].Milestone); diff != "" {
		j.t.Errorf("the milestone (-created +reported):\n%s", diff)
	}
	for i, step := range []struct {
		occurred, seen int
		status         drover.MilestoneStatus
	}{
		{j.drive.started, j.drive.started, drover.TripInProgress},
		{j.drive.entered, j.drive.entered, drover.TripInProgress},
		{j.drive.entered, j.drive.ended, drover.TripEnded},
	} {
		want := drover.MilestoneStep{
			Milestone: j.milestone, OccurredAt: j.drive.samples[step.occurred].Time,
			Position: j.drive.samples[step.seen].View(),
		}
		want.Status = step.status
		health := cmpopts.IgnoreFields(drover.Milestone{}, "UpdatedAt", "WebhookErrorCount", "LastWebhookError", "LastWebhookErrorAt")
		options := cmpopts.IgnoreFields(drover.CurrentPosition{}, "Speed", "DriverID") // not all ask for them
		if diff := cmp.Diff(want, got[i+1], health, options, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			j.t.Errorf("%s (-driven +reported):\n%s", types[i+1], diff)
		}
	}
}

// checkPositions holds that a receiver was sent the first samples of the
// drive, each once.
func (j *journey) checkPositions(journal []receipt, samples int, options cmp.Option) {
	j.t.Helper()
	var want, got []drover.DevicePosition
	for _, s := range j.drive.samples[:samples] {
		want = append(want, drover.DevicePosition{DeviceID: j.device.ID, SystemDeviceID: j.drive.vehicle.ID, CurrentPosition: *s.View()})
	}
	for _, r := range journal {
		if r.accepted() {
			got = append(got, j.points(r)...)
		}
	}
	slices.SortStableFunc(got, func(a, b drover.DevicePosition) int { return a.Timestamp.Compare(b.Timestamp.Time) })
	if diff := cmp.Diff(want, got, options, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		j.t.Errorf("positions at %s (-driven +reported):\n%.1500s", journal[0].Path, diff)
	}
}
