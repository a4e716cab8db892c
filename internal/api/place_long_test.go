package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background/clocktest"
)

// TestSlowRequestsTakeNoShortPlaces has downloads that are never read and trials at silent
// hosts take all that they may have: short requests have all their places.
func TestSlowRequestsTakeNoShortPlaces(t *testing.T) {
	t.Parallel()
	clock := clocktest.New(time.Unix(1_800_000_000, 0))
	o := Options{MaxInFlight: 1, MaxStreams: 16, Processors: 2, Now: clock.Now}
	s := &server{Options: o, places: newPlaces(o), links: linkLimiter(o)}
	routes := map[string]*route{}
	for _, r := range append(append(s.exportRoutes(), s.connectionRoutes()...), s.linkRoutes()...) {
		routes[r.ID] = &r
	}
	enter := func(name, tenant, token string) (*call, error) {
		r := routes[name]
		req := httptest.NewRequestWithContext(t.Context(), r.Method, r.Path, http.NoBody)
		req.SetPathValue("link_token", token)
		c := &call{Context: t.Context(), Request: req, principal: drover.Principal{TenantID: tenant}}
		_, err := s.enter(c, r)
		return c, err
	}
	slow := func(name, tenant, token string, most int) []*call {
		var calls []*call
		for range most {
			c, err := enter(name, tenant, token)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			calls = append(calls, c)
		}
		return calls
	}
	for _, name := range []string{"postConnectionTest", "postInvitationTest", "postInvitation"} {
		token := name
		most := trialsOfLink
		if name == "postConnectionTest" {
			most = trialsOfTenant
		}
		slow(name, "a", token, most)
		if _, err := enter(name, "a", token); drover.ErrorKind(err) != drover.KindRateLimited {
			t.Errorf("one more of %s: %v", name, err)
		}
		slow(name, "b", token+"b", 1)
	}
	files := slow("getExportFile", "a", "", downloadsOfTenant+2)
	for i, c := range files {
		if gone := c.Err() != nil; gone != (i < 2) {
			t.Errorf("download %d has given way: %v", i, gone)
		}
	}
	for _, tenant := range []string{"a", "b"} {
		if _, err := enter("listExports", tenant, ""); err != nil {
			t.Errorf("a short request of %s: %v", tenant, err)
		}
	}
	if _, err := enter("getInvitation", "", "t"); err != nil {
		t.Errorf("a page of a link: %v", err)
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
	errBody := errors.New("the body was asked for")
	send := func(address string) error {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/inbound/x/y", iotest.ErrReader(errBody))
		req.RemoteAddr = address
		_, err := s.postNotice(&call{Context: t.Context(), Request: req})
		return err
	}
	for i := range inboundBurst {
		if err := send(fmt.Sprintf("[2001:db8::%x]:80", i+1)); drover.ErrorKind(err) == drover.KindRateLimited {
			t.Fatalf("notice %d: %v", i, err)
		}
	}
	if err := send("[2001:db8::ffff]:80"); drover.ErrorKind(err) != drover.KindRateLimited {
		t.Errorf("one more of the network: %v", err)
	}
	if err := send("[2001:db8:0:1::1]:80"); drover.ErrorKind(err) == drover.KindRateLimited {
		t.Errorf("another network: %v", err)
	}
}
