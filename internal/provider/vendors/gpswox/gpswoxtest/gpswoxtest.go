// Package gpswoxtest is a fake of a GPSWOX server that serves a simulated fleet.
// As servers do, it writes numbers as text and times in the zone of the user.
package gpswoxtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

const (
	localTime     = "2006-01-02 15:04:05"
	longestWindow = 24 * time.Hour
	hashLife      = 10 * 365 * 24 * time.Hour
)

// zone is that of the user.
var zone = time.FixedZone("user", -(3*60+30)*60)

// object is a JSON object.
type object map[string]any

type server struct{ account *sim.Account }

// New returns a server, with its API below /api. The account's credentials are
// user_api_hash, or email and password, or all of them.
func New(account *sim.Account) http.Handler {
	s := &server{account}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/edit_setup_data", s.setup)
	mux.HandleFunc("GET /api/get_devices", s.devices)
	mux.HandleFunc("GET /api/get_devices_latest", s.changed)
	mux.HandleFunc("GET /api/get_user_drivers", s.drivers)
	mux.HandleFunc("GET /api/get_history_messages", s.messages)
	mux.HandleFunc("GET /api/get_history", s.history)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/login" && r.Method == http.MethodPost {
			s.login(w, r)
			return
		}
		hash := r.URL.Query().Get("user_api_hash")
		if !s.account.Accepts("user_api_hash", hash) && !s.account.LoggedIn(hash) {
			fake.ReplyStatus(w, http.StatusUnauthorized, object{"status": 0, "message": "Unauthorized"})
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (s *server) login(w http.ResponseWriter, r *http.Request) {
	if !s.account.Accepts("email", r.PostFormValue("email")) || !s.account.Accepts("password", r.PostFormValue("password")) {
		fake.ReplyStatus(w, http.StatusUnauthorized, object{"status": 0, "message": "Wrong credentials."})
		return
	}
	fake.Reply(w, object{"status": 1, "user_api_hash": s.account.Login(hashLife)})
}

func (s *server) setup(w http.ResponseWriter, _ *http.Request) {
	fake.Reply(w, object{
		"item":      object{"unit_of_distance": "km", "unit_of_altitude": "mt", "timezone_id": "21"},
		"timezones": []object{{"id": 65, "value": "UTC +02:00"}, {"id": 21, "value": "UTC -03:30"}},
		"status":    1,
	})
}

func (s *server) devices(w http.ResponseWriter, r *http.Request) {
	limit, page := number(r.URL.Query(), "limit", 100), number(r.URL.Query(), "page", 1)
	vehicles := s.account.Vehicles()
	first := min((page-1)*limit, len(vehicles))
	list := []object{}
	for i, title := range []string{"Ungrouped", "Depot"} {
		items := []object{}
		for _, v := range vehicles[first:min(first+limit, len(vehicles))] {
			if v.Index%2 == i {
				items = append(items, s.device(v))
			}
		}
		list = append(list, object{"title": title, "items": items})
	}
	fake.Reply(w, list)
}

// driverPage is how many drivers a page has.
const driverPage = 5

func (s *server) drivers(w http.ResponseWriter, r *http.Request) {
	page, ids := number(r.URL.Query(), "page", 1), s.account.Drivers()
	first := min((page-1)*driverPage, len(ids))
	data := []object{}
	for i, id := range ids[first:min(first+driverPage, len(ids))] {
		data = append(data, object{
			"id": first + i + 1, "user_id": 2, "device_id": nil, "name": s.account.DriverName(id), "rfid": id, "phone": "",
			"email": nil, "description": "", "date": nil,
		})
	}
	fake.Reply(w, object{
		"items": object{"drivers": object{
			"total": len(ids), "per_page": driverPage, "current_page": page, "last_page": max((len(ids)+driverPage-1)/driverPage, 1), "data": data,
		}},
		"status": 1,
	})
}

// changed serves the devices of which something came since an instant.
func (s *server) changed(w http.ResponseWriter, r *http.Request) {
	now := s.account.Now()
	since := time.Unix(int64(number(r.URL.Query(), "time", int(now.Unix())-5)), 0)
	items := []object{}
	for _, v := range s.account.Vehicles() {
		if len(s.account.Arrived(v, since, now.Add(time.Second))) > 0 {
			items = append(items, s.device(v))
		}
	}
	fake.Reply(w, object{"items": items, "events": []object{}, "time": now.Unix(), "version": "2.5.1"})
}

func (s *server) device(v sim.Vehicle) object {
	active := "0"
	if v.Active {
		active = "1"
	}
	d := object{
		"id": json.Number(v.ID), "name": v.Name, "online": "offline", "alarm": "", "time": "-", "timestamp": 0,
		"distance_unit_hour": "kph", "unit_of_distance": "km", "detect_engine": "gps",
		"device_data": object{
			"id": v.ID, "user_id": nil, "active": active, "deleted": "0", "name": v.Name, "imei": v.IMEI,
			"device_model": v.Model, "plate_number": v.Registration, "vin": v.VIN, "registration_number": "",
			"expiration_date": "0000-00-00", "created_at": "2016-04-25 16:21:19",
		},
	}
	if p, ok := s.account.Latest(v); ok {
		d["online"], d["time"], d["timestamp"] = "ack", local(p.Time.Time), p.Time.Unix()
		d["lat"], d["lng"], d["speed"], d["course"] = p.Latitude, p.Longitude, *p.SpeedKPH, text(*p.Heading)
		d["engine_status"] = *p.Ignition
	}
	return d
}

// window reads the device and the period of a query, in minutes of the user's
// zone. What is wrong is named, as servers do.
func (s *server) window(query url.Values) (v sim.Vehicle, from, to time.Time, wrong string) {
	v, ok := s.account.Vehicle(query.Get("device_id"), nil)
	if !ok {
		return v, from, to, "device_id"
	}
	from, err := time.ParseInLocation("2006-01-02 15:04", query.Get("from_date")+" "+query.Get("from_time"), zone)
	if err != nil {
		return v, from, to, "from_date"
	}
	to, err = time.ParseInLocation("2006-01-02 15:04", query.Get("to_date")+" "+query.Get("to_time"), zone)
	if err != nil || to.Before(from) || to.Sub(from) > longestWindow {
		return v, from, to, "to_date"
	}
	return v, from, to, ""
}

func invalid(w http.ResponseWriter, name string) {
	fake.ReplyStatus(w, http.StatusBadRequest, object{"status": 0, "errors": object{name: []string{"The " + name + " is invalid."}}})
}

func (s *server) messages(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	v, from, to, wrong := s.window(query)
	if wrong != "" {
		invalid(w, wrong)
		return
	}
	limit, page := min(number(query, "limit", 50), 400), number(query, "page", 1)
	all := s.account.Positions(v, from, to)
	first := min((page-1)*limit, len(all))
	data := []object{}
	for _, p := range all[first:min(first+limit, len(all))] {
		data = append(data, message(v, p))
	}
	fake.Reply(w, object{
		"messages": object{
			"total": len(all), "per_page": limit, "current_page": page, "last_page": max((len(all)+limit-1)/limit, 1),
			"next_page_url": nil, "from": first + 1, "to": first + len(data), "data": data, "url": "/api/get_history_messages",
		},
		"sensors":           []object{{"id": "2", "name": "Ignition", "type": "acc", "tag_name": "ignition"}},
		"pagination_limits": object{"50": 50, "100": 100, "200": 200, "400": 400},
		"limit":             limit, "sorting": "asc", "status": 1,
	})
}

func message(v sim.Vehicle, p sim.Sample) object {
	return object{
		"id": text(float64(p.ID)), "device_id": v.ID, "altitude": 189, "course": text(*p.Heading),
		"latitude": text(p.Latitude), "longitude": text(p.Longitude), "other": other(v, p), "power": nil,
		"speed": *p.SpeedKPH, "time": local(p.Time.Time), "server_time": p.Time.UTC().Format(localTime),
		"valid": "1", "distance": "0.067", "protocol": "teltonika", "sort": p.Time.Unix(),
	}
}

// other writes the tracker's attributes: as XML or, as newer servers may, as JSON.
func other(v sim.Vehicle, p sim.Sample) string {
	g := p.Gauges()
	members := object{
		"battery": 73, "ignition": *p.Ignition, "odometer": *p.OdometerMetres, "hours": g[drover.ReadingEngine] * 1000,
		"fuelLevel": g[drover.ReadingFuelPercent], "fuel": g[drover.ReadingFuelLitres], "fuelUsed": g[drover.ReadingFuelUsed],
		"power": g[drover.ReadingSupply], "coolantTemp": g[drover.ReadingCoolant], "temp1": g[drover.ReadingProbe], "door": false,
	}
	if p.DriverID != nil {
		members["driverUniqueId"] = *p.DriverID
	}
	if v.Index%2 == 1 {
		b, err := json.Marshal(members)
		if err != nil {
			return ""
		}
		return string(b)
	}
	var xml strings.Builder
	xml.WriteString("<info>")
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := members[name]
		if number, ok := value.(float64); ok {
			value = text(number)
		}
		fmt.Fprintf(&xml, "<%s>%v</%s>", name, value, name)
	}
	xml.WriteString("</info>")
	return xml.String()
}

func number(query url.Values, name string, otherwise int) int {
	if n, err := strconv.Atoi(query.Get(name)); err == nil && n > 0 {
		return n
	}
	return otherwise
}

func local(t time.Time) string { return t.In(zone).Format(localTime) }

func text(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
