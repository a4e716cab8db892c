// Package mixtelematicstest is a fake of MiX Integrate and its identity server
// that serves a simulated fleet, divided over two organisations.
package mixtelematicstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

const (
	tokenLife = time.Hour
	longest   = 7 * 24 * time.Hour // of a query, and the age of a since token
	// stranger is the driver of a vehicle that no one has identified himself to.
	stranger = "-5000000000000000001"
)

// organisations are the ids of the two.
var organisations = [...]string{"1709358234985168961", "-1709358234985168962"}

type server struct{ account *sim.Account }

// New returns both servers in one. The account's credentials are client_id,
// client_secret, username and password.
func New(account *sim.Account) http.Handler {
	s := &server{account}
	api := http.NewServeMux()
	api.HandleFunc("GET /api/organisationgroups", s.groups)
	api.HandleFunc("GET /api/assets/group/{group}", s.assets)
	api.HandleFunc("GET /api/drivers/organisation/{group}", s.drivers)
	api.HandleFunc("POST /api/dtc/faults/assets", s.faults)
	api.HandleFunc("GET /api/libraryevents/organisation/{group}", s.library)
	api.HandleFunc("POST /api/events/groups/entitytype/Asset/from/{from}/to/{to}", s.eventsBetween)
	api.HandleFunc("GET /api/events/groups/createdsince/organisation/{group}/sincetoken/{token}/quantity/{quantity}", s.since(s.events))
	for kind, list := range map[string]lister{"positions": s.positions, "trips": s.trips} {
		api.HandleFunc("POST /api/"+kind+"/assets/from/{from}/to/{to}", s.between(list))
		api.HandleFunc("GET /api/"+kind+"/groups/createdsince/organisation/{group}/sincetoken/{token}/quantity/{quantity}", s.since(list))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /core/connect/token", s.token)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || !account.LoggedIn(bearer) {
			http.Error(w, "Authorization has been denied for this request.", http.StatusUnauthorized)
			return
		}
		api.ServeHTTP(w, r)
	})
	return mux
}

func (s *server) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	if !s.account.Accepts("client_id", id) || !s.account.Accepts("client_secret", secret) {
		fake.ReplyStatus(w, http.StatusBadRequest, object{"error": "invalid_client"})
		return
	}
	if r.FormValue("grant_type") != "password" || !strings.Contains(r.FormValue("scope"), "MiX.Integrate") {
		fake.ReplyStatus(w, http.StatusBadRequest, object{"error": "unauthorized_client"})
		return
	}
	if !s.account.Accepts("username", r.FormValue("username")) || !s.account.Accepts("password", r.FormValue("password")) {
		fake.ReplyStatus(w, http.StatusBadRequest, object{"error": "invalid_grant"})
		return
	}
	fake.Reply(w, object{
		"access_token": s.account.Login(tokenLife), "expires_in": int(tokenLife.Seconds()),
		"token_type": "Bearer", "refresh_token": "not-needed",
	})
}

// object is a JSON object.
type object map[string]any

// AssetID returns the id of a vehicle: a signed number that no float64 holds.
func AssetID(v sim.Vehicle) string {
	id := "186053083632815" + v.ID
	if v.Index%2 > 0 {
		return "-" + id
	}
	return id
}

// DriverID returns the id of a driver.
func DriverID(id string) string { return "-14384229615004" + id }

func organisationOf(v sim.Vehicle) string { return organisations[v.Index/2%2] }

// vehicles returns those of an organisation; false where there is no such.
func (s *server) vehicles(organisation string) ([]sim.Vehicle, bool) {
	var mine []sim.Vehicle
	for _, v := range s.account.Vehicles() {
		if organisationOf(v) == organisation {
			mine = append(mine, v)
		}
	}
	return mine, organisation == organisations[0] || organisation == organisations[1]
}

func (s *server) groups(w http.ResponseWriter, _ *http.Request) {
	var list []object
	for i, id := range organisations {
		list = append(list, object{
			"GroupId": json.Number(id), "Name": fmt.Sprintf("Acme %d", i+1), "Type": "OrganisationGroup",
			"DisplayTimeZone": "AUS Eastern Standard Time",
		})
	}
	fake.Reply(w, list)
}

func (s *server) assets(w http.ResponseWriter, r *http.Request) {
	vehicles, ok := s.vehicles(r.PathValue("group"))
	if !ok {
		notAuthorised(w)
		return
	}
	var list []object
	for _, v := range vehicles {
		state := "Available"
		if !v.Active {
			state = "Decommissioned"
		}
		list = append(list, object{
			"AssetId": json.Number(AssetID(v)), "AssetTypeId": 1, "Description": v.Name, "IsConnectedTrailer": false,
			"RegistrationNumber": v.Registration, "SiteId": -754974719, "FuelType": "Diesel", "FleetNumber": v.ID,
			"Make": v.Make, "Model": v.Model, "Year": strconv.Itoa(v.Year), "VinNumber": v.VIN, "UserState": state,
			"CreatedDate": "2021-02-01T08:00:00+00:00", "EngineHours": "63.08:10:00", "Country": "AU",
		})
	}
	replyList(w, http.StatusOK, list)
}

func (s *server) drivers(w http.ResponseWriter, r *http.Request) {
	vehicles, ok := s.vehicles(r.PathValue("group"))
	if !ok {
		notAuthorised(w)
		return
	}
	list := []object{{"DriverId": json.Number(stranger), "Name": "Unknown driver", "IsSystemDriver": true}}
	for _, v := range vehicles {
		for _, id := range v.Drivers {
			list = append(list, object{"DriverId": json.Number(DriverID(id)), "Name": "Driver " + id, "IsSystemDriver": false})
		}
	}
	replyList(w, http.StatusOK, list)
}

func notAuthorised(w http.ResponseWriter) {
	http.Error(w, "UnauthorizedAccessException: Not Authorised", http.StatusUnauthorized)
}

func badArgument(w http.ResponseWriter, what string) {
	http.Error(w, "ArgumentException: "+what, http.StatusBadRequest)
}

// replyList says nothing with 204.
func replyList(w http.ResponseWriter, status int, list []object) {
	if len(list) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	fake.ReplyStatus(w, status, list)
}
