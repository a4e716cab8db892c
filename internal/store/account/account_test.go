package account_test

import (
	"errors"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

func TestNameTakenIsErrExists(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		err := f.Update(ctx, func(tx *store.Tx) error {
			return tx.Accounts.AddTenant(ctx, drover.Tenant{ID: store.NewID(), Name: "own", CreatedAt: noon})
		})
		if !errors.Is(err, store.ErrExists) {
			f.t.Errorf("got %v, want ErrExists", err)
		}
	})
}

// TestNameIsNoAddress holds that the database itself takes no name that could be an address.
func TestNameIsNoAddress(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		u := drover.User{ID: store.NewID(), TenantID: f.own, Username: "ann@acme.example", Email: "b@beta.example", CreatedAt: noon}
		u.Role = drover.RoleViewer
		if err := f.Update(ctx, func(tx *store.Tx) error { return tx.Accounts.AddUser(ctx, u, "hash") }); err == nil {
			f.t.Error("a name with an @ was stored")
		}
		u.Username = "ann"
		f.update(func(tx *store.Tx) error { return tx.Accounts.AddUser(ctx, u, "hash") })
		u.Username = "ann\uff20acme.example" // it is an @ in the form that is compared
		if err := f.Update(ctx, func(tx *store.Tx) error { return tx.Accounts.SetUser(ctx, u) }); err == nil {
			f.t.Error("a user was renamed to an address")
		}
	})
}

func TestSessions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		u := drover.User{ID: store.NewID(), TenantID: f.own, Username: "Ann", Email: "Ann@Example.org", Role: drover.RoleAdmin, CreatedAt: noon}
		s := drover.Session{ID: store.NewID(), TenantID: f.own, UserID: u.ID, CreatedAt: noon, ExpiresAt: drover.At(noon.Add(time.Hour))}
		f.update(func(tx *store.Tx) error {
			return errors.Join(tx.Accounts.AddUser(ctx, u, "hash"), tx.SignIn.AddSession(ctx, s, ""))
		})
		for _, name := range []string{"ann", "ANN", " ann@example.ORG "} {
			l := must[account.Login](f.t)(f.Accounts.LoginByName(ctx, name))
			check(f.t, l.User, u)
		}
		before := must[int64](f.t)(f.Accounts.AuthVersion(ctx))
		f.update(func(tx *store.Tx) error { return tx.SignIn.RevokeSessions(ctx, u, noon) })
		if after := must[int64](f.t)(f.Accounts.AuthVersion(ctx)); after <= before {
			f.t.Errorf("the auth version went from %d to %d", before, after)
		}
		got := must[account.SessionState](f.t)(f.SignIn.Session(ctx, f.own, s.ID))
		if got.RevokedAt == nil {
			f.t.Error("the session goes on")
		}
		if _, err := f.SignIn.Session(ctx, f.other, s.ID); !errors.Is(err, store.ErrNotFound) {
			f.t.Errorf("another tenant found the session: %v", err)
		}
	})
}

func TestTagsAreOrderedByName(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		f.update(func(tx *store.Tx) error {
			return errors.Join(tx.Accounts.TagConnection(ctx, f.own, f.connection, []string{"zebra", "a_b", "ab", "élan"}),
				tx.Accounts.TagConnection(ctx, f.own, f.connection, []string{"zebra"}))
		})
		names := func(tags []drover.Tag) []string {
			var out []string
			for _, tag := range tags {
				out = append(out, tag.Name)
			}
			return out
		}
		want := []string{"a_b", "ab", "zebra", "élan"}
		check(f.t, names(must[[]drover.Tag](f.t)(f.Accounts.Tags(ctx, f.own))), want)
		check(f.t, names(must[[]drover.Tag](f.t)(f.Accounts.ConnectionTags(ctx, f.own, f.connection))), want)
		check(f.t, len(must[[]drover.Tag](f.t)(f.Accounts.Tags(ctx, f.other))), 0)
	})
}

func TestRetention(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		check(f.t, must[account.Retention](f.t)(f.Accounts.Retention(ctx, f.own)), account.Retention{TenantID: f.own})
		want := account.Retention{TenantID: f.own, PositionDays: new(30)}
		f.update(func(tx *store.Tx) error { return tx.Accounts.SetRetention(ctx, want) })
		check(f.t, must[account.Retention](f.t)(f.Accounts.Retention(ctx, f.own)), want)
		check(f.t, must[[]account.Retention](f.t)(f.Accounts.Retentions(ctx)), []account.Retention{want, {TenantID: f.other}})
		if _, err := f.Accounts.Retention(ctx, store.NewID()); !errors.Is(err, store.ErrNotFound) {
			f.t.Errorf("an unknown tenant: %v", err)
		}
	})
}
