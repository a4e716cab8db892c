package providertest

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/sim"
)

// scene is an adapter that works, with new data waiting for it.
type scene struct {
	*rig
	p    provider.Provider
	from time.Time
	q    provider.Query
	got  []provider.Position
}

func newScene(t *testing.T, h *Harness) *scene {
	t.Helper()
	r := newRig(t, h, sim.Options{})
	s := &scene{rig: r, p: r.adapter(t), from: r.clock.Now().Add(-backlog)}
	s.q = provider.Query{From: s.from, Devices: r.ids()}
	s.got, s.q.Cursor = drain(t, s.p.Positions, s.q)
	r.clock.Advance(max(10*time.Minute, h.Info.Poll.Positions))
	return s
}

// checkRecovery takes the fault away and checks that nothing was lost to it.
func (s *scene) checkRecovery(t *testing.T) {
	t.Helper()
	s.network.plant(nil)
	s.clock.Advance(2 * retryAfter) // anyone who was asked to wait has waited
	more, _ := drain(t, s.p.Positions, s.q)
	s.checkPositions(t, s.expected(s.from), append(s.got, more...), true)
}

// calls are the seam's reads, each as an error only.
func (s *scene) calls() map[string]func(context.Context) error {
	calls := map[string]func(context.Context) error{
		"Check": s.p.Check,
		"Devices": func(ctx context.Context) error {
			_, err := s.p.Devices(ctx, "")
			return err
		},
		"Positions": func(ctx context.Context) error {
			_, err := s.p.Positions(ctx, s.q)
			return err
		},
	}
	if s.h.Info.Features.Trips {
		calls["Trips"] = func(ctx context.Context) error {
			_, err := s.p.Trips(ctx, provider.Query{From: s.from, Devices: s.ids()})
			return err
		}
	}
	return calls
}

// failing tests a fault that lasts: each call fails with its kind, and when the
// fault is over nothing is lost.
func failing(f fault, want provider.Kind) func(*testing.T, *Harness) {
	return func(t *testing.T, h *Harness) {
		t.Helper()
		s := newScene(t, h)
		s.network.plant(f)
		for name, call := range s.calls() {
			if name == "Check" && want == provider.KindTemporary {
				continue // the cheapest call may not read what the fault spoils
			}
			now := s.clock.Now()
			err := call(t.Context())
			if err == nil || provider.KindOf(err) != want {
				t.Errorf("%s: %v, of kind %s, want %s", name, err, provider.KindOf(err), want)
			}
			if until := provider.RetryAt(err); want == provider.KindRateLimited && until.Before(now.Add(retryAfter)) {
				t.Errorf("%s: come back at %v, want not before %v", name, until, now.Add(retryAfter))
			}
		}
		s.checkRecovery(t)
	}
}

// testUnknownShape has the vendor answer with status 200 and something else than
// what was asked for: an error in a form that no one knows, the page of a proxy.
// It is a failure, never an empty fleet or a stretch without positions.
func testUnknownShape(t *testing.T, h *Harness) {
	t.Helper()
	s := newScene(t, h)
	for _, shape := range []struct{ media, body string }{
		{"application/json", `{}`},
		{"application/json", `null`},
		{"application/json", `{"Message":"An error has occurred."}`},
		{"application/json", `{"status":"ok","result":null}`},
		{"application/json", `"try again later"`},
		{"text/html", `<!DOCTYPE html><html><head><title>Sign in</title></head></html>`},
		{"text/plain", `OK`},
	} {
		s.network.plant(func(*http.Request, vendorFunc) (*http.Response, error) {
			return answer(http.StatusOK, shape.media, shape.body), nil
		})
		for name, call := range s.calls() {
			if err := call(t.Context()); err == nil || provider.KindOf(err) != provider.KindTemporary {
				t.Errorf("%s that is answered %s: %v, want a temporary failure", name, shape.body, err)
			}
		}
	}
	s.checkRecovery(t)
}

// testErrorOnce has one call fail in between. Whether it is retried at once or
// reported as temporary is the adapter's choice; losing data is not.
func testErrorOnce(t *testing.T, h *Harness) {
	t.Helper()
	s := newScene(t, h)
	s.network.plant(once(func(*http.Request, vendorFunc) (*http.Response, error) {
		return answer(http.StatusInternalServerError, "text/plain", "oops"), nil
	}))
	page, err := s.p.Positions(t.Context(), s.q)
	if err != nil && provider.KindOf(err) != provider.KindTemporary {
		t.Errorf("Positions: %v, of kind %s", err, provider.KindOf(err))
	}
	if err == nil {
		s.got, s.q.Cursor = append(s.got, page.Records...), page.Cursor
	}
	s.checkRecovery(t)
}

// testCanceled ends the caller's context while the vendor thinks.
func testCanceled(t *testing.T, h *Harness) {
	t.Helper()
	s := newScene(t, h)
	for name, call := range s.calls() {
		ctx, cancel := context.WithCancel(t.Context())
		s.network.plant(func(req *http.Request, _ vendorFunc) (*http.Response, error) {
			cancel()
			<-req.Context().Done()
			return nil, req.Context().Err()
		})
		if err := call(ctx); !provider.Canceled(err) {
			t.Errorf("%s: %v, want the context's error", name, err)
		}
		cancel()
	}
	s.checkRecovery(t)
}

// testSessionEnded ends every session at the vendor: the adapter logs in again
// and no one notices.
func testSessionEnded(t *testing.T, h *Harness) {
	t.Helper()
	s := newScene(t, h)
	for name, call := range s.calls() {
		s.account.EndSessions()
		if err := call(t.Context()); err != nil {
			t.Errorf("%s after the session ended: %v", name, err)
		}
	}
	s.account.EndSessions()
	s.checkRecovery(t)
}

// testRevoked has the vendor refuse credentials that worked before.
func testRevoked(t *testing.T, h *Harness) {
	t.Helper()
	s := newScene(t, h)
	for _, f := range h.Info.Fields {
		if f.Secret && h.Credentials[f.Name] != "" {
			s.account.Rotate(f.Name)
		}
	}
	s.account.EndSessions()
	for name, call := range s.calls() {
		if err := call(t.Context()); err == nil || provider.KindOf(err) != provider.KindCredentials {
			t.Errorf("%s: %v, of kind %s, want %s", name, err, provider.KindOf(err), provider.KindCredentials)
		}
	}
}

// spoilt follows the pushes of a vendor that answers in another order than it
// usually does, or says everything twice. Answers that are not JSON pass
// unchanged.
func spoilt(f fault) func(*testing.T, *Harness) {
	return func(t *testing.T, h *Harness) {
		t.Helper()
		r := newRig(t, h, sim.Options{})
		r.network.plant(f)
		p := r.adapter(t)
		followPositions(t, r, func() provider.Provider { return p })
		seen := map[string]bool{}
		for _, d := range r.devices(t, p) {
			seen[d.SystemDeviceID] = true
		}
		if want := len(r.fleet.Vehicles()); len(seen) != want {
			t.Errorf("%d devices, want %d", len(seen), want)
		}
		if h.Info.Features.Trips {
			from := r.clock.Now().Add(-3 * time.Hour)
			trips, _ := drain(t, p.Trips, provider.Query{From: from, Devices: r.ids()})
			r.checkTrips(t, from, r.clock.Now().Add(-settle), trips)
		}
	}
}
