package geotabtest

import (
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/sim"
)

// row is an entity with its version.
type row struct {
	version int64
	object  object
}

func data(rows []row) []object {
	list := []object{}
	for _, r := range rows {
		list = append(list, r.object)
	}
	return list
}

// epoch is where versions start to count the time.
var epoch = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// versionOf returns the version of a record: when it arrived, then the vehicle,
// then what tells the records apart that arrived together.
func versionOf(arrived time.Time, vehicle int, at int64) int64 {
	return int64(arrived.Sub(epoch)/time.Second)<<34 | int64(vehicle)<<22 | at&0x3fffff
}

func arrival(version int64) time.Time { return epoch.Add(time.Duration(version>>34) * time.Second) }

// list is one kind of entity: by the time of the records, and by their arrival up
// to now.
type list struct {
	between func(v sim.Vehicle, from, to time.Time) []row
	arrived func(v sim.Vehicle, since time.Time) []row
}

// lists returns a kind of entity. A Get selects readings by their diagnostic; a
// feed has them all, whatever its search says: those of all instruments, too.
func (s *server) lists(p params, feed bool) (list, bool) {
	switch p.TypeName {
	case "LogRecord":
		return s.samples(logRecord, nil), true
	case "StatusData":
		ignition := s.samples(ignitionData, func(a, b sim.Sample) bool { return *a.Ignition != *b.Ignition })
		if feed {
			return with(ignition, s.instruments()), true
		}
		return ignition, p.Search.DiagnosticSearch.ID == "DiagnosticIgnitionId" // no other is asked for
	case "DriverChange":
		return s.samples(driverChange, func(a, b sim.Sample) bool { return driver(a) != driver(b) }), true
	case "ExceptionEvent":
		return s.exceptions(), true
	case "FaultData":
		return s.faults(), true
	case "Trip":
		return list{between: s.trips, arrived: s.newTrips}, true
	default:
		return list{}, false
	}
}

// perSample is how many rows one sample has room for, of which the ignition's is the last.
const perSample = 32

// with lists the rows of a second list, too.
func with(a, b list) list {
	return list{arrived: func(v sim.Vehicle, since time.Time) []row { return append(a.arrived(v, since), b.arrived(v, since)...) }}
}

// lookBack is how far back the sample before the first of a span is looked for.
const lookBack = 2 * time.Hour

// samples lists what is made of samples: of each one, or of those that differ
// from the one that arrived before.
func (s *server) samples(entity func(sim.Vehicle, sim.Sample) object, differs func(a, b sim.Sample) bool) list {
	rows := func(v sim.Vehicle, samples []sim.Sample, in func(sim.Sample) bool) []row {
		var rows []row
		for i, p := range samples {
			if in(p) && (i == 0 || differs == nil || differs(samples[i-1], p)) {
				rows = append(rows, row{versionOf(p.Received, v.Index, perSample*p.Time.Unix()+perSample-1), entity(v, p)})
			}
		}
		return rows
	}
	return list{
		between: func(v sim.Vehicle, from, to time.Time) []row {
			return rows(v, s.account.Positions(v, from.Add(-lookBack), to), func(p sim.Sample) bool { return !p.Time.Before(from) })
		},
		arrived: func(v sim.Vehicle, since time.Time) []row {
			all := s.account.Arrived(v, since.Add(-lookBack), s.account.Now().Add(time.Second))
			return rows(v, all, func(p sim.Sample) bool { return !p.Received.Before(since) })
		},
	}
}

func logRecord(v sim.Vehicle, p sim.Sample) object {
	return object{
		"id": fmt.Sprintf("b%X", p.ID), "device": object{"id": ID(v.ID)}, "dateTime": timestamp(p.Time.Time),
		"latitude": p.Latitude, "longitude": p.Longitude, "speed": *p.SpeedKPH,
	}
}

func ignitionData(v sim.Vehicle, p sim.Sample) object {
	value := 0.0
	if *p.Ignition {
		value = 1
	}
	return statusData(v, p, "DiagnosticIgnitionId", value)
}

// instruments are what a vehicle reports every ten minutes, by the vendor's diagnostics; the
// last two are no readings.
var instruments = []struct {
	diagnostic string
	value      func(sim.Gauges) float64
}{
	{"DiagnosticOdometerId", func(g sim.Gauges) float64 { return g[drover.ReadingOdometer] }},
	{"DiagnosticRawOdometerId", func(g sim.Gauges) float64 { return g[drover.ReadingOdometer] }},
	{"DiagnosticEngineHoursId", func(g sim.Gauges) float64 { return g[drover.ReadingEngine] }},
	{"DiagnosticTotalFuelUsedId", func(g sim.Gauges) float64 { return g[drover.ReadingFuelUsed] }},
	{"DiagnosticFuelLevelPercentageId", func(g sim.Gauges) float64 { return g[drover.ReadingFuelPercent] }},
	{"DiagnosticStateOfChargeId", func(g sim.Gauges) float64 { return g[drover.ReadingCharge] }},
	{"DiagnosticGoDeviceVoltageId", func(g sim.Gauges) float64 { return g[drover.ReadingSupply] }},
	{"DiagnosticEngineCoolantTemperatureId", func(g sim.Gauges) float64 { return g[drover.ReadingCoolant] }},
	{"DiagnosticOutsideTemperatureId", func(g sim.Gauges) float64 { return g[drover.ReadingAmbient] }},
	{"DiagnosticDieselExhaustFluidId", func(g sim.Gauges) float64 { return g[drover.ReadingDEF] }},
	{"DiagnosticPowerTakeoffEngagedId", func(g sim.Gauges) float64 { return g[drover.ReadingPTOActive] }},
	{"DiagnosticDoorAjarId", func(g sim.Gauges) float64 { return g[drover.ReadingDoor] }},
	{"DiagnosticReeferTemperatureZone1Id", func(g sim.Gauges) float64 { return g[drover.ReadingProbe] }},
	{"DiagnosticTotalIdleHoursId", func(sim.Gauges) float64 { return 41 }},
	{"DiagnosticCrankingVoltageId", func(sim.Gauges) float64 { return 9 }},
}

// instruments lists what the vehicles' instruments say.
func (s *server) instruments() list {
	return list{arrived: func(v sim.Vehicle, since time.Time) []row {
		var rows []row
		for _, p := range s.account.Arrived(v, since, s.account.Now().Add(time.Second)) {
			if p.Time.Minute()%10 != 0 {
				continue
			}
			gauges, version := p.Gauges(), versionOf(p.Received, v.Index, perSample*p.Time.Unix())
			for i, in := range instruments {
				rows = append(rows, row{version + int64(i), statusData(v, p, in.diagnostic, in.value(gauges))})
			}
		}
		return rows
	}}
}

func statusData(v sim.Vehicle, p sim.Sample, diagnostic string, value float64) object {
	return object{
		"id": fmt.Sprintf("b%X", p.ID), "device": object{"id": ID(v.ID)}, "diagnostic": object{"id": diagnostic},
		"dateTime": timestamp(p.Time.Time), "data": value, "controller": "ControllerNoneId",
	}
}

func driverChange(v sim.Vehicle, p sim.Sample) object {
	change := object{
		"id": fmt.Sprintf("b%X", p.ID), "device": object{"id": ID(v.ID)}, "dateTime": timestamp(p.Time.Time),
		"type": "None", "driver": "UnknownDriverId",
	}
	if id := driver(p); id != "" {
		change["type"], change["driver"] = "Driver", object{"id": ID(id), "isDriver": true}
	}
	return change
}

func driver(p sim.Sample) string {
	if p.DriverID == nil {
		return ""
	}
	return *p.DriverID
}

// trips lists the trips that stop in a span.
func (s *server) trips(v sim.Vehicle, from, to time.Time) []row {
	trips := s.account.Trips(v, from, to)
	var rows []row
	for i, t := range trips {
		next := time.Date(2050, 1, 1, 0, 0, 0, 0, time.UTC)
		if i+1 < len(trips) {
			next = trips[i+1].StartTime
		}
		rows = append(rows, row{versionOf(t.Received, v.Index, t.EndTime.Unix()), trip(v, t, next)})
	}
	return rows
}

// newTrips lists the trips that arrived since an instant: they may have stopped
// long before.
func (s *server) newTrips(v sim.Vehicle, since time.Time) []row {
	return s.trips(v, since.AddDate(0, 0, -1), s.account.Now().Add(time.Second))
}

func trip(v sim.Vehicle, t sim.Trip, next time.Time) object {
	o := object{
		"id": fmt.Sprintf("b%X", t.ID), "device": object{"id": ID(v.ID)}, "driver": "UnknownDriverId",
		"start": timestamp(t.StartTime), "stop": timestamp(t.EndTime), "nextTripStart": timestamp(next),
		"distance": t.DistanceMetres / 1000, "drivingDuration": timeSpan(t.EndTime.Sub(t.StartTime)),
		"idlingDuration": "00:03:00", "stopDuration": timeSpan(next.Sub(t.EndTime)),
		"averageSpeed": t.DistanceMetres / 1000 / t.EndTime.Sub(t.StartTime).Hours(), "maximumSpeed": 96,
		"stopPoint": object{"x": t.End.Longitude, "y": t.End.Latitude}, "odometer": t.StartOdometer + t.DistanceMetres,
		"engineHours": 4012000, "isSeatBeltOff": false, "afterHoursDistance": 0, "workDistance": t.DistanceMetres / 1000,
		"version": fmt.Sprintf("%016x", versionOf(t.Received, v.Index, t.EndTime.Unix())),
	}
	if t.DriverID != nil {
		o["driver"] = object{"id": ID(*t.DriverID), "isDriver": true}
	}
	return o
}

// timeSpan writes d as the vendor does: [d.]hh:mm:ss.
func timeSpan(d time.Duration) string {
	seconds := int64(d / time.Second)
	text := fmt.Sprintf("%02d:%02d:%02d", seconds/3600%24, seconds/60%60, seconds%60)
	if days := seconds / 86400; days > 0 {
		text = fmt.Sprintf("%d.%s", days, text)
	}
	return text
}
