// Package trackunittest is a fake of Trackunit's APIs that serves a simulated
// fleet: tokens of both kinds, the export after ISO 15143-3, assets and locations.
package trackunittest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

const (
	export     = "/public/api/aemp/v2/15143/-3"
	fleetPage  = 100
	seriesPage = 100
	maxSeries  = 14 * 24 * time.Hour
	// Each address of the export may be read once in a quarter of an hour, and
	// fifty times more.
	quarter = 15 * time.Minute
	pool    = 50
)

type server struct {
	account *sim.Account
	// scopes are those that the API token allows.
	scopes map[string]bool

	mu    sync.Mutex
	reads map[string]*reads
}

// reads are those of one address.
type reads struct {
	last  time.Time
	extra int
}

// New returns the servers, all below one address. The account's credentials are
// client_id and client_secret, and for a classic user username and password.
func New(account *sim.Account) http.Handler {
	return serve(account, "api.iso15143.snapshot", "api.iso15143.timeseries", "asset.view")
}

// NewExportOnly returns servers whose API token allows the export and nothing else.
func NewExportOnly(account *sim.Account) http.Handler {
	return serve(account, "api.iso15143.snapshot", "api.iso15143.timeseries")
}

func serve(account *sim.Account, scopes ...string) http.Handler {
	s := &server{account: account, reads: map[string]*reads{}, scopes: map[string]bool{}}
	for _, scope := range scopes {
		s.scopes[scope] = true
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token/v2", s.tokenV2)
	mux.HandleFunc("POST /token", s.tokenV1)
	mux.HandleFunc("GET "+export+"/Fleet/{page}", s.guarded(s.fleet))
	mux.HandleFunc("GET "+export+"/Fleet/Equipment/ID/{id}/Locations/{start}/{end}/{page}", s.guarded(s.series))
	if s.scopes["asset.view"] {
		mux.HandleFunc("GET /api/asset/v2/assets", s.guarded(s.assets))
		mux.HandleFunc("GET /api/location/v1/locations", s.guarded(s.locations))
	}
	mux.HandleFunc("GET /api/", s.guarded(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusForbidden, "access_denied")
	}))
	return mux
}

func (s *server) tokenV2(w http.ResponseWriter, r *http.Request) {
	scope := r.PostFormValue("scope")
	for name := range strings.FieldsSeq(scope) {
		if !s.scopes[name] {
			refuseToken(w, http.StatusBadRequest, "invalid_scope")
			return
		}
	}
	switch {
	case r.PostFormValue("grant_type") != "client_credentials":
		refuseToken(w, http.StatusBadRequest, "unsupported_grant_type")
	case !s.account.Accepts("client_id", r.PostFormValue("client_id")),
		!s.account.Accepts("client_secret", r.PostFormValue("client_secret")):
		refuseToken(w, http.StatusUnauthorized, "invalid_client")
	default:
		s.grant(w, 20*time.Minute, scope)
	}
}

func (s *server) tokenV1(w http.ResponseWriter, r *http.Request) {
	id, secret, ok := r.BasicAuth()
	switch {
	case !ok || !s.account.Accepts("client_id", id) || !s.account.Accepts("client_secret", secret):
		refuseToken(w, http.StatusUnauthorized, "invalid_client")
	case r.PostFormValue("grant_type") != "password",
		!s.account.Accepts("username", r.PostFormValue("username")),
		!s.account.Accepts("password", r.PostFormValue("password")):
		refuseToken(w, http.StatusBadRequest, "invalid_grant")
	default:
		s.grant(w, time.Hour, "api")
	}
}

func (s *server) grant(w http.ResponseWriter, life time.Duration, scope string) {
	fake.Reply(w, object{
		"token_type": "Bearer", "expires_in": life.Seconds(), "access_token": s.account.Login(life), "scope": scope,
	})
}

func refuseToken(w http.ResponseWriter, status int, code string) {
	fake.ReplyStatus(w, status, object{"error": code, "error_description": "The request was refused."})
}

// guarded checks what every call checks.
func (s *server) guarded(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case !s.account.LoggedIn(token):
			refuse(w, http.StatusUnauthorized, "unauthorized")
		case r.Header.Get("Accept") != "application/json":
			refuse(w, http.StatusNotAcceptable, "not_acceptable") // the XML form is not faked
		default:
			serve(w, r)
		}
	}
}

// allowed counts a read of the export. It refuses one that comes too early once
// the pool is used up.
func (s *server) allowed(w http.ResponseWriter, address string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.account.Now()
	if s.reads[address] == nil {
		s.reads[address] = &reads{}
	}
	r := s.reads[address]
	if now.Sub(r.last) < quarter {
		if r.extra++; r.extra > pool {
			refuse(w, http.StatusTooManyRequests, "rate_limit_exceeded")
			return false
		}
	}
	r.last = now
	return true
}

// fleet serves a page of the snapshot.
func (s *server) fleet(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(w, r.URL.Path) {
		return
	}
	number, err := strconv.Atoi(r.PathValue("page"))
	all := s.account.Vehicles()
	first := (number - 1) * fleetPage
	if err != nil || first < 0 || first >= len(all) {
		refuse(w, http.StatusNotFound, "page_not_found")
		return
	}
	end := min(first+fleetPage, len(all))
	list := []object{}
	for _, v := range all[first:end] {
		list = append(list, s.machine(v, r.URL.Query().Get("addMetadata") == "true"))
	}
	fake.Reply(w, object{"links": links(number, end < len(all), export+"/Fleet"), "equipment": list})
}

func links(number int, more bool, path string) []object {
	list := []object{{"rel": "self", "href": fmt.Sprintf("https://iris.trackunit.com%s/%d", path, number)}}
	if more {
		list = append(list, object{"rel": "next", "href": fmt.Sprintf("https://iris.trackunit.com%s/%d", path, number+1)})
	}
	return list
}

func (s *server) machine(v sim.Vehicle, metadata bool) object {
	o := object{"EquipmentHeader": object{
		// The equipment id is what the customer calls a machine: many the same.
		"OEMName": v.Make, "Model": v.Model, "EquipmentID": "Mini digger", "SerialNumber": v.VIN, "PIN": v.VIN,
	}}
	if metadata {
		o["metadata"] = object{"assetId": AssetID(v)}
	}
	if p, ok := s.account.Latest(v); ok {
		at := timestamp(p.Time.Time)
		o["Location"] = object{"Latitude": p.Latitude, "Longitude": p.Longitude, "datetime": at}
		o["EngineStatus"] = object{"Running": *p.Ignition, "datetime": at}
		o["Distance"] = object{"OdometerUnits": "kilometre", "Odometer": *p.OdometerMetres / 1000, "datetime": at}
		g := p.Gauges()
		o["CumulativeOperatingHours"] = object{"Hour": g[drover.ReadingEngine] / 3600, "datetime": at}
		o["CumulativeIdleHours"] = object{"Hour": g[drover.ReadingIdle] / 3600, "datetime": at}
		o["FuelUsed"] = object{"FuelUnits": "litre", "FuelConsumed": g[drover.ReadingFuelUsed], "datetime": at}
		o["FuelRemaining"] = object{"Percent": g[drover.ReadingFuelPercent], "datetime": at}
		o["DEFRemaining"] = object{"Percent": g[drover.ReadingDEF], "datetime": at}
	}
	return o
}

// AssetID is an id of Trackunit's own, different from that of the equipment.
func AssetID(v sim.Vehicle) string {
	return fmt.Sprintf("035c52d4-a533-4a83-8687-%012d", v.Index+1)
}

// series serves the locations of a machine.
func (s *server) series(w http.ResponseWriter, r *http.Request) {
	v, ok := s.account.Vehicle(r.PathValue("id"), func(v sim.Vehicle) string { return v.VIN })
	if !ok {
		refuse(w, http.StatusNotFound, "equipment_not_found")
		return
	}
	if !s.allowed(w, "Locations of "+v.ID) {
		return
	}
	from, errFrom := time.Parse(time.RFC3339, r.PathValue("start"))
	to, errTo := time.Parse(time.RFC3339, r.PathValue("end"))
	number, errPage := strconv.Atoi(r.PathValue("page"))
	if errFrom != nil || errTo != nil || errPage != nil || number < 1 || to.Sub(from) > maxSeries {
		refuse(w, http.StatusBadRequest, "invalid_range")
		return
	}
	samples := s.account.Positions(v, from, to)
	first := min((number-1)*seriesPage, len(samples))
	end := min(first+seriesPage, len(samples))
	list := []object{}
	for _, p := range samples[first:end] {
		list = append(list, object{"Latitude": p.Latitude, "Longitude": p.Longitude, "datetime": timestamp(p.Time.Time)})
	}
	path := strings.TrimSuffix(r.URL.Path, "/"+r.PathValue("page"))
	fake.Reply(w, object{"links": links(number, end < len(samples), path), "location": list})
}

func (s *server) assets(w http.ResponseWriter, r *http.Request) {
	var list []object
	for _, v := range s.account.Vehicles() {
		list = append(list, object{
			"id": AssetID(v), "name": v.Name, "brand": v.Make, "model": v.Model, "serialNumber": v.VIN, "type": "TRUCK",
		})
	}
	paged(w, r, list)
}

func (s *server) locations(w http.ResponseWriter, r *http.Request) {
	var list []object
	for _, v := range s.account.Vehicles() {
		if p, ok := s.account.Latest(v); ok {
			list = append(list, object{
				"type": "Feature", "assetId": AssetID(v),
				"geometry": object{"type": "Point", "coordinates": []float64{p.Longitude, p.Latitude, 258.8}},
				"properties": object{
					"speed": *p.SpeedKPH, "heading": *p.Heading, "accuracy": 5, "updatedAt": timestamp(p.Time.Time),
				},
			})
		}
	}
	paged(w, r, list)
}

// paged serves the part of a list that the query asks for. Pages count from 0.
func paged(w http.ResponseWriter, r *http.Request, list []object) {
	number, _ := strconv.Atoi(r.URL.Query().Get("page"))
	size, err := strconv.Atoi(r.URL.Query().Get("size"))
	if err != nil {
		size = 20
	}
	if number < 0 || size < 1 || size > 1000 {
		refuse(w, http.StatusBadRequest, "constraint_violation")
		return
	}
	first := min(number*size, len(list))
	end := min(first+size, len(list))
	fake.Reply(w, object{
		"totalPages": (len(list) + size - 1) / size, "totalElements": len(list), "number": number, "size": size,
		"numberOfElements": end - first, "content": append([]object{}, list[first:end]...),
	})
}

// object is a JSON object.
type object map[string]any

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

func refuse(w http.ResponseWriter, status int, code string) {
	fake.ReplyStatus(w, status, object{"status": status, "code": code, "message": "The request was refused."})
}
