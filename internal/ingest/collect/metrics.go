package collect

import "github.com/prometheus/client_golang/prometheus"

// metrics counts what was read.
type metrics struct {
	pages   *prometheus.CounterVec
	records *prometheus.CounterVec
	pushes  *prometheus.CounterVec
}

func newMetrics() *metrics {
	return &metrics{
		pages: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "drover_collect_pages_total", Help: "Pages asked of providers, by outcome: ok or the kind of failure.",
		}, []string{"provider", "job", "outcome"}),
		records: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "drover_collect_records_total", Help: "Records read from providers, repeated ones included.",
		}, []string{"provider", "job"}),
		pushes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "drover_collect_pushes_ended_total", Help: "Pushes of providers that ended by themselves, or could not be opened, by the kind of failure.",
		}, []string{"provider", "outcome"}),
	}
}

// Metrics are what the collector counts.
func (c *Collector) Metrics() []prometheus.Collector {
	return []prometheus.Collector{c.metrics.pages, c.metrics.records, c.metrics.pushes}
}
