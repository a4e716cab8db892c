package deliver_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/deliver"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/store"
)

// TestOrder holds that what is about one device comes in order, while there is
// room for others: no answer is given before all that may be under way is, so
// whatever could overtake would be seen to.
func TestOrder(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		answer := make(chan struct{})
		rc.answers(func(http.ResponseWriter, *http.Request) {
			select {
			case <-answer:
			case <-t.Context().Done():
			}
		})
		h := r.addWebhook(rc.URL, nil)
		devices := []string{store.NewID(), store.NewID(), store.NewID()}
		const rounds = 50
		// Devices do not wait for each other; the connection waits for all of them,
		// and they for it.
		var together [][]drover.Event
		for range rounds {
			var each []drover.Event
			for _, device := range devices {
				each = append(each, r.tell(device))
			}
			together = append(together, each, []drover.Event{r.tell("")})
		}
		r.start()
		for _, events := range together {
			expectTogether(t, rc, events)
			for range events {
				select {
				case answer <- struct{}{}:
				case <-time.After(patience):
					t.Fatal("a delivery no longer waits for its answer")
				}
			}
		}
		r.attempts(h, rounds*(len(devices)+1))
	})
}

// expectTogether waits for the deliveries of events, in any order.
func expectTogether(t *testing.T, rc *receiver, events []drover.Event) {
	t.Helper()
	missing := map[string]bool{}
	for _, e := range events {
		missing[e.ID] = true
	}
	for range events {
		d := rc.next(t)
		if !missing[d.id] {
			t.Fatalf("event %d came, while events %d to %d were to", *d.Seq, events[0].Sequence, events[len(events)-1].Sequence)
		}
		delete(missing, d.id)
	}
}

// TestHungTarget holds that others do not notice a target that does not answer.
func TestHungTarget(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		hung, well := newReceiver(t), newReceiver(t)
		release := make(chan struct{})
		var once sync.Once
		t.Cleanup(func() { once.Do(func() { close(release) }) })
		var under, most atomic.Int64
		hung.answers(func(http.ResponseWriter, *http.Request) {
			if n := under.Add(1); n > most.Load() {
				most.Store(n)
			}
			<-release
		})
		dead, alive := r.addWebhook(hung.URL, nil), r.addWebhook(well.URL, nil)
		r.start()
		const events = 100
		for range events {
			r.tell(store.NewID())
			well.next(t).verify(t, alive.secret)
		}
		if most.Load() > 4 {
			t.Errorf("%d were under way to the hung target", most.Load())
		}
		if n := len(r.log(dead)); n != events {
			t.Errorf("%d wait for the hung target, want %d", n, events)
		}
		once.Do(func() { close(release) })
		r.attempts(dead, events)
	})
}

// TestBreaker holds that an origin that fails is left alone for a while, without
// attempts being counted.
func TestBreaker(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		var failed atomic.Int64
		rc.answers(func(w http.ResponseWriter, _ *http.Request) {
			failed.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		h := r.addWebhook(rc.URL, nil)
		const events = 100
		for range events {
			r.tell(store.NewID())
		}
		r.start()
		made := func() int {
			n := 0
			for _, a := range r.log(h) {
				n += min(a.Attempt, 1)
			}
			return n
		}
		// The first four, and those begun before five had failed. The last of them may
		// still be on their way.
		const most = 8
		r.eventually(func() error {
			if made() < 5 {
				return errNotYet
			}
			return nil
		})
		first := len(rc.got)
		if first > most {
			t.Errorf("%d attempts before the breaker opened", first)
		}
		waited := time.Duration(0)
		r.eventually(func() error {
			if waited < time.Minute { // past two of them the breaker would be forgotten
				waited += time.Second
				r.clock.Advance(time.Second)
			}
			if len(rc.got) == first {
				return errNotYet
			}
			return nil
		})
		rc.status(http.StatusOK)
		r.eventually(func() error {
			r.clock.Advance(time.Second)
			if w := r.webhook(h); w.ErrorCount > 0 || made() < events {
				return fmt.Errorf("%d made, %d errors: %w", made(), w.ErrorCount, errNotYet)
			}
			return nil
		})
		if n := failed.Load(); n > most+2 {
			t.Errorf("%d attempts failed, want at most %d before the breaker opened and 2 while it was open", n, most)
		}
	})
}

// TestPatienceIsTheTargets has two webhooks at one origin of which one refuses: with a
// wait, or again and again. The other gets everything while no time passes.
func TestPatienceIsTheTargets(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]string{"RetryAfter": "3600", "Breaker": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, r *rig) {
				t.Helper()
				rc := newReceiver(t)
				var refused atomic.Int64
				rc.answers(func(w http.ResponseWriter, q *http.Request) {
					if q.URL.Path != "/busy" {
						return
					}
					refused.Add(1)
					if wait != "" {
						w.Header().Set("Retry-After", wait)
					}
					w.WriteHeader(http.StatusServiceUnavailable)
				})
				busy, well := r.addWebhook(rc.URL+"/busy", nil), r.addWebhook(rc.URL+"/well", nil)
				const events = 40
				for range events / 2 {
					r.tell(store.NewID())
				}
				r.start()
				r.attempts(well, events/2)
				for range events / 2 {
					r.tell(store.NewID())
				}
				r.attempts(well, events)
				// Four at once, and those begun before the wait or five failures were noted.
				const most = 8
				if n := refused.Load(); n > most {
					t.Errorf("the target that refuses was called %d times, want at most %d", n, most)
				}
				if n := len(r.log(busy)); n != events {
					t.Errorf("%d wait for the target that refuses, want %d", n, events)
				}
			})
		})
	}
}

// TestOriginBreaker has two webhooks at one origin that refuses connections: both are
// left alone together.
func TestOriginBreaker(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		rc.Close()
		hooks := []hook{r.addWebhook(rc.URL+"/one", nil), r.addWebhook(rc.URL+"/two", nil)}
		const events = 40
		for range events {
			r.tell(store.NewID())
		}
		made := func() int {
			n := 0
			for _, h := range hooks {
				for _, a := range r.log(h) {
					n += min(a.Attempt, 1)
				}
			}
			return n
		}
		r.start()
		r.eventually(func() error {
			if made() < 5 {
				return errNotYet
			}
			return nil
		})
		r.eventually(func() error { return r.deliver.Check(t.Context()) })
		if n := made(); n > 8 {
			t.Errorf("%d attempts at an origin that refuses connections, want at most 8", n)
		}
	})
}

// TestGuardAtDial holds that an address is judged when it is called: a name can
// lead elsewhere than when it was saved.
func TestGuardAtDial(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		port := rc.URL[strings.LastIndex(rc.URL, ":"):]
		hooks := map[string]hook{}
		for _, host := range []string{"localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"} {
			hooks[host] = r.addWebhook("http://"+host+port, nil)
		}
		r.deliver = r.newDeliverer(func(o *deliver.Options) { o.Transport = outbound.NewTransport(outbound.NewGuard(nil)) })
		r.start()
		r.tell("")
		for host, h := range hooks {
			entry := r.attempts(h, 1)[0]
			if entry.Status != nil || entry.Error == nil {
				t.Errorf("%s was called: %+v", host, entry)
			}
			if host == "localhost" && !strings.Contains(*entry.Error, "the address is in a private network (loopback)") {
				t.Errorf("%s: %s", host, *entry.Error)
			}
		}
		if len(rc.got) > 0 {
			t.Errorf("%d deliveries came through", len(rc.got))
		}
	})
}
