package automile

import (
	"testing"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestReadings reads the odometer, which is kilometres.
func TestReadings(t *testing.T) {
	t.Parallel()
	providertest.CheckReadings(t, map[string]map[string]float64{
		`{"CurrentOdometerInKilometers":210454.468}`: {"CurrentOdometerInKilometers": 210454468},
		`{"CurrentOdometerInKilometers":"5"}`:        {"CurrentOdometerInKilometers": 5000},
		`{"CurrentOdometerInKilometers":-1}`:         {},
		`{"CurrentOdometerInKilometers":65535}`:      {},
		`{"CurrentOdometerInKilometers":null}`:       {},
		`{}`:                                         {},
	}, func(p vehicle) []provider.Reading { return provider.Readings(p, readings) })
}
