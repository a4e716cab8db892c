package collect_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// push is how a connection's push is shown.
func (r *rig) push(conn drover.Connection) *drover.Push {
	r.t.Helper()
	h, err := r.fleet.Connections.ConnectionHealth(r.t.Context(), r.principal, conn.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return h.Push
}

// pushBecomes waits until a connection's push is shown as it should be.
func (r *rig) pushBecomes(conn drover.Connection, want drover.Push) {
	r.t.Helper()
	r.until(fmt.Sprintf("its push is shown as %+v", want), func() bool { return cmp.Equal(want, *r.push(conn)) })
}

// TestPushIsShown holds the health of a connection to say whether its push is open, and
// what was wrong.
func TestPushIsShown(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		p, conn := r.tap("one")
		_, silent := r.stub("two", noon, []string{"a"})
		becomes := func(want drover.Push) {
			t.Helper()
			r.pushBecomes(conn, want)
		}
		becomes(drover.Push{State: drover.PushClosed})
		c := r.collecting()
		receive(t, "push", p.opened)
		becomes(drover.Push{State: drover.PushOpen, Since: new(drover.At(noon))})
		r.until("it is polled when it is open", func() bool { return p.livePolls() >= 2 })

		r.clock.Advance(time.Second)
		p.cut <- errors.New("connection reset")
		becomes(drover.Push{State: drover.PushClosed, Since: new(drover.At(noon.Add(time.Second))), Message: new("connection reset")})
		r.clock.Advance(30 * time.Second)
		r.wakeUntil(c, "it is opened again", p.reopened)
		becomes(drover.Push{State: drover.PushOpen, Since: new(drover.At(noon.Add(31 * time.Second)))})

		c.Stop()
		becomes(drover.Push{State: drover.PushClosed, Since: new(drover.At(noon.Add(31 * time.Second)))})
		if got := r.push(silent); got != nil {
			t.Errorf("a provider without pushes shows %+v", got)
		}
	})
}

// TestPushOfAProcessThatDied is not shown as open when its lease is over.
func TestPushOfAProcessThatDied(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		p, conn := r.tap("one")
		r.collecting()
		receive(t, "push", p.opened)
		state := func() drover.PushState {
			h, err := r.fleet.Connections.ConnectionHealth(t.Context(), r.principal, conn.ID)
			if err != nil {
				t.Fatal(err)
			}
			return h.Push.State
		}
		r.until("it is shown as open", func() bool { return state() == drover.PushOpen })
		p.refuse.Store(provider.Errorf(provider.KindTemporary, "no other is opened"))
		if err := r.store.Update(t.Context(), func(tx *store.Tx) error { return tx.Jobs.FreeLeases(t.Context()) }); err != nil {
			t.Fatal(err)
		}
		if got := state(); got != drover.PushClosed {
			t.Errorf("it is shown as %s", got)
		}
	})
}
