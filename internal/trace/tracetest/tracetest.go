// Package tracetest records what the service sends to a collector.
package tracetest

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/trace"
)

// Span is a span as a collector reads it.
type Span struct {
	TraceID    string `json:"traceId"`
	SpanID     string `json:"spanId"`
	ParentID   string `json:"parentSpanId"`
	Name       string `json:"name"`
	Kind       int    `json:"kind"`
	Start      string `json:"startTimeUnixNano"`
	End        string `json:"endTimeUnixNano"`
	Attributes []struct {
		Key   string            `json:"key"`
		Value map[string]string `json:"value"`
	} `json:"attributes"`
	Links []struct {
		TraceID string `json:"traceId"`
		SpanID  string `json:"spanId"`
	} `json:"links"`
	Status struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"status"`
	Events json.RawMessage `json:"events,omitempty"`
}

// Says is what a span says by a key.
func (s Span) Says(key trace.Key) string {
	for _, a := range s.Attributes {
		if a.Key == string(key) {
			return a.Value["stringValue"] + a.Value["intValue"]
		}
	}
	return ""
}

// Collector takes spans, and keeps them.
type Collector struct {
	*httptest.Server
	mu    sync.Mutex
	spans []Span
}

// NewCollector serves until the test ends.
func NewCollector(tb testing.TB) *Collector {
	tb.Helper()
	c := &Collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var message struct {
			ResourceSpans []struct {
				ScopeSpans []struct{ Spans []Span }
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&message); err != nil || r.URL.Path != "/v1/traces" ||
			r.Header.Get("Content-Type") != "application/json" {
			tb.Errorf("%s %s was sent: %v", r.Header.Get("Content-Type"), r.URL.Path, err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, resource := range message.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				c.spans = append(c.spans, scope.Spans...)
			}
		}
	}))
	tb.Cleanup(c.Close)
	return c
}

// Spans are those that were taken so far.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spans...)
}

// New is a tracer that follows everything, and a function that returns what it saw; nothing
// is to be traced after that.
func New(tb testing.TB, now func() time.Time) (*trace.Tracer, func() []Span) {
	tb.Helper()
	c := NewCollector(tb)
	e := trace.New(trace.Options{Endpoint: c.URL, Ratio: 1, Version: "test", Now: now, Logger: slog.New(slog.DiscardHandler), Patience: time.Minute})
	e.Start(tb.Context())
	tb.Cleanup(e.Stop)
	return e.Tracer, func() []Span {
		e.Stop()
		return c.Spans()
	}
}
