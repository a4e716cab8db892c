package deliver_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/deliver"
	"github.com/drover-fleet/drover/internal/deliver/signing"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
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

// TestSchedule holds the retries to the times that were decided, and what is told
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
	})
}

func TestFailures(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		r.deliver = r.newDeliverer(func(o *deliver.Options) { o.Timeout = time.Second })
		rc := newReceiver(t)
		release := make(chan struct{})
		t.Cleanup(func() { close(release) })
		rc.answers(func(w http.ResponseWriter, q *http.Request) {
			switch q.URL.Path {
			case "/redirect":
				http.Redirect(w, q, "/elsewhere", http.StatusTemporaryRedirect)
			case "/slow":
				select {
				case <-release:
				case <-q.Context().Done():
				}
			case "/cut":
				panic(http.ErrAbortHandler)
			}
		})
		hooks := map[string]hook{}
		want := map[string]string{
			rc.URL + "/redirect":                "the answer was 307 Temporary Redirect; redirects are not followed",
			rc.URL + "/slow":                    "no answer within 1s",
			rc.URL + "/cut":                     "EOF",
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
		told := well.next(t)
		told.verify(t, other.secret)
		if second := well.next(t); told.id == e.ID {
			told = second
			told.verify(t, other.secret)
		}
		if told.Type != drover.EventWebhookDisabled || !strings.Contains(string(told.Data), h.ID) || !strings.Contains(string(told.Data), "410 Gone") {
			t.Errorf("told %s %s", told.Type, told.Data)
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
			w, err := tx.WebhookForUpdate(t.Context(), r.tenant, h.ID)
			if err != nil {
				return err
			}
			w.Enabled = true
			if err := tx.SetWebhook(t.Context(), w); err != nil {
				return err
			}
			_, err = tx.ReplayDeliveries(t.Context(), h.Target, e.Timestamp, r.now())
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
		events, err := r.Events(t.Context(), r.tenant, store.EventFilter{Types: []drover.EventType{drover.EventWebhookDisabled}}, store.EventRange{To: 100, Limit: 100})
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
			sealed, err := tx.WebhookSecrets(t.Context(), r.tenant, h.ID)
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
			if err := tx.SetWebhookSecrets(t.Context(), sealed); err != nil {
				return err
			}
			return tx.ReplayDelivery(t.Context(), h.Target, e.ID, r.now())
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

// TestOrder holds that what is about one device comes in order, while there is
// room for others.
func TestOrder(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		var now, most atomic.Int64
		rc.answers(func(http.ResponseWriter, *http.Request) {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			time.Sleep(time.Millisecond) //nolint:forbidigo // answers take a moment, so that they could overtake
			now.Add(-1)
		})
		h := r.addWebhook(rc.URL, nil)
		devices := []string{store.NewID(), store.NewID(), store.NewID(), ""}
		const events = 200
		of := map[string]string{}
		for i := range events {
			e := r.tell(devices[i%len(devices)])
			of[e.ID] = devices[i%len(devices)]
		}
		r.start()
		last := map[string]int64{}
		whole := int64(0)
		for range events {
			d := rc.next(t)
			device := of[d.id]
			if *d.Seq < last[device] || *d.Seq < whole {
				t.Errorf("event %d of %q came after %d and %d", *d.Seq, device, last[device], whole)
			}
			last[device] = *d.Seq
			if device == "" {
				for _, seq := range last {
					if seq > *d.Seq {
						t.Errorf("event %d of the connection came after %d", *d.Seq, seq)
					}
				}
				whole = *d.Seq
			}
		}
		r.attempts(h, events)
		if most.Load() < 2 {
			t.Errorf("at most %d were under way at once", most.Load())
		}
	})
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
		rc.status(http.StatusServiceUnavailable)
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
		// The first four, and those begun before five had failed.
		r.eventually(func() error {
			if made() < 5 {
				return errNotYet
			}
			return nil
		})
		first := len(rc.got)
		if first > 8 {
			t.Errorf("%d attempts before the breaker opened", first)
		}
		r.eventually(func() error {
			r.clock.Advance(time.Second)
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
		if probes := len(rc.got) - first - events; probes > 2 {
			t.Errorf("%d attempts while it was open", probes)
		}
	})
}

func TestSupersededPositions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		rc.status(http.StatusServiceUnavailable)
		h := r.addWebhook(rc.URL, nil)
		move := func() {
			e, err := store.NewEvent(drover.EventPositionUpdated, r.now(), map[string]any{
				"connection_id": r.conn, "positions": []map[string]any{{"device_id": "a", "system_device_id": "1"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			e.ConnectionID = &r.conn
			r.update(func(tx *store.Tx) error { return tx.AppendEvents(t.Context(), r.tenant, []drover.Event{e}) })
		}
		move()
		r.clock.Advance(store.SupersedeAfter + time.Second)
		move()
		if err := r.deliver.Supersede(t.Context()); err != nil {
			t.Fatal(err)
		}
		var states []drover.DeliveryState
		for _, a := range r.log(h) {
			states = append(states, a.State)
		}
		if diff := cmp.Diff([]drover.DeliveryState{drover.DeliveryPending, drover.DeliverySuperseded}, states); diff != "" {
			t.Error(diff)
		}
	})
}

// TestOptions holds what a receiver sees of positions.
func TestOptions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		plain := r.addWebhook(rc.URL+"/plain", nil)
		full := r.addWebhook(rc.URL+"/full", func(w *drover.Webhook) {
			w.Options = drover.WebhookOptions{IncludeSpeed: true, IncludeDriverID: true}
			w.Filters.DeviceIDs = []string{"b"}
		})
		r.start()
		point := func(device string) string {
			return `{"device_id":"` + device + `","system_device_id":"1","timestamp":"2026-01-01T00:00:00Z","longitude":1,"latitude":2,"heading":null,"speed":{"speed_kph":3},"driver_id":null}`
		}
		e := drover.Event{
			ID: store.NewID(), Type: drover.EventPositionUpdated, Timestamp: r.now(), ConnectionID: &r.conn,
			Data: []byte(`{"connection_id":"` + r.conn + `","positions":[` + point("a") + "," + point("b") + "," + point("b") + `]}`),
		}
		m := drover.Event{
			ID: store.NewID(), Type: drover.EventMilestoneStarted, Timestamp: r.now(),
			Data: []byte(`{"id":"m","position":{"timestamp":"2026-01-01T00:00:00Z","longitude":1,"latitude":2,"heading":4,"speed":null,"driver_id":{"format":"text","value":"D"}}}`),
		}
		r.update(func(tx *store.Tx) error { return tx.AppendEvents(t.Context(), r.tenant, []drover.Event{e, m}) })
		bare := func(device string) string {
			return `{"device_id":"` + device + `","system_device_id":"1","timestamp":"2026-01-01T00:00:00Z","longitude":1,"latitude":2,"heading":null}`
		}
		want := map[string]string{
			"/plain position.updated":  `{"connection_id":"` + r.conn + `","positions":[` + bare("a") + "," + bare("b") + "," + bare("b") + `]}`,
			"/full position.updated":   `{"connection_id":"` + r.conn + `","positions":[` + point("b") + "," + point("b") + `]}`,
			"/plain milestone.started": `{"id":"m","position":{"timestamp":"2026-01-01T00:00:00Z","longitude":1,"latitude":2,"heading":4}}`,
		}
		got := map[string]string{}
		for range want {
			d := rc.next(t)
			d.verify(t, map[string]string{"/plain": plain.secret, "/full": full.secret}[d.path])
			got[d.path+" "+string(d.Type)] = string(d.Data)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestOwnWebhook holds what a milestone's own webhook gets, after it is deleted
// too.
func TestOwnWebhook(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		rc.status(http.StatusBadGateway)
		url := rc.URL + "/own"
		m := drover.Milestone{
			ID: store.NewID(), TenantID: r.tenant, DeviceID: store.NewID(), StartTime: r.now(), CreatedAt: r.now(), UpdatedAt: r.now(),
			Status: drover.TripNotStarted, WebhookURL: &url, WebhookEnabled: true,
		}
		tell := func(typ drover.EventType, change func(tx *store.Tx) error) {
			e, err := store.NewEvent(typ, r.now(), m)
			if err != nil {
				t.Fatal(err)
			}
			e.MilestoneID, e.DeviceID = &m.ID, &m.DeviceID
			r.update(func(tx *store.Tx) error {
				if err := change(tx); err != nil {
					return err
				}
				return tx.AppendEvents(t.Context(), r.tenant, []drover.Event{e})
			})
		}
		r.start()
		tell(drover.EventMilestoneCreated, func(tx *store.Tx) error {
			return tx.AddMilestone(t.Context(), store.Milestone{Milestone: m, DeviceTenantID: r.tenant, State: []byte("{}")})
		})
		rc.next(t)
		r.eventually(func() error {
			stored, err := r.Milestone(t.Context(), r.tenant, m.ID)
			if err == nil && stored.WebhookErrorCount != 1 {
				err = errNotYet
			}
			return err
		})
		tell(drover.EventMilestoneDeleted, func(tx *store.Tx) error { return tx.DropMilestone(t.Context(), r.tenant, m.ID) })
		rc.status(http.StatusOK)
		r.clock.Advance(5 * time.Second)
		ring, err := signing.Account(t.Context(), r.Store, r.vault, r.tenant)
		if err != nil {
			t.Fatal(err)
		}
		types := map[drover.EventType]bool{}
		for len(types) < 2 {
			d := rc.next(t)
			d.verify(t, ring.View(r.clock.Now()).Secret)
			types[d.Type] = true
		}
		if !types[drover.EventMilestoneCreated] || !types[drover.EventMilestoneDeleted] {
			t.Errorf("got %v", types)
		}
	})
}

// TestTakeOver holds that one process at a time serves a target, and another
// takes over once the first is gone without a word.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		h := r.addWebhook(rc.URL, nil)
		until := drover.At(r.clock.Now().Add(30 * time.Second))
		if r.Database() == "postgres" {
			if ok, err := r.ClaimTarget(t.Context(), h.Target, "gone", "", r.now(), until); err != nil || !ok {
				t.Fatal(ok, err)
			}
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
		}
		r.eventually(func() error {
			if len(rc.got) > 0 {
				return nil
			}
			r.clock.Advance(time.Second)
			return errNotYet
		})
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
	if ok, err := r.ClaimTarget(t.Context(), h.Target, "watched gone", "", r.now(), drover.At(begin.Add(time.Hour))); err != nil || !ok {
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
	if took := r.clock.Now().Sub(begin); took < 3*time.Second || took > 10*time.Minute {
		t.Errorf("it was taken over after %s", took)
	}
}

// TestStopWithIdleTargets holds that what has long been idle does not keep it
// from stopping while something is under way.
func TestStopWithIdleTargets(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
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
