package deliver_test

import (
	"testing"

	"github.com/drover-fleet/drover/internal/events/deliver"
	"github.com/drover-fleet/drover/internal/trace"
	"github.com/drover-fleet/drover/internal/trace/tracetest"
)

// TestTracedDelivery sends the trace of an attempt to the receiver, and says neither to whom nor what.
func TestTracedDelivery(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		tracer, seen := tracetest.New(t, r.clock.Now)
		r.deliver = r.newDeliverer(func(o *deliver.Options) { o.Tracer = tracer })
		rc := newReceiver(t)
		h := r.addWebhook(rc.URL+"/hunter2?key=hunter2", nil)
		r.start()
		r.tell("")
		header := rc.next(t).header.Get("Traceparent")
		r.attempts(h, 1)
		r.deliver.Stop()
		for _, s := range seen() {
			if s.Name != "deliver" {
				continue
			}
			if header != "00-"+s.TraceID+"-"+s.SpanID+"-01" {
				t.Errorf("the receiver got %q of %+v", header, s)
			}
			if s.Says(trace.EventType) != "device.updated" || s.Says(trace.Outcome) != "delivered" || s.Says(trace.Status) != "200" ||
				s.Says(trace.Tenant) != r.tenant || len(s.Attributes) != 4 || s.Status.Code != 0 {
				t.Errorf("it says %+v", s)
			}
			return
		}
		t.Error("no attempt is in a trace")
	})
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
