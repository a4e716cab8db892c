// Package johndeeretest is a fake of John Deere's APIs that serves a simulated
// fleet: sign-in, the fleet of ISO 15143-3, the list of equipment, tracks and
// engine hours. All of them are below one address, under their own paths.
package johndeeretest

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

const fleetPage = 100

type server struct{ account *sim.Account }

// New returns the servers. The account's credentials are client_id, client_secret
// and refresh_token, which is good for one use, and, where a person may agree,
// authorization_code.
func New(account *sim.Account) http.Handler {
	s := &server{account}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /oauth2/aus78tnlaysMraFhC1t7/v1/token", s.token)
	mux.HandleFunc("GET /Fleet/{page}", s.guarded("application/xml", s.fleet))
	mux.HandleFunc("GET /isg/equipment", s.guarded("application/json", s.equipment))
	const platform = "application/vnd.deere.axiom.v3+json"
	mux.HandleFunc("GET /platform/machines/{id}/breadcrumbs", s.guarded(platform, s.breadcrumbs))
	mux.HandleFunc("GET /platform/machines/{id}/hoursOfOperation", s.guarded(platform, s.hours))
	mux.HandleFunc("GET /platform/machines/{id}/alerts", s.guarded(platform, s.alerts))
	return mux
}

// token trades a refresh token for an access token and a new refresh token.
func (s *server) token(w http.ResponseWriter, r *http.Request) {
	id, secret, ok := r.BasicAuth()
	switch {
	case !ok || !s.account.Accepts("client_id", id) || !s.account.Accepts("client_secret", secret):
		fake.ReplyStatus(w, http.StatusUnauthorized, object{"error": "invalid_client", "error_description": "No client credentials found."})
	case !s.granted(r):
		fake.ReplyStatus(w, http.StatusBadRequest, object{
			"error":             "invalid_grant",
			"error_description": "The refresh token is invalid or expired.",
		})
	default:
		fake.Reply(w, object{
			"token_type": "Bearer", "expires_in": 43200, "scope": "eq1 offline_access",
			"access_token":  s.account.Login(12 * time.Hour),
			"refresh_token": s.account.Rotate("refresh_token"),
		})
	}
}

// granted reports whether a refresh token, or the code of a consent, is good.
func (s *server) granted(r *http.Request) bool {
	switch r.PostFormValue("grant_type") {
	case "refresh_token":
		return s.account.Accepts("refresh_token", r.PostFormValue("refresh_token"))
	case "authorization_code":
		return s.account.Accepts("authorization_code", r.PostFormValue("code")) && r.PostFormValue("redirect_uri") != ""
	default:
		return false
	}
}

// guarded checks what every call checks.
func (s *server) guarded(accept string, serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case !s.account.LoggedIn(token):
			fake.ReplyStatus(w, http.StatusUnauthorized, object{"message": "Unauthorized"})
		case r.Header.Get("Accept") != accept:
			fake.ReplyStatus(w, http.StatusNotAcceptable, object{"message": "Not acceptable"})
		default:
			serve(w, r)
		}
	}
}

type link struct {
	Rel  string `xml:"rel"`
	Href string `xml:"href"`
}

type measure struct {
	Time      string  `xml:"datetime,attr"`
	Latitude  float64 `xml:"Latitude,omitempty"`
	Longitude float64 `xml:"Longitude,omitempty"`
	Units     string  `xml:"OdometerUnits,omitempty"`
	Odometer  string  `xml:"Odometer,omitempty"`
	Hour      float64 `xml:"Hour,omitempty"`
	FuelUnits string  `xml:"FuelUnits,omitempty"`
	Fuel      float64 `xml:"FuelConsumed,omitempty"`
	Percent   float64 `xml:"Percent,omitempty"`
}

type equipment struct {
	Make      string   `xml:"EquipmentHeader>OEMName"`
	Model     string   `xml:"EquipmentHeader>Model"`
	ID        string   `xml:"EquipmentHeader>EquipmentID"`
	Serial    string   `xml:"EquipmentHeader>SerialNumber"`
	PIN       string   `xml:"EquipmentHeader>PIN"`
	Location  *measure `xml:"Location"`
	Operating *measure `xml:"CumulativeOperatingHours"`
	Distance  *measure `xml:"Distance"`
	Idle      *measure `xml:"CumulativeIdleHours"`
	FuelUsed  *measure `xml:"FuelUsed"`
	Fuel      *measure `xml:"FuelRemaining"`
	DEF       *measure `xml:"DEFRemaining"`
}

type fleet struct {
	XMLName   xml.Name    `xml:"http://standards.iso.org/iso/15143/-3 Fleet"`
	Version   int         `xml:"version,attr"`
	Time      string      `xml:"snapshotTime,attr"`
	Links     []link      `xml:"Links>Link"` // nested, as the vendor's own example has them
	Equipment []equipment `xml:"Equipment"`
}

// fleet serves a page of the snapshot.
func (s *server) fleet(w http.ResponseWriter, r *http.Request) {
	page, err := strconv.Atoi(r.PathValue("page"))
	all := s.account.Vehicles()
	first := (page - 1) * fleetPage
	if err != nil || first < 0 || first >= len(all) {
		http.Error(w, "no such page", http.StatusNotFound)
		return
	}
	end := min(first+fleetPage, len(all))
	f := fleet{Version: 1, Time: timestamp(s.account.Now()), Links: []link{pageLink("self", page)}}
	if end < len(all) {
		f.Links = append(f.Links, pageLink("next", page+1))
	}
	for _, v := range all[first:end] {
		f.Equipment = append(f.Equipment, s.machine(v))
	}
	w.Header().Set("Content-Type", "application/xml")
	_ = xml.NewEncoder(w).Encode(f) // a client that has gone away needs no answer
}

func pageLink(rel string, page int) link {
	return link{rel, fmt.Sprintf("https://partneraemp.deere.com/Fleet/%d", page)}
}

func (s *server) machine(v sim.Vehicle) equipment {
	e := equipment{Make: v.Make, Model: v.Model, ID: v.Name, Serial: v.VIN, PIN: v.VIN}
	if p, ok := s.account.Latest(v); ok {
		at := timestamp(p.Time.Time)
		e.Location = &measure{Time: at, Latitude: p.Latitude, Longitude: p.Longitude}
		g := p.Gauges()
		e.Operating = &measure{Time: at, Hour: g[drover.ReadingEngine] / 3600}
		e.Idle = &measure{Time: at, Hour: g[drover.ReadingIdle] / 3600}
		e.FuelUsed = &measure{Time: at, FuelUnits: "litre", Fuel: g[drover.ReadingFuelUsed]}
		e.Fuel = &measure{Time: at, Percent: g[drover.ReadingFuelPercent]}
		e.DEF = &measure{Time: at, Percent: g[drover.ReadingDEF]}
		e.Distance = &measure{Time: at, Units: "kilometre", Odometer: fmt.Sprintf("%.3f", *p.OdometerMetres/1000)}
	}
	return e
}

// equipment serves the list of the Operations Center.
func (s *server) equipment(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if query.Get("categories") == "" {
		fake.ReplyStatus(w, http.StatusBadRequest, []object{{"message": "At least one query parameter is required", "code": "400"}})
		return
	}
	values := []object{}
	for _, v := range s.account.Vehicles() {
		values = append(values, object{
			"@type": "Machine", "id": number(v.ID), "principalId": number(v.ID), "name": v.VIN, "serialNumber": v.VIN,
			"modelYear": strconv.Itoa(v.Year), "telematicsCapable": true, "archived": !v.Active,
			"make": object{"name": v.Make, "id": "1111"}, "model": []object{{"name": v.Model, "id": 65985}},
			"organization": []object{{"@type": "Resource", "id": 1234}},
		})
	}
	limit, err := strconv.Atoi(query.Get("itemLimit"))
	if err != nil || limit > 100 {
		limit = 100 // whatever is asked for
	}
	paged(w, r, "https://equipmentapi.deere.com", values, limit)
}

// paged serves the part of a list that the query asks for, with a link to the
// next one.
func paged(w http.ResponseWriter, r *http.Request, host string, values []object, limit int) {
	query := r.URL.Query()
	offset, _ := strconv.Atoi(query.Get("pageOffset"))
	offset = min(max(offset, 0), len(values))
	end := min(offset+limit, len(values))
	links := []object{{"rel": "self", "uri": host + r.URL.RequestURI()}}
	if end < len(values) {
		query.Set("pageOffset", strconv.Itoa(end))
		links = append(links, object{"rel": "nextPage", "uri": host + r.URL.Path + "?" + query.Encode()})
	}
	answer := object{"links": links, "total": len(values), "values": values[offset:end]}
	if end-offset == 1 {
		answer["values"] = values[offset] // one alone is no list
	}
	fake.Reply(w, answer)
}

// object is a JSON object.
type object map[string]any

func number(id string) json.Number { return json.Number(id) }

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
