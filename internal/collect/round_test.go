package collect_test

import (
	"context"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
)

// TestIntervalCountsFromTheBeginOfARound lets a round take 40 seconds of a minute's
// interval, and then more than the interval: the next begins a minute after this one
// began, or after a rest.
func TestIntervalCountsFromTheBeginOfARound(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("slow", noon, []string{"a"})
		takes := 20 * time.Second
		pages := 0
		s.positions = func(context.Context, provider.Query) (provider.Page[provider.Position], error) {
			pages++
			r.clock.Advance(takes)
			return provider.Page[provider.Position]{Cursor: "x", More: pages%2 == 1}, nil
		}
		next := func() time.Duration {
			t.Helper()
			for _, st := range r.health(conn).Streams {
				if st.Kind == "positions" && st.History == nil {
					return st.NextRunAt.Sub(r.clock.Now())
				}
			}
			t.Fatal("there is no stream of positions")
			return 0
		}
		r.run()
		if got := next(); got != 20*time.Second {
			t.Errorf("after a round of 40 s the next one begins in %s, want 20 s", got)
		}
		takes = time.Minute
		r.clock.Advance(20 * time.Second)
		r.run()
		if got := next(); got != 10*time.Second {
			t.Errorf("after a round of two minutes the next one begins in %s, want 10 s", got)
		}
	})
}
