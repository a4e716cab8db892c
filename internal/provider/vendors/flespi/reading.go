package flespi

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// readingFields are the parameters of a message that hold readings. Which there are
// depends on the tracker; battery.* is the tracker's own and is not read.
const readingFields = "engine.motorhours,can.engine.motorhours,fuel.level,can.fuel.level,fuel.volume,can.fuel.volume,can.fuel.consumed," +
	"external.powersource.voltage,can.engine.coolant.temperature,can.ambient.air.temperature,can.driver.door.status,can.front.left.door.status"

type instruments struct {
	Hours       wire.Gauge `json:"engine.motorhours"` // hours
	CANHours    wire.Gauge `json:"can.engine.motorhours"`
	Level       wire.Gauge `json:"fuel.level"` // percent
	CANLevel    wire.Gauge `json:"can.fuel.level"`
	Volume      wire.Gauge `json:"fuel.volume"` // litres
	CANVolume   wire.Gauge `json:"can.fuel.volume"`
	CANConsumed wire.Gauge `json:"can.fuel.consumed"` // litres
	Supply      wire.Gauge `json:"external.powersource.voltage"`
	Coolant     wire.Gauge `json:"can.engine.coolant.temperature"`
	Ambient     wire.Gauge `json:"can.ambient.air.temperature"`
	DriverDoor  wire.Gauge `json:"can.driver.door.status"`
	FrontLeft   wire.Gauge `json:"can.front.left.door.status"`
}

const secondsOfHour = 3600

var readings = []provider.Instrument[message]{
	{
		Name: "vehicle.mileage", Kind: drover.ReadingOdometer, Source: drover.SourceTracker, Factor: 1000,
		Of: func(m message) *float64 { return m.Mileage.Ptr() },
	},
	{
		Name: "can.vehicle.mileage", Kind: drover.ReadingOdometer, Source: drover.SourceVehicle, Factor: 1000,
		Of: func(m message) *float64 { return m.CANMileage.Ptr() },
	},
	{
		Name: "engine.motorhours", Kind: drover.ReadingEngine, Source: drover.SourceTracker, Factor: secondsOfHour,
		Of: func(m message) *float64 { return m.Hours.Ptr() },
	},
	{
		Name: "can.engine.motorhours", Kind: drover.ReadingEngine, Source: drover.SourceVehicle, Factor: secondsOfHour,
		Of: func(m message) *float64 { return m.CANHours.Ptr() },
	},
	{
		Name: "fuel.level", Kind: drover.ReadingFuelPercent, Source: drover.SourceSensor,
		Of: func(m message) *float64 { return m.Level.Ptr() },
	},
	{
		Name: "can.fuel.level", Kind: drover.ReadingFuelPercent, Source: drover.SourceVehicle,
		Of: func(m message) *float64 { return m.CANLevel.Ptr() },
	},
	{
		Name: "fuel.volume", Kind: drover.ReadingFuelLitres, Source: drover.SourceSensor,
		Of: func(m message) *float64 { return m.Volume.Ptr() },
	},
	{
		Name: "can.fuel.volume", Kind: drover.ReadingFuelLitres, Source: drover.SourceVehicle,
		Of: func(m message) *float64 { return m.CANVolume.Ptr() },
	},
	{
		Name: "can.fuel.consumed", Kind: drover.ReadingFuelUsed, Source: drover.SourceVehicle,
		Of: func(m message) *float64 { return m.CANConsumed.Ptr() },
	},
	{
		Name: "external.powersource.voltage", Kind: drover.ReadingSupply, Source: drover.SourceTracker,
		Of: func(m message) *float64 { return m.Supply.Ptr() },
	},
	{
		Name: "can.engine.coolant.temperature", Kind: drover.ReadingCoolant, Source: drover.SourceVehicle,
		Of: func(m message) *float64 { return m.Coolant.Ptr() },
	},
	{
		Name: "can.ambient.air.temperature", Kind: drover.ReadingAmbient, Source: drover.SourceVehicle,
		Of: func(m message) *float64 { return m.Ambient.Ptr() },
	},
	{
		Name: "can.driver.door.status", Kind: drover.ReadingDoor, Source: drover.SourceVehicle, Channel: "driver",
		Of: func(m message) *float64 { return m.DriverDoor.State() },
	},
	{
		Name: "can.front.left.door.status", Kind: drover.ReadingDoor, Source: drover.SourceVehicle, Channel: "front_left",
		Of: func(m message) *float64 { return m.FrontLeft.State() },
	},
}
