package automile

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// readings are those of the list of vehicles: the odometer has no time of its own, and comes
// with the newest position. Levels and temperatures take a call for each trip.
var readings = []provider.Instrument[vehicle]{{
	Name: "CurrentOdometerInKilometers", Kind: drover.ReadingOdometer, Factor: 1000,
	Of: func(p vehicle) *float64 { return p.Odometer.Ptr() },
}}
