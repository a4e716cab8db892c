package gpswox

import (
	"strconv"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// readings are attributes of a message, by the names and in the units of the server's engine.
// Sensors that a reseller has set up are not read: they are texts in the user's language and
// unit, or raw values of formulas.
var readings = append([]provider.Instrument[message]{
	attribute("odometer", drover.ReadingOdometer, drover.SourceTracker, 1),
	attribute("totalDistance", drover.ReadingOdometer, drover.SourcePlatform, 1),
	attribute("hours", drover.ReadingEngine, "", 0.001),
	attribute("fuelLevel", drover.ReadingFuelPercent, "", 1),
	attribute("fuel", drover.ReadingFuelLitres, "", 1),
	attribute("fuelUsed", drover.ReadingFuelUsed, "", 1),
	attribute("power", drover.ReadingSupply, drover.SourceTracker, 1),
	attribute("coolantTemp", drover.ReadingCoolant, drover.SourceVehicle, 1),
	provider.Reads("door", drover.ReadingDoor, "", 1, func(m message) *float64 { return wire.Gauge(m.Other["door"]).State() }),
}, probes()...)

func attribute(name string, kind drover.ReadingKind, source drover.ReadingSource, factor float64) provider.Instrument[message] {
	return provider.Instrument[message]{
		Name: name, Kind: kind, Source: source, Factor: factor,
		Of: func(m message) *float64 { return wire.Gauge(m.Other[name]).Ptr() },
	}
}

func probes() []provider.Instrument[message] {
	list := make([]provider.Instrument[message], 4)
	for i := range list {
		number := strconv.Itoa(i + 1)
		list[i] = attribute("temp"+number, drover.ReadingProbe, drover.SourceSensor, 1)
		list[i].Channel = number
	}
	return list
}
