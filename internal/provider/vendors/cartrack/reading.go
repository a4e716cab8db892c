package cartrack

import (
	"strconv"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

const secondsOfMinute = 60

// instruments are what an event and the newest state say of the vehicle; null is what is not
// fitted. Not read are vgsm, which is the tracker's battery, and inputs, which are the
// account's to name.
type instruments struct {
	Clock   wire.Gauge `json:"clock"` // minutes of ignition since the tracker was fitted
	Supply  wire.Gauge `json:"vext"`
	Coolant wire.Gauge `json:"water_temp"`
	Charge  wire.Gauge `json:"battery_percentage_left"`
	Temp1   wire.Gauge `json:"temp1"`
	Temp2   wire.Gauge `json:"temp2"`
	Temp3   wire.Gauge `json:"temp3"`
	Temp4   wire.Gauge `json:"temp4"`

	// Fuel and electric are those of the newest state, with times of their own. The unit of
	// the level and of the total consumption is not documented; they are not read.
	Fuel struct {
		Updated wire.Text  `json:"updated"`
		Percent wire.Gauge `json:"percentage_left"`
	} `json:"fuel"`
	Electric struct {
		Updated wire.Text  `json:"battery_ts"`
		Percent wire.Gauge `json:"battery_percentage_left"`
	} `json:"electric"`
}

// gauges are the instruments with the times that they have of their own.
type gauges struct {
	event
	fuelAt, chargeAt drover.Time
}

var readings = append([]provider.Instrument[gauges]{
	provider.Reads("odometer", drover.ReadingOdometer, "", 1, func(g gauges) *float64 { return g.Odometer.Ptr() }),
	provider.Reads("clock", drover.ReadingEngine, drover.SourceTracker, secondsOfMinute, func(g gauges) *float64 { return g.Clock.Ptr() }),
	provider.Reads("vext", drover.ReadingSupply, drover.SourceTracker, 1, func(g gauges) *float64 { return g.Supply.Ptr() }),
	provider.Reads("water_temp", drover.ReadingCoolant, drover.SourceVehicle, 1, func(g gauges) *float64 { return g.Coolant.Ptr() }),
	provider.Reads("battery_percentage_left", drover.ReadingCharge, drover.SourceVehicle, 1, func(g gauges) *float64 { return g.Charge.Ptr() }),
	{
		Name: "electric.battery_percentage_left", Kind: drover.ReadingCharge, Source: drover.SourceVehicle,
		Of: func(g gauges) *float64 { return g.Electric.Percent.Ptr() },
		At: func(g gauges) drover.Time { return g.chargeAt },
	},
	{
		Name: "fuel.percentage_left", Kind: drover.ReadingFuelPercent,
		Of: func(g gauges) *float64 { return g.Fuel.Percent.Ptr() },
		At: func(g gauges) drover.Time { return g.fuelAt },
	},
},
	probe(1, func(g gauges) *float64 { return g.Temp1.Ptr() }),
	probe(2, func(g gauges) *float64 { return g.Temp2.Ptr() }),
	probe(3, func(g gauges) *float64 { return g.Temp3.Ptr() }),
	probe(4, func(g gauges) *float64 { return g.Temp4.Ptr() }),
)

func probe(n int, of func(gauges) *float64) provider.Instrument[gauges] {
	number := strconv.Itoa(n)
	return provider.Instrument[gauges]{
		Name: "temp" + number, Kind: drover.ReadingProbe, Source: drover.SourceSensor, Channel: number, Of: of,
	}
}

// readings are what an event says of the instruments. A time of an instrument that cannot be
// read is the event's.
func (e event) readings(zone *time.Location) []provider.Reading {
	at := func(text wire.Text) drover.Time {
		t, err := wire.ParseTimeIn(text.String(), zone)
		if err != nil || t.IsZero() {
			return drover.Time{}
		}
		return t.Record()
	}
	return provider.Readings(gauges{e, at(e.Fuel.Updated), at(e.Electric.Updated)}, readings)
}
