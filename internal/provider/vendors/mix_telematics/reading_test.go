package mixtelematics

import (
	"testing"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestReadings reads the odometer, which is kilometres.
func TestReadings(t *testing.T) {
	t.Parallel()
	providertest.CheckReadings(t, map[string]map[string]float64{
		`{"OdometerKilometres":210454.468}`: {"OdometerKilometres": 210454468},
		`{"OdometerKilometres":"5"}`:        {"OdometerKilometres": 5000},
		`{"OdometerKilometres":-1}`:         {},
		`{"OdometerKilometres":65535}`:      {},
		`{"OdometerKilometres":null}`:       {},
		`{}`:                                {},
	}, func(p position) []provider.Reading { return provider.Readings(p, readings) })
}
