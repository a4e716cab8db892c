package verizonconnect

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// readings are those of a position of the history. What the engine says takes a call for each
// vehicle, and its units are not documented.
var readings = []provider.Instrument[position]{{
	Name: "OdometerInKM", Kind: drover.ReadingOdometer, Factor: 1000,
	Of: func(p position) *float64 { return p.OdometerInKM.Ptr() },
}}
