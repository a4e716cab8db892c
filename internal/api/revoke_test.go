package api_test

import (
	"bufio"
	"context"
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/fleet/identity"
	"github.com/drover-fleet/drover/internal/store"
)

// TestRevocationReachesOtherProcesses ends a key, a session and a user at one process. The
// streams and long polls that each of them has open at another end.
func TestRevocationReachesOtherProcesses(t *testing.T) {
	t.Parallel()
	here := run(t, "postgres")
	there := here.beside()
	ctx, f := t.Context(), here.app.Fleet
	admin := drover.Principal{TenantID: here.tenant, Role: drover.RoleAdmin}
	key, err := f.Identity.CreateAPIKey(ctx, admin, drover.APIKeyInput{Name: "k", Role: new(drover.RoleViewer)})
	if err != nil {
		t.Fatal(err)
	}
	user, err := f.Identity.CreateUser(ctx, admin, drover.UserInput{Username: "ann", Email: "ann@mail.example", Role: drover.RoleViewer, Password: new("grey-owl-17")})
	if err != nil {
		t.Fatal(err)
	}
	session, of := here.logIn("ann")
	disabled, _ := here.logIn("ann")
	for _, c := range []struct {
		name, token string
		end         func() error
		status      int
	}{
		{"key", key.Key, func() error { return f.Identity.DeleteAPIKey(ctx, admin, key.ID) }, http.StatusUnauthorized},
		{"session", session, func() error { return f.Identity.LogOut(ctx, of) }, http.StatusUnauthorized},
		{"user", disabled, func() error {
			_, err := f.Identity.UpdateUser(ctx, admin, user.ID, drover.UserUpdate{Disabled: drover.Some(true)})
			return err
		}, http.StatusForbidden},
	} {
		caller := *there
		caller.token = c.token
		stream := caller.stream("")
		polled := make(chan int, 1)
		go func() { polled <- caller.poll() }()
		there.awaitUsed(2)
		if err := c.end(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if status := <-polled; status != c.status {
			t.Errorf("%s: a poll at the other process ends with %d, want %d", c.name, status, c.status)
		}
		for { // heart-beats, until it ends
			if _, err := stream.next(); err != nil {
				break
			}
		}
		there.awaitUsed(0)
	}
}

// logIn opens a session.
func (s *service) logIn(name string) (token string, p drover.Principal) {
	s.t.Helper()
	tokens, err := s.app.Fleet.Identity.LogIn(s.t.Context(), "10.0.0.1:1", identity.Credentials{Name: name, Password: "grey-owl-17"})
	if err == nil {
		p, err = s.app.Fleet.Identity.Authenticate(s.t.Context(), "Bearer "+tokens.AccessToken, "")
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return tokens.AccessToken, p
}

// poll waits for an event in vain, and returns the status of the answer; zero where it comes
// no sooner than a poll ends by itself.
func (s *service) poll() int {
	ctx, cancel := context.WithTimeout(s.t.Context(), 25*time.Second) // by itself it ends after 30
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/event?from=now&wait=30", nil)
	if err != nil {
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := s.client.Do(req)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// TestLinkEndsAtOtherProcesses revokes the link of a journey that is followed at another
// process: the stream ends, long before it would have looked for news.
func TestLinkEndsAtOtherProcesses(t *testing.T) {
	t.Parallel()
	here := run(t, "postgres", func(c *config.Serve) { c.StreamHeartbeat = 24 * time.Hour })
	there := here.beside()
	ctx, admin := t.Context(), drover.Principal{TenantID: here.tenant, Role: drover.RoleAdmin}
	_, device := here.addVehicle(here.tenant)
	m, err := here.app.Fleet.Milestones.CreateMilestone(ctx, admin, drover.MilestoneInput{
		DeviceID: device.ID, StartPoint: drover.Coordinate{Latitude: 1, Longitude: 1}, EndPoint: drover.Coordinate{Latitude: 2, Longitude: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	link, err := here.app.Fleet.Milestones.ShareMilestone(ctx, admin, m.ID, drover.MilestoneLinkInput{})
	if err != nil {
		t.Fatal(err)
	}
	resp := there.get("/public/share/"+path.Base(link.URL)+"/stream", "Accept", "text/event-stream")
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	lines := bufio.NewScanner(resp.Body)
	await := func(line string) {
		t.Helper()
		for lines.Text() != line {
			if !lines.Scan() {
				t.Fatalf("the stream ends without %q: %v", line, lines.Err())
			}
		}
	}
	await("event: update")
	if err := here.app.Fleet.Milestones.UnshareMilestone(ctx, admin, m.ID, link.ID); err != nil {
		t.Fatal(err)
	}
	await("event: end")
}

// TestShareEndsAtOtherProcesses ends a share at one process: a stream at another shows
// nothing of it from then on.
func TestShareEndsAtOtherProcesses(t *testing.T) {
	t.Parallel()
	here := run(t, "postgres")
	there := here.beside()
	ctx, now, owner := t.Context(), drover.At(here.clock.Now()), store.NewID()
	here.update(func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(ctx, drover.Tenant{ID: owner, Name: "owner", CreatedAt: now})
	})
	conn, _ := here.addVehicle(owner)
	given, taken := drover.Principal{TenantID: owner, Role: drover.RoleAdmin}, drover.Principal{TenantID: here.tenant, Role: drover.RoleAdmin}
	share, err := here.app.Fleet.Shares.OfferShare(ctx, given, conn.ID, drover.ShareInput{TenantID: &here.tenant, Scopes: drover.ShareScopes})
	if err == nil {
		_, err = here.app.Fleet.Shares.AcceptShare(ctx, taken, share.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	about := func() {
		e, err := drover.NewEvent(drover.EventConnectionUpdated, now, conn)
		if err != nil {
			t.Fatal(err)
		}
		here.update(func(tx *store.Tx) error { return journal.Append(ctx, tx, here.tenant, []drover.Event{e}) })
	}
	stream := there.stream("?type=connection.updated&type=device.updated")
	about()
	stream.events(t, 1)
	if err := here.app.Fleet.Shares.Unshare(ctx, given, conn.ID, here.tenant); err != nil {
		t.Fatal(err)
	}
	about()
	here.append(1)
	block, err := stream.next()
	for err == nil && block.event == "" {
		block, err = stream.next()
	}
	if err != nil || block.event != string(drover.EventDeviceUpdated) {
		t.Errorf("after the share has ended comes %q, %v, want the tenant's own event", block.event, err)
	}
}

func (s *service) update(f func(tx *store.Tx) error) {
	s.t.Helper()
	if err := s.app.Store.Update(s.t.Context(), f); err != nil {
		s.t.Fatal(err)
	}
}

// addVehicle gives a tenant a connection with a device.
func (s *service) addVehicle(tenant string) (drover.Connection, drover.Device) {
	s.t.Helper()
	ctx, now := s.t.Context(), drover.At(s.clock.Now())
	c := drover.Connection{
		ID: store.NewID(), TenantID: tenant, IntegrationName: drover.Traccar, BusinessName: "b", CollectionStartTime: now,
	}
	d := drover.Device{ID: store.NewID(), ConnectionID: c.ID, SystemDeviceID: "v", Active: true, Tags: []string{}}
	s.update(func(tx *store.Tx) error {
		if err := tx.Fleet.AddConnection(ctx, c, []byte("sealed"), now); err != nil {
			return err
		}
		return tx.Fleet.AddDevice(ctx, tenant, d, now)
	})
	return c, d
}

// TestGuessesAtTwoProcesses has a password guessed at two processes in turn.
func TestGuessesAtTwoProcesses(t *testing.T) {
	t.Parallel()
	here := run(t, "postgres")
	there := here.beside()
	for i, want := range []int{401, 401, 401, 401, 401, 429, 429} {
		if status := []*service{here, there}[i%2].guess(); status != want {
			t.Errorf("guess %d: status %d, want %d", i+1, status, want)
		}
	}
}

// guess sends a wrong password of the tenant's user.
func (s *service) guess() int {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+"/token", strings.NewReader(`{"username":"u","password":"wrong-one"}`))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}
