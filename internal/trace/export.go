package trace

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/drover-fleet/drover/internal/background"
)

const (
	// maxWaiting bounds the spans that wait to be sent, some 2 MiB.
	maxWaiting = 4096
	// maxBatch bounds those that are sent at once, and sendEvery how long they wait for others.
	maxBatch  = 512
	sendEvery = 5 * time.Second
	// sendTime bounds a sending, and lastTime all of those after the end of the service.
	sendTime = 10 * time.Second
	lastTime = 2 * time.Second
	// firstPause and maxPause are how long a collector is left alone that does not answer.
	firstPause = 5 * time.Second
	maxPause   = time.Minute
)

// Options are what traces are made and sent with.
type Options struct {
	// Endpoint is the address of a collector, such as http://127.0.0.1:4318.
	Endpoint string
	// Ratio is the part of requests, runs and deliveries that is followed.
	Ratio   float64
	Version string
	Now     func() time.Time
	Logger  *slog.Logger
	// Patience is how long the collector has for what is left when the service stops; 2 s.
	Patience time.Duration
}

// Exporter sends spans to a collector. A collector that is slow or gone holds up no one: what
// it does not take in time is dropped and counted.
type Exporter struct {
	background.Work
	Options
	// Tracer makes the spans.
	Tracer  *Tracer
	waiting chan *Span
	client  *http.Client
	spans   *prometheus.CounterVec
}

// New makes an Exporter, which is to be started.
func New(o Options) *Exporter {
	o.Patience = cmp.Or(o.Patience, lastTime)
	e := &Exporter{
		Options: o, waiting: make(chan *Span, maxWaiting),
		// The collector is the operator's own, in a network that tenants' addresses may not lie in.
		client: &http.Client{
			Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConns: 1, IdleConnTimeout: 90 * time.Second},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		spans: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "drover_trace_spans_total",
			Help: "Spans of traces, by what became of them: sent, failed or dropped because too many waited.",
		}, []string{"outcome"}),
	}
	if !strings.HasSuffix(e.Endpoint, path) {
		e.Endpoint = strings.TrimSuffix(e.Endpoint, "/") + path
	}
	e.Tracer = &Tracer{ratio: o.Ratio, now: o.Now, ended: e.take}
	e.Run = e.run
	return e
}

// path is where a collector takes traces.
const path = "/v1/traces"

// Metrics are how many spans were sent.
func (e *Exporter) Metrics() prometheus.Collector { return e.spans }

// take keeps a span until it is sent.
func (e *Exporter) take(s *Span) {
	select {
	case e.waiting <- s:
	default:
		e.spans.WithLabelValues("dropped").Inc()
	}
}

// run sends until the service stops, and then what is left.
func (e *Exporter) run(ctx context.Context) {
	sending, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(e.Patience, cancel) })()
	pause := time.Duration(0)
	for batch := e.gather(ctx); len(batch) > 0; batch = e.gather(ctx) {
		err := e.send(sending, batch)
		switch {
		case err == nil:
			pause = 0
			continue
		case ctx.Err() != nil:
			return
		case pause == 0:
			e.Logger.WarnContext(ctx, "the collector takes no traces; they are dropped until it does", "err", err)
		}
		pause = min(max(2*pause, firstPause), maxPause)
		rest(ctx, pause)
	}
}

// gather waits for spans until there are many, or the first has waited long enough. There are
// none when the service has stopped.
func (e *Exporter) gather(ctx context.Context) (batch []*Span) {
	select {
	case s := <-e.waiting:
		batch = append(batch, s)
	case <-ctx.Done():
	}
	late := time.NewTimer(sendEvery)
	defer late.Stop()
	for len(batch) < maxBatch {
		select {
		case s := <-e.waiting:
			batch = append(batch, s)
			continue
		default:
		}
		select {
		case s := <-e.waiting:
			batch = append(batch, s)
		case <-late.C:
			return batch
		case <-ctx.Done():
			return batch
		}
	}
	return batch
}

func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// send gives a batch to the collector, once.
func (e *Exporter) send(ctx context.Context, batch []*Span) (err error) {
	outcome := "failed"
	defer func() { e.spans.WithLabelValues(outcome).Add(float64(len(batch))) }()
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	text, err := json.Marshal(e.message(batch))
	if err != nil {
		return fmt.Errorf("encode traces: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.Endpoint, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "drover/"+e.Version)
	res, err := e.client.Do(req)
	if err != nil {
		if around, ok := errors.AsType[*url.Error](err); ok {
			err = around.Err // what is around it repeats the address, which may hold a password
		}
		return err
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 4096)) // so that the connection is used again
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answers %d", res.StatusCode)
	}
	outcome = "sent"
	return nil
}

// message is a batch in the form of OTLP, as JSON.
func (e *Exporter) message(batch []*Span) any {
	spans := make([]spanMessage, len(batch))
	for i, s := range batch {
		spans[i] = s.message()
	}
	resource := []valueMessage{
		{"service.name", value{Text: new("drover")}}, {"service.version", value{Text: new(e.Version)}},
	}
	return map[string]any{"resourceSpans": []any{map[string]any{
		"resource":   map[string]any{"attributes": resource},
		"scopeSpans": []any{map[string]any{"scope": map[string]any{"name": "drover"}, "spans": spans}},
	}}}
}

type (
	spanMessage struct {
		TraceID    string         `json:"traceId"`
		SpanID     string         `json:"spanId"`
		ParentID   string         `json:"parentSpanId,omitempty"`
		Name       string         `json:"name"`
		Kind       Kind           `json:"kind"`
		Start      string         `json:"startTimeUnixNano"`
		End        string         `json:"endTimeUnixNano"`
		Attributes []valueMessage `json:"attributes,omitempty"`
		Links      []linkMessage  `json:"links,omitempty"`
		Status     *statusMessage `json:"status,omitempty"`
	}
	valueMessage struct {
		Key   Key   `json:"key"`
		Value value `json:"value"`
	}
	// value has one of its fields. A number is a text, because JSON's have no 64 bits.
	value struct {
		Text   *string `json:"stringValue,omitempty"`
		Number *string `json:"intValue,omitempty"`
	}
	linkMessage struct {
		TraceID string `json:"traceId"`
		SpanID  string `json:"spanId"`
	}
	statusMessage struct {
		Code int `json:"code"`
	}
)

// statusError is the code of a span that failed.
const statusError = 2

func (s *Span) message() spanMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := spanMessage{
		TraceID: s.TraceID(), SpanID: hex.EncodeToString(s.id[:]), Name: s.name, Kind: s.kind,
		Start: strconv.FormatInt(s.start.UnixNano(), 10), End: strconv.FormatInt(s.end.UnixNano(), 10),
	}
	if root := s.parent == [8]byte{}; !root {
		m.ParentID = hex.EncodeToString(s.parent[:])
	} else if link := s.trace.link; link != (Parent{}) {
		m.Links = []linkMessage{{hex.EncodeToString(link.Trace[:]), hex.EncodeToString(link.Span[:])}}
	}
	if s.failed {
		m.Status = &statusMessage{statusError}
	}
	for _, a := range s.attributes {
		v := value{Text: new(a.text)}
		if a.text == "" {
			v = value{Number: new(strconv.Itoa(a.n))}
		}
		m.Attributes = append(m.Attributes, valueMessage{a.key, v})
	}
	return m
}
