package work_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// waiter is a target and the events that wait for it.
type waiter struct {
	fixture
	target drover.Target
}

func at(minute int) drover.Time { return drover.At(noon.Add(time.Duration(minute) * time.Minute)) }

// looked checks whether the target is looked at after so many minutes, and that nothing is due
// for it that would be seen later.
func (w waiter) looked(what string, minute int, want bool) {
	w.t.Helper()
	if n := must[int](w.t)(w.Feed.MendTargets(w.t.Context())); n != 0 {
		w.t.Errorf("%s: the target would have been looked at too late", what)
	}
	due := must[[]work.DueTarget](w.t)(w.Feed.DueTargets(w.t.Context(), "", at(minute)))
	if len(due) > 0 != want {
		w.t.Errorf("%s: after %d minutes the target is among %v, want %t", what, minute, due, want)
	}
}

func (w waiter) attempted(e drover.Event, number int, state drover.DeliveryState, due int) {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		return tx.Feed.AddAttempts(w.t.Context(), []work.Attempt{{
			Target: w.target, EventID: e.ID, Number: number, Time: noon, State: state, DueAt: at(due), Tries: number,
		}})
	})
}

func (w waiter) claim(minute int) {
	w.t.Helper()
	if !must[bool](w.t)(w.Feed.ClaimTarget(w.t.Context(), w.target, "a", "", at(minute), at(minute+1))) {
		w.t.Error("the target could not be claimed")
	}
}

func (w waiter) release() {
	w.t.Helper()
	w.update(func(tx *store.Tx) error {
		return tx.Feed.ReleaseTargets(w.t.Context(), "a", w.own, []string{w.target.ID})
	})
}

// TestTargetIsDue follows when a target is looked at through all that becomes of what waits.
func TestTargetIsDue(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, w := f.t.Context(), waiter{f, f.addWebhook(nil)}
		first, second := event(f.t, drover.EventDeviceCreated, nil), event(f.t, drover.EventDeviceUpdated, nil)
		w.looked("before all", 60, false)
		f.append(f.own, first)
		w.looked("with an event", 0, true)
		w.claim(0)
		w.attempted(first, 1, drover.DeliveryPending, 10)
		w.looked("that is to be tried again", 0, false)
		w.release()
		w.looked("and is given back", 9, false)
		w.looked("and its time comes", 10, true)
		f.append(f.own, second)
		w.looked("with another event", 0, true)
		w.claim(1)
		w.attempted(second, 1, drover.DeliveryDelivered, 0)
		w.looked("of a process that dies", 1, false)
		w.looked("when its lease is over", 2, true) // so that someone gives it back
		w.claim(2)
		w.release()
		w.looked("and another has taken over", 9, false)
		f.update(func(tx *store.Tx) error { return tx.Feed.SkipDeliveries(ctx, w.target) })
		w.looked("given up", 60, false)
		f.update(func(tx *store.Tx) error {
			_, err := tx.Feed.ReplayDeliveries(ctx, w.target, noon, at(20))
			return err
		})
		w.looked("replayed", 19, false)
		w.looked("replayed", 20, true)
		f.update(func(tx *store.Tx) error { return tx.Feed.MakeDue(ctx, w.target, []string{first.ID, second.ID}, at(3)) })
		w.looked("of a clock that was ahead", 3, true)
		f.update(func(tx *store.Tx) error { return tx.Feed.SkipDeliveries(ctx, w.target) })
		f.update(func(tx *store.Tx) error {
			_, err := tx.Feed.AddTest(ctx, w.target, drover.TargetWebhook, []byte("{}"), at(4))
			return errors.Join(err, tx.Feed.SkipDeliveries(ctx, w.target))
		})
		w.looked("with a test", 4, true)
	})
}

// TestMendTargets has a clock put back: what is tried again sooner than the target is looked at.
func TestMendTargets(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		w, e := waiter{f, f.addWebhook(nil)}, event(f.t, drover.EventDeviceCreated, nil)
		f.append(f.own, e)
		w.claim(0)
		w.attempted(e, 1, drover.DeliveryPending, 10)
		w.release()
		w.attempted(e, 2, drover.DeliveryPending, 5)
		check(f.t, must[int](f.t)(f.Feed.MendTargets(f.t.Context())), 1)
		w.looked("mended", 5, true)
	})
}

// TestReleaseBesideEvents gives a target back while events are added: neither may miss the
// other.
func TestReleaseBesideEvents(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, w := f.t.Context(), waiter{f, f.addWebhook(nil)}
		for range 30 {
			e := event(f.t, drover.EventDeviceCreated, nil)
			f.append(f.own, e)
			w.claim(0)
			w.attempted(e, 1, drover.DeliveryDelivered, 0)
			next, added := []drover.Event{event(f.t, drover.EventDeviceCreated, nil)}, errors.New("none")
			var both sync.WaitGroup
			both.Go(func() {
				added = f.Update(ctx, func(tx *store.Tx) error { return journal.Append(ctx, tx, f.own, next) })
			})
			both.Go(w.release)
			both.Wait()
			check(f.t, added, nil)
			w.looked("with an event beside", 0, true)
			w.claim(0)
			w.attempted(next[0], 1, drover.DeliveryDelivered, 0)
			w.release()
			w.looked("after it", 60, false)
		}
	})
}
