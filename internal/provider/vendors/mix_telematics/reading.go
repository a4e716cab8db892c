package mixtelematics

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// readings are those of a position. The vendor's export after ISO 15143-3 has more, but nothing
// says by which id it names an asset.
var readings = []provider.Instrument[position]{{
	Name: "OdometerKilometres", Kind: drover.ReadingOdometer, Factor: 1000,
	Of: func(p position) *float64 { return p.Odometer.Ptr() },
}}
