// Package verizonconnecttest is a fake of the Reveal API that serves a simulated
// fleet.
package verizonconnecttest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

const (
	tokenLife = 20 * time.Minute
	maxBulk   = 100
	day       = 24 * time.Hour
)

type server struct{ account *sim.Account }

// New returns a server. The account's credentials are app_id, username and
// password.
func New(account *sim.Account) http.Handler {
	s := &server{account}
	api := http.NewServeMux()
	api.HandleFunc("GET /cmd/v1/vehicles", s.vehicles)
	api.HandleFunc("GET /cmd/v1/drivers", s.drivers)
	api.HandleFunc("POST /rad/v1/vehicles/locations", s.locations)
	api.HandleFunc("GET /rad/v1/vehicles/{number}/status/history", s.ofVehicle(s.history))
	api.HandleFunc("GET /rad/v1/vehicles/{number}/segments", s.ofVehicle(s.segments))
	api.HandleFunc("GET /rad/v1/vehicles/getvehiclesactivedtcs", s.activeCodes)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /token", s.token)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if s.authorized(w, r) {
			api.ServeHTTP(w, r)
		}
	})
	return mux
}

func (s *server) token(w http.ResponseWriter, r *http.Request) {
	username, password, _ := r.BasicAuth()
	if !s.account.Accepts("username", username) || !s.account.Accepts("password", password) {
		http.Error(w, "Invalid credentials", http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(w, "\""+s.account.Login(tokenLife)+"\"\r\n") // a client that has gone away needs no answer
}

// authorized refuses a bad token with 400, and everything else with 401.
func (s *server) authorized(w http.ResponseWriter, r *http.Request) bool {
	rest, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Atmosphere atmosphere_app_id=")
	app, token, found := strings.Cut(rest, ", Bearer ")
	if !ok || !found || !s.account.Accepts("app_id", app) {
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
		return false
	}
	if !s.account.LoggedIn(token) {
		http.Error(w, "The provided token has an invalid format.", http.StatusBadRequest)
		return false
	}
	return true
}

// object is a JSON object.
type object map[string]any

// Number returns the vehicle number, with a dash as customers like them.
func Number(v sim.Vehicle) string { return "T-" + v.ID }

// timestamp writes UTC without saying so, as the vendor does.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }

func (s *server) vehicles(w http.ResponseWriter, _ *http.Request) {
	list := []object{}
	for _, v := range s.account.Vehicles() {
		list = append(list, object{
			"Name": v.Name, "VehicleNumber": Number(v), "RegistrationNumber": v.Registration, "VIN": v.VIN,
			"Make": v.Make, "Year": v.Year, "Model": v.Model, "TankCapacity": 26.0, "HighwayMPG": nil, "CityMPG": nil,
			"FuelType": 2, "VehicleSize": 1, "HasNavigationDevice": false, "HasTachograph": false, "VehicleId": json.Number(v.ID),
		})
	}
	fake.Reply(w, list)
}

// drivers serves all of them, and one without a number.
func (s *server) drivers(w http.ResponseWriter, _ *http.Request) {
	list := []object{{"Driver": object{"DriverNumber": nil, "FirstName": "New", "LastName": "Driver"}, "Links": []object{}}}
	for _, id := range s.account.Drivers() {
		list = append(list, object{"Driver": object{
			"DriverNumber": id, "FirstName": "Driver", "LastName": id, "EmailAddress": id + "@example.com", "PhoneNumber": nil,
			"CreatedDateUTC": "2020-01-27T07:06:25",
		}, "Links": []object{}})
	}
	fake.Reply(w, list)
}

// locations serves the newest position of each vehicle asked for.
func (s *server) locations(w http.ResponseWriter, r *http.Request) {
	var numbers []string
	if err := json.NewDecoder(r.Body).Decode(&numbers); err != nil || len(numbers) > maxBulk {
		http.Error(w, "A list of vehicle numbers is expected", http.StatusBadRequest)
		return
	}
	list := []object{}
	for _, number := range numbers {
		v, ok := s.account.Vehicle(number, Number)
		newest, has := s.account.Latest(v)
		if !ok || !has {
			list = append(list, object{"VehicleNumber": number, "StatusCode": http.StatusNotFound, "ContentResource": nil})
			continue
		}
		list = append(list, object{
			"VehicleNumber": number, "StatusCode": http.StatusOK,
			"ContentResource": object{"Value": location(newest), "StatusCode": http.StatusOK},
		})
	}
	fake.Reply(w, list)
}

func location(p sim.Sample) object {
	state := "Stop"
	switch {
	case *p.SpeedKPH > 0:
		state = "Moving"
	case *p.Ignition:
		state = "Idle"
	}
	return object{
		"Latitude": p.Latitude, "Longitude": p.Longitude, "Speed": *p.SpeedKPH / 1.609344, "Direction": *p.Heading, "Heading": "SouthEast",
		"DisplayState": state, "DriverNumber": p.DriverID, "UpdateUTC": timestamp(p.Time.Time), "IsPrivate": false,
		"DeltaDistance": 0.12, "DeltaTime": 90, "DeviceTimeZoneOffset": 10, "DeviceTimeZoneUseDST": true,
	}
}

// ofVehicle serves what is asked by the number in the path, in which a dash must
// be escaped.
func (s *server) ofVehicle(serve func(http.ResponseWriter, *http.Request, sim.Vehicle)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, ok := s.account.Vehicle(r.PathValue("number"), Number)
		if !ok || strings.Contains(r.URL.EscapedPath(), "-") {
			http.Error(w, "Vehicle not found", http.StatusNotFound)
			return
		}
		serve(w, r, v)
	}
}

func (s *server) history(w http.ResponseWriter, r *http.Request, v sim.Vehicle) {
	from, errFrom := time.Parse("2006-01-02T15:04:05", r.URL.Query().Get("startdatetimeutc"))
	to, errTo := time.Parse("2006-01-02T15:04:05", r.URL.Query().Get("enddatetimeutc"))
	if errFrom != nil || errTo != nil {
		http.Error(w, "An error has occurred.", http.StatusInternalServerError)
		return
	}
	list := []object{}
	for _, p := range s.account.Positions(v, from, to.Add(time.Nanosecond)) {
		list = append(list, object{
			"VehicleNumber": Number(v), "VehicleName": v.Name, "UpdateUtc": timestamp(p.Time.Time),
			"OdometerInKM": *p.OdometerMetres / 1000, "IsPrivate": false, "DriverNumber": p.DriverID,
			"Address":  object{"AddressLine1": "1 Main St", "Locality": "Ballarat"},
			"Latitude": p.Latitude, "Longitude": p.Longitude, "Speed": *p.SpeedKPH / 1.609344, "BatteryLevel": nil,
		})
	}
	if len(list) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	fake.Reply(w, list)
}

// segments serves the journeys of 24 hours, those over the edges too, and the one
// under way.
func (s *server) segments(w http.ResponseWriter, r *http.Request, v sim.Vehicle) {
	from, err := time.Parse("2006-01-02T15:04:05", r.URL.Query().Get("startdateutc"))
	if err != nil {
		http.Error(w, "An error has occurred.", http.StatusInternalServerError)
		return
	}
	to := from.Add(day)
	list := []object{}
	for _, t := range s.account.Trips(v, from, to.Add(day)) {
		if t.StartTime.Before(to) {
			list = append(list, segment(t))
		}
	}
	if run := s.account.UnderWay(v); len(run) > 0 && run[0].Time.Before(to) {
		list = append(list, object{
			"StartDateUtc": timestamp(run[0].Time.Time), "StartLocation": object{"Latitude": run[0].Latitude, "Longitude": run[0].Longitude},
			"StartLocationIsPrivate": false, "EndDateUtc": nil, "EndLocation": nil, "EndLocationIsPrivate": false,
			"IsComplete": false, "DistanceKilometers": nil,
		})
	}
	fake.Reply(w, object{"Driver": nil, "Vehicle": object{"Name": v.Name, "Number": Number(v)}, "Segments": list})
}

func segment(t sim.Trip) object {
	return object{
		"StartDateUtc":           timestamp(t.StartTime),
		"StartLocation":          object{"AddressLine1": "1 Main St", "Latitude": t.Start.Latitude, "Longitude": t.Start.Longitude},
		"StartLocationIsPrivate": false, "EndDateUtc": timestamp(t.EndTime),
		"EndLocation":          object{"AddressLine1": "9 Elm St", "Latitude": t.End.Latitude, "Longitude": t.End.Longitude},
		"EndLocationIsPrivate": false, "IsComplete": true, "DistanceKilometers": t.DistanceMetres / 1000,
	}
}
