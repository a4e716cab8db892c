package verizonconnect

import (
	"testing"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestReadings reads the odometer, which is kilometres.
func TestReadings(t *testing.T) {
	t.Parallel()
	providertest.CheckReadings(t, map[string]map[string]float64{
		`{"OdometerInKM":210454.468}`: {"OdometerInKM": 210454468},
		`{"OdometerInKM":"5"}`:        {"OdometerInKM": 5000},
		`{"OdometerInKM":-1}`:         {},
		`{"OdometerInKM":65535}`:      {},
		`{"OdometerInKM":null}`:       {},
		`{}`:                          {},
	}, func(p position) []provider.Reading { return provider.Readings(p, readings) })
}
