package wialon

import (
	"testing"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestReadings reads the counters of a unit, which are kilometres and hours, and the voltage of
// a message.
func TestReadings(t *testing.T) {
	t.Parallel()
	providertest.CheckReadings(t, map[string]map[string]float64{
		`{"id":1,"cnm":932.05,"cnm_km":1500,"cneh":310.5}`: {"cnm_km": 1500000, "cneh": 1117800},
		`{"id":1,"cnm":932.05,"cnm_km":-1,"cneh":null}`:    {},
		`{"id":1}`: {},
	}, func(u unit) []provider.Reading { return provider.Readings(u.counters, counted) })
	providertest.CheckReadings(t, map[string]map[string]float64{
		`{"p":{"pwr_ext":12.598,"pwr_int":4.1}}`:  {"pwr_ext": 12.598},
		`{"p":{"pwr_ext":"13.9"}}`:                {"pwr_ext": 13.9},
		`{"p":{"pwr_ext":65535}}`:                 {},
		`{"p":{"pwr_ext":{"a":1},"io_66":12598}}`: {},
		`{}`: {},
	}, func(m message) []provider.Reading { return provider.Readings(m, parameters) })
}
