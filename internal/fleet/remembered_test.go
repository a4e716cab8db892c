package fleet_test

import (
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

// TestRemembered holds that a key is remembered once it was looked at, not after it is
// deleted, and not where it matters from where it is used.
func TestRemembered(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx := guard.WithRequest(r.t.Context(), guard.Request{Action: "test", Address: "192.0.2.7:1234"})
		add := func(networks ...string) drover.APIKeyCreated {
			role := drover.RoleViewer
			return must(r, func() (drover.APIKeyCreated, error) {
				return r.CreateAPIKey(ctx, r.owner, drover.APIKeyInput{Name: "key", Role: &role, Networks: networks})
			})
		}
		free, bound := add(), add("192.0.2.0/24")
		if _, known := r.Remembered("Bearer " + free.Key); known {
			r.t.Error("a key is remembered before anybody has looked at it")
		}
		for _, key := range []string{free.Key, bound.Key} {
			p := must(r, func() (drover.Principal, error) { return r.Authenticate(ctx, "Bearer "+key) })
			if p.TenantID != r.owner.TenantID {
				r.t.Errorf("the key is of tenant %s, want %s", p.TenantID, r.owner.TenantID)
			}
		}
		if p, known := r.Remembered("Bearer " + free.Key); !known || p.TenantID != r.owner.TenantID || p.Role != drover.RoleViewer {
			r.t.Errorf("a key that was looked at: %v, %+v", known, p)
		}
		for _, header := range []string{"", "Bearer", "Basic " + free.Key, "Bearer " + free.Key + "x", "Bearer " + bound.Key} {
			if _, known := r.Remembered(header); known {
				r.t.Errorf("%q is remembered", header)
			}
		}
		if err := r.DeleteAPIKey(ctx, r.owner, free.ID); err != nil {
			r.t.Fatal(err)
		}
		if _, known := r.Remembered("Bearer " + free.Key); known {
			r.t.Error("a key that was deleted is remembered")
		}
	})
}
