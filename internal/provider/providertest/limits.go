package providertest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/sim"
)

const (
	// largeFleet is what a connection must be able to follow.
	largeFleet = 500
	// longestRound is how long one reading of all of it may take at most within
	// the declared limits.
	longestRound = time.Hour
)

// testLimits follows a large fleet within the limits that the adapter declares:
// no window of their length sees more calls, and a round ends in time.
func testLimits(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{Vehicles: largeFleet, Interval: 10 * time.Minute, Heartbeat: 6 * time.Hour})
	r.limits = h.Info.Limits
	p := r.adapter(t)
	paced(t, r, func(ctx context.Context, cursor string) (string, bool, error) {
		page, err := p.Devices(ctx, cursor)
		return page.Cursor, page.More, err
	}, "")
	from := r.clock.Now().Add(-10 * time.Minute)
	positions, trips := "", ""
	for range 3 {
		positions = paced(t, r, reading(r, p.Positions, from), positions)
		if h.Info.Features.Trips {
			trips = paced(t, r, reading(r, p.Trips, from), trips)
		}
		r.clock.Advance(h.Info.Poll.Positions)
	}
	for _, limit := range h.Info.Limits {
		checkLimit(t, limit, r.network.calls)
	}
}

type step func(ctx context.Context, cursor string) (next string, more bool, err error)

func reading[T any](r *rig, read stream[T], from time.Time) step {
	return func(ctx context.Context, cursor string) (string, bool, error) {
		page, err := read(ctx, provider.Query{Cursor: cursor, From: from, Devices: r.ids()})
		return page.Cursor, page.More, err
	}
}

// paced reads to the end of a round and comes back whenever the limits say so.
func paced(t *testing.T, r *rig, read step, cursor string) string {
	t.Helper()
	start := r.clock.Now()
	for r.clock.Now().Sub(start) <= longestRound {
		next, more, err := read(t.Context(), cursor)
		if provider.KindOf(err) == provider.KindRateLimited {
			r.clock.Advance(max(provider.RetryAt(err).Sub(r.clock.Now()), time.Millisecond))
			continue
		}
		if err != nil {
			t.Fatalf("with %d vehicles: %v", largeFleet, err)
		}
		if !more {
			return next
		}
		cursor = next
	}
	t.Fatalf("a round over %d vehicles takes longer than %v within the limits", largeFleet, longestRound)
	return ""
}

// checkLimit counts the calls in every window of the limit's length. A limit that
// is chosen by an operation's name, which requests do not show, is not counted.
func checkLimit(t *testing.T, limit provider.Limit, calls []call) {
	t.Helper()
	var times []time.Time
	for _, c := range calls {
		if strings.HasPrefix(c.path, limit.Path) {
			times = append(times, c.at)
		}
	}
	for i := limit.Requests; limit.Requests > 0 && i < len(times); i++ {
		if times[i].Sub(times[i-limit.Requests]) < limit.Per {
			t.Fatalf("limit %+v: more calls in the period before %v", limit, times[i])
		}
	}
}
