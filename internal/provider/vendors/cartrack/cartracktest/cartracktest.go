// Package cartracktest is a fake of Cartrack's Fleet API that serves a simulated
// fleet.
package cartracktest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

// Timezone is the zone of the account: requests are in its time.
const Timezone = "Australia/Melbourne"

const (
	maxLimit   = 100
	maxEvents  = 24 * time.Hour
	maxTrips   = 31 * 24 * time.Hour
	longestDay = 25 * time.Hour // with an hour that clocks show twice
)

type server struct {
	account *sim.Account
	zone    *time.Location
	plates  map[string]sim.Vehicle // by their registration
}

// New returns a server, with its API below /rest. The account's credentials are
// username and password.
func New(account *sim.Account) http.Handler {
	zone, err := time.LoadLocation(Timezone)
	if err != nil {
		panic(fmt.Sprintf("cartracktest: %v", err)) // a machine without zones cannot run it
	}
	s := &server{account, zone, map[string]sim.Vehicle{}}
	for _, v := range account.Vehicles() {
		s.plates[registration(v)] = v
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /rest/vehicles", s.vehicles)
	mux.HandleFunc("GET /rest/vehicles/{registration}/events", s.limited(200, s.events))
	mux.HandleFunc("GET /rest/vehicles/status", s.limited(60, s.status))
	mux.HandleFunc("GET /rest/trips", s.trips)
	mux.HandleFunc("GET /rest/drivers", s.drivers)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		username, password, ok := r.BasicAuth()
		if !ok || !account.Accepts("username", username) || !account.Accepts("password", password) {
			refuse(w, http.StatusUnauthorized, "Unauthorized", nil)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// limited serves so many calls of one kind in a minute.
func (s *server) limited(calls int, serve http.HandlerFunc) http.HandlerFunc {
	rate := &fake.Rate{Calls: calls, Per: time.Minute}
	return func(w http.ResponseWriter, r *http.Request) {
		if !rate.Allow(s.account.Now()) {
			w.Header().Set("X-RateLimit-Retry-After-Seconds", "15")
			refuse(w, http.StatusTooManyRequests, "Too many requests. Please wait before retrying.", nil)
			return
		}
		serve(w, r)
	}
}

// object is a JSON object.
type object map[string]any

func (s *server) vehicles(w http.ResponseWriter, r *http.Request) {
	paged(w, r, s.account.Vehicles(), vehicle)
}

func (s *server) drivers(w http.ResponseWriter, r *http.Request) {
	paged(w, r, s.account.Drivers(), func(id string) object {
		return object{
			"driver_id": id, "first_name": "Driver", "last_name": id, "email": nil, "id_number": nil, "phone_number": "+27821234567",
			"license_number": "L" + id, "license_valid_end": "2030-01-01", "employee_number": "E" + id, "status": "active", "groups": []string{},
		}
	})
}

func vehicle(v sim.Vehicle) object {
	return object{
		"vehicle_id": json.Number(v.ID), "terminal_id": json.Number(v.ID), "terminal_serial": v.IMEI,
		"registration": registration(v), "vehicle_name": name(v), "client_vehicle_description": v.Name,
		"default_timezone": Timezone, "manufacturer": v.Make, "model": v.Model, "model_year": strconv.Itoa(v.Year),
		"colour": "White", "chassis_number": v.VIN, "is_under_maintenance": !v.Active, "vehicle_type_id": 1,
	}
}

// temporary reports whether a vehicle is one of those whose plate Cartrack does
// not know: its registration is made up, and the plate is in its name.
func temporary(v sim.Vehicle) bool { return v.Index%5 == 3 }

func registration(v sim.Vehicle) string {
	if temporary(v) {
		return "TEMP-" + v.ID
	}
	return v.Registration
}

func name(v sim.Vehicle) string {
	if temporary(v) {
		return v.Registration
	}
	return v.Name
}

func (s *server) events(w http.ResponseWriter, r *http.Request) {
	from, to, ok := s.period(w, r, max(maxEvents, longestDay))
	if !ok {
		return
	}
	var samples []sim.Sample
	v, ok := s.plates[r.PathValue("registration")]
	if ok { // one that is not known has no rows; it is no error
		samples = s.account.Positions(v, from, fake.Inclusive(to))
	}
	paged(w, r, samples, func(p sim.Sample) object { return s.event(v, p) })
}

// status serves the newest state of each vehicle, in one page.
func (s *server) status(w http.ResponseWriter, _ *http.Request) {
	list := []object{}
	for _, v := range s.account.Vehicles() {
		o := object{"vehicle_id": json.Number(v.ID), "registration": registration(v), "chassis_number": v.VIN, "location": nil, "driver": nil}
		if p, ok := s.account.Latest(v); ok {
			at := s.timestamp(p.Time.Time)
			o["event_ts"], o["bearing"], o["speed"], o["ignition"], o["odometer"] = at, *p.Heading, *p.SpeedKPH, *p.Ignition, *p.OdometerMetres
			o["location"] = object{
				"updated": at, "latitude": p.Latitude, "longitude": p.Longitude, "gps_fix_type": 3, "position_description": "N1, Pretoria",
				"geofence_ids": []int{},
			}
			g := p.Gauges()
			o["clock"], o["vext"], o["temp1"], o["temp2"] = g[drover.ReadingEngine]/60, fmt.Sprint(g[drover.ReadingSupply]), g[drover.ReadingProbe], nil
			o["fuel"] = object{"updated": at, "level": nil, "percentage_left": g[drover.ReadingFuelPercent], "total_consumed": nil}
			o["electric"] = object{"battery_percentage_left": g[drover.ReadingCharge], "battery_ts": at, "charging_status": nil}
			if p.DriverID != nil {
				o["driver"] = object{"driver_id": *p.DriverID, "first_name": "A", "last_name": "Driver"}
			}
		}
		list = append(list, o)
	}
	fake.Reply(w, object{"data": list})
}

func (s *server) event(v sim.Vehicle, p sim.Sample) object {
	g := p.Gauges()
	return object{
		"event_id": p.ID, "vehicle_id": json.Number(v.ID), "registration": registration(v), "chassis_number": v.VIN,
		"terminal_event_type_id": 1, "event_description": "Periodic position",
		"event_ts": s.timestamp(p.Time.Time), "received_ts": s.timestamp(p.Received),
		"latitude": p.Latitude, "longitude": p.Longitude, "altitude": 1453, "bearing": *p.Heading, "speed": *p.SpeedKPH,
		"road_speed": 80, "road_speeding": false, "ignition": *p.Ignition, "odometer": *p.OdometerMetres, "clock": g[drover.ReadingEngine] / 60,
		"rpm": nil, "vext": fmt.Sprint(g[drover.ReadingSupply]), "temp1": g[drover.ReadingProbe], "temp2": nil,
		"water_temp": g[drover.ReadingCoolant], "battery_percentage_left": nil, "vgsm": 4.1, "gps_fix_type": 3,
		"position_description": "N1, Pretoria", "driver_id": p.DriverID,
	}
}

// trips serves the trips that start within the period.
func (s *server) trips(w http.ResponseWriter, r *http.Request) {
	from, to, ok := s.period(w, r, maxTrips)
	if !ok {
		return
	}
	var list []journey
	for _, v := range s.account.Vehicles() {
		for _, t := range s.account.Trips(v, from, to.AddDate(0, 0, 1)) {
			if !t.StartTime.Before(from) && !t.StartTime.After(to) {
				list = append(list, journey{v, t})
			}
		}
	}
	paged(w, r, list, s.trip)
}

// journey is a trip and the vehicle that made it.
type journey struct {
	vehicle sim.Vehicle
	sim.Trip
}

func (s *server) trip(t journey) object {
	v := t.vehicle
	duration, idle := t.EndTime.Sub(t.StartTime), time.Duration(t.IdlingSeconds+t.AuxiliarySeconds)*time.Second
	return object{
		"trip_id": strconv.FormatInt(t.ID, 10), "vehicle_id": json.Number(v.ID), "registration": registration(v),
		"start_timestamp": s.timestamp(t.StartTime), "end_timestamp": s.timestamp(t.EndTime),
		"trip_duration": clock(duration), "trip_duration_seconds": duration.Seconds(),
		"start_location": "Bosduif Cres", "end_location": "N1", "start_coordinates": t.Start, "end_coordinates": t.End,
		"start_odometer": t.StartOdometer, "end_odometer": t.StartOdometer + t.DistanceMetres, "trip_distance": t.DistanceMetres,
		"max_speed": 98, "idle_time": clock(idle), "idle_time_seconds": idle.Seconds(), "harsh_braking_events": 0,
		"driver_id": t.DriverID, "trip_type": "BUSINESS", "is_private": false,
	}
}

// period reads the window of a request, or refuses it.
func (s *server) period(w http.ResponseWriter, r *http.Request, longest time.Duration) (from, to time.Time, ok bool) {
	bounds := map[string]*time.Time{"start_timestamp": &from, "end_timestamp": &to}
	for field, bound := range bounds {
		t, err := time.ParseInLocation("2006-01-02 15:04:05", r.URL.Query().Get(field), s.zone)
		if err != nil {
			refuse(w, http.StatusUnprocessableEntity, "Validation failed", object{field: []string{"The field is required as Y-m-d H:i:s."}})
			return from, to, false
		}
		*bound = t
	}
	if to.Before(from) || to.Sub(from) > longest || from.Before(s.account.Now().AddDate(-5, 0, 0)) {
		refuse(w, http.StatusUnprocessableEntity, "Validation failed", object{"end_timestamp": []string{"The period is too long."}})
		return from, to, false
	}
	return from, to, true
}

// paged answers with one page of a list.
func paged[T any](w http.ResponseWriter, r *http.Request, list []T, row func(T) object) {
	number, limit := parameter(r, "page", 1), min(parameter(r, "limit", maxLimit), maxLimit)
	first := min((number-1)*limit, len(list))
	last := min(first+limit, len(list))
	data := []object{}
	for _, item := range list[first:last] {
		data = append(data, row(item))
	}
	fake.Reply(w, object{"data": data, "meta": object{
		"from": first + 1, "to": last, "current_page": number, "per_page": limit,
		"last_page": max((len(list)+limit-1)/limit, 1), "total": len(list),
	}})
}

func parameter(r *http.Request, name string, other int) int {
	if n, err := strconv.Atoi(r.URL.Query().Get(name)); err == nil && n > 0 {
		return n
	}
	return other
}

// timestamp has an offset of whole hours.
func (s *server) timestamp(t time.Time) string { return t.In(s.zone).Format("2006-01-02 15:04:05-07") }

func clock(d time.Duration) string {
	return fmt.Sprintf("%02d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}

func refuse(w http.ResponseWriter, status int, message string, data object) {
	fake.ReplyStatus(w, status, object{"error": object{"code": status, "message": message, "data": data}})
}
