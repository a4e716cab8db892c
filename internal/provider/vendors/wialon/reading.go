package wialon

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// counters are those of a unit: its server counts them, or a person has set them. They have no
// time of their own and are those of the last message. The unit of cnm follows the unit's
// settings; that of cnm_km does not.
type counters struct {
	KM    wire.Gauge `json:"cnm_km"`
	Hours wire.Gauge `json:"cneh"`
}

const secondsOfHour = 3600

var counted = []provider.Instrument[counters]{
	{
		Name: "cnm_km", Kind: drover.ReadingOdometer, Source: drover.SourcePlatform, Factor: 1000,
		Of: func(c counters) *float64 { return c.KM.Ptr() },
	},
	{
		Name: "cneh", Kind: drover.ReadingEngine, Source: drover.SourcePlatform, Factor: secondsOfHour,
		Of: func(c counters) *float64 { return c.Hours.Ptr() },
	},
}

// parameters are those of a message that mean the same whatever the tracker. Sensors are not
// read: their units are free texts.
var parameters = []provider.Instrument[message]{{
	Name: "pwr_ext", Kind: drover.ReadingSupply, Source: drover.SourceTracker,
	Of: func(m message) *float64 { return m.Parameters.Number("pwr_ext").Ptr() },
}}
