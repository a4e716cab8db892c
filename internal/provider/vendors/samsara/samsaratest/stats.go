package samsaratest

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/sim"
)

// maxReadings is how many readings a page has.
const maxReadings = 1000

// arrival is a sample in the feed.
type arrival struct {
	sim.Sample
	vehicle sim.Vehicle
}

func (a arrival) after(second, id int64) bool {
	at := a.Received.Unix()
	return at > second || at == second && a.ID > id
}

// feed serves what has arrived behind the cursor, which is the second of arrival
// and the number of the last record served.
func (s *server) feed(w http.ResponseWriter, r *http.Request) {
	if !validTypes(w, r) {
		return
	}
	types, now := typesOf(r), s.account.Now()
	after := r.URL.Query().Get("after")
	if after == "" {
		s.open(w, types, now)
		return
	}
	var second, id int64
	if _, err := fmt.Sscanf(after, "%x-%x", &second, &id); err != nil {
		refuse(w, http.StatusBadRequest, "Invalid cursor")
		return
	}
	var arrived []arrival
	for _, v := range s.account.Vehicles() {
		for _, p := range s.account.Arrived(v, time.Unix(second, 0), now.Add(time.Second)) {
			if a := (arrival{p, v}); a.after(second, id) {
				arrived = append(arrived, a)
			}
		}
	}
	order.By(arrived, func(a, b arrival) int {
		return cmp.Or(a.Received.Compare(b.Received), cmp.Compare(a.ID, b.ID))
	})
	more := len(arrived) > maxReadings
	arrived = arrived[:min(len(arrived), maxReadings)]
	if len(arrived) > 0 {
		last := arrived[len(arrived)-1]
		after = feedCursor(last.Received, last.ID)
	}
	replyList(w, grouped(types, arrived), after, more)
}

// open serves the newest reading of each vehicle.
func (s *server) open(w http.ResponseWriter, types []string, now time.Time) {
	var newest []arrival
	for _, v := range s.account.Vehicles() {
		if p, ok := s.account.Latest(v); ok {
			newest = append(newest, arrival{p, v})
		}
	}
	replyList(w, grouped(types, newest), feedCursor(now, math.MaxInt64), false)
}

func feedCursor(at time.Time, id int64) string { return fmt.Sprintf("%016x-%016x", at.Unix(), id) }

// history serves the readings of a window vehicle by vehicle. Its cursor is the
// vehicle and the reading to go on with.
func (s *server) history(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	from, to, ok := period(w, query)
	if !ok || !validTypes(w, r) {
		return
	}
	var first, skip int
	if after := query.Get("after"); after != "" {
		if _, err := fmt.Sscanf(after, "%d-%d", &first, &skip); err != nil {
			refuse(w, http.StatusBadRequest, "Invalid cursor")
			return
		}
	}
	var readings []arrival
	vehicles := s.account.Vehicles()
	for i := first; i < len(vehicles); i++ {
		if !selected(query, "vehicleIds", vehicles[i].ID) {
			continue
		}
		samples := s.account.Positions(vehicles[i], from, to)
		samples = samples[min(skip, len(samples)):]
		room := maxReadings - len(readings)
		for _, p := range samples[:min(room, len(samples))] {
			readings = append(readings, arrival{p, vehicles[i]})
		}
		if len(samples) > room {
			replyList(w, grouped(typesOf(r), readings), fmt.Sprintf("%d-%d", i, skip+room), true)
			return
		}
		skip = 0
	}
	replyList(w, grouped(typesOf(r), readings), "", false)
}

func typesOf(r *http.Request) []string { return strings.Split(r.URL.Query().Get("types"), ",") }

// statistics are those that the fake's vehicles have, in the vendor's units.
var statistics = map[string]func(sim.Gauges) any{
	"obdEngineSeconds":               func(g sim.Gauges) any { return g[drover.ReadingEngine] },
	"syntheticEngineSeconds":         func(g sim.Gauges) any { return g[drover.ReadingEngine] },
	"idlingDurationMilliseconds":     func(g sim.Gauges) any { return g[drover.ReadingIdle] * 1000 },
	"fuelPercents":                   func(g sim.Gauges) any { return int(g[drover.ReadingFuelPercent]) },
	"fuelConsumedMilliliters":        func(g sim.Gauges) any { return g[drover.ReadingFuelUsed] * 1000 },
	"defLevelMilliPercent":           func(g sim.Gauges) any { return g[drover.ReadingDEF] * 1000 },
	"batteryMilliVolts":              func(g sim.Gauges) any { return g[drover.ReadingSupply] * 1000 },
	"engineCoolantTemperatureMilliC": func(g sim.Gauges) any { return g[drover.ReadingCoolant] * 1000 },
	"ambientAirTemperatureMilliC":    func(g sim.Gauges) any { return g[drover.ReadingAmbient] * 1000 },
	"evStateOfChargeMilliPercent":    func(g sim.Gauges) any { return g[drover.ReadingCharge] * 1000 },
	"gpsOdometerMeters":              func(g sim.Gauges) any { return g[drover.ReadingOdometer] },
	"ecuDoorStatus":                  func(sim.Gauges) any { return "Closed" },
}

const maxTypes = 3

// faultCodes is the type of the feed of faults.
const faultCodes = "faultCodes"

func faultsOf(v sim.Vehicle, at time.Time) object {
	codes := []object{}
	if v.BrokenAt(at) {
		codes = append(codes, object{
			"spnId": 3031, "fmiId": 9, "txId": 0, "occurrenceCount": 3, "milStatus": 1,
			"spnDescription": "DEF tank temperature", "fmiDescription": "abnormal update rate",
		})
	}
	return object{
		"checkEngineLights":      object{"emissionsIsOn": false, "protectIsOn": false, "stopIsOn": false, "warningIsOn": len(codes) > 0},
		"diagnosticTroubleCodes": codes,
	}
}

func validTypes(w http.ResponseWriter, r *http.Request) bool {
	types := typesOf(r)
	unknown := slices.ContainsFunc(types, func(name string) bool { return name != "gps" && name != faultCodes && statistics[name] == nil })
	if unknown || len(types) > maxTypes {
		refuse(w, http.StatusBadRequest, "Invalid stat type(s): "+strings.Join(types, ","))
		return false
	}
	if n := strings.Count(r.URL.Query().Get("decorations"), ","); n > 1 {
		refuse(w, http.StatusBadRequest, "Too many decorations")
		return false
	}
	return true
}

// grouped puts the readings of each vehicle together, by type.
func grouped(types []string, readings []arrival) []object {
	rows := []object{}
	place := map[string]int{}
	for _, p := range readings {
		i, known := place[p.vehicle.ID]
		if !known {
			i = len(rows)
			place[p.vehicle.ID] = i
			rows = append(rows, object{"id": p.vehicle.ID, "name": p.vehicle.Name})
		}
		for _, name := range types {
			list, _ := rows[i][name].([]object)
			if name == faultCodes {
				rows[i][name] = append(list, object{"time": timestamp(p.Time.Time), "canBusType": "CANBUS_J1939_500KBPS", "j1939": faultsOf(p.vehicle, p.Time.Time)})
			} else if value := statistics[name]; value != nil {
				rows[i][name] = append(list, object{"time": timestamp(p.Time.Time), "value": value(p.Gauges())})
			} else {
				rows[i][name] = append(list, reading(p.Sample))
			}
		}
	}
	return rows
}

func reading(p sim.Sample) object {
	state := "Off"
	switch {
	case *p.Ignition && *p.SpeedKPH > 0:
		state = "On"
	case *p.Ignition:
		state = "Idle"
	}
	return object{
		"time": timestamp(p.Time.Time), "latitude": p.Latitude, "longitude": p.Longitude,
		"headingDegrees": *p.Heading, "speedMilesPerHour": *p.SpeedKPH / 1.609344, "isEcuSpeed": false,
		"decorations": object{
			"engineStates":      object{"value": state},
			"obdOdometerMeters": object{"value": *p.OdometerMetres},
		},
	}
}
