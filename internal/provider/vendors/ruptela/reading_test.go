package ruptela

import (
	"testing"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
)

// TestReadings reads the inputs of a coordinate by the vendor's table of units; a zero is a
// counter or a level that the tracker does not know, and a temperature.
func TestReadings(t *testing.T) {
	t.Parallel()
	providertest.CheckReadings(t, map[string]map[string]float64{
		`{"inputs":{"device_inputs":{"canbus_distance":210454.468,"virtual_odometer":5.0,"virtual_odometer_diff":12,"engine_hours":2.5,
			"canbus_hrfc":81234.5,"fuel_used":81230,"fuel_level_can":71.2,"fuel_level_can_l":284.8,"can_fuel_level_milliliters":284800,
			"obd_kline_fuel_level_input":70,"canbus_battery_power":64,"power_supply_voltage":13.2,"battery_voltage":4.1,
			"canbus_engine_coolant_temperature":84,"canbus_ambient_air_temperature":-1,"temperature_sensor_0":-18,"temperature_sensor_3":4,
			"lcv_driver_doors":"OPEN","lcv_right_back_doors":"CLOSE","canbus_pto_state":"SET"},
			"calculated_inputs":{"mileage":5000.0,"fuel_level":75.45}}}`: {
			"canbus_distance": 210454468, "engine_hours": 9000, "canbus_hrfc": 81234.5, "fuel_used": 81230, "fuel_level_can": 71.2,
			"fuel_level_can_l": 284.8, "can_fuel_level_milliliters": 284.8, "obd_kline_fuel_level_input": 70, "canbus_battery_power": 64,
			"power_supply_voltage": 13.2, "canbus_engine_coolant_temperature": 84, "canbus_ambient_air_temperature": -1,
			"temperature_sensor_0": -18, "temperature_sensor_3": 4, "lcv_driver_doors": 1, "lcv_right_back_doors": 0,
			"canbus_pto_state": 1, "mileage": 5000000,
		},
		`{"inputs":{"device_inputs":{"canbus_distance":0,"engine_hours":0,"canbus_hrfc":0,"fuel_level_can":0,"fuel_level_can_l":65535,
			"canbus_battery_power":255,"power_supply_voltage":0,"temperature_sensor_1":0,"lcv_driver_doors":"ERROR","canbus_pto_state":"ERROR"},
			"calculated_inputs":{"mileage":0}}}`: {"temperature_sensor_1": 0},
		`{"inputs":{"device_inputs":{"canbus_distance":"NOT_AVAILABLE","engine_hours":null,"canbus_hrfc":-1}}}`: {},
		`{}`: {},
	}, func(c coordinate) []provider.Reading { return provider.Readings(c, readings) })
}
