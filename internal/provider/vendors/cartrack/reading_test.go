package cartrack

import (
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestReadings reads an event and a state: minutes, volts as text, and parts that are not fitted.
func TestReadings(t *testing.T) {
	t.Parallel()
	providertest.CheckReadings(t, map[string]map[string]float64{
		`{"vehicle_id":1,"event_ts":"2026-05-07 21:00:00+02","odometer":50140000,"clock":150,"vext":"13.9","vgsm":4.1,"water_temp":84,
			"temp1":-18.5,"temp2":0,"temp3":null,"battery_percentage_left":64.5}`: {
			"odometer": 50140000, "clock": 9000, "vext": 13.9, "water_temp": 84, "temp1": -18.5, "temp2": 0, "battery_percentage_left": 64.5,
		},
		`{"fuel":{"updated":"2026-05-07 20:59:00+02","level":180,"percentage_left":45,"total_consumed":81234},
			"electric":{"battery_percentage_left":70,"battery_ts":"soon","charging_status":1}}`: {
			"fuel.percentage_left": 45, "electric.battery_percentage_left": 70,
		},
		`{"odometer":-1,"clock":null,"vext":"","temp1":65535,"battery_percentage_left":255,"fuel":null,"electric":null}`: {},
		`{}`: {},
	}, func(e event) []provider.Reading { return e.readings(time.UTC) })
}

// TestReadingTimes have the time of the instrument, and otherwise that of the event.
func TestReadingTimes(t *testing.T) {
	t.Parallel()
	var s status
	s.Fuel.Percent, s.Fuel.Updated = "45", "2026-05-07 20:59:00+02"
	s.Electric.Percent, s.Electric.Updated = "70", "soon"
	for _, r := range s.newest().readings(time.UTC) {
		if want := time.Date(2026, 5, 7, 18, 59, 0, 0, time.UTC); r.NativeName == "fuel.percentage_left" && !r.Time.Equal(want) {
			t.Errorf("the fuel's time is %s, want %s", r.Time, want)
		}
		if r.NativeName == "electric.battery_percentage_left" && !r.Time.IsZero() {
			t.Errorf("a time that is none reads as %s", r.Time)
		}
	}
}
