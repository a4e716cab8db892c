// Package automiletest is a fake of the Automile API that serves a simulated
// fleet.
package automiletest

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

const lifetime = 24 * time.Hour

type server struct{ account *sim.Account }

// New returns the API. The account's credentials are api_client_id,
// api_client_secret, username and password.
func New(account *sim.Account) http.Handler {
	s := &server{account}
	api := http.NewServeMux()
	api.HandleFunc("GET /v1/resourceowner/vehicles2", s.vehicles)
	api.HandleFunc("GET /v1/resourceowner/vehicles2/status", s.statuses)
	api.HandleFunc("GET /v1/resourceowner/trips", s.trips)
	api.HandleFunc("GET /v1/resourceowner/trips/{id}", s.trip)
	api.HandleFunc("GET /v1/resourceowner/trips/{id}/geostartend", s.ends)
	api.HandleFunc("GET /v1/resourceowner/trips/{id}/geo", s.geo)
	api.HandleFunc("GET /v1/resourceowner/trips/{id}/speed", s.speed)
	api.HandleFunc("GET /v1/resourceowner/contacts2", s.contacts)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /OAuth2/Token", s.token)
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || !account.LoggedIn(token) {
			refuse(w, http.StatusUnauthorized, "Authorization has been denied for this request.")
			return
		}
		api.ServeHTTP(w, r)
	})
	return mux
}

// object is a JSON object.
type object map[string]any

func (s *server) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	known := s.account.Accepts("api_client_id", id) && s.account.Accepts("api_client_secret", secret)
	granted := r.PostFormValue("grant_type") == "password" && s.account.Accepts("username", r.PostFormValue("username")) &&
		s.account.Accepts("password", r.PostFormValue("password"))
	if !known || !granted {
		code := "invalid_grant"
		if !known {
			code = "invalid_client"
		}
		fake.ReplyStatus(w, http.StatusBadRequest, object{"error": code})
		return
	}
	fake.Reply(w, object{
		"access_token": s.account.Login(lifetime), "token_type": "bearer",
		"expires_in": int(lifetime.Seconds()), "refresh_token": "unused",
	})
}

func (s *server) vehicles(w http.ResponseWriter, _ *http.Request) {
	list := []object{}
	for _, v := range s.account.Vehicles() {
		row := object{
			"VehicleId": json.Number(v.ID), "VehicleIdentificationNumber": v.VIN, "UserVehicleIdentificationNumber": nil,
			"NumberPlate": v.Registration, "Make": v.Make, "Model": v.Model, "ModelYear": v.Year, "Nickname": v.Name,
			"CurrentOdometerInKilometers": nil, "FuelType": 2, "VehicleType": 0, "CheckedInContactId": nil, "Tags": nil,
		}
		if p, ok := s.account.Latest(v); ok {
			row["CurrentOdometerInKilometers"] = *p.OdometerMetres / 1000
			row["CheckedInContactId"] = contact(p.DriverID)
		}
		list = append(list, row)
	}
	fake.Reply(w, list)
}

func (s *server) contacts(w http.ResponseWriter, _ *http.Request) {
	list := []object{}
	for _, id := range s.account.Drivers() {
		list = append(list, object{
			"ContactId": json.Number(id), "FirstName": "Driver", "LastName": id, "EmailAddress": id + "@example.com", "MobilePhoneNumber": nil,
			"CheckedIntoVehicleId": nil, "CheckedInDateTimeUtc": nil, "CompanyRoles": []object{},
		})
	}
	fake.Reply(w, list)
}

func (s *server) statuses(w http.ResponseWriter, _ *http.Request) {
	list := []object{}
	for _, v := range s.account.Vehicles() {
		row := object{"VehicleId": json.Number(v.ID), "LastPositionUtc": nil, "IsDriving": false, "LastTripId": nil}
		if p, ok := s.account.Latest(v); ok {
			row["LastPositionUtc"], row["IsDriving"] = p.Time.Format(time.RFC3339), *p.Ignition
			row["LastKnownLatitude"], row["LastKnownLongitude"], row["Heading"] = p.Latitude, p.Longitude, *p.Heading
		}
		list = append(list, row)
	}
	fake.Reply(w, list)
}

// contact returns a contact id as the number that it is here.
func contact(id *string) any {
	if id == nil {
		return nil
	}
	return json.Number(*id)
}

// local writes a time without a zone, as the vendor does for trips.
func local(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }

func refuse(w http.ResponseWriter, status int, message string) {
	fake.ReplyStatus(w, status, object{"Message": message})
}
