package ruptela

import (
	"strconv"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const secondsOfHour = 3600

// readings are the inputs of a coordinate whose unit the vendor documents. A 0 often means that
// the tracker does not know. Not read are the virtual odometers and the calculated fuel level,
// of which the vendor's own documents do not agree on the unit, and all differences.
var readings = append([]provider.Instrument[coordinate]{
	input("canbus_distance", drover.ReadingOdometer, drover.SourceVehicle, 1000),
	{
		Name: "mileage", Kind: drover.ReadingOdometer, Source: drover.SourcePlatform, Factor: 1000, NeverZero: true,
		Of: func(c coordinate) *float64 { return c.Inputs.Calculated.Number("mileage").Ptr() },
	},
	input("engine_hours", drover.ReadingEngine, drover.SourceVehicle, secondsOfHour),
	input("canbus_hrfc", drover.ReadingFuelUsed, drover.SourceVehicle, 1),
	input("fuel_used", drover.ReadingFuelUsed, drover.SourceVehicle, 1),
	input("fuel_level_can", drover.ReadingFuelPercent, drover.SourceVehicle, 1),
	input("obd_kline_fuel_level_input", drover.ReadingFuelPercent, drover.SourceVehicle, 1),
	input("fuel_level_can_l", drover.ReadingFuelLitres, drover.SourceVehicle, 1),
	input("can_fuel_level_milliliters", drover.ReadingFuelLitres, drover.SourceVehicle, 0.001),
	input("canbus_battery_power", drover.ReadingCharge, drover.SourceVehicle, 1),
	input("power_supply_voltage", drover.ReadingSupply, drover.SourceTracker, 1),
	degrees("canbus_engine_coolant_temperature", drover.ReadingCoolant, drover.SourceVehicle, ""),
	degrees("canbus_ambient_air_temperature", drover.ReadingAmbient, drover.SourceVehicle, ""),
	door("lcv_driver_doors", "driver"),
	door("lcv_passenger_doors", "passenger"),
	door("lcv_left_back_doors", "rear_left"),
	door("lcv_right_back_doors", "rear_right"),
	provider.Reads("canbus_pto_state", drover.ReadingPTOActive, drover.SourceVehicle, 1, func(c coordinate) *float64 {
		return wire.Map(c.auxiliary(), oneOrZero)
	}),
}, probes()...)

func input(key string, kind drover.ReadingKind, source drover.ReadingSource, factor float64) provider.Instrument[coordinate] {
	return provider.Instrument[coordinate]{
		Name: key, Kind: kind, Source: source, Factor: factor, NeverZero: true,
		Of: func(c coordinate) *float64 { return c.Inputs.Device.Number(key).Ptr() },
	}
}

// degrees may be zero.
func degrees(key string, kind drover.ReadingKind, source drover.ReadingSource, channel string) provider.Instrument[coordinate] {
	in := input(key, kind, source, 1)
	in.NeverZero, in.Channel = false, channel
	return in
}

func door(key, channel string) provider.Instrument[coordinate] {
	return provider.Instrument[coordinate]{
		Name: key, Kind: drover.ReadingDoor, Source: drover.SourceVehicle, Channel: channel,
		Of: func(c coordinate) *float64 { return wire.Gauge(c.Inputs.Device.Text(key)).State() },
	}
}

func probes() []provider.Instrument[coordinate] {
	list := make([]provider.Instrument[coordinate], 4)
	for i := range list {
		number := strconv.Itoa(i)
		list[i] = degrees("temperature_sensor_"+number, drover.ReadingProbe, drover.SourceSensor, number)
	}
	return list
}

func oneOrZero(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
