// Package ruptelatest is a fake of the API of Ruptela's TrustTrack that serves a
// simulated fleet.
package ruptelatest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

const (
	defaultLimit = 100
	maxLimit     = 1000
)

type server struct {
	account  *sim.Account
	vehicles map[string]sim.Vehicle // by their object ids
}

// New returns a server. The account's credential is api_key.
func New(account *sim.Account) http.Handler {
	s := &server{account, map[string]sim.Vehicle{}}
	for _, v := range account.Vehicles() {
		s.vehicles[ObjectID(v)] = v
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /objects", versioned("1", s.objects))
	mux.HandleFunc("GET /objects-last-coordinate", versioned("2", s.latest))
	mux.HandleFunc("GET /objects/{object}/coordinates", versioned("2", s.coordinates))
	mux.HandleFunc("GET /objects/{object}/trips", versioned("1", s.trips))
	mux.HandleFunc("GET /detected-events", versioned("1", s.detected))
	mux.HandleFunc("GET /object-coordinates-stream", versioned("2", s.push))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !account.Accepts("api_key", r.URL.Query().Get("api_key")) {
			http.Error(w, "Unauthorized", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// ObjectID is the id of a vehicle at this vendor.
func ObjectID(v sim.Vehicle) string { return fmt.Sprintf("9db8ce84-85ef-11e9-89b6-%012s", v.ID) }

// versioned refuses calls of another version of an endpoint, or of none.
func versioned(version string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("version") != version {
			http.Error(w, "Request not recognised", http.StatusBadRequest)
			return
		}
		next(w, r)
	}
}

// object is a JSON object.
type object map[string]any

func (s *server) objects(w http.ResponseWriter, _ *http.Request) {
	list := []object{}
	for _, v := range s.account.Vehicles() {
		list = append(list, object{"id": ObjectID(v), "name": v.Name, "imei": v.IMEI, "vehicle_params": vehicle(v)})
	}
	fake.Reply(w, list)
}

func vehicle(v sim.Vehicle) object {
	return object{"vin": v.VIN, "make": v.Make, "model": v.Model, "plate_number": v.Registration}
}

// latest serves the newest position of each object, a page of which continues
// behind an object's id.
func (s *server) latest(w http.ResponseWriter, r *http.Request) {
	q, err := parse(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	list := []object{}
	for _, v := range s.account.Vehicles() {
		if ObjectID(v) <= q.token {
			continue
		}
		if len(list) == q.limit {
			fake.Reply(w, object{"results": list, "continuation_token": list[len(list)-1]["id"]})
			return
		}
		list = append(list, s.newest(v))
	}
	fake.Reply(w, object{"results": list})
}

func (s *server) newest(v sim.Vehicle) object {
	o := object{"id": ObjectID(v), "name": v.Name, "imei": json.Number(v.IMEI), "vehicle_params": vehicle(v)}
	if p, ok := s.account.Latest(v); ok {
		last := position(p)
		last["datetime"], last["server_datetime"] = timestamp(p.Time.Time), timestamp(p.Received)
		o["last_coordinate"] = last
	}
	return o
}

func (s *server) coordinates(w http.ResponseWriter, r *http.Request) {
	v, q, ok := s.history(w, r)
	if !ok {
		return
	}
	list := []object{}
	for _, p := range s.account.Positions(v, q.from, q.to.Add(time.Nanosecond)) {
		if len(list) == q.limit {
			fake.Reply(w, object{"items": list, "continuation_token": timestamp(p.Time.Time)})
			return
		}
		list = append(list, coordinate(v, p))
	}
	fake.Reply(w, object{"items": list})
}

func coordinate(v sim.Vehicle, p sim.Sample) object {
	g := p.Gauges()
	inputs := object{
		"engine_hours": g[drover.ReadingEngine] / 3600, "canbus_hrfc": g[drover.ReadingFuelUsed], "fuel_used": 0,
		"fuel_level_can": g[drover.ReadingFuelPercent], "can_fuel_level_milliliters": g[drover.ReadingFuelLitres] * 1000,
		"canbus_battery_power": g[drover.ReadingCharge], "canbus_engine_coolant_temperature": g[drover.ReadingCoolant],
		"canbus_ambient_air_temperature": g[drover.ReadingAmbient], "temperature_sensor_0": g[drover.ReadingProbe],
		"lcv_driver_doors": "CLOSE", "virtual_odometer_diff": 12,
		"virtual_odometer": km(*p.OdometerMetres) / 2, "power_supply_voltage": g[drover.ReadingSupply], "hdop": "0.8",
		"canbus_distance": "NOT_AVAILABLE", "canbus_pto_state": "OFF_DISABLED",
	}
	if *p.Auxiliary {
		inputs["canbus_pto_state"] = "SET"
	}
	if p.DriverID != nil {
		inputs["ibutton"] = *p.DriverID + "\x00\x00"
	}
	ignition := "OFF"
	if *p.Ignition {
		ignition = "ON"
	}
	return object{
		"object_id": ObjectID(v), "datetime": timestamp(p.Time.Time), "ignition_status": ignition, "trip_type": "BUSINESS",
		"position": position(p),
		"inputs": object{
			"device_inputs": inputs, "calculated_inputs": object{"mileage": km(*p.OdometerMetres), "fuel_level": 75.45},
			"other": object{"country_code_geonames": 36},
		},
	}
}

// position has a speed in whole kilometres an hour.
func position(p sim.Sample) object {
	return object{
		"latitude": p.Latitude, "longitude": p.Longitude, "altitude": 35, "direction": *p.Heading,
		"speed": math.Round(*p.SpeedKPH), "satellites_count": 10,
	}
}

// km has two decimals.
func km(metres float64) float64 { return math.Round(metres/10) / 100 }

// trips serves the trips that start within the window. One that is under way has
// no end.
func (s *server) trips(w http.ResponseWriter, r *http.Request) {
	v, q, ok := s.history(w, r)
	if !ok {
		return
	}
	list := []object{}
	for _, t := range s.account.Trips(v, q.from, q.to.AddDate(0, 0, 1)) {
		if t.StartTime.Before(q.from) || t.StartTime.After(q.to) {
			continue
		}
		if len(list) == q.limit {
			fake.Reply(w, object{"trips": list, "continuation_token": timestamp(t.StartTime)})
			return
		}
		list = append(list, trip(v, t))
	}
	if p, ok := s.account.Latest(v); ok && *p.Ignition {
		list = append(list, object{
			"object_id": ObjectID(v), "trip_type": "BUSINESS", "mileage": 0.0,
			"trip_start": place(p.Time.Time, p.Latitude, p.Longitude), "trip_end": nil,
		})
	}
	fake.Reply(w, object{"trips": list})
}

func trip(v sim.Vehicle, t sim.Trip) object {
	o := object{
		"object_id": ObjectID(v), "trip_type": "BUSINESS", "trip_duration": t.EndTime.Sub(t.StartTime).Seconds(),
		"mileage": t.DistanceMetres, "driver_ids": []string{},
		"trip_start": place(t.StartTime, t.Start.Latitude, t.Start.Longitude),
		"trip_end":   place(t.EndTime, t.End.Latitude, t.End.Longitude),
	}
	if t.DriverID != nil {
		o["driver_ids"] = []string{*t.DriverID}
	}
	return o
}

func place(at time.Time, latitude, longitude float64) object {
	return object{
		"datetime": timestamp(at), "latitude": latitude, "longitude": longitude,
		"address": object{"country": "Australia", "country_code": "AU", "locality": "", "street": "Unnamed Road"},
	}
}

// query is what a list is asked for with.
type query struct {
	from, to time.Time
	limit    int
	token    string
}

func parse(values url.Values) (query, error) {
	q := query{limit: defaultLimit, token: values.Get("continuation_token")}
	if text := values.Get("limit"); text != "" {
		var err error
		if q.limit, err = strconv.Atoi(text); err != nil || q.limit < 1 || q.limit > maxLimit {
			return q, fmt.Errorf("limit must be between 1 and %d", maxLimit)
		}
	}
	return q, nil
}

// history reads the request for an object's history, or refuses it. A
// continuation is the time of the first record that was left out.
func (s *server) history(w http.ResponseWriter, r *http.Request) (v sim.Vehicle, q query, ok bool) {
	v, ok = s.vehicles[r.PathValue("object")]
	if !ok {
		http.Error(w, "Not found", http.StatusNotFound)
		return v, q, false
	}
	values := r.URL.Query()
	q, err := parse(values)
	bounds := map[string]*time.Time{"from_datetime": &q.from, "to_datetime": &q.to}
	if q.token != "" {
		values.Set("from_datetime", q.token)
	}
	for name, bound := range bounds {
		if err == nil {
			*bound, err = time.Parse(time.RFC3339, values.Get(name))
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return v, q, false
	}
	return v, q, true
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
