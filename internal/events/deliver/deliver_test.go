package deliver_test

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/deliver"
	"github.com/drover-fleet/drover/internal/events/deliver/signing"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

func TestDelivers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		h := r.addWebhook(rc.URL+"/hook", nil)
		r.start()
		rc.answers(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			_, _ = w.Write([]byte(strings.Repeat("x", 4000) + "\x00" + strings.Repeat("y", 5000)))
		})
		e := r.tell("")
		d := rc.next(t)
		d.verify(t, h.secret)
		want := fmt.Sprintf(`{"type":"device.updated","timestamp":"%s","sequence":1,"data":{"number":1}}`, e.Timestamp)
		if d.id != e.ID || d.path != "/hook" || string(d.raw) != want {
			t.Errorf("got %s %s %s, want %s", d.id, d.path, d.raw, want)
		}
		if got := d.header.Get("Content-Type") + " " + d.header.Get("User-Agent"); got != "application/json drover/test" {
			t.Errorf("headers: %s", got)
		}
		entry := r.attempts(h, 1)[0]
		if *entry.Status != http.StatusAccepted || entry.Error != nil || entry.State != drover.DeliveryDelivered ||
			*entry.Response != strings.Repeat("x", 4000)+"\uFFFD"+strings.Repeat("y", 95) {
			t.Errorf("logged %+v", entry)
		}
	})
}

// TestSchedule holds the retries to the times that were decided, and what is reported
// of the webhook meanwhile.
func TestSchedule(t *testing.T) {
	t.Parallel()
	waits := []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
		10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		rc.status(http.StatusBadRequest)
		h := r.addWebhook(rc.URL, nil)
		r.start()
		e := r.tell("")
		for i := range len(waits) + 1 {
			d := rc.next(t)
			d.verify(t, h.secret)
			if d.id != e.ID {
				t.Errorf("attempt %d has the id %s, want %s", i+1, d.id, e.ID)
			}
			newest := r.attempts(h, i+1)[0]
			if w := r.webhook(h); w.ErrorCount != i+1 || *w.LastError != "the answer was 400 Bad Request" || *w.LastErrorAt != r.now() {
				t.Errorf("after attempt %d the webhook is %+v", i+1, w)
			}
			if i == len(waits) {
				if newest.State != drover.DeliveryFailed || newest.NextAttemptAt != nil {
					t.Errorf("in the end: %+v", newest)
				}
				break
			}
			if at := drover.At(r.clock.Now().Add(waits[i])); newest.State != drover.DeliveryPending || *newest.NextAttemptAt != at {
				t.Errorf("after attempt %d the next is at %s, want %s", i+1, newest.NextAttemptAt, at)
			}
			r.clock.Advance(waits[i])
		}
		// Success sets the count back and keeps what was.
		rc.status(http.StatusOK)
		r.tell("")
		rc.next(t).verify(t, h.secret)
		r.attempts(h, len(waits)+2)
		if w := r.webhook(h); w.ErrorCount != 0 || w.LastError == nil || w.LastErrorAt == nil || !w.Enabled {
			t.Errorf("after a success the webhook is %+v", w)
		}
		// Each attempt is billed, whatever came of it.
		var billed int64
		r.eventually(func() error {
			for _, m := range r.usage.Take() {
				billed += m.Deliveries
			}
			if billed < int64(len(waits)+2) {
				return errNotYet
			}
			return nil
		})
		if billed != int64(len(waits)+2) {
			t.Errorf("%d deliveries were counted for %d attempts", billed, len(waits)+2)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		rc.answers(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "90")
			w.WriteHeader(http.StatusTooManyRequests)
		})
		h := r.addWebhook(rc.URL, nil)
		r.start()
		r.tell("")
		rc.next(t)
		if at := *r.attempts(h, 1)[0].NextAttemptAt; at != drover.At(r.clock.Now().Add(90*time.Second)) {
			t.Errorf("the next attempt is at %s, now is %s", at, r.now())
		}
		// Nothing else is sent before either, by the one who serves the target then.
		r.deliver.Stop()
		r.tell("")
		r.deliver = r.newDeliverer(nil)
		r.start()
		r.clock.Advance(89 * time.Second)
		if err := r.deliver.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.settled()
		if n := len(rc.got); n > 0 {
			t.Errorf("%d deliveries came before the receiver wanted any", n)
		}
		rc.status(http.StatusOK)
		r.clock.Advance(2 * time.Second)
		rc.next(t)
		rc.next(t)
	})
}

// settled waits until the deliverer has looked at everything that is due now: a
// receiver of its own gets what was reported last.
func (r *rig) settled() {
	r.t.Helper()
	rc := newReceiver(r.t)
	h := r.addWebhook(rc.URL, func(w *drover.Webhook) { w.Filters.DeviceIDs = []string{store.NewID()} })
	r.update(func(tx *store.Tx) error {
		_, err := tx.Feed.AddTest(r.t.Context(), h.Target, drover.TargetWebhook, []byte(`{}`), r.now())
		return err
	})
	rc.next(r.t)
}

// serveBanner is a service that is not one of HTTP, and tells about itself.
func serveBanner(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("220 confidential mail service\r\n"))
			c.Close()
		}
	}()
	return l.Addr().String()
}

// TestInternalAnswers holds that a tenant does not see what a service answers that
// lies in a network which only the operator has opened.
func TestInternalAnswers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		guard := outbound.NewGuard([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")})
		r.deliver = r.newDeliverer(func(o *deliver.Options) { o.Internal = guard.Internal })
		rc := newReceiver(t)
		rc.answers(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "confidential", http.StatusForbidden)
		})
		h := r.addWebhook(rc.URL, nil)
		r.start()
		r.tell("")
		entry := r.attempts(h, 1)[0]
		if entry.Response != nil || entry.Status == nil || *entry.Status != http.StatusForbidden {
			t.Errorf("the log shows %v, %v", entry.Status, entry.Response)
		}
	})
}

func TestFailures(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		rc.answers(func(w http.ResponseWriter, q *http.Request) {
			switch q.URL.Path {
			case "/redirect":
				http.Redirect(w, q, "/elsewhere", http.StatusTemporaryRedirect)
			case "/cut":
				panic(http.ErrAbortHandler)
			}
		})
		banner := serveBanner(t)
		hooks := map[string]hook{}
		want := map[string]string{
			rc.URL + "/redirect":                "the answer was 307 Temporary Redirect; redirects are not followed",
			rc.URL + "/cut":                     "the connection was closed before the answer was complete",
			"http://" + banner + "/":            "no answer of HTTP came",
			"http://no-such-host.invalid/":      "the name of the host could not be resolved",
			"http://10.1.2.3/?key=confidential": "the address is in a private network",
			"http://127.0.0.1:1/":               "connection refused",
		}
		for url := range want {
			hooks[url] = r.addWebhook(url, nil)
		}
		r.start()
		r.tell("")
		for url, text := range want {
			entry := r.attempts(hooks[url], 1)[0]
			if entry.Error == nil || !strings.Contains(*entry.Error, text) || strings.Contains(*entry.Error, "confidential") {
				t.Errorf("%s: %v, want %q", url, *entry.Error, text)
			}
		}
		for {
			select {
			case d := <-rc.got:
				if d.path == "/elsewhere" {
					t.Error("a redirect was followed")
				}
				continue
			default:
			}
			break
		}
	})
}

// TestNoAnswer has a receiver that takes longer than it may. Nothing else is sent by a
// deliverer that waits for so short a time: it may well be too short for that.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		r.deliver = r.newDeliverer(func(o *deliver.Options) { o.Timeout = time.Second })
		rc := newReceiver(t)
		release := make(chan struct{})
		t.Cleanup(func() { close(release) })
		rc.answers(func(_ http.ResponseWriter, q *http.Request) {
			select {
			case <-release:
			case <-q.Context().Done():
			}
		})
		h := r.addWebhook(rc.URL, nil)
		r.start()
		r.tell("")
		if entry := r.attempts(h, 1)[0]; entry.Error == nil || *entry.Error != "no answer within 1s" {
			t.Errorf("logged %+v", entry)
		}
	})
}

func TestGoneDisables(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		gone, well := newReceiver(t), newReceiver(t)
		gone.status(http.StatusGone)
		h := r.addWebhook(gone.URL, nil)
		other := r.addWebhook(well.URL, nil)
		r.start()
		e := r.tell("")
		gone.next(t)
		reported := well.next(t)
		reported.verify(t, other.secret)
		if second := well.next(t); reported.id == e.ID {
			reported = second
			reported.verify(t, other.secret)
		}
		if reported.Type != drover.EventWebhookDisabled || !strings.Contains(string(reported.Data), h.ID) ||
			!strings.Contains(string(reported.Data), "410 Gone") {
			t.Errorf("reported %s %s", reported.Type, reported.Data)
		}
		if r.webhook(h).Enabled {
			t.Error("the webhook is enabled")
		}
		r.tell("")
		well.next(t)
		states := map[string]drover.DeliveryState{}
		for _, a := range r.log(h) {
			states[a.EventID] = a.State
		}
		if len(states) != 3 || states[e.ID] != drover.DeliverySkipped {
			t.Errorf("what was and is for the disabled webhook: %v", states)
		}
		// Enabled again, what was skipped can be replayed, under its old id.
		gone.status(http.StatusOK)
		r.update(func(tx *store.Tx) error {
			w, err := tx.Webhooks.WebhookForUpdate(t.Context(), r.tenant, h.ID)
			if err != nil {
				return err
			}
			w.Enabled = true
			if err := tx.Webhooks.SetWebhook(t.Context(), w); err != nil {
				return err
			}
			_, err = tx.Feed.ReplayDeliveries(t.Context(), h.Target, e.Timestamp, r.now())
			return err
		})
		var ids []string
		for range 3 {
			d := gone.next(t)
			d.verify(t, h.secret)
			ids = append(ids, d.id)
		}
		if !slices.Contains(ids, e.ID) {
			t.Errorf("replayed %v, want %s among them", ids, e.ID)
		}
		r.attempts(h, 4)
	})
}

func TestDisabledAfterFiveDays(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		rc.status(http.StatusNotFound)
		h := r.addWebhook(rc.URL, nil)
		r.start()
		for _, after := range []time.Duration{0, 119 * time.Hour} {
			r.clock.Advance(after)
			e := r.tell("")
			r.eventually(func() error {
				if slices.ContainsFunc(r.log(h), func(a drover.DeliveryAttempt) bool { return a.EventID == e.ID && a.Attempt == 1 }) {
					return nil
				}
				return errNotYet
			})
			if !r.webhook(h).Enabled {
				t.Fatalf("disabled after %s", after)
			}
		}
		r.clock.Advance(time.Hour) // what has failed is due again by now
		r.eventually(func() error {
			if r.webhook(h).Enabled {
				return errNotYet
			}
			return nil
		})
		events, err := r.Feed.Events(t.Context(), r.tenant, drover.EventFilter{Types: []drover.EventType{drover.EventWebhookDisabled}},
			work.EventRange{To: 100, Limit: 100})
		if err != nil || len(events) != 1 || !strings.Contains(string(events[0].Data), "no attempt has succeeded since") {
			t.Errorf("%v, events %v", err, events)
		}
	})
}

func TestRotation(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		h := r.addWebhook(rc.URL, nil)
		r.start()
		e := r.tell("")
		rc.next(t).verify(t, h.secret)
		r.attempts(h, 1)
		var fresh string
		r.update(func(tx *store.Tx) error {
			sealed, err := tx.Webhooks.WebhookSecrets(t.Context(), r.tenant, h.ID)
			if err != nil {
				return err
			}
			ring, err := signing.Open(t.Context(), r.vault, sealed)
			if err != nil {
				return err
			}
			if ring, err = ring.Rotate(r.clock.Now()); err != nil {
				return err
			}
			fresh = ring.View(r.clock.Now()).Secret
			if sealed, err = ring.Seal(r.vault, sealed); err != nil {
				return err
			}
			if err := tx.Webhooks.SetWebhookSecrets(t.Context(), sealed); err != nil {
				return err
			}
			return tx.Feed.ReplayDelivery(t.Context(), h.Target, e.ID, r.now())
		})
		d := rc.next(t)
		d.verify(t, h.secret)
		d.verify(t, fresh)
		if d.id != e.ID {
			t.Errorf("replayed as %s, want %s", d.id, e.ID)
		}
		r.clock.Advance(signing.Overlap)
		r.tell("")
		d = rc.next(t)
		d.verify(t, fresh)
		if n := len(strings.Fields(d.header.Get(signing.HeaderSignature))); n != 1 {
			t.Errorf("%d signatures after the overlap", n)
		}
	})
}
