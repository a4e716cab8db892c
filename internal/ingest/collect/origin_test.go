package collect_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/store"
)

// TestSilentOriginOfManyTenants has connections of several tenants, none of which has
// more than its share, call one host that never answers: workers are left for those
// who call another.
func TestSilentOriginOfManyTenants(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		const workers, tenants = 8, 5 // with two connections each: more than there are workers and reserve
		called := make(chan struct{}, 100)
		r.network.serve("hung.example", http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			called <- struct{}{}
			<-req.Context().Done()
		}))
		polled := make(chan struct{}, 100)
		r.network.serve("sound.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			polled <- struct{}{}
			_ = json.NewEncoder(w).Encode([]any{}) // a recorder takes everything
		}))
		for i := range tenants {
			r.addTenant(string(rune('a' + i)))
			for range 2 {
				r.connect(drover.Traccar, noon, map[string]string{"base_url": "https://hung.example", "token": "x"})
			}
		}
		c := r.another("live", func(o *collect.Options) { o.Workers, o.Lease = workers, time.Hour })
		c.Start(t.Context())
		defer c.Stop()
		for range workers {
			r.await(called, "call to the host that hangs")
		}
		r.addTenant("sound")
		r.connect(drover.Traccar, noon, map[string]string{"base_url": "https://sound.example", "token": "x"})
		c.Wake()
		r.await(polled, "call to the other host")
	})
}

// addTenant makes what follows that of a new tenant.
func (r *rig) addTenant(name string) {
	r.t.Helper()
	r.principal = drover.Principal{TenantID: store.NewID(), UserID: store.NewID(), Role: drover.RoleAdmin}
	err := r.store.Update(r.t.Context(), func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(r.t.Context(), drover.Tenant{ID: r.principal.TenantID, Name: name, CreatedAt: drover.At(noon)})
	})
	if err != nil {
		r.t.Fatal(err)
	}
}
