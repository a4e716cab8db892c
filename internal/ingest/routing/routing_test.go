package routing_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/routing"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/rules/arrival"
)

var (
	epoch  = time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	berlin = drover.Coordinate{Latitude: 52.5, Longitude: 13.4}
	bremen = drover.Coordinate{Latitude: 53.08, Longitude: 8.8}
)

// osrm is a fake server with a client.
type osrm struct {
	client *routing.Client
	asked  atomic.Int64
	log    strings.Builder
	now    time.Time
}

func newOSRM(t *testing.T, allow []netip.Prefix, answer http.HandlerFunc) *osrm {
	t.Helper()
	o := &osrm{now: epoch}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.asked.Add(1)
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	o.client = routing.New(routing.Options{
		URL: strings.Replace(server.URL, "http://", "http://user:secret@", 1) + "/", Transport: outbound.NewTransport(outbound.NewGuard(allow)),
		Timeout: 5 * time.Minute, Now: func() time.Time { return o.now }, Logger: slog.New(slog.NewTextHandler(&o.log, nil)),
	})
	return o
}

func loopback() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }

func respond(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

func TestRoute(t *testing.T) {
	t.Parallel()
	var path string
	o := newOSRM(t, loopback(), func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		respond(`{"code":"Ok","routes":[{"distance":392000.5,"duration":14400.5,"legs":[]}],"waypoints":[]}`)(w, r)
	})
	want := arrival.Route{Metres: 392000.5, Duration: 4*time.Hour + 500*time.Millisecond}
	for range 3 { // asked once, kept afterwards
		if got, ok := o.client.Route(t.Context(), berlin, bremen); !ok || got != want {
			t.Errorf("route is %+v, %t", got, ok)
		}
	}
	if path != "/route/v1/driving/13.400000,52.500000;8.800000,53.080000" {
		t.Errorf("asked for %s", path)
	}
	if n := o.asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
	o.now = o.now.Add(10 * time.Minute)
	o.client.Route(t.Context(), berlin, bremen)
	if n := o.asked.Load(); n != 2 {
		t.Errorf("asked %d times after the answer has grown old", n)
	}
}

func TestNoRouteIsAnAnswer(t *testing.T) {
	t.Parallel()
	o := newOSRM(t, loopback(), func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		respond(`{"code":"NoRoute","message":"Impossible route between points"}`)(w, r)
	})
	for range 2 {
		if got, ok := o.client.Route(t.Context(), berlin, bremen); ok {
			t.Errorf("route is %+v", got)
		}
	}
	if n := o.asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// A server that fails in whatever way is done without, and left alone for a
// while.
func TestFallsBack(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"Error":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"NoJSON":    respond("hello"),
		"OtherCode": respond(`{"code":"InvalidQuery"}`),
		"Redirects": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOSRM(t, loopback(), answer)
			for range 3 {
				if got, ok := o.client.Route(t.Context(), berlin, bremen); ok {
					t.Errorf("route is %+v", got)
				}
			}
			if n := o.asked.Load(); n != 1 {
				t.Errorf("asked %d times, want once", n)
			}
			o.now = o.now.Add(time.Minute)
			o.client.Route(t.Context(), berlin, bremen)
			if n := o.asked.Load(); n != 2 {
				t.Errorf("asked %d times after the rest", n)
			}
			if !strings.Contains(o.log.String(), "routing server fails") || strings.Contains(o.log.String(), "secret") {
				t.Errorf("logged %q", o.log.String())
			}
		})
	}
}

// silent is a server that never answers.
type silent struct{ asked int }

func (s *silent) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked++
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestHangs waits for half a second, and not again for a while.
func TestHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &silent{}
		client := routing.New(routing.Options{
			URL: "https://osrm.example", Transport: server, Now: time.Now,
			Logger: slog.New(slog.DiscardHandler),
		})
		begun := time.Now()
		for range 3 {
			if got, ok := client.Route(t.Context(), berlin, bremen); ok {
				t.Errorf("route is %+v", got)
			}
		}
		if waited := time.Since(begun); waited != 500*time.Millisecond || server.asked != 1 {
			t.Errorf("waited for %s, asked %d times", waited, server.asked)
		}
		time.Sleep(30 * time.Second)
		client.Route(t.Context(), berlin, bremen)
		if server.asked != 2 {
			t.Errorf("asked %d times after the rest", server.asked)
		}
	})
}

// The address guard holds for the routing server too.
func TestGuard(t *testing.T) {
	t.Parallel()
	o := newOSRM(t, nil, respond(`{"code":"Ok","routes":[{"distance":1,"duration":1}]}`))
	if _, ok := o.client.Route(t.Context(), berlin, bremen); ok || o.asked.Load() != 0 {
		t.Error("a private address was called")
	}
}

func TestCallerGone(t *testing.T) {
	t.Parallel()
	o := newOSRM(t, loopback(), respond(`{"code":"Ok","routes":[{"distance":1,"duration":1}]}`))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok := o.client.Route(ctx, berlin, bremen); ok {
		t.Error("a caller who has gone was answered")
	}
	if _, ok := o.client.Route(t.Context(), berlin, bremen); !ok {
		t.Error("the server is left alone although it did not fail")
	}
}
