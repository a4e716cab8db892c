package e2e

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
)

// ledger compares from kill to kill what a receiver got with the attempts that
// were committed. What came and was not committed at a kill was under way, and may
// come again; nothing else may.
type ledger struct {
	receiver  *deliveryReceiver
	processes int
	// received and logged are those up to the last kill, by event.
	received, logged map[string]int
	// flights is at how many kills an event was under way.
	flights  map[string]int
	kills    int
	underWay int // at all kills
	again    int
}

// newLedger begins with a receiver of what some processes send.
func newLedger(rc *deliveryReceiver, processes int) *ledger {
	return &ledger{receiver: rc, processes: processes, received: map[string]int{}, logged: map[string]int{}, flights: map[string]int{}}
}

// note is called when a process was killed, with what reads the log. It returns the log as
// it was then.
func (l *ledger) note(t *testing.T, read func() []drover.DeliveryAttempt) []drover.DeliveryAttempt {
	t.Helper()
	l.kills++
	// In this order: what was committed in between has come in any case.
	log := read()
	logged := numbered(t, log)
	underWay := l.advance(t, logged, l.receiver.settle(t))
	l.underWay += len(underWay)
	if len(underWay) <= l.processes*deliverInFlight {
		return log
	}
	// A process that goes on delivers between the two looks, as much as it has time for. What
	// is under way is not in the log by now either.
	later := numbered(t, read())
	underWay = slices.DeleteFunc(underWay, func(id string) bool { return later[id] > logged[id] })
	if n := len(underWay); n > l.processes*deliverInFlight {
		t.Errorf("%d deliveries were under way at kill %d", n, l.kills)
	}
	return log
}

// advance moves the ledger on and returns the events whose deliveries are under way.
func (l *ledger) advance(t *testing.T, logged, received map[string]int) (underWay []string) {
	t.Helper()
	for id, n := range received {
		came, noted := n-l.received[id], logged[id]-l.logged[id]
		switch {
		case came > 1 || came > 0 && l.logged[id] > 0:
			t.Errorf("event %s came %d times after kill %d; before, %d attempts were logged", id, came, l.kills, l.logged[id])
		case came > noted:
			l.flights[id]++
			underWay = append(underWay, id)
		}
	}
	for id, n := range logged {
		if n > received[id] {
			t.Errorf("event %s came %d times, %d attempts are logged", id, received[id], n)
		}
	}
	l.received, l.logged = received, logged
	return underWay
}

// close is called when everything was delivered. It holds that every event has
// one attempt in the log, and that it came that once and, at most, again for each
// kill at which it was under way.
func (l *ledger) close(t *testing.T, c *client, hook drover.WebhookCreated) {
	t.Helper()
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
	if left := l.advance(t, numbered(t, log), l.receiver.settle(t)); len(left) > 0 {
		t.Errorf("of %d deliveries no attempt was logged", len(left))
	}
	events := changes(t, c)
	for _, e := range events {
		again := l.received[e.ID] - 1
		if l.logged[e.ID] != 1 || again < 0 || again > l.flights[e.ID] {
			t.Errorf("event %s came %d times and was under way at %d kills; %d attempts are logged", e.ID, again+1, l.flights[e.ID], l.logged[e.ID])
		}
		l.again += again
	}
	if len(events) < l.kills*deliverAfter {
		t.Errorf("%d events prove little", len(events))
	}
	t.Logf("%d events, %d under way at %d kills, %d came again", len(events), l.underWay, l.kills, l.again)
}

// numbered counts the attempts of each event, all of which have succeeded: they
// are numbered from one, without gaps.
func numbered(t *testing.T, log []drover.DeliveryAttempt) map[string]int {
	t.Helper()
	logged, last := map[string]int{}, map[string]int{}
	for _, a := range log {
		if a.Attempt == 0 {
			continue // none was made
		}
		if a.Status == nil || *a.Status != http.StatusNoContent {
			t.Errorf("attempt %d of event %s has the status %v", a.Attempt, a.EventID, a.Status)
		}
		logged[a.EventID]++
		last[a.EventID] = max(last[a.EventID], a.Attempt)
	}
	for id, n := range logged {
		if last[id] != n {
			t.Errorf("%d attempts of event %s are logged, the last is number %d", n, id, last[id])
		}
	}
	return logged
}

func pending(a drover.DeliveryAttempt) bool { return a.State == drover.DeliveryPending }

// storedLog reads the log of a webhook's deliveries past the service.
func storedLog(t *testing.T, s site, hook drover.WebhookCreated) []drover.DeliveryAttempt {
	t.Helper()
	opened, err := app.OpenStore(t.Context(), config.Store{Data: s.data, Database: s.database}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	}()
	log, err := opened.Feed.DeliveryLog(t.Context(), drover.Target{TenantID: s.world.Owner.ID, ID: hook.ID}, "", drover.AttemptCursor{},
		1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// awaitDelivered waits until every committed event has come.
func awaitDelivered(t *testing.T, c *client, rc *deliveryReceiver) {
	t.Helper()
	within(t, leasePatience, func() error {
		events := changes(t, c)
		rc.mu.Lock()
		defer rc.mu.Unlock()
		n := 0
		for _, e := range events {
			if rc.got[e.ID] == 0 {
				n++
			}
		}
		if n > 0 {
			return fmt.Errorf("%d of %d events were not delivered", n, len(events))
		}
		return nil
	})
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
