package providertest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/sim"
)

// pushStep is how much time passes between two looks at a push.
const pushStep = 2 * time.Second

// held is a push that a test holds open.
type held struct {
	r       *rig
	adapter provider.Provider
	ticks   chan struct{}
	ended   chan error
	stop    context.CancelFunc
	since   time.Time
	ticked  time.Time

	newest map[int][]sim.Sample // of each vehicle at each step

	mu  sync.Mutex
	got []provider.Position
	at  []time.Time // when each was taken
}

// pusher returns a new adapter with its push.
func (r *rig) pusher(t *testing.T, credentials provider.Credentials) (provider.Pusher, *noting) {
	t.Helper()
	n, ok := r.adapterWith(t, credentials).(*noting)
	if !ok {
		t.Fatal("the adapter is not noted")
	}
	s, ok := n.Provider.(provider.Pusher)
	if !ok {
		t.Fatal("Info has a push, and the adapter has none")
	}
	return s, n
}

// hold opens the push.
func (r *rig) hold(t *testing.T) *held {
	t.Helper()
	f := &held{r: r, ticks: make(chan struct{}), ended: make(chan error, 1), since: r.clock.Now(), newest: map[int][]sim.Sample{}}
	r.account.Tick(func(ctx context.Context) error {
		select {
		case <-f.ticks:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	s, n := r.pusher(t, r.tokens.credentials)
	f.adapter = n
	ctx, stop := context.WithCancel(t.Context())
	f.stop = stop
	go func() {
		err := s.Push(ctx, f.take)
		n.note(err)
		f.ended <- err
	}()
	t.Cleanup(stop)
	f.tick(t)
	return f
}

func (f *held) take(records []provider.Position) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.got = append(f.got, records...)
	for range records {
		f.at = append(f.at, f.r.clock.Now())
	}
	return nil
}

// tick lets the vendor look for what is new. It returns when all that it said before
// has been taken.
func (f *held) tick(t *testing.T) {
	t.Helper()
	select {
	case f.ticks <- struct{}{}:
	case err := <-f.ended:
		t.Fatalf("the push has ended: %v", err)
	}
}

// run lets time pass.
func (f *held) run(t *testing.T, d time.Duration) {
	t.Helper()
	for end := f.r.clock.Now().Add(d); f.r.clock.Now().Before(end); {
		f.r.clock.Advance(min(pushStep, end.Sub(f.r.clock.Now())))
		if f.r.clock.Now().Sub(f.ticked) < pushStep/2 {
			continue // a short wait of a call
		}
		f.ticked = f.r.clock.Now()
		f.tick(t)
		f.tick(t)
		f.look()
	}
}

// look notes the newest of what has come, where a push says no more than that.
func (f *held) look() {
	if !f.r.h.Info.Push.Newest {
		return
	}
	for _, v := range f.r.fleet.Vehicles() {
		if s, ok := f.r.account.Latest(v); ok && s.Received.After(f.since) {
			f.newest[v.Index] = append(f.newest[v.Index], s)
		}
	}
}

// close ends the push from our side.
func (f *held) close(t *testing.T) {
	t.Helper()
	f.stop()
	if err := <-f.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("a push that was ended ends with %v", err)
	}
}

// breakWith disturbs the push and returns what it ends with. The vendor may still be
// busy with the last tick, and meets the disturbance there.
func (f *held) breakWith(d sim.Disturbance) error {
	f.r.account.Disturb(d)
	select {
	case f.ticks <- struct{}{}:
		return <-f.ended
	case err := <-f.ended:
		return err
	}
}

// taken returns what the push said.
func (f *held) taken() []provider.Position {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.got)
}

// arrived is what the vendor has received since the push was opened, as far as the
// push says it.
func (f *held) arrived() map[int][]sim.Sample {
	if f.r.h.Info.Push.Newest {
		return f.newest
	}
	all := map[int][]sim.Sample{}
	for _, v := range f.r.fleet.Vehicles() {
		all[v.Index] = f.r.account.Arrived(v, f.since.Add(time.Nanosecond), f.r.clock.Now().Add(time.Nanosecond))
	}
	return all
}

// checkFresh holds how long after the vendor had them positions were taken against what
// is declared.
func (f *held) checkFresh(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	truth := f.r.index(f.got)
	var ages []time.Duration
	for i, p := range f.got {
		if _, s, found := truth.find(p.SystemDeviceID, p.Time); found && s.Received.After(f.since) {
			ages = append(ages, f.at[i].Sub(s.Received))
		}
	}
	slices.Sort(ages)
	if len(ages) == 0 {
		t.Fatal("the push said nothing: freshness was not measured")
	}
	p95 := ages[len(ages)*95/100]
	if p95 > f.r.h.Info.Fresh() {
		t.Errorf("the vendor has had streamed positions for %v at the 95th percentile, declared are %v", p95, f.r.h.Info.Fresh())
	}
	t.Logf("%s: the vendor has had %d streamed positions for %v at the 95th percentile", f.r.h.Info.Name, len(ages), p95)
}

// testPush holds a push open: all that comes to the vendor is said, soon.
func testPush(t *testing.T, h *Harness) {
	t.Helper()
	if s := h.Info.Push; s.Poll < h.Info.Poll.Positions || s.Freshness <= 0 || s.Freshness > slack {
		t.Errorf("the push is declared as %+v: it is fresher than %v, and polls are more seldom beside it", *s, slack)
	}
	r := newRig(t, h, sim.Options{Late: late, Interval: 20 * time.Second})
	f := r.hold(t)
	f.run(t, 20*time.Minute)
	f.close(t)
	r.pushed = true
	r.checkPositions(t, f.arrived(), f.taken(), true)
	f.checkFresh(t)
}

// testPushFaults has pushes that say everything twice, in reverse, or nonsense.
func testPushFaults(t *testing.T, h *Harness) {
	t.Helper()
	for _, d := range []sim.Disturbance{sim.PushRepeating, sim.PushShuffled} {
		r := newRig(t, h, sim.Options{Interval: 20 * time.Second})
		r.account.Disturb(d)
		f := r.hold(t)
		f.run(t, 5*time.Minute)
		f.close(t)
		r.pushed = true
		r.checkPositions(t, f.arrived(), f.taken(), true)
	}
	for _, d := range []sim.Disturbance{sim.PushGarbage, sim.PushCut} {
		r := newRig(t, h, sim.Options{})
		f := r.hold(t)
		if err := f.breakWith(d); provider.KindOf(err) != provider.KindTemporary || provider.Canceled(err) || err == nil {
			t.Errorf("a push with %s ends with %v of kind %s", d, err, provider.KindOf(err))
		}
	}
}

// testPushCut has a push that is cut and opened again a while later: what both
// pushes and the polls say together is everything.
func testPushCut(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{Late: late, Interval: 20 * time.Second})
	from := r.clock.Now()
	q := provider.Query{From: from, Devices: r.ids()}
	var polled []provider.Position
	poll := func() {
		records, cursor := drain(t, r.adapter(t).Positions, q)
		polled, q.Cursor = append(polled, records...), cursor
	}
	first := r.hold(t)
	poll()
	first.run(t, 10*time.Minute)
	if err := first.breakWith(sim.PushCut); err == nil {
		t.Error("a push that was cut ends without an error")
	}
	poll()
	r.clock.Advance(7 * time.Minute)
	second := r.hold(t)
	poll()
	second.run(t, 10*time.Minute)
	second.close(t)
	all := append(first.taken(), second.taken()...)
	want := second.arrived()
	if !h.Info.Features.Snapshot {
		all, want = append(all, polled...), r.truth(from, r.clock.Now().Add(-time.Minute))
	}
	r.checkPositions(t, want, all, true)
}

// testPushRefused opens a push with credentials that are not good.
func testPushRefused(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{})
	wrong := provider.Credentials{}
	for name, value := range r.tokens.credentials {
		wrong[name] = value
		if slices.Contains(h.secrets(provider.Credentials{name: value}), value) {
			wrong[name] = "wr0ng-" + value[:2] + "-secret"
		}
	}
	s, n := r.pusher(t, wrong)
	err := s.Push(t.Context(), func([]provider.Position) error { return nil })
	n.note(err)
	if kind := provider.KindOf(err); err == nil || kind != provider.KindCredentials && kind != provider.KindPermanent {
		t.Errorf("wrong credentials: %v of kind %s", err, kind)
	}
}

// testPushLimits follows a large fleet for an hour with its push open, as the
// collector does it: polls are more seldom, and all is within the limits.
func testPushLimits(t *testing.T, h *Harness) {
	t.Helper()
	r := newRig(t, h, sim.Options{Vehicles: largeFleet, Interval: 10 * time.Minute, Heartbeat: 6 * time.Hour})
	r.limits = h.Info.Limits
	f := r.hold(t)
	r.push = f
	for _, s := range r.schedule(t, time.Hour) {
		if s.rounds == 0 || s.longest > longestRound {
			t.Errorf("%s of %d vehicles: %d rounds in an hour, the longest took %v", s.name, largeFleet, s.rounds, s.longest)
		}
	}
	f.close(t)
	f.checkFresh(t)
	r.checkLimits(t)
}
