package fleet_test

import (
	"crypto/rand"
	"errors"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
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
				return r.Identity.CreateAPIKey(ctx, r.owner, drover.APIKeyInput{Name: "key", Role: &role, Networks: networks, Owner: drover.KeyOfTenant})
			})
		}
		free, bound := add(), add("192.0.2.0/24")
		if _, known := r.Identity.Remembered("Bearer "+free.Key, ""); known {
			r.t.Error("a key is remembered before anyone has looked at it")
		}
		for _, key := range []string{free.Key, bound.Key} {
			p := must(r, func() (drover.Principal, error) { return r.Identity.Authenticate(ctx, "Bearer "+key, "") })
			if p.TenantID != r.owner.TenantID {
				r.t.Errorf("the key is of tenant %s, want %s", p.TenantID, r.owner.TenantID)
			}
		}
		if p, known := r.Identity.Remembered("Bearer "+free.Key, ""); !known || p.TenantID != r.owner.TenantID || p.Role != drover.RoleViewer {
			r.t.Errorf("a key that was looked at: %v, %+v", known, p)
		}
		for _, header := range []string{"", "Bearer", "Basic " + free.Key, "Bearer " + free.Key + "x", "Bearer " + bound.Key} {
			if _, known := r.Identity.Remembered(header, ""); known {
				r.t.Errorf("%q is remembered", header)
			}
		}
		if err := r.Identity.DeleteAPIKey(ctx, r.owner, free.ID); err != nil {
			r.t.Fatal(err)
		}
		if _, known := r.Identity.Remembered("Bearer "+free.Key, ""); known {
			r.t.Error("a key that was deleted is remembered")
		}
	})
}

// TestRememberedForItsOwnPlace holds that what was found good in one place of a request
// proves nothing in the other: a key that is bound to networks is no cookie, as which it
// would pass from anywhere, and a cookie is no bearer token.
func TestRememberedForItsOwnPlace(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		throttle := auth.NewThrottle(r.options.Now)
		r.options.Hasher, r.options.Throttle = auth.NewHasher(rand.Reader, 2), throttle
		r.options.Login = auth.NewLogin(r.options.Hasher, throttle, r.options.Store)
		r.Service = fleet.New(r.options)
		inside := guard.WithRequest(r.t.Context(), guard.Request{Action: "test", Address: "192.0.2.7:1234"})
		role := drover.RoleViewer
		bound := must(r, func() (drover.APIKeyCreated, error) {
			return r.Identity.CreateAPIKey(inside, r.owner, drover.APIKeyInput{
				Name: "key", Role: &role, Networks: []string{"192.0.2.0/24"},
				Owner: drover.KeyOfTenant,
			})
		})
		must(r, func() (drover.Principal, error) { return r.Identity.Authenticate(inside, "Bearer "+bound.Key, "") })
		outside := guard.WithRequest(r.t.Context(), guard.Request{Action: "test", Address: "198.51.100.7:1234"})
		if p, err := r.Identity.AuthenticateCookie(outside, bound.Key); err == nil {
			r.t.Errorf("a key as a cookie is let in as %+v", p)
		}

		const password = "long enough to be one"
		must(r, func() (drover.User, error) {
			return r.Identity.CreateUser(inside, r.owner, drover.UserInput{
				Username: "dispatch", Email: "dispatch@example.com", Role: role,
				Password: new(password),
			})
		})
		_, cookie, err := r.Identity.OpenConsole(inside, "192.0.2.7", identity.Credentials{Name: "dispatch", Password: password})
		if err != nil {
			r.t.Fatal(err)
		}
		must(r, func() (drover.Principal, error) { return r.Identity.AuthenticateCookie(inside, cookie) })
		if p, err := r.Identity.Authenticate(inside, "Bearer "+cookie, ""); err == nil {
			r.t.Errorf("a cookie as a token is let in as %+v", p)
		}
		if p, known := r.Identity.Remembered("Bearer "+cookie, ""); known {
			r.t.Errorf("a cookie as a token is remembered as %+v", p)
		}
	})
}

// TestKeysEndWithTheirMaker holds that a key, and what it makes, is good for as long as the
// user behind it may do what it may; one that was made for a service stays.
func TestKeysEndWithTheirMaker(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx := guard.WithRequest(r.t.Context(), guard.Request{Action: "test", Address: "192.0.2.7:1234"})
		good := func(k drover.APIKeyCreated) bool {
			_, err := r.Identity.Authenticate(ctx, "Bearer "+k.Key, "")
			if err != nil && drover.ErrorKind(err) != drover.KindUnauthenticated {
				r.t.Fatal(err)
			}
			return err == nil
		}
		for name, end := range map[string]func(id string) error{
			"disabled": func(id string) error {
				_, err := r.Identity.UpdateUser(ctx, r.owner, id, drover.UserUpdate{Disabled: drover.Some(true)})
				return err
			},
			"demoted": func(id string) error {
				_, err := r.Identity.UpdateUser(ctx, r.owner, id, drover.UserUpdate{Role: drover.Some(drover.RoleMember)})
				return err
			},
			"deleted": func(id string) error { return r.Identity.DeleteUser(ctx, r.owner, id) },
		} {
			u := drover.User{
				ID: store.NewID(), TenantID: r.owner.TenantID, Role: drover.RoleAdmin, CreatedAt: drover.At(r.now), Username: name,
				Email: name + "@mail.example",
			}
			other := drover.User{
				ID: store.NewID(), TenantID: r.owner.TenantID, Role: drover.RoleAdmin, CreatedAt: drover.At(r.now),
				Username: name + "-2", Email: name + "-2@mail.example",
			}
			r.update(func(tx *store.Tx) error {
				return errors.Join(tx.Accounts.AddUser(ctx, u, "hash"), tx.Accounts.AddUser(ctx, other, "hash"))
			})
			maker := drover.Principal{TenantID: u.TenantID, UserID: u.ID, Role: u.Role, Name: u.Username}
			add := func(p drover.Principal, owner drover.KeyOwner) drover.APIKeyCreated {
				return must(r, func() (drover.APIKeyCreated, error) {
					return r.Identity.CreateAPIKey(ctx, p, drover.APIKeyInput{Name: "key", Role: new(drover.RoleAdmin), Owner: owner})
				})
			}
			own, service := add(maker, ""), add(maker, drover.KeyOfTenant)
			if own.MakerID == nil || *own.MakerID != u.ID || own.MakerName != name {
				r.t.Errorf("the key was made by %+v", own)
			}
			asKey := must(r, func() (drover.Principal, error) { return r.Identity.Authenticate(ctx, "Bearer "+own.Key, "") })
			child := add(asKey, "")
			if _, err := r.Identity.CreateAPIKey(ctx, asKey, drover.APIKeyInput{
				Name: "key", Role: new(drover.RoleAdmin),
				Owner: drover.KeyOfTenant,
			}); drover.ErrorKind(err) != drover.KindForbidden {
				r.t.Errorf("a key of a user makes one of the tenant: %v", err)
			}
			for _, k := range []drover.APIKeyCreated{own, child, service} {
				if !good(k) {
					r.t.Errorf("%s: a key is refused before", name)
				}
			}
			if err := end(u.ID); err != nil {
				r.t.Fatal(err)
			}
			if good(own) || good(child) || !good(service) {
				r.t.Errorf("%s: own %t, made by it %t, of a service %t", name, good(own), good(child), good(service))
			}
		}
	})
}
