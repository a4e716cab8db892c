package motive

import (
	"testing"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestReadings reads a location with the metric header.
func TestReadings(t *testing.T) {
	t.Parallel()
	providertest.CheckReadings(t, map[string]map[string]float64{
		`{"located_at":"2026-05-06T08:00:00Z","lat":1,"lon":2,"odometer":210430.2,"true_odometer":210454.468,"engine_hours":4012.1,"true_engine_hours":2.5,
			"fuel":9999,"fuel_primary_remaining_percentage":71.5,"fuel_secondary_remaining_percentage":20,"battery_voltage":13.9}`: {
			"odometer": 210430200, "true_odometer": 210454468, "engine_hours": 14443560, "true_engine_hours": 9000,
			"fuel_primary_remaining_percentage": 71.5, "fuel_secondary_remaining_percentage": 20, "battery_voltage": 13.9,
		},
		`{"odometer":null,"true_odometer":-1,"engine_hours":"","true_engine_hours":65535,"fuel_primary_remaining_percentage":255,
			"fuel_secondary_remaining_percentage":null,"battery_voltage":"n/a"}`: {},
		`{}`: {},
	}, func(l location) []provider.Reading { return provider.Readings(l, readings) })
}
