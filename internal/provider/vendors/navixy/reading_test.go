package navixy

import (
	"testing"

	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestReadings reads counters and sensors by the unit that the account says; a time of no known
// zone, and a unit that is none, are left out.
func TestReadings(t *testing.T) {
	t.Parallel()
	const at = `"update_time":"2026-05-07T06:10:00Z"`
	providertest.CheckReadings(t, map[string]map[string]float64{
		`{"inputs":[{"sensor_id":8101,"type":"fuel","name":"lls_level_1","value":212.4,"units_type":"litre",` + at + `}],
			"states":[{"field":"obd_mil_status","value":false,` + at + `}],"counters":[{"type":"engine_hours","value":1520.25,` + at + `},
			{"type":"odometer","value":210454.468,"update_time":"2026-05-07T11:10:00+0500"}]}`: {
			"inputs.fuel": 212.4, "counters.engine_hours": 5472900, "counters.odometer": 210454468,
		},
		`{"inputs":[{"sensor_id":1,"type":"fuel","value":71,"units":"%",` + at + `}]}`:                                        {"inputs.fuel": 71},
		`{"inputs":[{"sensor_id":1,"type":"temperature","value":-18,"units_type":"custom","units":"°C",` + at + `}]}`:         {"inputs.temperature": -18},
		`{"inputs":[{"sensor_id":1,"type":"fuel","value":71,"units":"gal",` + at + `},{"type":"fuel","value":5,` + at + `}]}`: {},
		`{"inputs":[{"sensor_id":1,"type":"temperature","value":65535,"units_type":"celsius",` + at + `}]}`:                   {},
		`{"counters":[{"type":"odometer","value":5,"update_time":"2026-05-07 06:10:00"},{"type":"odometer","value":5}]}`:      {},
		`{"counters":[{"type":"odometer","value":-1,` + at + `},{"type":"fuel_consumed","value":7,` + at + `}]}`:              {},
		`{}`: {},
	}, spoken.readings)
}
