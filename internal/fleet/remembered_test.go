package fleet_test

import (
	"crypto/rand"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/auth"
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

// TestRememberedForItsOwnPlace holds that what was found good in one place of a request
// proves nothing in the other: a key that is bound to networks is no cookie, as which it
// would pass from anywhere, and a cookie is no bearer token.
func TestRememberedForItsOwnPlace(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		throttle := auth.NewThrottle(r.options.Now)
		r.options.Hasher, r.options.Throttle = auth.NewHasher(rand.Reader, 2), throttle
		r.options.Login = auth.NewLogin(r.options.Hasher, throttle)
		r.Service = fleet.New(r.options)
		inside := guard.WithRequest(r.t.Context(), guard.Request{Action: "test", Address: "192.0.2.7:1234"})
		role := drover.RoleViewer
		bound := must(r, func() (drover.APIKeyCreated, error) {
			return r.CreateAPIKey(inside, r.owner, drover.APIKeyInput{Name: "key", Role: &role, Networks: []string{"192.0.2.0/24"}})
		})
		must(r, func() (drover.Principal, error) { return r.Authenticate(inside, "Bearer "+bound.Key) })
		outside := guard.WithRequest(r.t.Context(), guard.Request{Action: "test", Address: "198.51.100.7:1234"})
		if p, err := r.AuthenticateCookie(outside, bound.Key); err == nil {
			r.t.Errorf("a key as a cookie is let in as %+v", p)
		}

		const password = "long enough to be one"
		must(r, func() (drover.User, error) {
			return r.CreateUser(inside, r.owner, drover.UserInput{Username: "dispatch", Email: "dispatch@example.com", Role: role, Password: password})
		})
		_, cookie, err := r.OpenConsole(inside, "192.0.2.7", "dispatch", password)
		if err != nil {
			r.t.Fatal(err)
		}
		must(r, func() (drover.Principal, error) { return r.AuthenticateCookie(inside, cookie) })
		if p, err := r.Authenticate(inside, "Bearer "+cookie); err == nil {
			r.t.Errorf("a cookie as a token is let in as %+v", p)
		}
		if p, known := r.Remembered("Bearer " + cookie); known {
			r.t.Errorf("a cookie as a token is remembered as %+v", p)
		}
	})
}
