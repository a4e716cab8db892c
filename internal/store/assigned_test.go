package store_test

import (
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// TestAssignmentsAreForgotten forgets what has ended before a cut, of the tenant alone, and keeps
// what goes on; a device is erased with the rest.
func TestAssignmentsAreForgotten(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, d := f.t.Context(), f.addDevice()
		of := func(name string, from int, to *drover.Time) store.Assignment {
			return store.Assignment{
				ID: store.NewID(), ConnectionID: f.connection, DeviceID: d.ID, SystemID: name, DriverID: new("D-1"), Method: drover.ByApp,
				From: after(from), To: to,
			}
		}
		f.update(func(tx *store.Tx) error {
			return tx.Drivers.SetAssignments(ctx, f.own, []store.Assignment{
				of("ended", 0, new(after(10))), of("later", 0, new(after(30))), of("open", 0, nil),
			})
		})
		names := func() (names []string) {
			f.t.Helper()
			for _, a := range must[[]store.Assignment](f.t)(f.Drivers.AssignmentsStated(ctx, f.own, []string{d.ID}, after(-1), after(60), 10)) {
				names = append(names, a.SystemID)
				if (a.To == nil) != (a.SystemID == "open") {
					f.t.Errorf("%s ends at %v", a.SystemID, a.To)
				}
			}
			return names
		}
		check(f.t, len(names()), 3)
		check(f.t, must[int64](f.t)(f.ForgetAssignments(ctx, []history.Cut{{TenantID: f.other, Before: new(after(60))}, {TenantID: f.own}})), 0)
		check(f.t, must[int64](f.t)(f.ForgetAssignments(ctx, []history.Cut{{TenantID: f.own, Before: new(after(20))}})), 1)
		check(f.t, len(names()), 2)
		f.update(func(tx *store.Tx) error {
			more, err := tx.Vehicles.EraseAssignments(ctx, f.own, d.ID)
			check(f.t, more, false)
			return err
		})
		check(f.t, len(names()), 0)
	})
}
