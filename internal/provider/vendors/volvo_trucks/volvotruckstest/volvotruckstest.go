// Package volvotruckstest is a fake of Volvo Trucks' rFMS 2.1 that serves a
// simulated fleet.
package volvotruckstest

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/kit/rfms/rfmstest"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

type server struct {
	account *sim.Account
	// stuck says that the selection by receipt stands still, at frozen.
	stuck  bool
	mu     sync.Mutex
	frozen string
}

// New returns a server, with its resources below /rfms. The account's credentials
// are username and password.
func New(account *sim.Account) http.Handler {
	s := &server{account: account}
	return s.routes(s.guarded)
}

// Resources returns a server that asks for no credentials and takes any version, for fakes
// of makers that serve the same and let others in in a manner of their own.
func Resources(account *sim.Account) http.Handler { return open(&server{account: account}) }

// StuckResources is Resources of an account at which the selection by the time of
// receipt stands still, as it was seen at one: whatever the start, it has the
// reports of the quarter of an hour that was asked for first.
func StuckResources(account *sim.Account) http.Handler {
	return open(&server{account: account, stuck: true})
}

func open(s *server) http.Handler {
	return s.routes(func(_ string, serve http.HandlerFunc) http.HandlerFunc { return serve })
}

func (s *server) routes(guarded func(resource string, serve http.HandlerFunc) http.HandlerFunc) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /rfms/vehicles", guarded("vehicles", s.vehicles))
	mux.HandleFunc("GET /rfms/vehiclepositions", guarded("vehiclepositions", s.positions))
	mux.HandleFunc("GET /rfms/vehiclestatuses", guarded("vehiclestatuses", s.statuses))
	return mux
}

// guarded checks what every resource checks. Errors have no body to speak of.
func (s *server) guarded(resource string, serve http.HandlerFunc) http.HandlerFunc {
	accept := "application/vnd.fmsstandard.com." + resource + ".v2.1+json"
	return func(w http.ResponseWriter, r *http.Request) {
		name, password, ok := r.BasicAuth()
		switch {
		case !ok || !s.account.Accepts("username", name) || !s.account.Accepts("password", password):
			http.Error(w, "Unauthorized", http.StatusUnauthorized)
		case !strings.EqualFold(r.Header.Get("Accept"), accept):
			http.Error(w, "Not Acceptable", http.StatusNotAcceptable)
		default:
			serve(w, r)
		}
	}
}

// object is a JSON object.
type object map[string]any

func (s *server) vehicles(w http.ResponseWriter, r *http.Request) {
	page, more := rfmstest.Vehicles(s.account, r.URL.Query())
	list := []object{}
	for _, v := range page {
		list = append(list, object{
			"VIN": v.VIN, "CustomerVehicleName": v.Name, "Brand": v.Make, "Type": "TRUCK", "Model": v.Model,
			"ProductionDate": object{"Day": 23, "Month": 3, "Year": v.Year}, "EmissionLevel": "EURO_VI",
			"PossibleFuelType": []string{"1A"}, "TotalFuelTankVolume": 230000, "NoOfAxles": 3,
		})
	}
	fake.Reply(w, object{"Vehicle": list, "MoreDataAvailable": more})
}

// query returns what is asked for, or what a stuck account takes for it.
func (s *server) query(r *http.Request) url.Values {
	query := r.URL.Query()
	if !s.stuck || query.Get("datetype") == "created" {
		return query
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.frozen == "" {
		s.frozen = query.Get("starttime")
	}
	query.Set("starttime", s.frozen)
	if from, err := time.Parse(time.RFC3339, s.frozen); err == nil {
		query.Set("stoptime", from.Add(15*time.Minute).Format(time.RFC3339))
	}
	return query
}

func (s *server) positions(w http.ResponseWriter, r *http.Request) {
	page, err := rfmstest.Positions(s.account, s.query(r))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	list := []object{}
	for _, p := range page.Reports {
		list = append(list, object{
			"VIN": p.Vehicle.VIN, "TriggerType": trigger("TIMER"),
			"CreatedDateTime": timestamp(p.Time.Add(time.Second)), "ReceivedDateTime": timestamp(p.Received),
			"GNSSPosition": gnss(p), "WheelBasedSpeed": *p.SpeedKPH, "TachographSpeed": *p.SpeedKPH + 0.3,
		})
	}
	answer(w, "VehiclePosition", list, page)
}

func (s *server) statuses(w http.ResponseWriter, r *http.Request) {
	page, err := rfmstest.Statuses(s.account, s.query(r))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	filter := r.URL.Query().Get("contentFilter")
	list := []object{}
	for _, p := range page.Reports {
		list = append(list, status(p, filter))
	}
	answer(w, "VehicleStatus", list, page)
}

// status has Vin where the other resources have VIN, and no ignition.
func status(p rfmstest.Report, filter string) object {
	g := p.Gauges()
	o := object{
		"Vin": p.Vehicle.VIN, "TriggerType": trigger(triggerOf(p)),
		"CreatedDateTime": timestamp(p.Time.Time), "ReceivedDateTime": timestamp(p.Received),
		"HRTotalVehicleDistance": *p.OdometerMetres, "TotalEngineHours": g[drover.ReadingEngine] / 3600,
		"EngineTotalFuelUsed": g[drover.ReadingFuelUsed] * 1000,
	}
	// Texts stand where there is no object.
	driver := object{"TachoDriverIdentification": "", "OemDriverIdentification": ""}
	if p.DriverID != nil {
		driver["OemDriverIdentification"] = object{"IdType": "pin", "OemDriverIdentification": *p.DriverID}
	}
	o["Driver1Id"] = driver
	if filter == "" || strings.Contains(filter, "SNAPSHOT") {
		o["SnapshotData"] = object{
			"GNSSPosition": gnss(p), "WheelBasedSpeed": *p.SpeedKPH, "FuelLevel1": g[drover.ReadingFuelPercent],
			"CatalystFuelLevel": g[drover.ReadingDEF],
		}
	}
	if filter == "" || strings.Contains(filter, "UPTIME") {
		state := map[bool]string{true: "RED", false: "OFF"}[p.Vehicle.Broken()]
		o["UptimeData"] = object{"TellTaleInfo": []object{{"TellTale": "BRAKE_MALFUNCTION", "State": state}}}
	}
	if (filter == "" || strings.Contains(filter, "ACCUMULATED")) && p.Counters != nil {
		o["AccumulatedData"] = object{
			"DurationWheelbaseSpeedOverZero": p.Counters.Driving, "DurationWheelbaseSpeedZero": p.Counters.Idling,
			"PtoActiveClass": object{"Value": []object{
				{"Label": "WHEELBASED_SPEED_ZERO", "Seconds": p.Counters.Auxiliary - 93, "Meters": 0},
				{"Label": "WHEELBASED_SPEED_OVER_ZERO", "Seconds": 93, "Meters": 310},
			}},
		}
	}
	return o
}

// triggerOf returns why a status was sent. A truck that stands restarts its
// engine now and then, which is no trip, and one that is parked says so again.
func triggerOf(p rfmstest.Report) string {
	switch {
	case p.Event == rfmstest.Start:
		return "IGNITION_ON"
	case p.Event == rfmstest.End, !*p.Ignition:
		return "IGNITION_OFF"
	case *p.SpeedKPH == 0:
		return "ENGINE_ON"
	default:
		return "TIMER"
	}
}

func trigger(name string) object {
	return object{"TriggerType": name, "Context": "RFMS", "TriggerInfo": []string{"InfoString"}}
}

func gnss(p rfmstest.Report) object {
	return object{
		"Latitude": p.Latitude, "Longitude": p.Longitude, "Heading": *p.Heading, "Altitude": 62,
		"Speed": *p.SpeedKPH - 0.2, "PositionDateTime": timestamp(p.Time.Time),
	}
}

func answer(w http.ResponseWriter, name string, list []object, page rfmstest.Page) {
	fake.Reply(w, object{name: list, "MoreDataAvailable": page.More, "RequestServerDateTime": timestamp(page.Now)})
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
