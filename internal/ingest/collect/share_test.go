package collect_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// silentVendor accepts calls and answers none before it is released.
type silentVendor struct {
	called  chan struct{}
	release chan struct{}
}

func (s silentVendor) positions(ctx context.Context, _ provider.Query) (provider.Page[provider.Position], error) {
	s.called <- struct{}{}
	select {
	case <-s.release:
		return provider.Page[provider.Position]{Cursor: "x"}, nil
	case <-ctx.Done():
		return provider.Page[provider.Position]{}, ctx.Err()
	}
}

// connectSilent adds connections of the tenant to one silent vendor.
func (r *rig) connectSilent(n int) silentVendor {
	r.t.Helper()
	v := silentVendor{called: make(chan struct{}, n), release: make(chan struct{})}
	for i := range n {
		s, _ := r.stub(fmt.Sprint("silent-", i), noon, []string{"a"})
		s.positions = v.positions
	}
	return v
}

// anotherTenant makes what follows that of another tenant.
func (r *rig) anotherTenant() {
	r.t.Helper()
	r.principal = drover.Principal{TenantID: store.NewID(), UserID: store.NewID(), Role: drover.RoleAdmin}
	r.update(func(ctx context.Context, tx *store.Tx) error {
		return tx.Accounts.AddTenant(ctx, drover.Tenant{
			ID: r.principal.TenantID, Name: "another " + r.principal.TenantID,
			CreatedAt: drover.At(noon),
		})
	})
}

// await fails where a signal does not come; it is there long before that.
func (r *rig) await(signal <-chan struct{}, what string) {
	r.t.Helper()
	select {
	case <-signal:
	case <-time.After(patience):
		r.t.Fatal("missing: " + what)
	}
}

// TestAloneAtAPlace has a tenant that is alone at one of two places: all workers but the reserve are lent to it.
func TestAloneAtAPlace(t *testing.T) {
	t.Parallel()
	s, places := storetest.OpenApart(t)
	r := newRig(t, s)
	places.Put(s, r.principal.TenantID, storetest.Near)
	const workers = 8
	silent := r.connectSilent(workers + 4)
	c := r.another("live", func(o *collect.Options) { o.Workers, o.Lease = workers, time.Hour })
	c.Start(t.Context())
	defer c.Stop()
	for i := range workers {
		r.await(silent.called, fmt.Sprintf("call %d", i+1))
	}
}

// TestSilentVendorDelaysNoOtherTenant has a tenant occupy all workers with calls
// that are never answered. Another tenant is polled each minute nevertheless, and
// what one run gives back is lent again.
func TestSilentVendorDelaysNoOtherTenant(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		const workers = 8
		silent := r.connectSilent(workers + 4)
		polled := make(chan struct{})
		r.stubs.set("sound", &stub{positions: func(ctx context.Context, _ provider.Query) (provider.Page[provider.Position], error) {
			select {
			case polled <- struct{}{}:
			case <-ctx.Done():
			}
			return provider.Page[provider.Position]{Cursor: "x"}, nil
		}})
		c := r.another("live", func(o *collect.Options) { o.Workers, o.Lease = workers, time.Hour })
		c.Start(t.Context())
		defer c.Stop()
		for i := range workers {
			r.await(silent.called, fmt.Sprintf("call %d of a tenant that is alone", i+1))
		}
		first := r.principal.TenantID
		r.anotherTenant()
		r.connect(stubName, noon, map[string]string{"stub": "sound"})
		for i := range 3 {
			r.clock.Advance(noon.Add(time.Duration(i) * time.Minute).Sub(r.clock.Now()))
			c.Wake()
			r.await(polled, fmt.Sprintf("poll %d of the other tenant", i+1))
			r.awaitNext(noon.Add(time.Duration(i+1)*time.Minute), first)
		}
		if n := len(silent.called); n > 0 {
			t.Errorf("%d workers of the reserve were lent", n)
		}
		silent.release <- struct{}{}
		r.await(silent.called, "call with the worker that was given back")
	})
}
