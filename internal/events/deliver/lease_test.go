package deliver_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/deliver"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestTakeOver holds that one process at a time serves a target, and another
// takes over once the first is gone without a word. An embedded database has one
// process: what was held before it began is free at once.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		h := r.addWebhook(rc.URL, nil)
		until := drover.At(r.clock.Now().Add(30 * time.Second))
		if ok, err := r.Feed.ClaimTarget(t.Context(), h.Target, "gone", "", r.now(), until); err != nil || !ok {
			t.Fatal(ok, err)
		}
		r.start()
		e := r.tell("")
		if r.Database() == "postgres" {
			r.clock.Advance(29 * time.Second)
			if err := r.deliver.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(rc.got) > 0 {
				t.Error("a target was served by two")
			}
			r.eventually(func() error {
				if len(rc.got) > 0 {
					return nil
				}
				r.clock.Advance(time.Second)
				return errNotYet
			})
		}
		if d := rc.next(t); d.id != e.ID {
			t.Errorf("got %s, want %s", d.id, e.ID)
		}
		r.attempts(h, 1)
	})
}

// TestDeadOwner holds that the targets of a process that was seen to live, and is
// no longer, are served long before its leases run out.
func TestDeadOwner(t *testing.T) {
	t.Parallel()
	r := newRig(t, storetest.Open(t, storetest.Options(t, "postgres")))
	rc := newReceiver(t)
	h := r.addWebhook(rc.URL, nil)
	begin := r.clock.Now()
	if ok, err := r.Feed.ClaimTarget(t.Context(), h.Target, "watched gone", "", r.now(), drover.At(begin.Add(24*time.Hour))); err != nil ||
		!ok {
		t.Fatal(ok, err)
	}
	r.start()
	e := r.tell("")
	r.eventually(func() error {
		if len(rc.got) > 0 {
			return nil
		}
		r.clock.Advance(100 * time.Millisecond)
		return errNotYet
	})
	if d := rc.next(t); d.id != e.ID {
		t.Errorf("got %s, want %s", d.id, e.ID)
	}
	if took := r.clock.Now().Sub(begin); took < 3*time.Second || took > 12*time.Hour {
		t.Errorf("it was taken over after %s", took)
	}
}

// TestStopWithIdleTargets holds that what has long been idle does not keep it
// from stopping while something is under way.
func TestStopWithIdleTargets(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		r.deliver = r.newDeliverer(func(o *deliver.Options) { o.Grace = 100 * time.Millisecond })
		hung, well := newReceiver(t), newReceiver(t)
		release := make(chan struct{})
		t.Cleanup(func() { close(release) })
		hung.answers(func(http.ResponseWriter, *http.Request) { <-release })
		dead, alive := r.addWebhook(hung.URL, nil), r.addWebhook(well.URL, nil)
		r.start()
		r.tell("")
		hung.next(t)
		r.attempts(alive, 1)
		r.clock.Advance(time.Minute)
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			r.deliver.Stop()
		}()
		select {
		case <-stopped:
		case <-time.After(patience):
			t.Fatal("it does not stop")
		}
		if log := r.log(dead); len(log) != 1 || log[0].Attempt != 0 || log[0].State != drover.DeliveryPending {
			t.Errorf("what was cut off counts as an attempt: %+v", log)
		}
	})
}

// TestPausedHolder holds that a process that was stopped for longer than its lease
// sends nothing more under it: another has taken the target over.
func TestPausedHolder(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		h := r.addWebhook(rc.URL, nil)
		r.deliver = r.newDeliverer(func(o *deliver.Options) { o.Poll = time.Hour }) // paused, it renews nothing
		r.start()
		r.tell("")
		rc.next(t)
		r.attempts(h, 1)
		r.steal(h) // before the time has passed: afterwards the process itself may be first to take it again
		r.clock.Advance(45 * time.Second)
		r.tell("")
		r.settled()
		if n := len(rc.got); n > 0 {
			t.Errorf("%d deliveries were sent under a lease that had run out", n)
		}
	})
}

// TestSuspendedWithinASecond suspends a tenant while its deliveries wait in memory behind
// one that is under way: none is sent on what was read of the tenant a second ago.
func TestSuspendedWithinASecond(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		const events = 20
		device := store.NewID()
		rc, answer := newReceiver(t), make(chan struct{})
		release := sync.OnceFunc(func() { close(answer) })
		t.Cleanup(release)
		rc.answers(func(http.ResponseWriter, *http.Request) { <-answer })
		h := r.addWebhook(rc.URL, nil)
		r.start()
		for range events {
			r.tell(device) // one after the other
		}
		rc.next(t)
		r.update(func(tx *store.Tx) error { return tx.Accounts.SuspendTenant(t.Context(), r.tenant, true) })
		r.clock.Advance(time.Second)
		release()
		r.attempts(h, 1)
		suspended, other := r.tenant, store.NewID()
		r.update(func(tx *store.Tx) error {
			return tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: other, Name: "other", CreatedAt: r.now()})
		})
		r.tenant = other
		r.settled()
		if n := len(rc.got); n > 0 {
			t.Errorf("%d deliveries came a second after the tenant was suspended", n)
		}
		r.tenant = suspended
		r.update(func(tx *store.Tx) error { return tx.Accounts.SuspendTenant(t.Context(), r.tenant, false) })
		for range events - 1 {
			r.eventually(func() error {
				if len(rc.got) > 0 {
					return nil
				}
				r.clock.Advance(time.Second)
				return errNotYet
			})
			rc.next(t)
		}
	})
}

// TestPausedHolderGoesOn holds that such a process takes its targets on again, without
// waiting for a renewal, where no one else has.
func TestPausedHolderGoesOn(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		h := r.addWebhook(rc.URL, nil)
		r.deliver = r.newDeliverer(func(o *deliver.Options) { o.Poll = time.Hour })
		r.start()
		r.tell("")
		rc.next(t)
		r.attempts(h, 1)
		r.clock.Advance(45 * time.Second)
		e := r.tell("")
		if d := rc.next(t); d.id != e.ID {
			t.Errorf("got %s, want %s", d.id, e.ID)
		}
		r.attempts(h, 2)
	})
}

// TestPausedWhilePreparing has a process stopped when it had taken a delivery on, and
// before it sent it: it sends nothing under a lease that has run out. What is asked of the database in between may take
// longer than the lease lasts, and looking at the lease before that is not enough.
func TestPausedWhilePreparing(t *testing.T) {
	t.Parallel()
	o := storetest.Options(t, "postgres")
	r := newRig(t, storetest.Open(t, o))
	rc := newReceiver(t)
	h := r.addWebhook(rc.URL, nil)
	r.deliver = r.newDeliverer(func(o *deliver.Options) { o.Poll = time.Hour })
	conn, err := pgx.Connect(t.Context(), o.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), `BEGIN; LOCK TABLE connection IN ACCESS EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	r.start()
	r.tell("")
	r.eventually(func() error {
		var asked bool // whose the connection is, which only the sending asks
		err := conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE relation = 'connection'::regclass AND NOT granted)`).Scan(&asked)
		if err == nil && !asked {
			err = errNotYet
		}
		return err
	})
	r.steal(h)
	r.clock.Advance(45 * time.Second)
	if _, err := conn.Exec(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	r.settled()
	if n := len(rc.got); n > 0 {
		t.Errorf("%d deliveries were sent under a lease that had run out", n)
	}
}
