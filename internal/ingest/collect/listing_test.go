package collect_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

func named(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("d%02d", i)
	}
	return ids
}

func (r *rig) active(conn drover.Connection) int {
	n := 0
	for _, d := range r.devices(conn) {
		if d.Active {
			n++
		}
	}
	return n
}

// TestFleetThatIsMissing has a vendor that lists nothing, or a part, all at once.
func TestFleetThatIsMissing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("guard", noon, named(20))
		r.run()

		t.Run("AMistakeChangesNothing", func(t *testing.T) {
			s.list()
			r.pass(21 * time.Minute) // two lists
			if n := r.active(conn); n != 20 {
				t.Errorf("%d of 20 devices are left", n)
			}
			r.expectState(conn, drover.ConnectionDegraded)
			if h := r.health(conn); h.Message == nil || !strings.HasPrefix(*h.Message, "20 of 20 devices are missing from the provider's list.") {
				t.Errorf("health says %v", deref(h.Message))
			}
			s.list(named(20)...)
			r.pass(11 * time.Minute)
			r.expectState(conn, drover.ConnectionHealthy)
		})

		t.Run("ThreeListsAreBelieved", func(t *testing.T) {
			s.list(named(12)...)
			r.pass(21 * time.Minute)
			if n := r.active(conn); n != 20 {
				t.Errorf("after two lists %d devices are left", n)
			}
			r.pass(10 * time.Minute)
			if n := r.active(conn); n != 12 {
				t.Errorf("after three lists %d devices are left, want 12", n)
			}
			r.expectState(conn, drover.ConnectionHealthy)
		})

		t.Run("AFewAreBelievedAtOnce", func(t *testing.T) {
			s.list(named(7)...)
			r.pass(11 * time.Minute)
			if n := r.active(conn); n != 7 {
				t.Errorf("%d devices are left, want 7", n)
			}
		})
	})
}

// TestSamePageAgain has a vendor that always says that there is more, on the page
// that it gave before.
func TestSamePageAgain(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("same", noon, nil)
		s.listing = func(string) (provider.Page[provider.Device], error) {
			return provider.Page[provider.Device]{Records: []provider.Device{{SystemDeviceID: "a"}}, Cursor: "x", More: true}, nil
		}
		r.run()
		if h := r.health(conn); !strings.HasSuffix(deref(h.Message), "the provider gave the same page of its list of devices again") {
			t.Errorf("health says %v", deref(h.Message))
		}
	})
}

// TestLargeAnswerIsStoredInParts lists more devices at once than a transaction
// takes, and one of them twice.
func TestLargeAnswerIsStoredInParts(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		ids := make([]string, 2500)
		for i := range ids {
			ids[i] = fmt.Sprint(i)
		}
		s, conn := r.stub("large", noon, append(ids, "0"))
		s.devices[2500].Make = new("Volvo")
		r.run()
		devices := r.devices(conn)
		if len(devices) != 2500 || len(r.events(drover.EventDeviceCreated)) != 2500 || deref(devices["0"].Make) != "Volvo" {
			t.Errorf("%d devices, %d reported", len(devices), len(r.events(drover.EventDeviceCreated)))
		}
		s.list(ids[:2499]...)
		r.pass(11 * time.Minute)
		if n := r.active(conn); n != 2499 {
			t.Errorf("%d devices are active", n)
		}
	})
}
