package collect_test

import (
	"context"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// TestMoreDevicesThanAllowed has a vendor list more than the tenant may have: what is
// beyond is not stored, neither are its positions, and the health says so until
// there is room.
func TestMoreDevicesThanAllowed(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		limit := func(n int64) {
			r.update(func(ctx context.Context, tx *store.Tx) error {
				return tx.Accounts.SetLimit(ctx, r.principal.TenantID, drover.QuotaDevices, n)
			})
		}
		limit(7)
		s, conn := r.stub("many", noon, named(10))
		s.positions = func(context.Context, provider.Query) (provider.Page[provider.Position], error) {
			return provider.Page[provider.Position]{Cursor: "x", Records: []provider.Position{
				{SystemDeviceID: "d00", Position: drover.Position{Time: drover.At(r.clock.Now()), Latitude: 48, Longitude: 11}},
				{SystemDeviceID: "d09", Position: drover.Position{Time: drover.At(r.clock.Now()), Latitude: 48, Longitude: 11}},
			}}, nil
		}
		r.run()
		devices := r.devices(conn)
		if len(devices) != 7 || len(r.positions(devices["d00"].ID)) != 1 {
			t.Errorf("%d devices, want 7, and %d positions of the first, want 1", len(devices), len(r.positions(devices["d00"].ID)))
		}
		const words = "3 of the 10 devices that the provider lists are not stored: the account's limit of 7 devices is reached."
		if got := deref(r.health(conn).Message); got != words {
			t.Errorf("health says %q", got)
		}
		r.expectState(conn, drover.ConnectionHealthy)

		limit(10)
		r.pass(11 * time.Minute)
		if h := r.health(conn); len(r.devices(conn)) != 10 || h.Message != nil {
			t.Errorf("with more room %d devices, and health says %q", len(r.devices(conn)), deref(h.Message))
		}
	})
}
