package api_test

import (
	"crypto/rand"
	"net/http"
	"sync"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// apartPaths are what a console asks for first.
var apartPaths = []string{"/device", "/connection", "/trip", "/milestone", "/webhook", "/event"}

// TestPlaceFails has one of two places stop, and then hang, below a whole service: tenants of the
// other log in and read, its own are told to come again, and then do.
func TestPlaceFails(t *testing.T) {
	t.Parallel()
	o, places := storetest.Apart(t)
	near := newService(t, "sqlite", func(c *config.Serve) { c.Database, c.MaxInFlight = o.URL, 256 })
	near.places = o.Places
	near.begin()
	far := near.ofAnother("far")
	places.Put(near.app.Store, near.tenant, storetest.Near)
	places.Put(near.app.Store, far.tenant, storetest.Far)
	for name, fail := range map[string]func(place string){"stopped": places.Stop, "hung": places.Hang} {
		near.reads(name+" soon", http.StatusOK)
		far.reads(name+" soon", http.StatusOK)
		fail(storetest.Far)
		var asking sync.WaitGroup
		for range 5 { // together more than there are connections
			asking.Go(func() { far.reads(name, http.StatusServiceUnavailable) })
		}
		for range 5 {
			near.reads("the other is "+name, http.StatusOK)
			if err := near.logsIn("u"); err != nil {
				t.Errorf("the other is %s: %v", name, err)
			}
		}
		asking.Wait()
		places.Resume(storetest.Far)
		storetest.Until(t, name+" before", func() bool { return far.get("/device").StatusCode == http.StatusOK })
		storetest.Until(t, name+" before", func() bool { return far.logsIn("far") == nil })
	}
}

// ofAnother is the service as the user of another tenant sees it.
func (s *service) ofAnother(name string) *service {
	s.t.Helper()
	other := *s
	other.tenant = store.NewID()
	hash, err := auth.Hash("a password to test", rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, now := s.t.Context(), drover.At(s.clock.Now())
	s.update(func(tx *store.Tx) error {
		if err := tx.Accounts.AddTenant(ctx, drover.Tenant{ID: other.tenant, Name: name, CreatedAt: now}); err != nil {
			return err
		}
		return tx.Accounts.AddUser(ctx, drover.User{
			ID: store.NewID(), TenantID: other.tenant, Username: name, Email: name + "@own.example", Role: drover.RoleAdmin, CreatedAt: now,
		}, hash)
	})
	if err := other.logsIn(name); err != nil {
		s.t.Fatal(err)
	}
	return &other
}

func (s *service) logsIn(name string) error {
	tokens, err := s.app.Fleet.Identity.LogIn(s.t.Context(), "10.0.0.1:1", identity.Credentials{Name: name, Password: "a password to test"})
	if err == nil {
		s.token = tokens.AccessToken
	}
	return err
}

// reads asks for everything at once, and checks the answers.
func (s *service) reads(when string, want int) {
	s.t.Helper()
	var all sync.WaitGroup
	for _, path := range apartPaths {
		all.Go(func() {
			r := s.get(path)
			if r.StatusCode != want {
				s.t.Errorf("%s: GET %s of %s answered %d, want %d", when, path, s.tenant, r.StatusCode, want)
			}
			if want == http.StatusServiceUnavailable && r.Header.Get("Retry-After") == "" {
				s.t.Errorf("%s: GET %s does not say when to come again", when, path)
			}
		})
	}
	all.Wait()
}
