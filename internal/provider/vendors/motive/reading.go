package motive

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const secondsOfHour = 3600

// instruments are what a location says of the vehicle. Those that are called true are read from
// the engine, the others are as the fleet has set them. Not read is fuel, of which nothing says
// what it measures.
type instruments struct {
	Hours     wire.Gauge `json:"engine_hours"`
	TrueHours wire.Gauge `json:"true_engine_hours"`
	Primary   wire.Gauge `json:"fuel_primary_remaining_percentage"`
	Secondary wire.Gauge `json:"fuel_secondary_remaining_percentage"`
	Battery   wire.Gauge `json:"battery_voltage"`
}

var readings = []provider.Instrument[location]{
	provider.Reads("true_odometer", drover.ReadingOdometer, drover.SourceVehicle, 1000, func(l location) *float64 { return l.TrueOdometer.Ptr() }),
	provider.Reads("odometer", drover.ReadingOdometer, drover.SourcePlatform, 1000, func(l location) *float64 { return l.Odometer.Ptr() }),
	provider.Reads("true_engine_hours", drover.ReadingEngine, drover.SourceVehicle, secondsOfHour, func(l location) *float64 { return l.TrueHours.Ptr() }),
	provider.Reads("engine_hours", drover.ReadingEngine, drover.SourcePlatform, secondsOfHour, func(l location) *float64 { return l.Hours.Ptr() }),
	provider.Reads("fuel_primary_remaining_percentage", drover.ReadingFuelPercent, drover.SourceVehicle, 1, func(l location) *float64 { return l.Primary.Ptr() }),
	{
		Name: "fuel_secondary_remaining_percentage", Kind: drover.ReadingFuelPercent, Source: drover.SourceVehicle, Channel: "2",
		Of: func(l location) *float64 { return l.Secondary.Ptr() },
	},
	provider.Reads("battery_voltage", drover.ReadingSupply, "", 1, func(l location) *float64 { return l.Battery.Ptr() }),
}
