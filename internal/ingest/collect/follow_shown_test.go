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

// TestStreamIsShown holds the health of a connection to say whether its stream is open, and
// what was wrong.
func TestStreamIsShown(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		p, conn := r.tap("one")
		_, silent := r.stub("two", noon, []string{"a"})
		shown := func(conn drover.Connection) *drover.VendorStream {
			t.Helper()
			h, err := r.fleet.ConnectionHealth(t.Context(), r.principal, conn.ID)
			if err != nil {
				t.Fatal(err)
			}
			return h.Stream
		}
		becomes := func(want drover.VendorStream) {
			t.Helper()
			r.until(fmt.Sprintf("it is shown as %+v", want), func() bool { return cmp.Equal(want, *shown(conn)) })
		}
		becomes(drover.VendorStream{State: drover.VendorStreamClosed})
		c := r.collecting()
		receive(t, "stream", p.opened)
		becomes(drover.VendorStream{State: drover.VendorStreamOpen, Since: new(drover.At(noon))})
		r.until("it is polled when it is open", func() bool { return p.livePolls() >= 2 })

		r.clock.Advance(time.Second)
		p.cut <- errors.New("connection reset")
		becomes(drover.VendorStream{State: drover.VendorStreamClosed, Since: new(drover.At(noon.Add(time.Second))), Message: new("connection reset")})
		r.clock.Advance(30 * time.Second)
		r.wakeUntil(c, "it is opened again", p.reopened)
		becomes(drover.VendorStream{State: drover.VendorStreamOpen, Since: new(drover.At(noon.Add(31 * time.Second)))})

		c.Stop()
		becomes(drover.VendorStream{State: drover.VendorStreamClosed, Since: new(drover.At(noon.Add(31 * time.Second)))})
		if got := shown(silent); got != nil {
			t.Errorf("a provider without streams shows %+v", got)
		}
	})
}

// TestStreamOfAProcessThatDied is not shown as open when its lease is over.
func TestStreamOfAProcessThatDied(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		p, conn := r.tap("one")
		r.collecting()
		receive(t, "stream", p.opened)
		state := func() drover.VendorStreamState {
			h, err := r.fleet.ConnectionHealth(t.Context(), r.principal, conn.ID)
			if err != nil {
				t.Fatal(err)
			}
			return h.Stream.State
		}
		r.until("it is shown as open", func() bool { return state() == drover.VendorStreamOpen })
		p.refuse.Store(provider.Errorf(provider.KindTemporary, "no other is opened"))
		if err := r.store.Update(t.Context(), func(tx *store.Tx) error { return tx.Jobs.FreeLeases(t.Context()) }); err != nil {
			t.Fatal(err)
		}
		if got := state(); got != drover.VendorStreamClosed {
			t.Errorf("it is shown as %s", got)
		}
	})
}
