package fleet_test

import (
	"fmt"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// TestManyErasures has a tenant ask for the erasure of more drivers than it may: each goes
// through all of its data. One that is asked for twice is one, and another tenant's does
// not wait for all of them.
func TestManyErasures(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx := r.t.Context()
		erase := func(p drover.Principal, driver string) drover.DriverErasure {
			r.t.Helper()
			return must(r, func() (drover.DriverErasure, error) { return r.Drivers.EraseDriver(ctx, p, driver) })
		}
		first := erase(r.owner, "driver-0")
		for i := 1; i < 100; i++ {
			erase(r.owner, fmt.Sprintf("driver-%d", i))
		}
		if _, err := r.Drivers.EraseDriver(ctx, r.owner, "one-more"); drover.ErrorKind(err) != drover.KindForbidden {
			r.t.Errorf("more than may wait: %v", err)
		}
		if again := erase(r.owner, "driver-0"); again.ID != first.ID {
			r.t.Errorf("asked for twice, it is %s and %s", first.ID, again.ID)
		}
		other := erase(r.people["partner admin"], "driver-0")
		next := func() work.DriverErasure {
			r.t.Helper()
			now := drover.At(r.options.Now())
			e := must(r, func() (work.DriverErasure, error) {
				return r.options.Store.Jobs.ClaimDriverErasure(ctx, now, drover.At(now.AddDate(0, 0, 1)))
			})
			r.update(func(tx *store.Tx) error { return tx.Jobs.EndDriverErasure(ctx, e, now) })
			return e
		}
		if e := next(); e.ID != first.ID {
			r.t.Errorf("the first is %+v", e)
		}
		if e := next(); e.ID != other.ID {
			r.t.Errorf("the other tenant waits for %+v", e)
		}
		erase(r.owner, "one-more") // there is room again
	})
}
