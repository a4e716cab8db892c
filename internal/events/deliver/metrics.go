package deliver

import "github.com/prometheus/client_golang/prometheus"

// metrics counts what was sent.
type metrics struct {
	attempts   *prometheus.CounterVec
	duration   prometheus.Histogram
	age        prometheus.Gauge
	inFlight   prometheus.Gauge
	superseded prometheus.Counter
	disabled   prometheus.Counter
}

func newMetrics() *metrics {
	return &metrics{
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "drover_deliver_attempts_total", Help: "Attempts to deliver to a webhook, by outcome.",
		}, []string{"outcome"}),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "drover_deliver_duration_seconds", Help: "Time that attempts took.", Buckets: prometheus.ExponentialBuckets(0.001, 4, 8),
		}),
		age: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "drover_deliver_queue_age_seconds", Help: "How long the delivery has been due that is due longest.",
		}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "drover_deliver_in_flight", Help: "Attempts under way.",
		}),
		superseded: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "drover_deliver_superseded_total", Help: "Batches of positions that gave way to newer ones.",
		}),
		disabled: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "drover_deliver_disabled_total", Help: "Targets that were disabled because they failed.",
		}),
	}
}

// Metrics are what the deliverer counts.
func (d *Deliverer) Metrics() []prometheus.Collector {
	m := d.metrics
	return []prometheus.Collector{m.attempts, m.duration, m.age, m.inFlight, m.superseded, m.disabled}
}
