package collect_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// TestImpossibleTimesAreVisible has trackers with broken clocks.
func TestImpossibleTimesAreVisible(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("clocks", noon, []string{"a", "b"})
		r.run()
		page := []provider.Position{
			at("a", r.clock.Now(), -37, 145), at("a", time.Unix(7, 0), -37, 145),
			at("b", r.clock.Now().AddDate(50, 0, 0), -37, 145),
		}
		for range 3 { // what is read again counts once
			s.next(page...)
			r.pass(2 * time.Minute)
		}
		notice := func() drover.JobHealth {
			for _, job := range r.health(conn).Jobs {
				if job.Kind == "positions" {
					return job
				}
			}
			t.Fatal("no job of positions")
			return drover.JobHealth{}
		}
		if got := notice(); deref(got.LastErrorKind) != "data" || !strings.HasPrefix(deref(got.LastError), "2 positions since ") ||
			got.ConsecutiveErrors != 0 {
			t.Errorf("health says %v of kind %v", deref(got.LastError), deref(got.LastErrorKind))
		}
		r.expectState(conn, drover.ConnectionHealthy)
		r.clock.Advance(25 * time.Hour)
		r.run()
		if got := notice(); got.LastError != nil {
			t.Errorf("a day later health says %v", *got.LastError)
		}
	})
}

// TestNextRunWhileTheListFails looks when positions are read that wait for the
// first list of devices.
func TestNextRunWhileTheListFails(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("failing", noon, nil)
		s.listing = func(string) (provider.Page[provider.Device], error) {
			return provider.Page[provider.Device]{}, provider.Errorf(provider.KindTemporary, "out of order")
		}
		s.positions = func(context.Context, provider.Query) (provider.Page[provider.Position], error) {
			t.Error("positions were asked for")
			return provider.Page[provider.Position]{}, nil
		}
		r.pass(30 * time.Minute)
		h := r.health(conn)
		for _, job := range h.Jobs {
			if job.NextRunAt == nil || job.NextRunAt.Before(r.clock.Now().Add(-time.Minute)) {
				t.Errorf("%s are read next at %v, and it is %v", job.Kind, job.NextRunAt, r.clock.Now())
			}
		}
		if h.NextRunAt == nil || h.NextRunAt.Before(r.clock.Now().Add(-time.Minute)) {
			t.Errorf("the connection is read next at %v", h.NextRunAt)
		}
	})
}
