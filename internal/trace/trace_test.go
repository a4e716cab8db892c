package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/drover-fleet/drover/internal/trace"
	"github.com/drover-fleet/drover/internal/trace/tracetest"
)

// TestSpans follows a request, a statement and a call, and looks at what a collector gets.
func TestSpans(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	tracer, seen := tracetest.New(t, func() time.Time {
		now = now.Add(time.Millisecond)
		return now
	})
	caller := trace.ParseHeader("00-0123456789abcdef0123456789abcdef-0123456789abcdef-01")
	ctx, request := tracer.Begin(t.Context(), trace.Server, "GET", caller)
	statement := trace.Statement(ctx, "postgres", "SELECT id, name\n\tFROM device WHERE name = $1")
	statement.End()
	call := trace.Transport(http.NewFileTransportFS(fstest.MapFS{}))
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://vendor.example/secret?key=hunter2", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := call.RoundTrip(r); err == nil {
		_ = res.Body.Close()
	}
	request.Rename("GET /device")
	request.Number(trace.Status, 503)
	request.Fail()
	request.End()
	request.End() // twice is once
	spans := seen()
	if len(spans) != 3 {
		t.Fatalf("the collector got %+v", spans)
	}
	for _, s := range spans {
		if s.TraceID != request.TraceID() || s.Start >= s.End || len(s.SpanID) != 16 {
			t.Errorf("%+v", s)
		}
		if s.Name != "GET /device" && s.ParentID != spans[2].SpanID {
			t.Errorf("%+v hangs in the air", s)
		}
	}
	if spans[0].Says(trace.Summary) != "SELECT device" || spans[0].Says(trace.System) != "postgres" || spans[0].Kind != 3 {
		t.Errorf("the statement is %+v", spans[0])
	}
	if root := spans[2]; root.ParentID != "" || root.Status.Code != 2 || root.Says(trace.Status) != "503" || root.Kind != 2 ||
		len(root.Links) != 1 || root.Links[0].SpanID != "0123456789abcdef" || root.TraceID == root.Links[0].TraceID {
		t.Errorf("the request is %+v", root)
	}
}

// TestStatementNames names what a statement does, and never what it is given.
func TestStatementNames(t *testing.T) {
	t.Parallel()
	tracer, seen := tracetest.New(t, time.Now)
	ctx, root := tracer.Begin(t.Context(), trace.Internal, "run", trace.Parent{})
	want := map[string]string{
		"INSERT INTO trip(id) VALUES ($1)":                  "INSERT trip",
		"UPDATE device SET name = 'ann'":                    "UPDATE device",
		"WITH x AS (SELECT 1 FROM lease) DELETE FROM lease": "WITH lease",
		"SELECT 1 FROM (SELECT 2 FROM event) e":             "SELECT event",
		"SELECT 'ann@northern.example'":                     "SELECT",
		"DELETE FROM 'ann'":                                 "DELETE",
		"PRAGMA data_version":                               "PRAGMA",
		"":                                                  "statement",
		"'ann' FROM":                                        "statement",
		"SELECT x FROM " + strings.Repeat("very_", 100) + "l": ("SELECT " + strings.Repeat("very_", 100))[:128],
	}
	for query := range want {
		trace.Statement(ctx, "sqlite", query).End()
	}
	root.End()
	got := map[string]bool{}
	for _, s := range seen() {
		got[s.Name] = true
		if len(s.Says(trace.Summary)) > 128 {
			t.Errorf("%q is long", s.Name)
		}
	}
	for query, name := range want {
		if !got[name] {
			t.Errorf("%q is not named %q: %v", query, name, got)
		}
	}
}

// TestNotFollowed does everything with a trace that chance has left out, and with no tracer.
func TestNotFollowed(t *testing.T) {
	t.Parallel()
	never := trace.New(trace.Options{Endpoint: "http://127.0.0.1:1", Ratio: 0, Now: time.Now}).Tracer
	for _, tracer := range []*trace.Tracer{nil, never} {
		ctx, s := tracer.Begin(t.Context(), trace.Server, "GET", trace.ParseHeader("00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"))
		if s != nil || trace.From(ctx) != nil || trace.Statement(ctx, "sqlite", "SELECT 1") != nil {
			t.Error("a caller has chosen what is followed")
		}
		if _, part := trace.Start(ctx, trace.Client, "x"); part != nil {
			t.Error("a part of nothing is followed")
		}
		s.Text(trace.Route, "x")
		s.Number(trace.Status, 1)
		s.Rename("x")
		s.Fail()
		s.End()
		if s.TraceID() != "" {
			t.Error("it has an id")
		}
	}
}

// TestHeaders reads what callers send.
func TestHeaders(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "00", "00-00000000000000000000000000000000-0123456789abcdef-01", "00-0123456789abcdef0123456789abcdef-0000000000000000-01",
		"00-0123456789abcdef0123456789abcdeX-0123456789abcdef-01", "01-0123456789abcdef0123456789abcdef-0123456789abcdef-01",
		"00-0123456789abcdef0123456789abcdef-0123456789abcdef-01-more", strings.Repeat("a", 1<<16),
		"00_0123456789abcdef0123456789abcdef_0123456789abcdef_01",
	} {
		if p := trace.ParseHeader(text); p != (trace.Parent{}) {
			t.Errorf("%.80q is read as %v", text, p)
		}
	}
	tracer, _ := tracetest.New(t, time.Now)
	_, s := tracer.Begin(t.Context(), trace.Producer, "deliver", trace.Parent{})
	if p := trace.ParseHeader(s.Header()); p == (trace.Parent{}) || !strings.Contains(s.Header(), s.TraceID()) {
		t.Errorf("%q cannot be read", s.Header())
	}
}

// TestOneTraceIsBounded has a run with more statements than anyone would look at.
func TestOneTraceIsBounded(t *testing.T) {
	t.Parallel()
	tracer, seen := tracetest.New(t, time.Now)
	ctx, root := tracer.Begin(t.Context(), trace.Internal, "run", trace.Parent{})
	for range 5000 {
		trace.Statement(ctx, "sqlite", "SELECT 1 FROM x").End()
	}
	root.End()
	if n := len(seen()); n != 1000 {
		t.Errorf("%d spans were sent", n)
	}
}

// TestDeadCollector fills all room while no collector takes anything: what is too much is
// dropped at once, and stopping does not wait for it.
func TestDeadCollector(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}, 1), make(chan struct{})
	frozen := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // it reads, and does not answer
		select {
		case asked <- struct{}{}:
		default:
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer frozen.Close()
	defer close(release)
	e := trace.New(trace.Options{Endpoint: frozen.URL, Ratio: 1, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	e.Start(t.Context())
	for range 20_000 {
		_, s := e.Tracer.Begin(t.Context(), trace.Server, "GET", trace.Parent{})
		s.End()
	}
	<-asked
	e.Stop()
	if n := count(t, e.Metrics(), "dropped"); n < 10_000 {
		t.Errorf("%v spans were dropped, of 20,000", n)
	}
	if n := count(t, e.Metrics(), "sent"); n != 0 {
		t.Errorf("%v spans were sent", n)
	}
}

func count(t *testing.T, metrics prometheus.Collector, outcome string) float64 {
	t.Helper()
	found := make(chan prometheus.Metric, 10)
	metrics.Collect(found)
	close(found)
	for m := range found {
		var text dto.Metric
		if err := m.Write(&text); err != nil {
			t.Fatal(err)
		}
		if text.GetLabel()[0].GetValue() == outcome {
			return text.GetCounter().GetValue()
		}
	}
	return 0
}

// TestLogs finds the trace in what is logged for it.
func TestLogs(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	logger := slog.New(trace.Logs(slog.NewJSONHandler(&out, nil))).With("a", "b")
	tracer, _ := tracetest.New(t, time.Now)
	ctx, s := tracer.Begin(t.Context(), trace.Server, "GET", trace.Parent{})
	for _, c := range []struct {
		ctx  context.Context
		want string
	}{{t.Context(), ""}, {ctx, s.TraceID()}} {
		out.Reset()
		logger.InfoContext(c.ctx, "x")
		var line map[string]string
		if err := json.Unmarshal(out.Bytes(), &line); err != nil || line["trace_id"] != c.want || line["a"] != "b" {
			t.Errorf("%s, %v", &out, err)
		}
	}
}

// BenchmarkNotFollowed is what a statement costs that is not followed.
func BenchmarkNotFollowed(b *testing.B) {
	ctx := b.Context()
	for b.Loop() {
		trace.Statement(ctx, "sqlite", "SELECT 1 FROM x").End()
	}
}
