package account_test

import (
	"errors"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// TestAPIKey follows a key from its making to its end.
func TestAPIKey(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		k := drover.APIKey{
			ID: store.NewID(), Name: "nightly", Scopes: []drover.Permission{drover.PermissionRead},
			Networks: []string{"192.0.2.0/24"}, CreatedAt: noon, ExpiresAt: &noon,
		}
		f.update(func(tx *store.Tx) error { return tx.SignIn.AddAPIKey(ctx, f.own, k, "hash") })
		found := must[account.KeyState](f.t)(f.SignIn.APIKeyByHash(ctx, "hash"))
		check(f.t, found, account.KeyState{APIKey: k, TenantID: f.own})
		check(f.t, must[bool](f.t)(f.SignIn.OtherAPIKey(ctx, f.own, k.ID)), false)
		check(f.t, must[bool](f.t)(f.SignIn.OtherAPIKey(ctx, f.other, k.ID)), true)

		use := func(at drover.Time) *drover.Time {
			f.update(func(tx *store.Tx) error {
				return tx.SignIn.UseAPIKey(ctx, f.own, k.ID, at, drover.At(at.Add(-time.Minute)))
			})
			return must[drover.APIKey](f.t)(f.SignIn.APIKey(ctx, f.own, k.ID)).LastUsedAt
		}
		check(f.t, use(noon), &noon)
		check(f.t, use(drover.At(noon.Add(time.Minute-time.Millisecond))), &noon) // written rarely
		check(f.t, use(drover.At(noon.Add(time.Minute))), new(drover.At(noon.Add(time.Minute))))

		version := must[int64](f.t)(f.Accounts.AuthVersion(ctx))
		for _, want := range []bool{true, false} {
			f.update(func(tx *store.Tx) error {
				dropped, err := tx.SignIn.DropAPIKey(ctx, f.own, k.ID)
				check(f.t, dropped, want)
				return err
			})
		}
		if must[int64](f.t)(f.Accounts.AuthVersion(ctx)) <= version {
			f.t.Error("no process would notice that the key is revoked")
		}
		if _, err := f.SignIn.APIKeyByHash(ctx, "hash"); !errors.Is(err, store.ErrNotFound) {
			f.t.Errorf("a revoked key is found: %v", err)
		}
	})
}

// TestAuditIsForgotten holds that old entries go, and newer ones stay.
func TestAuditIsForgotten(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		for _, at := range []drover.Time{drover.At(noon.Add(-time.Millisecond)), noon} {
			a := drover.Audit{
				ID: store.NewID(), Time: at, ActorType: drover.ActorUser, ActorName: "ann", Action: "device.update",
				Outcome: drover.AuditDone,
			}
			f.update(func(tx *store.Tx) error { return tx.Accounts.AddAudit(ctx, f.own, a, "") })
		}
		f.update(func(tx *store.Tx) error { return tx.Accounts.DropAudit(ctx, noon) })
		left := must[[]drover.Audit](f.t)(f.Accounts.Audit(ctx, f.own, drover.AuditFilter{}, "", 10))
		if len(left) != 1 || left[0].Time != noon {
			f.t.Errorf("left are %+v", left)
		}
		check(f.t, len(must[[]drover.Audit](f.t)(f.Accounts.Audit(ctx, f.other, drover.AuditFilter{}, "", 10))), 0)
	})
}
