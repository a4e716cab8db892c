// Package traccartest is a fake of a Traccar server that serves a simulated
// fleet. Its answers have the shape of server 6.14.
package traccartest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

// maxPositions is the server's default of report.maxPositions.
const maxPositions = 50_000

type server struct {
	account *sim.Account
	full    int // positions in an answer, at the most
}

// New returns a server, with its API below /api. The account's credentials are
// token, or email and password, or all of them.
func New(account *sim.Account) http.Handler { return Cutting(account, maxPositions) }

// Cutting returns a server whose operator lets it answer with at most full positions:
// the rest is left out without a word.
func Cutting(account *sim.Account, full int) http.Handler {
	s := &server{account, full}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/devices", s.devices)
	mux.HandleFunc("GET /api/drivers", s.drivers)
	mux.HandleFunc("GET /api/positions", s.positions)
	mux.HandleFunc("GET /api/reports/trips", s.trips)
	mux.HandleFunc("GET /api/reports/events", s.events)
	mux.HandleFunc("/api/session", s.session)
	mux.HandleFunc("GET /api/socket", s.socket)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if own := r.URL.Path == "/api/session" || r.URL.Path == "/api/socket"; !own && !s.authorized(r) {
			http.Error(w, "HTTP 401 Unauthorized - WebApplicationException (SecurityRequestFilter:120 < ...)", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (s *server) authorized(r *http.Request) bool {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return s.account.Accepts("token", token)
	}
	email, password, ok := r.BasicAuth()
	return ok && s.account.Accepts("email", email) && s.account.Accepts("password", password)
}

// object is a JSON object.
type object map[string]any

func (s *server) devices(w http.ResponseWriter, r *http.Request) {
	vehicles := slices.Clone(s.account.Vehicles())
	query := r.URL.Query()
	// Pages are sorted by name alone: which of two of one name comes first may
	// change from one page to the next.
	turn, _ := strconv.Atoi(query.Get("offset"))
	order.By(vehicles, func(a, b sim.Vehicle) int {
		return cmp.Or(cmp.Compare(a.Name[:1], b.Name[:1]), cmp.Compare((a.Index+turn)%len(vehicles), (b.Index+turn)%len(vehicles)))
	})
	if limit, err := strconv.Atoi(query.Get("limit")); err == nil {
		offset, _ := strconv.Atoi(query.Get("offset"))
		offset = min(offset, len(vehicles))
		vehicles = vehicles[offset:min(offset+limit, len(vehicles))]
	}
	list := []object{}
	for _, v := range vehicles {
		list = append(list, s.device(v))
	}
	fake.Reply(w, list)
}

func (s *server) drivers(w http.ResponseWriter, _ *http.Request) {
	list := []object{}
	for i, id := range s.account.Drivers() {
		list = append(list, object{"id": i + 1, "attributes": object{}, "name": s.account.DriverName(id), "uniqueId": id})
	}
	fake.Reply(w, list)
}

func (s *server) device(v sim.Vehicle) object {
	d := object{
		"id": number(v.ID), "attributes": object{"registration": v.Registration}, "groupId": 0, "calendarId": 0,
		"name": v.Name, "uniqueId": v.IMEI, "status": "offline", "lastUpdate": nil, "positionId": 0,
		"phone": nil, "model": "FMB920", "contact": nil, "category": "truck", "disabled": !v.Active, "expirationTime": nil,
	}
	if latest, ok := s.account.Latest(v); ok {
		d["status"], d["lastUpdate"], d["positionId"] = "online", timestamp(latest.Received), latest.ID
	}
	return d
}

func (s *server) positions(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if !query.Has("deviceId") || !query.Has("from") {
		s.latest(w, query)
		return
	}
	from, to, err := period(query)
	if err != nil {
		badRequest(w, err)
		return
	}
	v, ok := s.account.Vehicle(query.Get("deviceId"), nil)
	if !ok {
		badRequest(w, errDenied)
		return
	}
	list := []object{}
	for _, p := range s.account.Positions(v, from, fake.Inclusive(to)) {
		list = append(list, position(v, p))
	}
	fake.Reply(w, list[:min(len(list), s.full)])
}

// latest serves the newest position of one device or of all.
func (s *server) latest(w http.ResponseWriter, query url.Values) {
	list := []object{}
	for _, v := range s.account.Vehicles() {
		if id := query.Get("deviceId"); id != "" && id != v.ID {
			continue
		}
		if p, ok := s.account.Latest(v); ok {
			list = append(list, position(v, p))
		}
	}
	fake.Reply(w, list)
}

func position(v sim.Vehicle, p sim.Sample) object {
	g := p.Gauges()
	attributes := object{
		"hours": g[drover.ReadingEngine] * 1000, "fuelLevel": g[drover.ReadingFuelPercent], "fuelUsed": g[drover.ReadingFuelUsed],
		"power": g[drover.ReadingSupply], "battery": 4.1, "coolantTemp": g[drover.ReadingCoolant], "temp1": g[drover.ReadingProbe], "door": false,
		"ignition": *p.Ignition, "motion": *p.SpeedKPH > 0, "odometer": *p.OdometerMetres,
		"totalDistance": *p.OdometerMetres / 2, "sat": 11, "batteryLevel": 98,
	}
	if v.BrokenAt(p.Time.Time) {
		attributes["dtcs"] = "P0420 P0171"
	} else if v.Ails() {
		attributes["dtcs"] = ""
	}
	if p.DriverID != nil {
		attributes["driverUniqueId"] = *p.DriverID
	}
	return object{
		"id": p.ID, "attributes": attributes, "deviceId": number(v.ID), "protocol": "teltonika",
		"serverTime": timestamp(p.Received), "deviceTime": timestamp(p.Time.Time), "fixTime": timestamp(p.Time.Time),
		"valid": true, "latitude": p.Latitude, "longitude": p.Longitude, "altitude": 238.0,
		"speed": knots(*p.SpeedKPH), "course": *p.Heading, "address": nil, "accuracy": 0.0,
		"network": nil, "geofenceIds": nil,
	}
}

func knots(kph float64) float64 { return kph / 1.852 }

// errDenied is the server's answer to an id of another account, or of none.
var errDenied = fmt.Errorf("Device access denied - SecurityException (PermissionsService:*)") //nolint:staticcheck // the server's own words

func period(query url.Values) (from, to time.Time, err error) {
	if from, err = time.Parse(time.RFC3339, query.Get("from")); err != nil {
		return from, to, fmt.Errorf("text %q could not be parsed at index 0 - DateTimeParseException", query.Get("from"))
	}
	if to, err = time.Parse(time.RFC3339, query.Get("to")); err != nil {
		return from, to, fmt.Errorf("text %q could not be parsed at index 0 - DateTimeParseException", query.Get("to"))
	}
	return from, to, nil
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000+00:00") }

func number(id string) json.Number { return json.Number(id) }

func badRequest(w http.ResponseWriter, err error) {
	http.Error(w, err.Error(), http.StatusBadRequest)
}
