package traccar

import (
	"strconv"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// instruments are attributes of a position, in the units of the server's model. Which of
// them there are depends on the tracker. Left out are obdOdometer, of which server
// versions do not agree whether it is metres, and all that is of the tracker itself.
type instruments struct {
	Hours     wire.Gauge `json:"hours"`     // milliseconds
	Fuel      wire.Gauge `json:"fuel"`      // litres
	FuelLevel wire.Gauge `json:"fuelLevel"` // percent
	FuelUsed  wire.Gauge `json:"fuelUsed"`  // litres
	Power     wire.Gauge `json:"power"`     // volts of the vehicle
	Coolant   wire.Gauge `json:"coolantTemp"`
	Temp1     wire.Gauge `json:"temp1"`
	Temp2     wire.Gauge `json:"temp2"`
	Temp3     wire.Gauge `json:"temp3"`
	Temp4     wire.Gauge `json:"temp4"`
	Door      wire.Gauge `json:"door"`
}

// readings are the instruments. Of hours nothing says whether the tracker or the server
// counts them, of the fuel nothing whether the vehicle or a sensor measures it.
var readings = append([]provider.Instrument[position]{
	provider.Reads("odometer", drover.ReadingOdometer, drover.SourceTracker, 1, func(p position) *float64 { return p.Attributes.Odometer.Ptr() }),
	provider.Reads("totalDistance", drover.ReadingOdometer, drover.SourcePlatform, 1, func(p position) *float64 { return p.Attributes.TotalDistance.Ptr() }),
	provider.Reads("hours", drover.ReadingEngine, "", 0.001, func(p position) *float64 { return p.Attributes.Hours.Ptr() }),
	provider.Reads("fuelLevel", drover.ReadingFuelPercent, "", 1, func(p position) *float64 { return p.Attributes.FuelLevel.Ptr() }),
	provider.Reads("fuel", drover.ReadingFuelLitres, "", 1, func(p position) *float64 { return p.Attributes.Fuel.Ptr() }),
	provider.Reads("fuelUsed", drover.ReadingFuelUsed, "", 1, func(p position) *float64 { return p.Attributes.FuelUsed.Ptr() }),
	provider.Reads("power", drover.ReadingSupply, drover.SourceTracker, 1, func(p position) *float64 { return p.Attributes.Power.Ptr() }),
	provider.Reads("coolantTemp", drover.ReadingCoolant, drover.SourceVehicle, 1, func(p position) *float64 { return p.Attributes.Coolant.Ptr() }),
	provider.Reads("door", drover.ReadingDoor, "", 1, func(p position) *float64 { return p.Attributes.Door.State() }),
},
	probe(1, func(p position) *float64 { return p.Attributes.Temp1.Ptr() }),
	probe(2, func(p position) *float64 { return p.Attributes.Temp2.Ptr() }),
	probe(3, func(p position) *float64 { return p.Attributes.Temp3.Ptr() }),
	probe(4, func(p position) *float64 { return p.Attributes.Temp4.Ptr() }),
)

func probe(n int, of func(position) *float64) provider.Instrument[position] {
	number := strconv.Itoa(n)
	return provider.Instrument[position]{
		Name: "temp" + number, Kind: drover.ReadingProbe, Source: drover.SourceSensor, Channel: number,
		Of: of,
	}
}
