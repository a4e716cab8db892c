package deliver_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/deliver"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/trace"
	"github.com/drover-fleet/drover/internal/trace/tracetest"
)

// TestTracedDelivery sends the trace of an attempt to the receiver, and says neither to whom nor what, whether it
// arrives or not.
func TestTracedDelivery(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		tracer, seen := tracetest.New(t, r.clock.Now)
		r.deliver = r.newDeliverer(func(o *deliver.Options) { o.Tracer = tracer })
		rc, gone := newReceiver(t), httptest.NewServer(nil)
		gone.Close()
		there, lost := r.addWebhook(rc.URL+"/hunter2?key=hunter2", nil), r.addWebhook(gone.URL+"/hunter2?key=hunter2", nil)
		r.start()
		r.update(func(tx *store.Tx) error {
			return journal.Append(t.Context(), tx, r.tenant, []drover.Event{{
				Type: drover.EventDeviceUpdated, Timestamp: r.now(), ConnectionID: &r.conn, Data: []byte(`{"description":"Ann's truck"}`),
				Subjects: []drover.Subject{{ConnectionID: r.conn}},
			}})
		})
		header := rc.next(t).header.Get("Traceparent")
		r.attempts(there, 1)
		r.attempts(lost, 1)
		r.deliver.Stop()
		spans, attempts, arrived := seen(), 0, false
		for _, s := range spans {
			holdNothing(t, s, "hunter2", "truck", host(rc.URL), host(gone.URL))
			if s.Name != "deliver" {
				continue
			}
			attempts++
			if header != "00-"+s.TraceID+"-"+s.SpanID+"-01" {
				continue
			}
			arrived = true
			if s.Says(trace.EventType) != "device.updated" || s.Says(trace.Outcome) != "delivered" || s.Says(trace.Status) != "200" ||
				s.Says(trace.Tenant) != r.tenant || len(s.Attributes) != 4 || s.Status.Code != 0 {
				t.Errorf("it says %+v", s)
			}
		}
		if attempts != 2 || !arrived {
			t.Errorf("the receiver got %q; of two attempts %d are in a trace: %+v", header, attempts, spans)
		}
	})
}

func host(address string) string { return strings.TrimPrefix(address, "http://") }

// holdNothing looks for what must not be in a trace, wherever in a span it might be.
func holdNothing(t *testing.T, s tracetest.Span, secrets ...string) {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		if strings.Contains(string(text), secret) {
			t.Errorf("%q is in %s", secret, text)
		}
	}
}

// TestUntracedDelivery sends no trace where there is none.
func TestUntracedDelivery(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		r.addWebhook(rc.URL, nil)
		r.start()
		r.tell("")
		if got := rc.next(t).header.Get("Traceparent"); got != "" {
			t.Errorf("the receiver got %q", got)
		}
	})
}
