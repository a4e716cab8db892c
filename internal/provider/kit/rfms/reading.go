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

// Readings are the series that statuses have. Fuel that is a gas, in kilograms, is not read,
// and neither are idle and PTO times: positions come with snapshots alone, as the counters
// make large answers.
var Readings = provider.Declared(readings)

var readings = []provider.Instrument[report]{
	{
		Name: "hrTotalVehicleDistance", Kind: drover.ReadingOdometer, Source: drover.SourceVehicle, At: report.reported,
		Of: func(r report) *float64 { return r.Distance.Ptr() },
	},
	{
		Name: "totalEngineHours", Kind: drover.ReadingEngine, Source: drover.SourceVehicle, Factor: 3600, At: report.reported,
		Of: func(r report) *float64 { return r.Engine.Ptr() },
	},
	{
		Name: "engineTotalFuelUsed", Kind: drover.ReadingFuelUsed, Source: drover.SourceVehicle, Factor: 0.001, At: report.reported,
		Of: func(r report) *float64 { return r.FuelUsed.Ptr() },
	},
	{
		Name: "fuelLevel1", Kind: drover.ReadingFuelPercent, Source: drover.SourceVehicle, At: report.reported,
		Of: func(r report) *float64 { return r.Snapshot.Fuel1.Ptr() },
	},
	{
		Name: "fuelLevel2", Kind: drover.ReadingFuelPercent, Source: drover.SourceVehicle, Channel: "2", At: report.reported,
		Of: func(r report) *float64 { return r.Snapshot.Fuel2.Ptr() },
	},
	{
		Name: "catalystFuelLevel", Kind: drover.ReadingDEF, Source: drover.SourceVehicle, At: report.reported,
		Of: func(r report) *float64 { return r.Snapshot.DEF.Ptr() },
	},
	{
		Name: "hybridBatteryPackRemainingCharge", Kind: drover.ReadingCharge, Source: drover.SourceVehicle, At: report.reported,
		Of: func(r report) *float64 { return r.Snapshot.Charge.Ptr() },
	},
	{
		Name: "ambientAirTemperature", Kind: drover.ReadingAmbient, Source: drover.SourceVehicle, At: report.reported,
		Of: func(r report) *float64 { return r.Snapshot.Ambient.Ptr() },
	},
}
