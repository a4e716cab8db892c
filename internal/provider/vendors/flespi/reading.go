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
	provider.Reads("vehicle.mileage", drover.ReadingOdometer, drover.SourceTracker, 1000, func(m message) *float64 { return m.Mileage.Ptr() }),
	provider.Reads("can.vehicle.mileage", drover.ReadingOdometer, drover.SourceVehicle, 1000, func(m message) *float64 { return m.CANMileage.Ptr() }),
	provider.Reads("engine.motorhours", drover.ReadingEngine, drover.SourceTracker, secondsOfHour, func(m message) *float64 { return m.Hours.Ptr() }),
	provider.Reads("can.engine.motorhours", drover.ReadingEngine, drover.SourceVehicle, secondsOfHour, func(m message) *float64 { return m.CANHours.Ptr() }),
	provider.Reads("fuel.level", drover.ReadingFuelPercent, drover.SourceSensor, 1, func(m message) *float64 { return m.Level.Ptr() }),
	provider.Reads("can.fuel.level", drover.ReadingFuelPercent, drover.SourceVehicle, 1, func(m message) *float64 { return m.CANLevel.Ptr() }),
	provider.Reads("fuel.volume", drover.ReadingFuelLitres, drover.SourceSensor, 1, func(m message) *float64 { return m.Volume.Ptr() }),
	provider.Reads("can.fuel.volume", drover.ReadingFuelLitres, drover.SourceVehicle, 1, func(m message) *float64 { return m.CANVolume.Ptr() }),
	provider.Reads("can.fuel.consumed", drover.ReadingFuelUsed, drover.SourceVehicle, 1, func(m message) *float64 { return m.CANConsumed.Ptr() }),
	provider.Reads("external.powersource.voltage", drover.ReadingSupply, drover.SourceTracker, 1, func(m message) *float64 { return m.Supply.Ptr() }),
	provider.Reads("can.engine.coolant.temperature", drover.ReadingCoolant, drover.SourceVehicle, 1, func(m message) *float64 { return m.Coolant.Ptr() }),
	provider.Reads("can.ambient.air.temperature", drover.ReadingAmbient, drover.SourceVehicle, 1, func(m message) *float64 { return m.Ambient.Ptr() }),
	{
		Name: "can.driver.door.status", Kind: drover.ReadingDoor, Source: drover.SourceVehicle, Channel: "driver",
		Of: func(m message) *float64 { return m.DriverDoor.State() },
	},
	{
		Name: "can.front.left.door.status", Kind: drover.ReadingDoor, Source: drover.SourceVehicle, Channel: "front_left",
		Of: func(m message) *float64 { return m.FrontLeft.State() },
	},
}
