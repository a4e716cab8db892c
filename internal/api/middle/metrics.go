package middle

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/drover-fleet/drover/internal/trace"
)

// requestBuckets reach from an answer out of memory to one that a caller has
// given up on, in seconds.
var requestBuckets = [...]float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// Metrics counts requests. Its labels take few values: routes are patterns,
// methods those of HTTP.
type Metrics struct {
	now      func() time.Time
	inFlight prometheus.Gauge
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	// kinds are those of requests that were counted: finding their counters by labels
	// costs more than counting.
	mu    sync.RWMutex
	kinds map[kind]counters
}

// kind is what is told apart of requests. Each part has few values.
type kind struct {
	route, method string
	status        int
}

// counters are those of one kind.
type counters struct {
	requests prometheus.Counter
	duration prometheus.Observer
}

// NewMetrics registers the counters with reg.
func NewMetrics(reg prometheus.Registerer, now func() time.Time) (*Metrics, error) {
	m := &Metrics{
		now: now, kinds: map[kind]counters{},
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "drover_http_requests_in_flight",
			Help: "Requests that are being answered.",
		}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "drover_http_requests_total",
			Help: "Requests answered, by route, method and status.",
		}, []string{"route", "method", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "drover_http_request_duration_seconds",
			Help:    "Time from the first byte of a request read to its answer written, by route; without streams, long polls and files.",
			Buckets: requestBuckets[:],
		}, []string{"route"}),
	}
	for _, c := range []prometheus.Collector{m.inFlight, m.requests, m.duration} {
		if err := reg.Register(c); err != nil {
			return nil, fmt.Errorf("register HTTP metrics: %w", err)
		}
	}
	return m, nil
}

// Wrap is the middleware that counts.
func (m *Metrics) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec, start := record(w), m.now()
		m.inFlight.Inc()
		defer func() {
			m.inFlight.Dec()
			c := m.of(kind{InfoFrom(r.Context()).routeOf(), methodOf(r), rec.sent()})
			c.requests.Inc()
			// How long a stream is open says nothing about how fast the service is.
			if !rec.lasting.Load() {
				observe(c.duration, m.now().Sub(start), trace.From(r.Context()))
			}
		}()
		next.ServeHTTP(rec, r)
	})
}

// observe counts a duration, with an example where the request is followed.
func observe(o prometheus.Observer, took time.Duration, span *trace.Span) {
	if span == nil {
		o.Observe(took.Seconds())
		return
	}
	o.(prometheus.ExemplarObserver).ObserveWithExemplar(took.Seconds(), prometheus.Labels{"trace_id": span.TraceID()})
}

// of finds the counters of a kind.
func (m *Metrics) of(k kind) counters {
	m.mu.RLock()
	c, known := m.kinds[k]
	m.mu.RUnlock()
	if known {
		return c
	}
	c = counters{m.requests.WithLabelValues(k.route, k.method, strconv.Itoa(k.status)), m.duration.WithLabelValues(k.route)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kinds[k] = c
	return c
}

// methodOf returns the method of r. A caller may invent methods, so those that
// are not HTTP's are all the same.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return r.Method
	default:
		return "OTHER"
	}
}
