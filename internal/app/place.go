package app

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/drover-fleet/drover/internal/store"
)

var placeDesc = prometheus.NewDesc("drover_database_place_answers",
	"Whether a server of a distributed database answers this process: 1 or 0.", []string{"place"}, nil)

// placeMetric is which servers of a distributed database answer.
type placeMetric struct{ store *store.Store }

func (placeMetric) Describe(to chan<- *prometheus.Desc) { to <- placeDesc }

func (m placeMetric) Collect(to chan<- prometheus.Metric) {
	for place, answers := range m.store.Answering() {
		value := 0.0
		if answers {
			value = 1
		}
		to <- prometheus.MustNewConstMetric(placeDesc, prometheus.GaugeValue, value, place)
	}
}
