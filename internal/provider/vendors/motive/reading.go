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
	{
		Name: "true_odometer", Kind: drover.ReadingOdometer, Source: drover.SourceVehicle, Factor: 1000,
		Of: func(l location) *float64 { return l.TrueOdometer.Ptr() },
	},
	{
		Name: "odometer", Kind: drover.ReadingOdometer, Source: drover.SourcePlatform, Factor: 1000,
		Of: func(l location) *float64 { return l.Odometer.Ptr() },
	},
	{
		Name: "true_engine_hours", Kind: drover.ReadingEngine, Source: drover.SourceVehicle, Factor: secondsOfHour,
		Of: func(l location) *float64 { return l.TrueHours.Ptr() },
	},
	{
		Name: "engine_hours", Kind: drover.ReadingEngine, Source: drover.SourcePlatform, Factor: secondsOfHour,
		Of: func(l location) *float64 { return l.Hours.Ptr() },
	},
	{
		Name: "fuel_primary_remaining_percentage", Kind: drover.ReadingFuelPercent, Source: drover.SourceVehicle,
		Of: func(l location) *float64 { return l.Primary.Ptr() },
	},
	{
		Name: "fuel_secondary_remaining_percentage", Kind: drover.ReadingFuelPercent, Source: drover.SourceVehicle, Channel: "2",
		Of: func(l location) *float64 { return l.Secondary.Ptr() },
	},
	{Name: "battery_voltage", Kind: drover.ReadingSupply, Of: func(l location) *float64 { return l.Battery.Ptr() }},
}
