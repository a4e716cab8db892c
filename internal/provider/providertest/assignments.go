package providertest

import (
	"slices"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/sim"
)

// testAssignments holds that what is stated of who drove is what the fleet did: at most of the
// times of its positions the driver is the position's, whether it comes as times or as changes, and
// what comes again is known by the same name.
func testAssignments(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{})
	r.clock.Advance(6 * time.Hour)
	reader, ok := r.adapter(t).(*noting).Provider.(provider.AssignmentReader)
	if !ok {
		t.Fatal("the adapter reads no assignments, and says that it does")
	}
	q := provider.Query{From: began, Devices: r.ids()}
	stated := map[[2]string]provider.Assignment{}
	for round := range 2 {
		for more := true; more; {
			page, err := reader.Assignments(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range page.Records {
				name := [2]string{a.SystemDeviceID, a.ID}
				before, again := stated[name]
				switch {
				case a.ID == "" || a.From.IsZero() || !slices.Contains(drover.AssignmentMethods, a.Method):
					t.Errorf("an assignment %+v", a)
				case a.To != nil && a.To.Before(a.From.Time), a.To != nil && h.Info.Assignments.Changes:
					t.Errorf("an assignment from %s to %s", a.From, a.To)
				case round > 0 && again && (!before.From.Equal(a.From.Time) || driverOf(before) != driverOf(a)):
					t.Errorf("%v was %+v and is %+v", name, before, a)
				}
				stated[name] = a
			}
			q.Cursor, more = page.Cursor, page.More
		}
	}
	agree, all := 0, 0
	for _, v := range r.fleet.Vehicles() {
		for _, p := range r.fleet.Positions(v, began, r.clock.Now().Add(-time.Hour)) {
			if p.Received.After(r.clock.Now()) || p.DriverID == nil {
				continue
			}
			all++
			if driver := statedAt(stated, h.ID(v), p.Time.Time, h.Info.Assignments.Changes); driver == h.DriverID(*p.DriverID) {
				agree++
			}
		}
	}
	if all == 0 || agree*10 < all*9 {
		t.Errorf("of %d positions the driver of %d is stated", all, agree)
	}
}

// statedAt is who is stated to have driven a device at a time.
func statedAt(stated map[[2]string]provider.Assignment, device string, at time.Time, changes bool) string {
	var found provider.Assignment
	for name, a := range stated {
		covers := name[0] == device && !a.From.After(at) && (changes || a.To == nil || !a.To.Before(at))
		if covers && a.From.After(found.From.Time) {
			found = a
		}
	}
	return driverOf(found)
}

func driverOf(a provider.Assignment) string {
	if a.DriverID == nil {
		return ""
	}
	return *a.DriverID
}
