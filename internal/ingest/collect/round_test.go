package collect_test

import (
	"context"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store/work"
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
			for _, st := range r.health(conn).Jobs {
				if st.Kind == "positions" && st.Backfill == nil {
					return st.NextRunAt.Sub(r.clock.Now())
				}
			}
			t.Fatal("there is no job of positions")
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

// TestHastyPollsLeaveThePast has polls that are due again before all of them were made:
// within a turn the past is read nevertheless, and trips are.
func TestHastyPollsLeaveThePast(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		const interval, takes = 250 * time.Millisecond, 300 * time.Millisecond
		s, conn := r.stub("hasty", noon.Add(-3*time.Hour), []string{"a"}, native)
		s.listing = func(string) (provider.Page[provider.Device], error) {
			r.clock.Advance(takes)
			return provider.Page[provider.Device]{Records: s.devices}, nil
		}
		live := 0
		s.positions = func(_ context.Context, q provider.Query) (provider.Page[provider.Position], error) {
			if r.clock.Advance(takes); q.Live() {
				live++
			}
			return provider.Page[provider.Position]{Cursor: "x"}, nil
		}
		c := r.another("hasty", func(o *collect.Options) { o.PollInterval = interval })
		claims, err := r.store.Jobs.ClaimCollections(t.Context(), "hasty/1", drover.At(r.clock.Now()), drover.At(r.clock.Now().Add(time.Hour)),
			1, work.Shares{})
		if err != nil || len(claims) != 1 {
			t.Fatalf("%d claims, %v", len(claims), err)
		}
		c.Collect(t.Context(), claims[0])
		for _, st := range r.health(conn).Jobs {
			switch {
			case st.Backfill != nil && st.State != "done":
				t.Errorf("history of %s: %v %% are done", st.Kind, st.Backfill.DonePercent)
			case st.LastSuccessAt == nil:
				t.Errorf("%s were never read", st.Kind)
			}
		}
		if live < 20 {
			t.Errorf("live positions were polled %d times in the turn: the test shows nothing", live)
		}
	})
}
