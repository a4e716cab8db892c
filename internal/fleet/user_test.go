package fleet_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
)

// TestAdminsCannotRemoveEachOther lets two admins try at once: one of them stays.
func TestAdminsCannotRemoveEachOther(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx := r.t.Context()
		for round := range 5 {
			tenant := store.NewID()
			var admins []drover.Principal
			r.update(func(tx *store.Tx) error {
				err := tx.Accounts.AddTenant(ctx, drover.Tenant{ID: tenant, Name: tenant, CreatedAt: drover.At(r.now)})
				admins = nil
				for range 2 {
					u := drover.User{ID: store.NewID(), TenantID: tenant, Role: drover.RoleAdmin, CreatedAt: drover.At(r.now)}
					u.Username, u.Email = u.ID, u.ID+"@mail.example"
					admins = append(admins, drover.Principal{TenantID: tenant, UserID: u.ID, Role: drover.RoleAdmin})
					err = errors.Join(err, tx.Accounts.AddUser(ctx, u, "hash"))
				}
				return err
			})
			var wg sync.WaitGroup
			outcomes := make([]error, 2)
			for i, p := range admins {
				wg.Go(func() {
					if round%2 == 0 {
						outcomes[i] = r.Identity.DeleteUser(ctx, p, admins[1-i].UserID)
						return
					}
					_, outcomes[i] = r.Identity.UpdateUser(ctx, p, admins[1-i].UserID, drover.UserUpdate{Role: drover.Some(drover.RoleViewer)})
				})
			}
			wg.Wait()
			left := 0
			for _, u := range must(r, func() ([]drover.User, error) { return r.store.Accounts.Users(ctx, tenant) }) {
				if u.Role == drover.RoleAdmin {
					left++
				}
			}
			if left != 1 || (outcomes[0] == nil) == (outcomes[1] == nil) {
				r.t.Fatalf("%d admins are left: %v", left, outcomes)
			}
		}
	})
}

// TestAuditSharesTheTransaction holds that a change which fails leaves no entry,
// and one that is made leaves exactly one.
func TestAuditSharesTheTransaction(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx := guard.WithRequest(r.t.Context(), guard.Request{
			Action: "connection.create", RecordType: "connection", Address: "192.0.2.7",
			ID: "r1",
		})
		entries := func() []drover.Audit {
			return must(r, func() ([]drover.Audit, error) {
				return r.Identity.Audit(context.Background(), r.owner, drover.AuditFilter{}, "", 10)
			})
		}
		bad := input()
		bad.BusinessName, bad.TenantID = "x", new(r.people["stranger admin"].TenantID)
		if _, err := r.Connections.CreateConnection(ctx, r.owner, bad); err == nil {
			r.t.Fatal("a connection for another tenant was made")
		}
		if got := entries(); len(got) != 0 {
			r.t.Fatalf("a change that was not made is written down: %+v", got)
		}
		c := must(r, func() (drover.Connection, error) { return r.Connections.CreateConnection(ctx, r.owner, input()) })
		got := entries()
		if len(got) != 1 || got[0].RecordID == nil || *got[0].RecordID != c.ID || *got[0].ActorID != r.owner.UserID ||
			*got[0].Address != "192.0.2.7" {
			r.t.Fatalf("written down is %+v", got)
		}
	})
}

// TestRefusalsAreCounted holds that refusals of one kind are one entry, whatever records
// and addresses of one network they name, and that a change of nothing is none.
func TestRefusalsAreCounted(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		viewer := r.owner
		viewer.Role = drover.RoleViewer
		entries := func() []drover.Audit {
			return must(r, func() ([]drover.Audit, error) {
				return r.Identity.Audit(context.Background(), r.owner, drover.AuditFilter{}, "", 100)
			})
		}
		refuse := func(action, id, address string) {
			r.t.Helper()
			ctx := guard.WithRequest(r.t.Context(), guard.Request{Action: action, RecordType: "device", RecordID: id, Address: address, ID: "r1"})
			if err := r.Identity.AuditRefusal(ctx, viewer); err != nil {
				r.t.Fatal(err)
			}
		}
		device := store.NewID()
		refuse("device.update", device, "[2001:db8::1]:443")
		refuse("device.update", device, "[2001:db8::2]:443")
		if got := entries(); len(got) != 1 || got[0].Count != 2 || got[0].LastAt == nil || got[0].RecordID == nil || *got[0].RecordID != device {
			r.t.Fatalf("two refusals are %+v", got)
		}
		for range 50 {
			refuse("device.update", store.NewID(), "[2001:db8::3]:443")
		}
		if got := entries(); len(got) != 1 || got[0].Count != 52 || got[0].RecordID != nil {
			r.t.Fatalf("refusals at many records are %+v", got)
		}
		refuse("device.delete", device, "[2001:db8::1]:443")
		refuse("device.update", device, "192.0.2.7:443")
		if got := entries(); len(got) != 3 {
			r.t.Fatalf("refusals of three kinds are %+v", got)
		}
		r.now = r.now.Add(time.Hour)
		refuse("device.update", device, "192.0.2.7:443")
		if got := entries(); len(got) != 4 || got[0].Count != 1 {
			r.t.Fatalf("in the next hour are %+v", got)
		}
	})
}

// TestNoChangeIsNotWrittenDown sends what is there already.
func TestNoChangeIsNotWrittenDown(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx := guard.WithRequest(r.t.Context(), guard.Request{Action: "user.me.update", ID: "r1"})
		u := drover.User{
			ID: store.NewID(), TenantID: r.owner.TenantID, Role: drover.RoleViewer, CreatedAt: drover.At(r.now), Username: "vic",
			Email: "vic@mail.example",
		}
		session := drover.Session{
			ID: store.NewID(), TenantID: u.TenantID, UserID: u.ID, CreatedAt: u.CreatedAt, ExpiresAt: drover.At(r.now.Add(time.Hour)),
		}
		r.update(func(tx *store.Tx) error {
			return errors.Join(tx.Accounts.AddUser(ctx, u, "hash"), tx.SignIn.AddSession(ctx, session, ""))
		})
		p := drover.Principal{TenantID: u.TenantID, UserID: u.ID, SessionID: session.ID, Role: u.Role}
		for _, want := range []int{1, 1} {
			if _, err := r.Identity.UpdateOwn(ctx, p, "192.0.2.7", drover.OwnUpdate{Preferences: []byte(`{"units":"metric"}`)}); err != nil {
				r.t.Fatal(err)
			}
			got := must(r, func() ([]drover.Audit, error) {
				return r.Identity.Audit(context.Background(), r.owner, drover.AuditFilter{}, "", 100)
			})
			if len(got) != want {
				r.t.Fatalf("%d entries instead of %d: %+v", len(got), want, got)
			}
		}
		operator := drover.Principal{TenantID: drover.OperatorTenant, OperatorScopes: []drover.OperatorScope{drover.OperatorTenantsWrite}}
		in := drover.TenantUpdate{Limits: []drover.LimitInput{
			{Name: drover.QuotaRequestsPerMinute, Limit: new(int64(5))}, {Name: drover.QuotaDevices},
		}}
		for range 2 {
			if _, err := r.Identity.UpdateTenant(ctx, operator, r.owner.TenantID, in); err != nil {
				r.t.Fatal(err)
			}
			if got := must(r, func() ([]drover.Audit, error) {
				return r.Identity.Audit(context.Background(), r.owner, drover.AuditFilter{}, "", 100)
			}); len(got) != 2 {
				r.t.Fatalf("after limits that were set, or are so already, %d entries: %+v", len(got), got)
			}
		}
	})
}
