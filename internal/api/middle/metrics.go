package middle

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
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
}

// NewMetrics registers the counters with reg.
func NewMetrics(reg prometheus.Registerer, now func() time.Time) (*Metrics, error) {
	m := &Metrics{
		now: now,
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
			Help:    "Time from the first byte of a request read to its answer written, by route.",
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
			route := InfoFrom(r.Context()).routeOf()
			m.requests.WithLabelValues(route, methodOf(r), strconv.Itoa(rec.sent())).Inc()
			m.duration.WithLabelValues(route).Observe(m.now().Sub(start).Seconds())
		}()
		next.ServeHTTP(rec, r)
	})
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
