package rfms

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// levels are what the instruments of a vehicle show, in percent and °C. What is not known
// is absent, or a text such as NOT_AVAILABLE.
type levels struct {
	Fuel1   wire.Gauge `json:"fuelLevel1"` // of all tanks, where there is no second
	Fuel2   wire.Gauge `json:"fuelLevel2"`
	DEF     wire.Gauge `json:"catalystFuelLevel"`
	Charge  wire.Gauge `json:"hybridBatteryPackRemainingCharge"`
	Ambient wire.Gauge `json:"ambientAirTemperature"`
}

// reported is when the vehicle made the report, which need not be when it knew its place.
func (r report) reported() drover.Time { return r.Created.Record() }

// readings are what statuses have. Fuel that is a gas, in kilograms, is not read,
// and neither are idle and PTO times: positions come with snapshots alone, as the counters
// make large answers.
var readings = []provider.Instrument[report]{
	reads("hrTotalVehicleDistance", drover.ReadingOdometer, 1, func(r report) *float64 { return r.Distance.Ptr() }),
	reads("totalEngineHours", drover.ReadingEngine, 3600, func(r report) *float64 { return r.Engine.Ptr() }),
	reads("engineTotalFuelUsed", drover.ReadingFuelUsed, 0.001, func(r report) *float64 { return r.FuelUsed.Ptr() }),
	reads("fuelLevel1", drover.ReadingFuelPercent, 1, func(r report) *float64 { return r.Snapshot.Fuel1.Ptr() }),
	{
		Name: "fuelLevel2", Kind: drover.ReadingFuelPercent, Source: drover.SourceVehicle, Channel: "2", At: report.reported,
		Of: func(r report) *float64 { return r.Snapshot.Fuel2.Ptr() },
	},
	reads("catalystFuelLevel", drover.ReadingDEF, 1, func(r report) *float64 { return r.Snapshot.DEF.Ptr() }),
	reads("hybridBatteryPackRemainingCharge", drover.ReadingCharge, 1, func(r report) *float64 { return r.Snapshot.Charge.Ptr() }),
	reads("ambientAirTemperature", drover.ReadingAmbient, 1, func(r report) *float64 { return r.Snapshot.Ambient.Ptr() }),
}

func reads(name string, kind drover.ReadingKind, factor float64, of func(report) *float64) provider.Instrument[report] {
	in := provider.Reads(name, kind, drover.SourceVehicle, factor, of)
	in.At = report.reported
	return in
}
