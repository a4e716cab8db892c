package iso15143

import (
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const secondsOfHour = 3600

// hours are how long a machine did something in its life.
type hours struct {
	Time wire.Time  `json:"datetime"`
	Hour wire.Gauge `json:"Hour"`
}

// fuelUsed is what a machine burnt in its life.
type fuelUsed struct {
	Time  wire.Time  `json:"datetime"`
	Units wire.Text  `json:"FuelUnits"`
	Fuel  wire.Gauge `json:"FuelConsumed"`
}

// litres are nil where the unit is another than that of the standard.
func (f fuelUsed) litres() *float64 {
	switch strings.ToLower(strings.TrimSpace(f.Units.String())) {
	case "", "litre", "litres", "liter", "liters", "l":
		return f.Fuel.Ptr()
	default:
		return nil
	}
}

// remaining is what is left in a tank.
type remaining struct {
	Time    wire.Time  `json:"datetime"`
	Percent wire.Gauge `json:"Percent"`
}

// instruments are the elements of a snapshot that are readings. Each has a time of its own.
type instruments struct {
	Operating hours     `json:"CumulativeOperatingHours"`
	Idle      hours     `json:"CumulativeIdleHours"`
	FuelUsed  fuelUsed  `json:"FuelUsed"`
	Fuel      remaining `json:"FuelRemaining"`
	DEF       remaining `json:"DEFRemaining"`
}

// Declared are the series of a snapshot.
var Declared = provider.Declared(readings)

var readings = []provider.Instrument[Equipment]{
	{
		Name: "Distance", Kind: drover.ReadingOdometer, Source: drover.SourceVehicle,
		Of: func(e Equipment) *float64 { return e.Distance.metres() },
		At: func(e Equipment) drover.Time { return e.Distance.Time.Record() },
	},
	{
		Name: "CumulativeOperatingHours", Kind: drover.ReadingEngine, Source: drover.SourceVehicle, Factor: secondsOfHour,
		Of: func(e Equipment) *float64 { return e.Operating.Hour.Ptr() },
		At: func(e Equipment) drover.Time { return e.Operating.Time.Record() },
	},
	{
		Name: "CumulativeIdleHours", Kind: drover.ReadingIdle, Source: drover.SourceVehicle, Factor: secondsOfHour,
		Of: func(e Equipment) *float64 { return e.Idle.Hour.Ptr() },
		At: func(e Equipment) drover.Time { return e.Idle.Time.Record() },
	},
	{
		Name: "FuelUsed", Kind: drover.ReadingFuelUsed, Source: drover.SourceVehicle,
		Of: func(e Equipment) *float64 { return e.FuelUsed.litres() },
		At: func(e Equipment) drover.Time { return e.FuelUsed.Time.Record() },
	},
	{
		Name: "FuelRemaining", Kind: drover.ReadingFuelPercent, Source: drover.SourceVehicle,
		Of: func(e Equipment) *float64 { return e.Fuel.Percent.Ptr() },
		At: func(e Equipment) drover.Time { return e.Fuel.Time.Record() },
	},
	{
		Name: "DEFRemaining", Kind: drover.ReadingDEF, Source: drover.SourceVehicle,
		Of: func(e Equipment) *float64 { return e.DEF.Percent.Ptr() },
		At: func(e Equipment) drover.Time { return e.DEF.Time.Record() },
	},
}

// Readings are what the snapshot says of the machine's instruments. One without a time of its
// own has that of the location.
func (e Equipment) Readings() []provider.Reading {
	said := provider.Readings(e, readings)
	for i := range said {
		if said[i].Time.IsZero() {
			said[i].Time = e.Location.Time.Record()
		}
	}
	return said
}
