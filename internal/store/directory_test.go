package store_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

// named adds one of each thing that comes without its tenant, and returns what looks for them in
// its store of the moment.
func (f *fixture) named() map[string]func(ctx context.Context) (tenantID string, err error) {
	ctx := f.t.Context()
	user := drover.User{ID: store.NewID(), TenantID: f.own, Username: "Ada", Email: "ada@example.com", Role: drover.RoleAdmin, CreatedAt: noon}
	later := drover.At(noon.AddDate(100, 0, 0))
	share := drover.Share{ID: store.NewID(), ConnectionID: f.connection, OwnerTenantID: f.own, TenantID: f.other, CreatedAt: noon}
	f.update(func(tx *store.Tx) error {
		return errors.Join(
			tx.Accounts.AddUser(ctx, user, "hash"),
			tx.SignIn.AddAPIKey(ctx, f.own, drover.APIKey{ID: store.NewID(), Name: "k", CreatedAt: noon}, "key"),
			tx.Accounts.AddMilestoneLink(ctx, f.own, drover.MilestoneLink{ID: store.NewID(), MilestoneID: store.NewID(), CreatedAt: noon, ExpiresAt: later}, "link"),
			tx.Accounts.AddConnectionLink(ctx, f.own, drover.ConnectionLink{ID: store.NewID(), CreatedAt: noon, ExpiresAt: later}, "offer"),
			tx.Shares.AddShareCode(ctx, f.own, "code", later),
			tx.Shares.AddShare(ctx, share, drover.GrantRecords),
			tx.Jobs.SetInbound(ctx, work.Inbound{TenantID: f.own, ConnectionID: f.connection, TokenHash: []byte{1}, CreatedAt: noon}),
		)
	})
	byLogin := func(name string) func(ctx context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			l, err := f.Accounts.LoginByName(ctx, name)
			return l.TenantID, err
		}
	}
	return map[string]func(ctx context.Context) (string, error){
		"login_name":  byLogin("ADA"),
		"login_email": byLogin("ada@Example.com"),
		"api_key": func(ctx context.Context) (string, error) {
			k, err := f.SignIn.APIKeyByHash(ctx, "key")
			return k.TenantID, err
		},
		"milestone_link": func(ctx context.Context) (string, error) {
			l, err := f.Accounts.MilestoneLinkByHash(ctx, "link", noon)
			return l.TenantID, err
		},
		"connection_link": func(ctx context.Context) (string, error) {
			l, err := f.Accounts.ConnectionLinkByHash(ctx, "offer")
			return l.TenantID, err
		},
		"share": func(ctx context.Context) (string, error) {
			s, err := f.Shares.Share(ctx, share.ID)
			return s.OwnerTenantID, err
		},
		"inbound": func(ctx context.Context) (string, error) {
			in, err := f.Jobs.Inbound(ctx, f.connection)
			return in.TenantID, err
		},
		"share_code": func(ctx context.Context) (tenantID string, err error) {
			err = f.Update(ctx, func(tx *store.Tx) error {
				if tenantID, err = tx.Shares.TakeShareCode(ctx, "code"); err != nil {
					return err
				}
				return errTaken // so that it stays
			})
			if errors.Is(err, errTaken) {
				err = nil
			}
			return tenantID, err
		},
	}
}

var errTaken = errors.New("taken")

// TestDirectory finds the tenant of what comes without one, misses what is not in the
// directory, and has it back once the directory is mended.
func TestDirectory(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, o := t.Context(), storetest.Options(t, name)
			f := newFixture(t, storetest.Open(t, o))
			find := f.named()
			found := func(when string, want error) {
				t.Helper()
				for kind, find := range find {
					tenantID, err := find(ctx)
					if !errors.Is(err, want) || want == nil && tenantID != f.own {
						t.Errorf("%s, %s: tenant %q, %v", when, kind, tenantID, err)
					}
				}
			}
			found("as it was made", nil)
			check(t, must[int](t)(f.MendDirectory(ctx)), 0)
			check(t, must[[]string](t)(f.Shares.Owners(ctx, f.other)), []string{f.own})

			driver, address := "sqlite", o.Path+"?_pragma=busy_timeout(10000)"
			if name == "postgres" {
				driver, address = "pgx", o.URL
			}
			raw := must[*sql.DB](t)(sql.Open(driver, address))
			defer raw.Close()
			if _, err := raw.ExecContext(ctx, `UPDATE directory SET key = 'gone ' || key`); err != nil {
				t.Fatal(err)
			}
			f.Store = storetest.Open(t, o) // which remembers nothing
			found("without the directory", store.ErrNotFound)
			check(t, must[int](t)(f.MendDirectory(ctx)), 2*len(find)) // as many are missing as are of what is gone
			found("mended", nil)
			check(t, must[int](t)(f.MendDirectory(ctx)), 0)
			check(t, must[[]string](t)(f.Shares.Owners(ctx, f.other)), []string{f.own})
		})
	}
}

// TestNamesChangeTenants has a name go from a user to another tenant's: what is remembered of
// it does not hold any more.
func TestNamesChangeTenants(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		user := drover.User{ID: store.NewID(), TenantID: f.own, Username: "Ada", Email: "ada@example.com", Role: drover.RoleAdmin, CreatedAt: noon}
		next := drover.User{ID: store.NewID(), TenantID: f.other, Username: "ada", Email: "other@example.com", Role: drover.RoleAdmin, CreatedAt: noon}
		add := func(u drover.User) error {
			return f.Update(ctx, func(tx *store.Tx) error { return tx.Accounts.AddUser(ctx, u, "hash") })
		}
		login := func(name string) string {
			f.t.Helper()
			return must[account.Login](f.t)(f.Accounts.LoginByName(ctx, name)).ID
		}
		check(f.t, add(user), nil)
		check(f.t, login("ada"), user.ID)
		check(f.t, errors.Is(add(next), store.ErrExists), true)
		user.Username = "Eve"
		f.update(func(tx *store.Tx) error { return tx.Accounts.SetUser(ctx, user) })
		check(f.t, login("eve"), user.ID)
		check(f.t, add(next), nil)
		check(f.t, login("ada"), next.ID)
		f.update(func(tx *store.Tx) error { return tx.Accounts.DropUser(ctx, user) })
		_, err := f.Accounts.LoginByName(ctx, "eve")
		check(f.t, errors.Is(err, store.ErrNotFound), true)
	})
}
