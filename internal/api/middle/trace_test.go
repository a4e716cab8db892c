package middle_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/drover-fleet/drover/internal/api/middle"
	"github.com/drover-fleet/drover/internal/trace"
	"github.com/drover-fleet/drover/internal/trace/tracetest"
)

// TestTrace follows a request with secrets everywhere, whose caller has a trace of its own, and
// finds it by the exemplar of its latency.
func TestTrace(t *testing.T) {
	t.Parallel()
	tracer, seen := tracetest.New(t, time.Now)
	registry := prometheus.NewRegistry()
	metrics, err := middle.NewMetrics(registry, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	id := ""
	handler := middle.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info := middle.InfoFrom(r.Context())
		info.Route, info.TenantID, info.UserID = "/device/{id}", "tenant", "ann"
		id = trace.From(r.Context()).TraceID()
		w.WriteHeader(http.StatusBadGateway)
	}), middle.Identify, middle.Trace(tracer), metrics.Wrap)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/device/hunter2?token=hunter2", strings.NewReader("hunter2"))
	r.Header.Set("Authorization", "Bearer hunter2")
	r.Header.Set("Traceparent", "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01")
	handler.ServeHTTP(httptest.NewRecorder(), r)
	spans := seen()
	if len(spans) != 1 {
		t.Fatalf("%+v", spans)
	}
	s := spans[0]
	if s.Name != "GET /device/{id}" || s.Says(trace.Route) != "/device/{id}" || s.Says(trace.Status) != "502" || s.Says(trace.Tenant) != "tenant" ||
		s.Status.Code != 2 || len(s.Attributes) != 4 || s.TraceID != id || len(s.Links) != 1 {
		t.Errorf("it says %+v", s)
	}

	answer := httptest.NewRecorder()
	scrape := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody)
	scrape.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true}).ServeHTTP(answer, scrape)
	if !strings.Contains(answer.Body.String(), `# {trace_id="`+id+`"}`) {
		t.Errorf("the latency has no exemplar:\n%s", answer.Body)
	}
}

// TestTraceOff leaves requests alone.
func TestTraceOff(t *testing.T) {
	t.Parallel()
	for name, tracer := range map[string]*trace.Tracer{
		"off": nil, "never": trace.New(trace.Options{Endpoint: "http://127.0.0.1:1", Now: time.Now}).Tracer,
	} {
		called := false
		h := middle.Trace(tracer)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { called = trace.From(r.Context()) == nil }))
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.Header.Set("Traceparent", "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01")
		h.ServeHTTP(httptest.NewRecorder(), r)
		if !called {
			t.Errorf("%s: the request was followed, or lost", name)
		}
	}
}
