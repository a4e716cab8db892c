package iso15143

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestReadings reads the elements of a snapshot: hours are hours, and fuel of another unit than
// the standard's is not known.
func TestReadings(t *testing.T) {
	t.Parallel()
	const at = `"datetime":"2026-05-06T08:00:00Z"`
	providertest.CheckReadings(t, map[string]map[string]float64{
		`{"Distance":{"OdometerUnits":"kilometre","Odometer":210454.468,` + at + `},"CumulativeOperatingHours":{"Hour":2.5,` + at + `},
			"CumulativeIdleHours":{"Hour":"0.5",` + at + `},"FuelUsed":{"FuelUnits":"litre","FuelConsumed":81234,` + at + `},
			"FuelRemaining":{"Percent":71,"FuelTankCapacity":400,` + at + `},"DEFRemaining":{"Percent":42,` + at + `}}`: {
			"Distance": 210454468, "CumulativeOperatingHours": 9000, "CumulativeIdleHours": 1800, "FuelUsed": 81234, "FuelRemaining": 71,
			"DEFRemaining": 42,
		},
		`{"Distance":{"OdometerUnits":"mile","Odometer":1},"FuelUsed":{"FuelUnits":"gallon","FuelConsumed":5},"FuelRemaining":{"Percent":255},
			"DEFRemaining":{"Percent":-1},"CumulativeOperatingHours":{"Hour":65535},"CumulativeIdleHours":{}}`: {"Distance": 1609.344},
		`{}`: {},
	}, Equipment.Readings)
}

// TestReadingTimes have each element's own time, and otherwise the location's.
func TestReadingTimes(t *testing.T) {
	t.Parallel()
	var e Equipment
	err := json.Unmarshal([]byte(`{"Location":{"datetime":"2026-05-06T08:00:00Z","Latitude":1,"Longitude":2},
		"CumulativeOperatingHours":{"Hour":1,"datetime":"2026-05-06T09:00:00Z"},"FuelRemaining":{"Percent":71}}`), &e)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range e.Readings() {
		want := map[string]int{"CumulativeOperatingHours": 9, "FuelRemaining": 8}[r.NativeName]
		if !r.Time.Equal(time.Date(2026, 5, 6, want, 0, 0, 0, time.UTC)) {
			t.Errorf("%s is of %s, want %d o'clock", r.NativeName, r.Time, want)
		}
	}
	if p, ok := e.Position("a"); !ok || len(p.Readings) != 2 {
		t.Errorf("a position has %d readings, want 2", len(p.Readings))
	}
}
