package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/drover-fleet/drover"
)

const (
	deliverRounds  = 20
	deliverWriters = 4
	// deliverAfter is the number of answered writes after which a round may end.
	deliverAfter = 20
	// deliverWrites is what each writer writes at most in a round.
	deliverWrites = 50
	// deliverInFlight is what may be under way to one origin when a process ends,
	// and so be sent again.
	deliverInFlight = 32
	// leasePatience is how long it may take until another process serves a target
	// whose process was killed: the lease, and then the work.
	leasePatience = 90 * time.Second
)

// TestKillMidDelivery ends the embedded service while deliveries are under way,
// again and again. In the end every committed event was delivered, and no more
// was sent twice than was under way.
func TestKillMidDelivery(t *testing.T) {
	t.Parallel()
	s := newSite(t, "sqlite")
	p := serve(t, s)
	c := logIn(t, p, "demo")
	rc := newDeliveryReceiver(t)
	hook := rc.subscribe(t, c)
	for round := range deliverRounds {
		writeUntil(t, c.at(p), s, round, rc, p.kill)
		before := rc.count()
		p = serve(t, s)
		// What was under way at the kill, if nothing else, is due at once.
		within(t, 2*time.Second, func() error {
			if rc.count() == before {
				return errNotYet
			}
			return nil
		})
	}
	rc.check(t, c.at(p), hook, deliverRounds)
}

// TestKillOneOfTwo does the same to two processes on one PostgreSQL, in turns.
// The other one goes on, and takes over what the killed one held.
func TestKillOneOfTwo(t *testing.T) {
	t.Parallel()
	s := newSite(t, "postgres")
	processes := []*process{serve(t, s), serve(t, s)}
	c := logIn(t, processes[0], "demo")
	rc := newDeliveryReceiver(t)
	hook := rc.subscribe(t, c)
	for round := range deliverRounds {
		i := round % 2
		writeUntil(t, c.at(processes[1-i]), s, round, rc, processes[i].kill)
		processes[i] = serve(t, s)
	}
	rc.check(t, c.at(processes[0]), hook, deliverRounds)
}

// writeUntil changes devices, each change an event, until enough was answered
// and a delivery is under way; then it calls end.
func writeUntil(t *testing.T, c *client, s site, round int, rc *deliveryReceiver, end func()) {
	t.Helper()
	var writers sync.WaitGroup
	var answered atomic.Int64
	stop := make(chan struct{})
	for i := range deliverWriters {
		path := "/device/" + s.world.Devices[i].ID
		writers.Go(func() {
			for n := range deliverWrites {
				select {
				case <-stop:
					return
				default:
				}
				a, err := c.do(t.Context(), http.MethodPatch, path, fmt.Sprintf(`{"description":"round %d, write %d"}`, round, n))
				if err != nil {
					return // the service is gone
				}
				if a.status != http.StatusOK {
					t.Errorf("PATCH %s: %d %s", path, a.status, a.body)
					return
				}
				answered.Add(1)
			}
		})
	}
	eventually(t, func() error {
		if n := answered.Load(); n < deliverAfter || rc.underWay.Load() == 0 {
			return fmt.Errorf("%d answered, %d under way: %w", n, rc.underWay.Load(), errNotYet)
		}
		return nil
	})
	end()
	close(stop)
	writers.Wait()
}

// deliveryReceiver is a receiver that verifies what it gets with the official
// library, and takes a moment to answer.
type deliveryReceiver struct {
	*httptest.Server
	t        *testing.T
	underWay atomic.Int64

	mu       sync.Mutex
	verifier *standardwebhooks.Webhook
	got      map[string]int // deliveries by event
	total    int
}

func newDeliveryReceiver(t *testing.T) *deliveryReceiver {
	t.Helper()
	rc := &deliveryReceiver{t: t, got: map[string]int{}}
	rc.Server = httptest.NewServer(http.HandlerFunc(rc.receive))
	t.Cleanup(rc.Close)
	return rc
}

func (rc *deliveryReceiver) receive(w http.ResponseWriter, r *http.Request) {
	rc.underWay.Add(1)
	defer rc.underWay.Add(-1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender was killed in the middle of it
	}
	rc.mu.Lock()
	if err := rc.verifier.Verify(body, r.Header); err != nil {
		rc.t.Errorf("a delivery is not verified: %v", err)
	}
	rc.got[r.Header.Get("Webhook-Id")]++
	rc.total++
	rc.mu.Unlock()
	select {
	case <-time.After(10 * time.Millisecond):
	case <-r.Context().Done():
	}
	w.WriteHeader(http.StatusNoContent)
}

// subscribe makes a webhook for changes of devices.
func (rc *deliveryReceiver) subscribe(t *testing.T, c *client) drover.WebhookCreated {
	t.Helper()
	var made drover.WebhookCreated
	c.must(t, &made, http.MethodPost, "/webhook", fmt.Sprintf(`{"url":%q}`, rc.URL))
	verifier, err := standardwebhooks.NewWebhook(made.Secret)
	if err != nil {
		t.Fatal(err)
	}
	rc.mu.Lock()
	defer rc.mu.Unlock()
	rc.verifier = verifier
	return made
}

func (rc *deliveryReceiver) count() int {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	return rc.total
}

// changes reads the committed events about devices that changed.
func changes(t *testing.T, c *client) []drover.Event {
	t.Helper()
	var all []drover.Event
	for cursor := ""; ; {
		a, err := c.do(t.Context(), http.MethodGet, "/event?type=device.updated&limit=1000"+cursor, "")
		if err != nil || a.status != http.StatusOK {
			t.Fatalf("GET /event: %v %d %s", err, a.status, a.body)
		}
		var page struct{ Data []drover.Event }
		if err := json.Unmarshal([]byte(a.body), &page); err != nil {
			t.Fatal(err)
		}
		if len(page.Data) == 0 {
			return all
		}
		all = append(all, page.Data...)
		cursor = "&cursor=" + a.header.Get("X-Next-Cursor")
	}
}

func undelivered(t *testing.T, c *client, rc *deliveryReceiver) int {
	t.Helper()
	events := changes(t, c)
	rc.mu.Lock()
	defer rc.mu.Unlock()
	n := 0
	for _, e := range events {
		if rc.got[e.ID] == 0 {
			n++
		}
	}
	return n
}

// check waits until everything was delivered, and compares what came with what
// was logged.
func (rc *deliveryReceiver) check(t *testing.T, c *client, hook drover.WebhookCreated, kills int) {
	t.Helper()
	within(t, leasePatience, func() error {
		if n := undelivered(t, c, rc); n > 0 {
			return fmt.Errorf("%d events were not delivered", n)
		}
		return nil
	})
	var log []drover.DeliveryAttempt
	eventually(t, func() error {
		log = deliveryLog(t, c, hook)
		for _, a := range log {
			if a.State != drover.DeliveryDelivered {
				return fmt.Errorf("delivery %s is %s", a.EventID, a.State)
			}
		}
		return nil
	})
	rc.compare(t, changes(t, c), log, kills)
}

// compare holds that every event was delivered, that what was sent twice was
// under way at a kill, and that attempts are numbered without gaps.
func (rc *deliveryReceiver) compare(t *testing.T, events []drover.Event, log []drover.DeliveryAttempt, kills int) {
	t.Helper()
	logged, last := map[string]int{}, map[string]int{}
	for _, a := range log {
		logged[a.EventID]++
		last[a.EventID] = max(last[a.EventID], a.Attempt)
	}
	rc.mu.Lock()
	defer rc.mu.Unlock()
	again := 0
	for _, e := range events {
		n := rc.got[e.ID]
		again += n - 1
		if logged[e.ID] == 0 || logged[e.ID] != last[e.ID] || logged[e.ID] > n {
			t.Errorf("event %s came %d times; %d attempts are logged, the last is number %d", e.ID, n, logged[e.ID], last[e.ID])
		}
	}
	if again > kills*deliverInFlight {
		t.Errorf("%d deliveries came again after %d kills", again, kills)
	}
	if len(events) < kills*deliverAfter {
		t.Errorf("%d events prove little", len(events))
	}
	t.Logf("%d events, %d came again after %d kills", len(events), again, kills)
}

func deliveryLog(t *testing.T, c *client, hook drover.WebhookCreated) []drover.DeliveryAttempt {
	t.Helper()
	var all []drover.DeliveryAttempt
	for cursor := ""; ; {
		a, err := c.do(t.Context(), http.MethodGet, "/webhook/"+hook.ID+"/delivery?limit=1000"+cursor, "")
		if err != nil || a.status != http.StatusOK {
			t.Fatalf("GET /webhook/{id}/delivery: %v %d %s", err, a.status, a.body)
		}
		var page struct{ Data []drover.DeliveryAttempt }
		if err := json.Unmarshal([]byte(a.body), &page); err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Data...)
		next := a.header.Get("X-Next-Cursor")
		if next == "" {
			return all
		}
		cursor = "&cursor=" + next
	}
}
