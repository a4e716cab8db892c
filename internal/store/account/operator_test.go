package account_test

import (
	"errors"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// TestOperatorKey follows a key of the operator from its making to its end.
func TestOperatorKey(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		k := drover.OperatorKey{ID: store.NewID(), Name: "backend", Scopes: drover.OperatorScopes, CreatedAt: noon, ExpiresAt: &noon}
		f.update(func(tx *store.Tx) error { return tx.SignIn.AddOperatorKey(ctx, k, "operator") })
		check(f.t, must[drover.OperatorKey](f.t)(f.SignIn.OperatorKeyByHash(ctx, "operator")), k)
		f.update(func(tx *store.Tx) error {
			return tx.SignIn.UseOperatorKey(ctx, k.ID, noon, drover.At(noon.Add(-time.Minute)))
		})
		k.LastUsedAt = &noon
		check(f.t, must[[]drover.OperatorKey](f.t)(f.SignIn.OperatorKeys(ctx)), []drover.OperatorKey{k})
		version := must[int64](f.t)(f.Accounts.AuthVersion(ctx))
		for _, want := range []bool{true, false} {
			f.update(func(tx *store.Tx) error {
				dropped, err := tx.SignIn.DropOperatorKey(ctx, k.ID)
				check(f.t, dropped, want)
				return err
			})
		}
		check(f.t, must[int64](f.t)(f.Accounts.AuthVersion(ctx)), version+1)
		if _, err := f.SignIn.OperatorKeyByHash(ctx, "operator"); !errors.Is(err, store.ErrNotFound) {
			f.t.Errorf("a revoked key: %v", err)
		}
	})
}

// TestUsage adds up what two processes counted, and goes through it.
func TestUsage(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		first := account.UsageDay{TenantID: f.own, Day: 100, Requests: 1, Positions: 2, Deliveries: 3}
		for range 2 {
			f.update(func(tx *store.Tx) error { return tx.Accounts.AddUsage(ctx, []account.UsageDay{first}) })
		}
		f.update(func(tx *store.Tx) error {
			return tx.Accounts.AddUsage(ctx, []account.UsageDay{
				{TenantID: f.own, Day: 100, Bytes: new(int64(7))}, {TenantID: f.own, Day: 101, Requests: 1}, {TenantID: f.other, Day: 100, Requests: 1},
			})
		})
		sum := account.UsageDay{TenantID: f.own, Day: 100, Requests: 2, Positions: 4, Deliveries: 6, Bytes: new(int64(7))}
		all := must[[]account.UsageDay](f.t)(f.Accounts.Usage(ctx, "", 100, 100, account.UsageDay{}, 10))
		check(f.t, all, []account.UsageDay{sum, {TenantID: f.other, Day: 100, Requests: 1}})
		check(f.t, must[[]account.UsageDay](f.t)(f.Accounts.Usage(ctx, "", 0, 200, sum, 1)),
			[]account.UsageDay{{TenantID: f.own, Day: 101, Requests: 1}})
		check(f.t, must[[]account.UsageDay](f.t)(f.Accounts.Usage(ctx, f.own, 100, 100, account.UsageDay{}, 10)), []account.UsageDay{sum})
		f.update(func(tx *store.Tx) error { return tx.Accounts.DropUsage(ctx, 101) })
		check(f.t, must[[]account.UsageDay](f.t)(f.Accounts.Usage(ctx, "", 0, 200, account.UsageDay{}, 10)),
			[]account.UsageDay{{TenantID: f.own, Day: 101, Requests: 1}})
	})
}

// TestRenameTenant gives a tenant another name, and refuses one that is taken.
func TestRenameTenant(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		page := must[[]drover.Tenant](f.t)(f.Accounts.TenantsPage(ctx, "", 10))
		check(f.t, len(page), 2)
		check(f.t, must[[]drover.Tenant](f.t)(f.Accounts.TenantsPage(ctx, page[0].ID, 10)), page[1:])
		f.update(func(tx *store.Tx) error {
			t, err := tx.Accounts.TenantForUpdate(ctx, f.own)
			check(f.t, t.State(), drover.TenantActive)
			return errors.Join(err, tx.Accounts.RenameTenant(ctx, f.own, "renamed"))
		})
		check(f.t, must[drover.Tenant](f.t)(f.Accounts.Tenant(ctx, f.own)).Name, "renamed")
		err := f.Update(ctx, func(tx *store.Tx) error { return tx.Accounts.RenameTenant(ctx, f.other, "renamed") })
		if !errors.Is(err, store.ErrExists) {
			f.t.Errorf("a name that is taken: %v", err)
		}
	})
}
