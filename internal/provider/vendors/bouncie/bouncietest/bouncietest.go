// Package bouncietest is a fake of the Bouncie API and of its token server that
// serves a simulated fleet.
package bouncietest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

const (
	lifetime  = time.Hour
	maxWindow = 7 * 24 * time.Hour

	metresPerMile = 1609.344
)

type server struct{ account *sim.Account }

// New returns both servers under their paths. The account's credentials are
// client_id, client_secret, redirect_uri and authorization_code.
func New(account *sim.Account) http.Handler {
	s := &server{account}
	api := http.NewServeMux()
	api.HandleFunc("GET /v1/vehicles", s.vehicles)
	api.HandleFunc("GET /v1/trips", s.trips)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /oauth/token", s.token)
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) {
		if !account.LoggedIn(r.Header.Get("Authorization")) { // a token alone, without the word Bearer
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		api.ServeHTTP(w, r)
	})
	return mux
}

// object is a JSON object.
type object map[string]any

// token trades the authorization code, as often as it is asked to.
func (s *server) token(w http.ResponseWriter, r *http.Request) {
	var form map[string]string
	if err := json.NewDecoder(r.Body).Decode(&form); err != nil {
		fake.ReplyStatus(w, http.StatusBadRequest, object{"error": "invalid_request"})
		return
	}
	switch {
	case !s.account.Accepts("client_id", form["client_id"]) || !s.account.Accepts("client_secret", form["client_secret"]):
		fake.ReplyStatus(w, http.StatusUnauthorized, object{"error": "invalid_client"})
	case form["grant_type"] != "authorization_code" || !s.account.Accepts("authorization_code", form["code"]) ||
		!s.account.Accepts("redirect_uri", form["redirect_uri"]):
		fake.ReplyStatus(w, http.StatusBadRequest, object{"error": "invalid_grant"})
	default:
		fake.Reply(w, object{
			"access_token": s.account.Login(lifetime), "refresh_token": "unused",
			"expires_in": int(lifetime.Seconds()), "token_type": "Bearer",
		})
	}
}

// vehicles serves all of them, or those that limit and skip select.
func (s *server) vehicles(w http.ResponseWriter, r *http.Request) {
	vehicles := s.account.Vehicles()
	skip, ok := positive(w, r, "skip", 0)
	if !ok {
		return
	}
	limit, ok := positive(w, r, "limit", len(vehicles))
	if !ok {
		return
	}
	skip = min(skip, len(vehicles))
	list := []object{}
	for _, v := range vehicles[skip:min(skip+limit, len(vehicles))] {
		list = append(list, s.vehicle(v))
	}
	fake.Reply(w, list)
}

// positive reads a number above zero; any other is refused.
func positive(w http.ResponseWriter, r *http.Request, name string, otherwise int) (int, bool) {
	if !r.URL.Query().Has(name) {
		return otherwise, true
	}
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil || n <= 0 {
		fake.ReplyStatus(w, http.StatusBadRequest, object{"errors": name + " must be greater than 0"})
		return 0, false
	}
	return n, true
}

func (s *server) vehicle(v sim.Vehicle) object {
	stats := object{"localTimeZone": "Australia/Melbourne", "isRunning": false, "mil": object{"milOn": false}}
	if v.Broken() {
		stats["mil"] = object{"milOn": true, "qualifiedDtcList": []object{{"code": "P0420", "name": []string{"Catalyst efficiency"}}}}
	}
	if p, ok := s.account.Latest(v); ok {
		stats["lastUpdated"] = timestamp(p.Time.Time)
		stats["odometer"] = *p.OdometerMetres / metresPerMile
		stats["fuelLevel"] = p.Gauges()[drover.ReadingFuelPercent]
		stats["speed"] = *p.SpeedKPH * 1000 / metresPerMile
		stats["isRunning"] = *p.Ignition
		stats["location"] = object{"lat": p.Latitude, "lon": p.Longitude, "heading": *p.Heading, "address": "1 Sturt St"}
	}
	return object{
		"model": object{"make": v.Make, "name": v.Model, "year": v.Year}, "nickName": v.Name,
		"standardEngine": "1.5L 4-Cylinder Turbo", "vin": v.VIN, "imei": v.IMEI, "stats": stats,
	}
}

// trips serves the trips of one vehicle that start after the one bound and end
// before the other, and the one under way.
func (s *server) trips(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	v, ok := s.account.Vehicle(query.Get("imei"), func(v sim.Vehicle) string { return v.IMEI })
	from, fromErr := time.Parse(time.RFC3339, query.Get("starts-after"))
	to, toErr := time.Parse(time.RFC3339, query.Get("ends-before"))
	switch {
	case !ok || query.Get("gps-format") != "geojson":
		fake.ReplyStatus(w, http.StatusBadRequest, object{"errors": "imei and gps-format are required"})
		return
	case fromErr != nil || toErr != nil || to.Sub(from) > maxWindow:
		fake.ReplyStatus(w, http.StatusBadRequest, object{"errors": "the window must be no more than a week"})
		return
	}
	list := []object{}
	for _, t := range s.account.Trips(v, from, to) {
		if t.StartTime.After(from) {
			list = append(list, trip(v, t))
		}
	}
	if run := s.account.UnderWay(v); len(run) > 0 && run[0].Time.After(from) {
		p := run[0]
		list = append(list, object{
			"transactionId": transaction(v, p.Time.Time), "imei": v.IMEI, "startTime": timestamp(p.Time.Time),
			"timeZone": "Australia/Melbourne", "startOdometer": *p.OdometerMetres / metresPerMile, "endOdometer": nil,
		})
	}
	fake.Reply(w, list)
}

func trip(v sim.Vehicle, t sim.Trip) object {
	miles := t.DistanceMetres / metresPerMile
	ends := [][]float64{{t.Start.Longitude, t.Start.Latitude}, {t.End.Longitude, t.End.Latitude}}
	return object{
		"transactionId": transaction(v, t.StartTime), "imei": v.IMEI, "timeZone": "Australia/Melbourne",
		"startTime": timestamp(t.StartTime), "endTime": timestamp(t.EndTime), "distance": miles,
		"startOdometer": t.StartOdometer / metresPerMile, "endOdometer": t.StartOdometer/metresPerMile + miles,
		"averageSpeed": 35.5, "maxSpeed": 65, "fuelConsumed": 0.8,
		// The power take-off runs at standstill: it is idling to this vendor.
		"totalIdleDuration": t.IdlingSeconds + t.AuxiliarySeconds,
		"gps":               object{"type": "LineString", "coordinates": ends},
	}
}

func transaction(v sim.Vehicle, start time.Time) string {
	return v.IMEI + "-" + strconv.FormatInt(start.Unix(), 10) + "-" + start.Format("200601")
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
