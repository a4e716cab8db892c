// Package trace records spans of requests, runs and deliveries and sends them to a collector by
// OTLP. Spans of a trace that is not sampled are nil and cost nothing.
//
// The attributes of a span are a closed set of keys. None of them can hold an address, a body, a
// parameter of a statement, a name or a place.
package trace

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Key names what a span says.
type Key string

// The keys. The names are those of OpenTelemetry where it has one.
const (
	Method     Key = "http.request.method"
	Route      Key = "http.route"
	Status     Key = "http.response.status_code"
	System     Key = "db.system.name"
	Summary    Key = "db.query.summary"
	Tenant     Key = "drover.tenant_id"
	Connection Key = "drover.connection_id"
	Provider   Key = "drover.provider"
	EventType  Key = "drover.event_type"
	Outcome    Key = "drover.outcome"
)

// Kind is what a span is of, in the numbers of OTLP.
type Kind int

// The kinds.
const (
	Internal Kind = iota + 1
	Server
	Client
	Producer
)

// maxSpans bounds the spans of one trace: a run may read for hours.
const maxSpans = 1000

// Tracer begins traces. Without one, nothing is traced.
type Tracer struct {
	ratio float64
	now   func() time.Time
	ended func(*Span)
}

// Span is a part of a trace that takes time. Those of a trace that is not followed are nil,
// and all of their methods do nothing.
type Span struct {
	tracer *Tracer
	trace  *whole
	id     [8]byte
	parent [8]byte
	kind   Kind
	start  time.Time

	mu         sync.Mutex
	name       string
	attributes []attribute
	failed     bool
	end        time.Time
}

// whole is what the spans of a trace share.
type whole struct {
	id    [16]byte
	spans atomic.Int64
	// link is the span of a caller that led to this trace; empty where there is none.
	link Parent
}

// Parent is a span of another service.
type Parent struct {
	Trace [16]byte
	Span  [8]byte
}

type attribute struct {
	key  Key
	text string
	n    int
}

type spanKey struct{}

// From is the span that ctx belongs to, or nil.
func From(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	return s
}

// Begin begins a trace, unless chance leaves it out. Another service's span is no more than
// linked: callers can neither choose what is followed nor add to traces of others.
func (t *Tracer) Begin(ctx context.Context, kind Kind, name string, caller Parent) (context.Context, *Span) {
	if t == nil || rand.Float64() >= t.ratio {
		return ctx, nil
	}
	w := &whole{link: caller}
	binary.NativeEndian.PutUint64(w.id[:8], rand.Uint64())
	binary.NativeEndian.PutUint64(w.id[8:], rand.Uint64()|1) // never all zero
	return t.span(ctx, w, [8]byte{}, kind, name)
}

// Start begins a part of the trace that ctx belongs to, where it belongs to one.
func Start(ctx context.Context, kind Kind, name string) (context.Context, *Span) {
	s := From(ctx)
	if s == nil || s.trace.spans.Load() >= maxSpans {
		return ctx, nil
	}
	return s.tracer.span(ctx, s.trace, s.id, kind, name)
}

func (t *Tracer) span(ctx context.Context, w *whole, parent [8]byte, kind Kind, name string) (context.Context, *Span) {
	w.spans.Add(1)
	s := &Span{tracer: t, trace: w, parent: parent, kind: kind, name: name[:min(len(name), maxText)], start: t.now()}
	binary.NativeEndian.PutUint64(s.id[:], rand.Uint64()|1)
	return context.WithValue(ctx, spanKey{}, s), s
}

// Rename gives a span the name that is known only at its end.
func (s *Span) Rename(name string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name = name
}

// maxText bounds a value: all of them are names and ids.
const maxText = 128

// Text says something. Nothing is said where it is empty.
func (s *Span) Text(key Key, text string) {
	if s == nil || text == "" {
		return
	}
	s.add(attribute{key: key, text: text[:min(len(text), maxText)]})
}

// Number says a number.
func (s *Span) Number(key Key, n int) {
	if s == nil {
		return
	}
	s.add(attribute{key: key, n: n})
}

func (s *Span) add(a attribute) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attributes = append(s.attributes, a)
}

// Fail says that it did not succeed. Why is in the log: an error may repeat an address.
func (s *Span) Fail() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = true
}

// FailOn does so where there is an error.
func (s *Span) FailOn(err error) {
	if err != nil {
		s.Fail()
	}
}

// End ends it. What is said later is not heard.
func (s *Span) End() {
	if s == nil {
		return
	}
	s.mu.Lock()
	ended := !s.end.IsZero()
	if !ended {
		s.end = s.tracer.now()
	}
	s.mu.Unlock()
	if !ended {
		s.tracer.ended(s)
	}
}

// TraceID is how the trace is found, in logs and exemplars too; empty where it is not followed.
func (s *Span) TraceID() string {
	if s == nil {
		return ""
	}
	return hex.EncodeToString(s.trace.id[:])
}

// Header is the traceparent of W3C by which a receiver goes on with the trace.
func (s *Span) Header() string {
	return "00-" + s.TraceID() + "-" + hex.EncodeToString(s.id[:]) + "-01"
}

// ParseHeader reads a traceparent. Anything else is no parent.
func ParseHeader(text string) (p Parent) {
	const length = len("00-") + 32 + 1 + 16 + len("-01")
	if len(text) != length || text[:3] != "00-" || text[35] != '-' || text[52] != '-' {
		return Parent{}
	}
	if _, err := hex.Decode(p.Trace[:], []byte(text[3:35])); err != nil {
		return Parent{}
	}
	if _, err := hex.Decode(p.Span[:], []byte(text[36:52])); err != nil {
		return Parent{}
	}
	if p.Trace == [16]byte{} || p.Span == [8]byte{} {
		return Parent{}
	}
	return p
}
