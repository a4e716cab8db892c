package collect_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// everyMinute answers each query with a position for every minute of its window,
// and some more on both sides, as vendors do.
func everyMinute(r *rig) func(context.Context, provider.Query) (provider.Page[provider.Position], error) {
	return func(_ context.Context, q provider.Query) (provider.Page[provider.Position], error) {
		from, to := q.From, q.To
		if q.Live() {
			to = r.clock.Now()
			if q.Cursor != "" {
				from = to.Add(-10 * time.Minute)
			}
		}
		page := provider.Page[provider.Position]{Cursor: "x"}
		for t := from.Add(-3 * time.Minute).Truncate(time.Minute); !t.After(to.Add(3 * time.Minute)); t = t.Add(time.Minute) {
			if !t.After(r.clock.Now()) {
				page.Records = append(page.Records, at("a", t, -37, 145))
			}
		}
		return page, nil
	}
}

// times are those of a device's stored positions.
func (r *rig) times(device string) (out []time.Time) {
	r.t.Helper()
	for _, p := range r.positions(device) {
		out = append(out, p.Time.Time)
	}
	return out
}

func minutes(from, to time.Time) (out []time.Time) {
	for t := from; t.Before(to); t = t.Add(time.Minute) {
		out = append(out, t)
	}
	return out
}

// TestWindow holds that exactly what lies in [start, end) is collected, wherever
// the window lies, and that a connection past it is let alone.
func TestWindow(t *testing.T) {
	t.Parallel()
	for name, window := range map[string]struct{ start, end time.Time }{
		"AroundNow": {noon.Add(-3 * time.Hour), noon.Add(30 * time.Minute)},
		"Past":      {noon.Add(-7 * time.Hour), noon.Add(-5 * time.Hour)},
		"JustPast":  {noon.Add(-2 * time.Hour), noon.Add(-10 * time.Minute)},
		"Ahead":     {noon.Add(10 * time.Minute), noon.Add(time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, r *rig) {
				t.Helper()
				s, conn := r.stub("window", window.start, []string{"a"}, endingAt(window.end))
				s.positions = everyMinute(r)
				r.run()
				r.pass(2*time.Hour + 30*time.Minute)
				if diff := cmp.Diff(minutes(window.start, window.end), r.times(r.devices(conn)["a"].ID)); diff != "" {
					t.Errorf("the positions (-want +got):\n%s", diff)
				}
				r.expectState(conn, drover.ConnectionDisabled)
				asked := len(s.queries())
				r.pass(3 * time.Hour)
				if n := len(s.queries()) - asked; n != 0 {
					t.Errorf("past its end the connection was asked %d times", n)
				}
			})
		})
	}
}

func TestInactiveIsNotPolled(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("inactive", noon.Add(-time.Hour), []string{"a"}, func(in *drover.ConnectionInput) { in.Active = new(false) })
		s.positions = everyMinute(r)
		r.run()
		r.pass(3 * time.Hour)
		r.expectState(conn, drover.ConnectionDisabled)
		if len(s.queries()) != 0 || len(r.devices(conn)) != 0 {
			t.Errorf("an inactive connection was asked %d times", len(s.queries()))
		}
	})
}

// TestBackfill follows a long backfill job: newest first, with its progress, while
// the live job goes on, until it is canceled.
func TestBackfill(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("backfill", noon.Add(-100*time.Hour), []string{"a"})
		answer := everyMinute(r)
		// A page takes its time: twenty seconds each.
		s.positions = func(ctx context.Context, q provider.Query) (provider.Page[provider.Position], error) {
			r.clock.Advance(20 * time.Second)
			return answer(ctx, q)
		}
		r.turn()
		done := r.job(conn)
		for range 20 {
			r.turn()
			now := r.job(conn)
			if now.Backfill.DonePercent < done.Backfill.DonePercent || now.Backfill.RemainingTo.After(done.Backfill.RemainingTo.Time) {
				t.Errorf("the progress goes from %v to %v", done.Backfill, now.Backfill)
			}
			done = now
		}
		if p := done.Backfill.DonePercent; p < 5 || p > 95 {
			t.Fatalf("%v %% are done: too much or too little to prove anything", p)
		}
		checkQueries(t, s.queries())
		oldest := r.times(r.devices(conn)["a"].ID)[0]
		if want := done.Backfill.RemainingTo.Add(-3 * time.Minute); !oldest.Equal(want) {
			t.Errorf("the oldest position is of %v, want %v: all down to there", oldest, want)
		}

		if err := r.fleet.Connections.CancelSync(t.Context(), r.principal, conn.ID, done.ID); err != nil {
			t.Fatal(err)
		}
		asked := len(s.queries())
		r.pass(10 * time.Minute)
		for _, q := range s.queries()[asked:] {
			if !q.Live() {
				t.Error("a canceled job goes on")
			}
		}
		if r.job(conn).State != string(store.JobCanceled) || len(s.queries()) == asked {
			t.Errorf("the job is %s after %d more queries", r.job(conn).State, len(s.queries())-asked)
		}
	})
}

// TestBackfillsInStep reads the past of trips and positions together: those of one time follow each
// other, the trips first, but for a page in ten that is of whatever has waited longest.
func TestBackfillsInStep(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, _ := r.stub("step", noon.Add(-40*time.Hour), []string{"a"}, native)
		var trips, positions time.Time // down to when they were read
		pages, apart := 0, 0
		read := func(q provider.Query, into *time.Time) {
			if q.Live() {
				return
			}
			*into, pages = q.From, pages+1
			if ahead := positions.Sub(trips); !positions.IsZero() && (ahead < 0 || ahead > time.Hour) {
				apart++
			}
		}
		s.trips = func(_ context.Context, q provider.Query) (provider.Page[provider.Trip], error) {
			read(q, &trips)
			return provider.Page[provider.Trip]{Cursor: "x"}, nil
		}
		s.positions = func(_ context.Context, q provider.Query) (provider.Page[provider.Position], error) {
			read(q, &positions)
			return provider.Page[provider.Position]{Cursor: "x"}, nil
		}
		r.run()
		if pages < 70 || apart > pages/4 {
			t.Errorf("of %d pages of backfills %d were read out of step", pages, apart)
		}
	})
}

// turn gives a connection one turn.
func (r *rig) turn() {
	r.t.Helper()
	claims, err := r.store.Jobs.ClaimCollections(r.t.Context(), "turn/"+store.NewID(), drover.At(r.clock.Now()),
		drover.At(r.clock.Now().Add(time.Minute)), 1, work.Shares{})
	if err != nil {
		r.t.Fatal(err)
	}
	if len(claims) == 0 {
		r.clock.Advance(10 * time.Second)
	}
	for _, c := range claims {
		r.collector.Collect(r.t.Context(), c)
	}
}

// job is the backfill job of positions.
func (r *rig) job(conn drover.Connection) drover.JobHealth {
	r.t.Helper()
	for _, s := range r.health(conn).Jobs {
		if s.Backfill != nil && s.Kind == string(store.JobPositions) {
			return s
		}
	}
	r.t.Fatal("there is no backfill job")
	return drover.JobHealth{}
}

// checkQueries expects history newest first, and a live query at least each other
// minute in between.
func checkQueries(t *testing.T, queries []provider.Query) {
	t.Helper()
	history := slices.DeleteFunc(slices.Clone(queries), provider.Query.Live)
	for i := 1; i < len(history); i++ {
		if !history[i].To.Equal(history[i-1].From) {
			t.Errorf("after [%v, %v) comes [%v, %v)", history[i-1].From, history[i-1].To, history[i].From, history[i].To)
		}
	}
	row := 0
	for _, q := range queries {
		if row++; q.Live() {
			row = 0
		}
		if row > 5 { // of twenty seconds
			t.Errorf("%d pages of history in a row", row)
		}
	}
}

// TestSync collects at once, and fills a window in that was collected before: a
// record that the vendor lacked then is there afterwards.
func TestSync(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("sync", noon.Add(-5*time.Hour), []string{"a"})
		r.run()
		asked := len(s.queries())
		r.collectNow()
		if n := len(s.queries()) - asked; n != 1 {
			t.Errorf("asked %d times at once, want once", n)
		}
		s.positions = everyMinute(r)
		from, to := noon.Add(-4*time.Hour), noon.Add(-3*time.Hour)
		health, err := r.fleet.Connections.Sync(t.Context(), r.principal, conn.ID,
			drover.SyncInput{From: new(drover.At(from)), To: new(drover.At(to))})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(health.Jobs); n != 4 {
			t.Errorf("%d jobs, want 4: devices, positions, the first history and the new one", n)
		}
		r.run()
		times := r.times(r.devices(conn)["a"].ID)
		for _, want := range minutes(from, to) {
			if !slices.ContainsFunc(times, want.Equal) {
				t.Fatalf("%v is missing", want)
			}
		}
	})
}

// TestWakeDuringARun holds that what is asked for while a connection is being
// read is done right after, and not when it would be due again.
func TestWakeDuringARun(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("wake", noon.Add(-5*time.Hour), []string{"a"})
		r.run()
		asked := false
		s.positions = func(context.Context, provider.Query) (provider.Page[provider.Position], error) {
			if !asked {
				asked = true
				in := drover.SyncInput{From: new(drover.At(noon.Add(-4 * time.Hour))), To: new(drover.At(noon.Add(-3 * time.Hour)))}
				if _, err := r.fleet.Connections.Sync(t.Context(), r.principal, conn.ID, in); err != nil {
					t.Error(err)
				}
			}
			return provider.Page[provider.Position]{Cursor: "x"}, nil
		}
		r.clock.Advance(time.Minute)
		r.run()
		if h := r.health(conn).Jobs; h[len(h)-1].State != string(store.JobDone) {
			t.Errorf("the job is %s", h[len(h)-1].State)
		}
	})
}
