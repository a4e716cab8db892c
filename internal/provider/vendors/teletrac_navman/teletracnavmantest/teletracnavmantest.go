// Package teletracnavmantest is a fake of the TN360 API that serves a simulated
// fleet.
package teletracnavmantest

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

const (
	maxPositions = 100
	maxRange     = 7 * 24 * time.Hour
	day          = 24 * time.Hour
)

// zone is the one in which the vendor writes some of its times.
var zone = time.FixedZone("", 10*3600)

type server struct{ account *sim.Account }

// New returns a server with its API below /v1. The account's credential is
// api_key.
func New(account *sim.Account) http.Handler {
	s := &server{account}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/vehicles", s.vehicles)
	mux.HandleFunc("GET /v1/vehicles/stats", s.stats)
	mux.HandleFunc("GET /v1/vehicles/{id}/positions", s.positions)
	mux.HandleFunc("GET /v1/events", s.events)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || !account.Accepts("api_key", key) {
			refuse(w, http.StatusUnauthorized, "Unauthorized")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// object is a JSON object.
type object map[string]any

func (s *server) vehicles(w http.ResponseWriter, r *http.Request) {
	list := []object{}
	for _, v := range s.account.Vehicles() {
		status := "ENABLED"
		if !v.Active {
			status = "DISABLED"
		}
		if !v.Active && r.URL.Query().Get("status") != "ALL" {
			continue
		}
		list = append(list, object{
			"id": json.Number(v.ID), "companyId": 930, "name": v.Name, "externalId": "T" + v.ID,
			"registration": v.Registration, "registrationState": "VIC", "vin": v.VIN, "make": v.Make, "model": v.Model,
			"year": v.Year, "type": object{"id": 3, "name": "Truck", "code": "TRUCK"}, "status": status,
		})
	}
	fake.Reply(w, list)
}

// stats serves the newest position of each vehicle that was updated since a time.
func (s *server) stats(w http.ResponseWriter, r *http.Request) {
	since := time.Time{}
	if text := r.URL.Query().Get("last_updated"); text != "" {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			refuse(w, http.StatusBadRequest, "last_updated is no date")
			return
		}
		since = at
	}
	list := []object{}
	for _, v := range s.account.Vehicles() {
		updated, ok := s.updated(v)
		if newest, has := s.account.Latest(v); ok && has && !updated.Before(since) {
			list = append(list, stat(v, newest, updated))
		}
	}
	fake.Reply(w, list)
}

// updated returns when the vendor last heard of a vehicle.
func (s *server) updated(v sim.Vehicle) (time.Time, bool) {
	now := s.account.Now()
	for back := time.Hour; back <= 3*day; back *= 3 {
		if arrived := s.account.Arrived(v, now.Add(-back), now.Add(time.Second)); len(arrived) > 0 {
			return arrived[len(arrived)-1].Received, true
		}
	}
	return time.Time{}, false
}

func stat(v sim.Vehicle, p sim.Sample, updated time.Time) object {
	gps := place(p)
	gps["valid"] = true
	o := object{
		"GPS": gps, "updatedAt": updated.In(zone).Format("2006-01-02T15:04:05.000Z07:00"),
		"vehicle":   object{"name": v.Name, "externalId": "T" + v.ID, "registration": v.Registration, "vin": v.VIN, "id": json.Number(v.ID)},
		"vehicleId": json.Number(v.ID), "currentDeviceId": 34380, "gpsOdometer": *p.OdometerMetres / 1000, "location": "",
		"lastReadingsAt": p.Time.In(zone).Format("2006-01-02T15:04:05.000Z07:00"), "lastEventType": "ignition", "lastEventSubtype": "ON",
	}
	if p.DriverID != nil {
		o["currentUserId"] = json.Number(*p.DriverID)
	}
	return o
}

func place(p sim.Sample) object {
	return object{
		"Lat": p.Latitude, "Lng": p.Longitude, "Spd": *p.SpeedKPH, "Dir": *p.Heading,
		"Alt": 13.4, "NSat": 10, "HDOP": 0.9,
	}
}

func (s *server) positions(w http.ResponseWriter, r *http.Request) {
	v, ok := s.account.Vehicle(r.PathValue("id"), nil)
	if !ok {
		refuse(w, http.StatusNotFound, "Not found")
		return
	}
	from, to, ok := period(r)
	if !ok {
		refuse(w, http.StatusBadRequest, "from and to must be ISO 8601")
		return
	}
	list := []object{}
	for _, p := range s.account.Positions(v, from, to.Add(time.Nanosecond)) {
		row := place(p)
		row["At"], row["location"] = p.Time.UnixMilli(), "84 Old North Rd"
		if list = append(list, row); len(list) == maxPositions {
			break
		}
	}
	fake.Reply(w, list)
}

func (s *server) events(w http.ResponseWriter, r *http.Request) {
	from, to, ok := period(r)
	if !ok || to.Sub(from) > maxRange {
		refuse(w, http.StatusBadRequest, "from and to must be at most 7 days apart")
		return
	}
	list := []object{}
	if strings.Contains(strings.ToLower(r.URL.Query().Get("types")), "ignition") {
		for _, v := range s.account.Vehicles() {
			list = append(list, s.ignition(v, from, to)...)
		}
	}
	if strings.Contains(strings.ToLower(r.URL.Query().Get("types")), "camera") {
		for _, v := range s.account.Vehicles() {
			list = append(list, s.camera(v, from, to)...)
		}
	}
	order.By(list, func(a, b object) int { return int(a["timeAt"].(int64) - b["timeAt"].(int64)) })
	fake.Reply(w, list)
}

// ignition returns the events of a vehicle: two for each trip, and one for the
// trip under way.
func (s *server) ignition(v sim.Vehicle, from, to time.Time) []object {
	var list []object
	add := func(trip int64, action string, at time.Time, latitude, longitude, metres float64) {
		if at.Before(from) || at.After(to) {
			return
		}
		list = append(list, object{
			"id": 49000000 + len(list), "companyId": 930, "deviceId": 34380, "vehicleId": json.Number(v.ID), "tripId": trip,
			"type": "ignition", "action": action, "location": "", "timeAt": at.UnixMilli(),
			"createdAt": at.In(zone).Format(time.RFC3339), "odometer": metres / 1000, "origin": "hermes",
			"attributes": object{"seq": "4191", "status": "E"},
			"GPS":        object{"Lat": latitude, "Lng": longitude, "Spd": 0, "Dir": 0, "Alt": 30, "NSat": 12, "HDOP": 0.8},
		})
	}
	for _, t := range s.account.Trips(v, from, to.Add(day)) {
		add(t.ID, "ON", t.StartTime, t.Start.Latitude, t.Start.Longitude, t.StartOdometer)
		add(t.ID, "OFF", t.EndTime, t.End.Latitude, t.End.Longitude, t.StartOdometer+t.DistanceMetres)
	}
	if run := s.account.UnderWay(v); len(run) > 0 {
		p := run[0]
		add(p.ID, "ON", p.Time.Time, p.Latitude, p.Longitude, *p.OdometerMetres)
	}
	return list
}

// camera returns what the camera of a vehicle saw: that it came too close before it braked hard.
func (s *server) camera(v sim.Vehicle, from, to time.Time) []object {
	var list []object
	for _, p := range s.account.Brakings(v, from, to.Add(time.Nanosecond)) {
		list = append(list, object{
			"id": p.ID, "companyId": 930, "deviceId": 34380, "vehicleId": json.Number(v.ID), "tripId": 1, "type": "camera",
			"action": "FOLLOWING_DISTANCE", "location": "", "timeAt": p.Time.UnixMilli(), "createdAt": p.Time.In(zone).Format(time.RFC3339),
			"odometer": 1, "origin": "camera", "attributes": object{"context": `{"details":{"subTypeDescription":"From Front"}}`},
			"GPS": object{"Lat": p.Latitude, "Lng": p.Longitude, "Spd": 60, "Dir": *p.Heading, "Alt": 30, "NSat": 12, "HDOP": 0.8},
		})
	}
	return list
}

func period(r *http.Request) (from, to time.Time, ok bool) {
	query := r.URL.Query()
	from, errFrom := time.Parse(time.RFC3339, query.Get("from"))
	to, errTo := time.Parse(time.RFC3339, query.Get("to"))
	return from, to, errFrom == nil && errTo == nil
}

func refuse(w http.ResponseWriter, status int, message string) {
	fake.ReplyStatus(w, status, object{"message": message})
}
