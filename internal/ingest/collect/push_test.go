package collect_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/vendors/traccar/traccartest"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store"
)

// patience is how long a test waits for what must come, on a machine that does much
// else.
const patience = 3 * time.Minute

// until waits for something to become true.
func (r *rig) until(what string, done func() bool) {
	r.t.Helper()
	for end := time.Now().Add(patience); !done(); {
		if time.Now().After(end) {
			r.t.Fatalf("it never came about that %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// wakeUntil wakes the collector until something is true: one that is still busy with what
// was due before does not look again by itself while the clock stands still.
func (r *rig) wakeUntil(c *collect.Collector, what string, done func() bool) {
	r.t.Helper()
	r.until(what, func() bool {
		c.Wake()
		return done()
	})
}

// receive waits for a channel.
func receive[T any](tb testing.TB, what string, from <-chan T) T {
	tb.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		tb.Fatalf("no %s came", what)
		panic("unreachable")
	}
}

// announced are the times of the positions that the feed has, in its order.
func (r *rig) announced() []time.Time {
	r.t.Helper()
	var times []time.Time
	for _, e := range r.events(drover.EventPositionUpdated) {
		for _, p := range decode[drover.PositionBatch](r.t, e).Positions {
			times = append(times, p.Timestamp.Time)
		}
	}
	return times
}

// livePolls counts the polls of positions.
func (p *tap) livePolls() int { return len(p.queries()) }

// untilNextPoll waits until the next poll beside a push is so far away: the one before
// is stored then, from which it counts, and the clock may be moved.
func (r *rig) untilNextPoll(conn drover.Connection, wait time.Duration) {
	r.t.Helper()
	next := r.clock.Now().Add(wait)
	r.until(fmt.Sprintf("the next poll is %s away", wait), func() bool {
		return slices.ContainsFunc(r.health(conn).Jobs, func(s drover.JobHealth) bool {
			return s.Kind == string(store.JobPositions) && s.NextRunAt != nil && s.NextRunAt.Equal(next)
		})
	})
}

// TestPushIsStored has a push beside polls: what either says is announced once,
// and the polls' cursor is theirs.
func TestPushIsStored(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		p, conn := r.tap("one")
		second := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Second) }
		var polled atomic.Pointer[[]provider.Position]
		var turns atomic.Int64
		p.positions = func(context.Context, provider.Query) (provider.Page[provider.Position], error) {
			page := provider.Page[provider.Position]{Cursor: fmt.Sprint("poll ", turns.Add(1))}
			if records := polled.Swap(nil); records != nil {
				page.Records = *records
			}
			return page, nil
		}
		r.collecting()
		receive(t, "push", p.opened)
		r.until("it is polled once more when the push is open", func() bool { return p.livePolls() >= 2 })
		p.says <- []provider.Position{at("a", second(1), -37.0001, 145), at("a", second(3), -37.0003, 145)}
		p.says <- []provider.Position{at("a", second(3), -37.0003, 145), at("a", second(2), -37.0002, 145)}
		r.until("what it says is in the feed", func() bool { return len(r.announced()) == 3 })
		r.untilNextPoll(conn, 5*time.Minute)
		before := p.livePolls()

		// The next poll has what the push left out, and the rest again.
		polled.Store(&[]provider.Position{
			at("a", second(1), -37.0001, 145), at("a", second(2), -37.0002, 145),
			at("a", second(4), -37.0004, 145),
		})
		r.clock.Advance(4 * time.Minute)
		p.says <- []provider.Position{at("a", second(5), -37.0005, 145)}
		r.until("it goes on", func() bool { return len(r.announced()) == 4 })
		if n := p.livePolls(); n != before {
			t.Errorf("%d polls within 4 minutes beside a push, want none", n-before)
		}
		r.clock.Advance(time.Minute)
		r.until("it is polled after 5 minutes", func() bool { return len(r.announced()) == 5 })

		times := r.announced()
		slices.SortFunc(times, time.Time.Compare)
		if !slices.Equal(times, []time.Time{second(1), second(2), second(3), second(4), second(5)}) {
			t.Errorf("announced are %v", times)
		}
		queries := p.queries()
		for i, q := range queries[1:] {
			if want := fmt.Sprint("poll ", i+1); q.Cursor != want {
				t.Errorf("poll %d has the cursor %q, want %q", i+2, q.Cursor, want)
			}
		}
		r.expectState(conn, drover.ConnectionHealthy)
		for _, s := range r.health(conn).Jobs {
			if s.Kind == string(store.JobPositions) && s.Records != 8 {
				t.Errorf("%d records are counted, want 8: 5 of the push and 3 of the polls", s.Records)
			}
		}
	})
}

// TestPushBesidePollInterval has an operator who says how often all are polled: that is
// kept beside a push.
func TestPushBesidePollInterval(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		p, conn := r.tap("one")
		r.collecting(func(o *collect.Options) { o.PollInterval = 20 * time.Second })
		receive(t, "push", p.opened)
		r.until("it is polled when it is open", func() bool { return p.livePolls() >= 2 })
		p.says <- []provider.Position{at("a", noon.Add(time.Second), -37.0001, 145)}
		r.until("what it says is in the feed", func() bool { return len(r.announced()) == 1 })
		r.untilNextPoll(conn, 20*time.Second)
		before := p.livePolls()
		r.clock.Advance(20 * time.Second)
		r.until("it is polled after 20 seconds", func() bool { return p.livePolls() > before })
		if len(p.ended) > 0 {
			t.Error("the push ended")
		}
	})
}

// TestPushEndsNoTripTooEarly has a push that says something while the polls are still
// busy with an hour that was missed: a device is not silent because of that.
func TestPushEndsNoTripTooEarly(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		p, _ := r.tap("one")
		p.list("a", "b")
		var drove []provider.Position
		for i := range 30 {
			drove = append(drove, at("b", noon.Add(time.Duration(i)*time.Minute), -37+float64(i)/200, 145))
		}
		first := true
		p.positions = func(ctx context.Context, _ provider.Query) (provider.Page[provider.Position], error) {
			if !first {
				<-ctx.Done() // there is more, and it takes long
				return provider.Page[provider.Position]{}, ctx.Err()
			}
			first = false
			r.clock.Advance(time.Hour) // the turn is over
			return provider.Page[provider.Position]{Cursor: "x", More: true, Records: drove}, nil
		}
		r.clock.Advance(30 * time.Minute)
		r.collecting(func(o *collect.Options) { o.Lease = 24 * time.Hour }) // which the hour above does not end
		receive(t, "push", p.opened)
		p.says <- []provider.Position{at("a", r.clock.Now(), -37, 145)}
		r.until("what it says is in the feed", func() bool {
			return slices.ContainsFunc(r.announced(), func(at time.Time) bool { return at.After(noon.Add(time.Hour)) })
		})
		if n := len(r.events(drover.EventTripCompleted)); n > 0 {
			t.Errorf("%d trips ended though what was missed is still to be read", n)
		}
	})
}

// TestPushThatBreaks is polled at once, and opened again after a pause.
func TestPushThatBreaks(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		p, conn := r.tap("one")
		c := r.collecting()
		receive(t, "push", p.opened)
		for range 3 {
			r.untilNextPoll(conn, 5*time.Minute) // it was polled when it was open
			before := p.livePolls()
			p.cut <- errors.New("connection reset")
			r.pushBecomes(conn, drover.Push{
				State: drover.PushClosed, Since: new(drover.At(r.clock.Now())), Message: new("connection reset"),
			})
			r.until("it is polled at once", func() bool { return p.livePolls() > before })
			if p.reopened() {
				t.Error("it was opened again without a pause")
			}
			r.clock.Advance(30 * time.Second)
			r.wakeUntil(c, "it is opened again", p.reopened)
		}
		r.expectState(conn, drover.ConnectionHealthy)
	})
}

// TestRefusedPush is left alone for long, while polls go on at their own interval.
func TestRefusedPush(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		p, conn := r.tap("one")
		p.refuse.Store(provider.Errorf(provider.KindPermanent, "not in this contract"))
		c := r.collecting()
		receive(t, "refusal", p.ended) //nolint:errcheck // it is the one above
		r.until("its words are shown", func() bool {
			h, err := r.fleet.Connections.ConnectionHealth(t.Context(), r.principal, conn.ID)
			return err == nil && h.Push.Message != nil && *h.Push.Message == "not in this contract"
		})
		for i := range 10 {
			// Not before the run is over: it counts from when it ends.
			next := r.clock.Now().Add(time.Minute)
			r.until("the next poll is a minute away", func() bool { return r.due().Equal(next) })
			r.clock.Advance(time.Minute)
			r.wakeUntil(c, "it is polled each minute", func() bool { return p.livePolls() >= i+2 })
		}
		if len(p.ended) > 0 {
			t.Error("a push that is not permitted was opened again within 10 minutes")
		}
		r.expectState(conn, drover.ConnectionHealthy)
	})
}

// TestPushAfterRefusedCredentials is opened with the first poll that works again: it was
// refused because of the credentials, which are good now.
func TestPushAfterRefusedCredentials(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		p, conn := r.tap("one")
		refusal := provider.Errorf(provider.KindCredentials, "who are you?")
		p.refuse.Store(refusal)
		answer := func(f func(context.Context, provider.Query) (provider.Page[provider.Position], error)) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.positions = f
		}
		answer(func(context.Context, provider.Query) (provider.Page[provider.Position], error) {
			return provider.Page[provider.Position]{}, refusal
		})
		c := r.collecting()
		receive(t, "refusal", p.ended) //nolint:errcheck // it is the one above
		r.until("its run is over", func() bool { return r.due().After(r.clock.Now()) })
		r.expectState(conn, drover.ConnectionFailing)
		p.refuse.Store(nil)
		answer(nil)
		err := r.store.Update(t.Context(), func(tx *store.Tx) error { // as where someone asks to collect now
			return errors.Join(tx.Fleet.RushJobs(t.Context(), r.principal.TenantID, conn.ID, drover.At(r.clock.Now())),
				tx.Jobs.WakeCollection(t.Context(), r.principal.TenantID, conn.ID, drover.At(r.clock.Now())))
		})
		if err != nil {
			t.Fatal(err)
		}
		r.wakeUntil(c, "the push is open, with no pause of its own", p.reopened)
	})
}

// TestPushEnds where its connection is not to be read any more, or not by this
// process.
func TestPushEnds(t *testing.T) {
	t.Parallel()
	inactive := false
	for name, test := range map[string]struct {
		end  func(t *testing.T, r *rig, conn drover.Connection)
		back bool // it is opened again
	}{
		"Paused": {func(t *testing.T, r *rig, conn drover.Connection) {
			t.Helper()
			if _, err := r.fleet.Connections.UpdateConnection(t.Context(), r.principal, conn.ID,
				drover.ConnectionUpdate{Active: drover.Optional[bool]{Set: true, Value: &inactive}}); err != nil {
				t.Fatal(err)
			}
		}, false},
		"Archived": {func(t *testing.T, r *rig, conn drover.Connection) {
			t.Helper()
			if err := r.fleet.Connections.DeleteConnection(t.Context(), r.principal, conn.ID, false); err != nil {
				t.Fatal(err)
			}
		}, false},
		"TenantSuspended": {func(t *testing.T, r *rig, _ drover.Connection) {
			t.Helper()
			if err := r.store.Update(t.Context(), func(tx *store.Tx) error {
				return tx.Accounts.SuspendTenant(t.Context(), r.principal.TenantID,
					true)
			}); err != nil {
				t.Fatal(err)
			}
		}, false},
		"LeaseLost": {func(t *testing.T, r *rig, _ drover.Connection) {
			t.Helper()
			if err := r.store.Update(t.Context(), func(tx *store.Tx) error { return tx.Jobs.FreeLeases(t.Context()) }); err != nil {
				t.Fatal(err)
			}
		}, true},
		"Checked": {func(t *testing.T, r *rig, conn drover.Connection) {
			t.Helper()
			if err := r.collector.Check(t.Context(), r.principal.TenantID, conn.ID); err != nil {
				t.Fatal(err)
			}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, r *rig) {
				t.Helper()
				p, conn := r.tap("one")
				c := r.collecting()
				receive(t, "push", p.opened)
				test.end(t, r, conn)
				if err := receive(t, "end", p.ended); !errors.Is(err, context.Canceled) {
					t.Errorf("it ended with %v", err)
				}
				if test.back {
					r.reopens(c, p)
					return
				}
				r.clock.Advance(time.Minute)
				c.Wake()
				c.Stop()
				if len(p.opened) > 0 {
					t.Error("it was opened again")
				}
			})
		})
	}
}

// TestPushesNeedNoWorkers has more pushes than workers.
func TestPushesNeedNoWorkers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		var taps []*tap
		for i := range 5 {
			p, _ := r.tap(fmt.Sprint(i))
			taps = append(taps, p)
		}
		c := r.collecting(func(o *collect.Options) { o.Workers = 1 })
		for _, p := range taps {
			receive(t, "push", p.opened)
		}
		c.Stop()
		for _, p := range taps {
			if err := receive(t, "end", p.ended); !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
		}
	})
}

// TestTraccarPush follows the socket of a Traccar server, from the position that the
// server has to the event in the feed.
func TestTraccarPush(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		credentials := map[string]string{"token": "RzBFAiEA4b5s"}
		account := sim.NewAccount(sim.New(sim.Options{Seed: 5, Vehicles: 8, Interval: 10 * time.Second, Heartbeat: 20 * time.Second}),
			r.clock.Now, credentials)
		ticks := make(chan struct{})
		account.Tick(func(ctx context.Context) error {
			select {
			case <-ticks:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		r.network.serve("traccar.test", traccartest.New(account))
		credentials[provider.BaseURLField] = "https://traccar.test"
		r.connect(drover.Traccar, noon, credentials)
		r.collecting()
		ticks <- struct{}{} // the socket is open
		streamed := 0
		for range 60 { // less than the interval of the polls beside it
			r.clock.Advance(time.Second)
			ticks <- struct{}{}
			want := 0
			for _, v := range account.Vehicles() {
				want += len(account.Arrived(v, noon.Add(time.Nanosecond), r.clock.Now().Add(time.Nanosecond)))
			}
			r.until("what the server has is in the feed within the second", func() bool { return len(r.announced()) >= want })
			streamed = want
		}
		if streamed < 10 {
			t.Errorf("%d positions came by the socket: the test shows nothing", streamed)
		}
	})
}
