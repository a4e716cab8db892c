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
	provider.Reads("cnm_km", drover.ReadingOdometer, drover.SourcePlatform, 1000, func(c counters) *float64 { return c.KM.Ptr() }),
	provider.Reads("cneh", drover.ReadingEngine, drover.SourcePlatform, secondsOfHour, func(c counters) *float64 { return c.Hours.Ptr() }),
}

// parameters are those of a message that mean the same whatever the tracker. Sensors are not
// read: their units are free texts.
var parameters = []provider.Instrument[message]{{
	Name: "pwr_ext", Kind: drover.ReadingSupply, Source: drover.SourceTracker,
	Of: func(m message) *float64 { return m.Parameters.Number("pwr_ext").Ptr() },
}}
