package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background/clocktest"
	"github.com/drover-fleet/drover/internal/decode"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestSlowRequestsTakeNoShortPlaces has downloads that are never read and trials at silent
// hosts take all that they may have: short requests have all their places.
func TestSlowRequestsTakeNoShortPlaces(t *testing.T) {
	t.Parallel()
	clock := clocktest.New(time.Unix(1_800_000_000, 0))
	o := Options{MaxInFlight: 1, MaxStreams: 16, Processors: 2, Now: clock.Now}
	s := &server{Options: o, places: newPlaces(o), links: linkLimiter(o)}
	routes := map[string]*route{}
	for _, r := range slices.Concat(s.exportRoutes(), s.connectionRoutes(), s.webhookRoutes(), s.deliveryRoutes()) {
		routes[r.ID] = &r
	}
	enter := func(name, tenant string) (*call, error) {
		r := routes[name]
		req := httptest.NewRequestWithContext(t.Context(), r.Method, r.Path, http.NoBody)
		c := &call{Context: t.Context(), Request: req, principal: drover.Principal{TenantID: tenant}}
		_, err := s.enter(c, r)
		return c, err
	}
	slow := func(name, tenant string, most int) []*call {
		var calls []*call
		for range most {
			c, err := enter(name, tenant)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			calls = append(calls, c)
		}
		return calls
	}
	for _, name := range []string{"postConnectionTest", "postWebhookTest", "postMilestoneTest"} {
		s.places = newPlaces(o)
		slow(name, "a", trialsOfTenant)
		if _, err := enter(name, "a"); drover.ErrorKind(err) != drover.KindRateLimited {
			t.Errorf("one more of %s: %v", name, err)
		}
		slow(name, "b", 1)
	}
	files := slow("getExportFile", "a", downloadsOfTenant+2)
	for i, c := range files {
		if gone := c.Err() != nil; gone != (i < 2) {
			t.Errorf("download %d has given way: %v", i, gone)
		}
	}
	for _, tenant := range []string{"a", "b"} {
		if _, err := enter("listExports", tenant); err != nil {
			t.Errorf("a short request of %s: %v", tenant, err)
		}
	}
}

// TestSlowGuestsOfATenant has guests by links of one tenant, and people who sign in by its provider,
// wait for a provider that is silent, from one address: each of the two has a bound, and none
// keeps those of another tenant out, nor takes the place of a page of a link.
func TestSlowGuestsOfATenant(t *testing.T) {
	t.Parallel()
	now := drover.At(time.Unix(1_800_000_000, 0))
	stored := storetest.Open(t, storetest.Options(t, "sqlite"))
	own, other, _ := storetest.TwoTenants(t, stored, now)
	err := stored.Update(t.Context(), func(tx *store.Tx) error {
		for name, tenant := range map[string]string{"a": own, "also a": own, "b": other} {
			link := drover.ConnectionLink{ID: store.NewID(), BusinessName: name, CreatedAt: now, ExpiresAt: drover.At(now.Add(time.Hour))}
			if err := tx.Accounts.AddConnectionLink(t.Context(), tenant, link, auth.HashSecret(name)); err != nil {
				return err
			}
		}
		return errors.Join(
			tx.SignIn.SetSingleSignOn(t.Context(), account.SingleSignOn{TenantID: own, ID: store.NewID(), Code: "a", Sealed: []byte("sealed")}),
			tx.SignIn.SetSingleSignOn(t.Context(), account.SingleSignOn{TenantID: other, ID: store.NewID(), Code: "b", Sealed: []byte("sealed")}))
	})
	if err != nil {
		t.Fatal(err)
	}
	clock := clocktest.New(now.Time)
	o := Options{MaxInFlight: 1, Processors: 2, Now: clock.Now, Fleet: fleet.New(fleet.Options{Store: stored, Now: clock.Now})}
	s := &server{Options: o, places: newPlaces(o), links: linkLimiter(o)}
	routes := map[string]*route{}
	for _, r := range append(s.linkRoutes(), s.ssoRoutes()...) {
		routes[r.ID] = &r
	}
	enter := func(name, of string) error {
		r := routes[name]
		req := httptest.NewRequestWithContext(t.Context(), r.Method, r.Path, http.NoBody)
		req.SetPathValue("link_token", of)
		c := &call{Context: t.Context(), Request: req, raw: []byte(`{"code":"` + of + `"}`), decoder: decode.New(nil)}
		_, err := s.enter(c, r)
		return err
	}
	for _, name := range []string{"postInvitationTest", "postInvitation"} {
		s.places = newPlaces(o)
		for i := range trialsOfTenant {
			if err := enter(name, []string{"a", "also a"}[i%2]); err != nil {
				t.Fatalf("%s, %d: %v", name, i, err)
			}
		}
		if err := enter(name, "also a"); drover.ErrorKind(err) != drover.KindRateLimited {
			t.Errorf("one more of %s: %v", name, err)
		}
		for _, of := range []string{"b", "no link"} {
			if err := enter(name, of); err != nil {
				t.Errorf("%s of %s: %v", name, of, err)
			}
		}
	}
	if err := enter("getInvitation", "a"); err != nil {
		t.Errorf("a page of a link: %v", err)
	}
	for i := range signInPlaces {
		if err := enter("postSignInStart", "a"); err != nil {
			t.Fatalf("sign-in %d: %v", i, err)
		}
	}
	if err := enter("postSignInStart", "b"); err != nil {
		t.Errorf("a sign-in of another tenant: %v", err)
	}
}

// silentReceiver takes nothing until the deadline of a write has passed.
type silentReceiver struct {
	http.ResponseWriter
	cut chan struct{}
}

func (r *silentReceiver) SetReadDeadline(time.Time) error { return nil }

func (r *silentReceiver) SetWriteDeadline(t time.Time) error {
	if !t.IsZero() {
		close(r.cut)
	}
	return nil
}

func (r *silentReceiver) Write([]byte) (int, error) {
	<-r.cut
	return 0, errors.New("the deadline has passed")
}

// TestDownloadThatIsNotRead has a file sent to a receiver who takes nothing: it is cut
// after a while, and at once when its place is wanted.
func TestDownloadThatIsNotRead(t *testing.T) {
	t.Parallel()
	for name, wanted := range map[string]bool{"Stuck": false, "Wanted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				began := time.Now()
				d := newDownload(ctx, &silentReceiver{ResponseWriter: httptest.NewRecorder(), cut: make(chan struct{})})
				defer d.end()
				want := stuckAfter
				if wanted {
					want = time.Second
					time.AfterFunc(want, cancel)
				}
				if _, err := d.Write([]byte("x")); err == nil {
					t.Error("it was written")
				}
				if took := time.Since(began); took != want {
					t.Errorf("it was cut after %v", took)
				}
			})
		})
	}
}

// TestLinksOfOneNetwork has someone ask for what a link shows from many addresses of one
// network of 64 bits: they are throttled as one.
func TestLinksOfOneNetwork(t *testing.T) {
	t.Parallel()
	clock := clocktest.New(time.Unix(1_800_000_000, 0))
	o := Options{MaxInFlight: 1, Now: clock.Now}
	s := &server{Options: o, places: newPlaces(o), links: linkLimiter(o)}
	ask := func(address string) error {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/public/share/x", http.NoBody)
		req.RemoteAddr = address
		place, err := s.enterLink(&call{Context: t.Context(), Request: req}, &route{})
		place.Return()
		return err
	}
	for i := range linkBurst {
		if err := ask(fmt.Sprintf("[2001:db8::%x]:80", i+1)); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
	}
	if err := ask("[2001:db8::ffff]:80"); drover.ErrorKind(err) != drover.KindRateLimited {
		t.Errorf("one more of the network: %v", err)
	}
	if err := ask("[2001:db8:0:1::1]:80"); err != nil {
		t.Errorf("another network: %v", err)
	}
}

// TestNoticesOfOneNetwork has someone send notices from many addresses of one network of 64
// bits: they are throttled as one.
func TestNoticesOfOneNetwork(t *testing.T) {
	t.Parallel()
	clock := clocktest.New(time.Unix(1_800_000_000, 0))
	s := &server{inbound: inboundLimiter(Options{Now: clock.Now})}
	send := func(address string) error {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/inbound/x/y", http.NoBody)
		req.RemoteAddr = address
		return s.allowNotice(&call{Context: t.Context(), Request: req})
	}
	for i := range inboundBurst {
		if err := send(fmt.Sprintf("[2001:db8::%x]:80", i+1)); err != nil {
			t.Fatalf("notice %d: %v", i, err)
		}
	}
	if err := send("[2001:db8::ffff]:80"); drover.ErrorKind(err) != drover.KindRateLimited {
		t.Errorf("one more of the network: %v", err)
	}
	if err := send("[2001:db8:0:1::1]:80"); err != nil {
		t.Errorf("another network: %v", err)
	}
}
