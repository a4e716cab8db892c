// Package navixytest is a fake of the Navixy user API, version 2, that serves a
// simulated fleet.
package navixytest

import (
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/sim"
)

const (
	maxVehicles   = 100
	longestWindow = 24*time.Hour + 2*time.Second
)

// zone is that of the user.
var zone = time.FixedZone("user", 5*60*60)

// object is a JSON object.
type object map[string]any

// failure is an error of the vendor: its status, code and description.
type failure struct {
	status, code int
	description  string
}

var (
	wrongHash  = &failure{http.StatusBadRequest, 3, "Wrong user hash"}
	noKey      = &failure{http.StatusBadRequest, 4, "User or API key not found or session ended"}
	badFormat  = &failure{http.StatusBadRequest, 5, "Wrong request format"}
	badParams  = &failure{http.StatusBadRequest, 7, "Invalid parameters"}
	notFound   = &failure{http.StatusBadRequest, 201, "Not found in the database"}
	blocked    = &failure{http.StatusForbidden, 208, "Device blocked"}
	tooLong    = &failure{http.StatusBadRequest, 211, "Requested time span is too big"}
	tooManyIDs = &failure{http.StatusBadRequest, 212, "Requested limit is too big"}
)

// params are those of all calls.
type params struct {
	Tracker    json.Number `json:"tracker_id"`
	From       string      `json:"from"`
	To         string      `json:"to"`
	Simplify   *bool       `json:"simplify"`
	Split      *bool       `json:"split"`
	WithPoints bool        `json:"with_points"`
	Limit      int         `json:"limit"`
	Offset     int         `json:"offset"`
	Events     []string    `json:"events"`
	Ascending  *bool       `json:"ascending"`

	Trackers []json.Number `json:"trackers"`
}

type server struct{ account *sim.Account }

// New returns the API below /v2. The account's credential is api_key.
func New(account *sim.Account) http.Handler {
	s := &server{account}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v2/user/settings/read", s.handle(s.settings))
	mux.HandleFunc("POST /v2/tracker/list", s.handle(s.trackers))
	mux.HandleFunc("POST /v2/vehicle/list", s.handle(s.vehicles))
	mux.HandleFunc("POST /v2/employee/list", s.handle(s.employees))
	mux.HandleFunc("POST /v2/track/read", s.handle(s.read))
	mux.HandleFunc("POST /v2/tracker/readings/batch_list", s.handle(s.readings))
	mux.HandleFunc("POST /v2/history/user/list", s.handle(s.history))
	mux.HandleFunc("POST /v2/track/list", s.handle(s.tracks))
	mux.HandleFunc("GET /v2/event/subscription", s.socket)
	return mux
}

// handle decodes a call, checks the key and writes the answer.
func (s *server) handle(serve func(params) (object, *failure)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, failed := s.serve(r, serve)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		if failed != nil {
			w.WriteHeader(failed.status)
			answer = object{"success": false, "status": object{"code": failed.code, "description": failed.description}}
		} else {
			answer["success"] = true
		}
		_ = json.NewEncoder(w).Encode(answer) // a client that has gone away needs no answer
	}
}

func (s *server) serve(r *http.Request, serve func(params) (object, *failure)) (object, *failure) {
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "NVX ")
	if !ok {
		return nil, wrongHash
	}
	if !s.account.Accepts("api_key", key) {
		return nil, noKey
	}
	var p params
	if json.NewDecoder(r.Body).Decode(&p) != nil {
		return nil, badFormat
	}
	if r.Header.Get("NVX-ISO-DateTime") != "true" {
		return nil, badParams // times of the user's zone are not of this fake
	}
	return serve(p)
}

func (s *server) settings(params) (object, *failure) {
	return object{"settings": object{"time_zone": "Asia/Yekaterinburg", "locale": "en_US"}}, nil
}

func (s *server) trackers(params) (object, *failure) {
	list := []object{}
	for _, v := range s.account.Vehicles() {
		list = append(list, object{
			"id": json.Number(v.ID), "label": v.Name, "clone": false, "group_id": 167,
			"source": object{
				"id": 200_000 + v.Index, "device_id": v.IMEI, "model": "telfmb920", "blocked": !v.Active,
				"tariff_id": 345678, "creation_date": "2011-09-21", "tariff_end_date": "2036-03-24", "phone": "71234567890",
			},
			"tag_bindings": []object{},
		})
	}
	return object{"list": list}, nil
}

// readings serves what the trackers said last.
func (s *server) readings(p params) (object, *failure) {
	result := object{}
	for _, id := range p.Trackers {
		v, ok := s.account.Vehicle(id.String(), nil)
		if !ok {
			return nil, notFound
		}
		said := object{"inputs": []object{}, "states": []object{}, "virtual_sensors": []object{}, "counters": []object{}}
		if sample, ok := s.account.Latest(v); ok {
			g, at := sample.Gauges(), timestamp(sample.Time.Time)
			said["inputs"] = []object{
				{
					"sensor_id": 8101, "type": "fuel", "name": "lls_level_1", "label": "Tank", "value": g[drover.ReadingFuelLitres],
					"units_type": "litre", "min_value": 0.0, "max_value": 400.0, "update_time": at,
				},
				{
					"sensor_id": 8102, "type": "temperature", "name": "ext_temp_sensor_1", "label": "Cargo", "value": g[drover.ReadingProbe],
					"units_type": "celsius", "update_time": at,
				},
				{"sensor_id": 8103, "type": "rpm", "name": "can_rpm", "label": "Engine", "value": 1200, "units": "rpm", "update_time": at},
			}
			codes := ""
			if v.BrokenAt(sample.Time.Time) {
				codes = "P0420"
			}
			said["states"] = []object{
				{"field": "obd_mil_status", "value": codes != "", "update_time": at}, {"field": "obd_dtc_codes", "value": codes, "update_time": at},
			}
			said["counters"] = []object{
				{"type": "odometer", "value": g[drover.ReadingOdometer] / 1000, "update_time": at},
				{"type": "engine_hours", "value": g[drover.ReadingEngine] / 3600, "update_time": at},
			}
		}
		result[id.String()] = said
	}
	return object{"result": result}, nil
}

func (s *server) vehicles(p params) (object, *failure) {
	if p.Limit < 0 || p.Limit > maxVehicles {
		return nil, tooManyIDs
	}
	all := s.account.Vehicles()
	first := min(p.Offset, len(all))
	list := []object{}
	for _, v := range all[first:min(first+p.Limit, len(all))] {
		list = append(list, object{
			"id": 900_000 + v.Index, "tracker_id": json.Number(v.ID), "tracker_label": v.Name, "label": v.Name,
			"max_speed": 90, "model": v.Make + " " + v.Model, "type": "truck", "subtype": "tractor",
			"manufacture_year": v.Year, "color": "white", "reg_number": v.Registration, "vin": v.VIN, "tags": []int{1, 2},
		})
	}
	return object{"list": list}, nil
}

// employees serves five of them at most, whatever the limit.
func (s *server) employees(p params) (object, *failure) {
	ids := s.account.Drivers()
	first := min(p.Offset, len(ids))
	list := []object{}
	for i, id := range ids[first:min(first+min(p.Limit, 5), len(ids))] {
		list = append(list, object{
			"id": json.Number(id), "tracker_id": nil, "first_name": s.account.DriverName(id), "middle_name": "", "last_name": "", "email": "",
			"phone": "4420" + id, "driver_license_number": "", "driver_license_cats": "", "driver_license_valid_till": nil,
			"hardware_key": nil, "icon_id": nil, "avatar_file_name": nil, "department_id": nil, "personnel_number": first + i, "tags": []int{},
		})
	}
	return object{"list": list, "count": len(ids)}, nil
}

// read serves the points behind the first instant of a window.
func (s *server) read(p params) (object, *failure) {
	v, from, to, failed := s.window(p)
	if failed != nil {
		return nil, failed
	}
	if p.Simplify == nil || *p.Simplify {
		return nil, badParams // thinned points are not of this fake
	}
	list := []object{}
	for _, sample := range s.account.Positions(v, from.Add(time.Second), to.Add(time.Second)) {
		list = append(list, point(sample))
	}
	return object{"limit_exceeded": false, "list": list}, nil
}

func point(p sim.Sample) object {
	return object{
		"lat": p.Latitude, "lng": p.Longitude, "alt": 0, "satellites": 10, "mileage": 43.93,
		"get_time": timestamp(p.Time.Time), "address": "", "heading": *p.Heading, "speed": math.Round(*p.SpeedKPH),
		"precision": 100, "gsm_lbs": false, "parking": !*p.Ignition, "buffered": p.Received.Sub(p.Time.Time) > time.Minute,
	}
}

// tracks serves the tracks of a window: one that crosses an edge is cut there, and
// one that is under way ends with the newest point.
func (s *server) tracks(p params) (object, *failure) {
	v, from, to, failed := s.window(p)
	if failed != nil {
		return nil, failed
	}
	if p.Split == nil || !*p.Split {
		return nil, badParams // merged tracks are not of this fake
	}
	list := []object{}
	for _, run := range sim.Journeys(s.account.Positions(v, from, to.Add(time.Second))) {
		list = append(list, s.track(v, run, p.WithPoints))
	}
	return object{"limit_exceeded": false, "list": list}, nil
}

func (s *server) track(v sim.Vehicle, run []sim.Sample, points bool) object {
	first, last := run[0], run[len(run)-1]
	if len(run) == 1 {
		return object{"id": first.ID, "type": "single_report", "start_date": timestamp(first.Time.Time)}
	}
	t := object{
		"id": s.trackID(v, first), "type": "regular", "start_date": timestamp(first.Time.Time), "start_address": "",
		"end_date": timestamp(last.Time.Time), "end_address": "", "points": len(run),
		"length":    math.Round((*last.OdometerMetres-*first.OdometerMetres)/10) / 100,
		"max_speed": 62, "avg_speed": 49, "norm_fuel_consumed": 1.07, "gsm_lbs": false,
	}
	if points {
		t["points_list"] = []object{point(first), point(run[len(run)/2]), point(last)}
	}
	return t
}

// trackID is the same for a track that is cut or under way: the platform made it
// when the track began.
func (s *server) trackID(v sim.Vehicle, within sim.Sample) int64 {
	at := within.Time.Time
	for _, p := range s.account.Positions(v, at.Add(-longestWindow), at.Add(time.Second)) {
		if !*p.Ignition {
			within = sim.Sample{}
		} else if within.ID == 0 {
			within = p
		}
	}
	return within.ID
}

func (s *server) window(p params) (v sim.Vehicle, from, to time.Time, failed *failure) {
	v, ok := s.account.Vehicle(p.Tracker.String(), nil)
	if !ok {
		return v, from, to, notFound
	}
	if !v.Active {
		return v, from, to, blocked
	}
	from, errFrom := time.Parse(time.RFC3339, p.From)
	to, errTo := time.Parse(time.RFC3339, p.To)
	if errFrom != nil || errTo != nil || to.Before(from) {
		return v, from, to, badParams
	}
	if to.Sub(from) > longestWindow {
		return v, from, to, tooLong
	}
	return v, from, to, nil
}

func timestamp(t time.Time) string { return t.In(zone).Format(time.RFC3339) }
