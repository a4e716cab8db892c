// Package wialontest is a fake of the Wialon Remote API that serves a simulated
// fleet. As the vendor does, it answers errors with status 200 and a code.
package wialontest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

// sessionLife is shorter than the vendor's, which counts from the last call.
const sessionLife = 5 * time.Minute

// The vendor's codes of errors.
const (
	codeOK         = 0
	codeSession    = 1
	codeService    = 2
	codeInput      = 4
	codeDenied     = 7
	codeToken      = 8
	codeNoMessages = 1001
)

type server struct {
	account *sim.Account

	mu     sync.Mutex
	loaded map[string]loaded // by session: each has one loader of messages
}

type loaded struct {
	vehicle string
	samples []sim.Sample
}

// New returns a server. The account's credentials are token and, perhaps,
// operate_as.
func New(account *sim.Account) http.Handler {
	s := &server{account: account, loaded: map[string]loaded{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /wialon/ajax.html", s.ajax)
	return mux
}

// object is a JSON object.
type object map[string]any

func (s *server) ajax(w http.ResponseWriter, r *http.Request) {
	service, params, sid := r.FormValue("svc"), []byte(r.FormValue("params")), r.FormValue("sid")
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if service == "token/login" {
		fake.Reply(w, s.login(params))
		return
	}
	if !s.account.LoggedIn(sid) {
		fake.Reply(w, failure(codeSession))
		return
	}
	switch service {
	case "core/search_items":
		fake.Reply(w, s.search(params))
	case "messages/load_interval":
		fake.Reply(w, s.load(params, sid))
	case "messages/unload":
		s.keep(sid, loaded{})
		fake.Reply(w, failure(codeOK))
	case "unit/get_trips":
		fake.Reply(w, s.trips(params, sid))
	default:
		fake.Reply(w, failure(codeService))
	}
}

func (s *server) login(params []byte) object {
	var p struct {
		Token     string `json:"token"`
		OperateAs string `json:"operateAs"`
	}
	switch {
	case json.Unmarshal(params, &p) != nil:
		return failure(codeInput)
	case !s.account.Accepts("token", p.Token):
		return failure(codeToken)
	case p.OperateAs != "" && !s.account.Accepts("operate_as", p.OperateAs):
		return failure(codeDenied)
	}
	return object{
		"eid": s.account.Login(sessionLife), "au": "fleet", "tm": s.account.Now().Unix(),
		"host": "192.0.2.1", "user": object{"nm": "fleet", "id": 50935},
	}
}

func (s *server) search(params []byte) object {
	var p struct {
		Spec  map[string]string `json:"spec"`
		Flags *int              `json:"flags"`
		From  int               `json:"from"`
		To    int               `json:"to"`
	}
	if json.Unmarshal(params, &p) != nil || p.Flags == nil || p.Spec["propValueMask"] != "*" {
		return failure(codeInput)
	}
	switch p.Spec["itemsType"] {
	case "avl_unit":
	case "avl_resource":
		items := s.resources()
		return object{
			"searchSpec": p.Spec, "dataFlags": *p.Flags, "totalItemsCount": len(items), "indexFrom": 0, "indexTo": len(items) - 1, "items": items,
		}
	default:
		return failure(codeInput)
	}
	vehicles := slices.Clone(s.account.Vehicles())
	order.By(vehicles, func(a, b sim.Vehicle) int { return cmp.Compare(a.Name, b.Name) })
	total := len(vehicles)
	if p.To == 0 {
		p.To = total - 1
	}
	first := min(p.From, total)
	items := []object{}
	for _, v := range vehicles[first:min(p.To+1, total)] {
		items = append(items, s.unit(v))
	}
	return object{
		"searchSpec": p.Spec, "dataFlags": *p.Flags, "totalItemsCount": total,
		"indexFrom": first, "indexTo": first + len(items) - 1, "items": items,
	}
}

// resources are two, of which each has some of the drivers, one of them both. Someone has no code.
func (s *server) resources() []object {
	items := []object{}
	for n := range 2 {
		drivers := object{"99": object{"id": 99, "n": "Trainee", "c": "", "p": ""}}
		for i, id := range s.account.Drivers() {
			if i%2 == n || i == 0 {
				drivers[fmt.Sprint(i+1)] = object{"id": i + 1, "n": s.account.DriverName(id), "c": id, "p": "+4420" + id, "ds": "", "bu": 0}
			}
		}
		items = append(items, object{"nm": fmt.Sprint("fleet ", n), "cls": 3, "id": 700 + n, "mu": 0, "drvrs": drivers, "uacl": 638138188323})
	}
	return items
}

func (s *server) unit(v sim.Vehicle) object {
	u := object{
		"nm": v.Name, "cls": 2, "id": json.Number(v.ID), "mu": 0, "uid": v.IMEI, "hw": 96, "act": 0, "dactt": 1700000000,
		"pflds": object{
			"1": field(1, "registration_plate", v.Registration), "2": field(2, "brand", v.Make),
			"3": field(3, "model", v.Model), "4": field(4, "year", fmt.Sprint(v.Year)),
			"5": field(5, "vin", v.VIN),
		},
		"sens": object{
			"1": object{"id": 1, "n": "Fuel", "t": "fuel level", "p": "io_9"},
			"2": object{"id": 2, "n": "Ignition", "t": "engine operation", "p": "in1"},
		},
		"pos": nil, "lmsg": nil, "uacl": 638138188323,
	}
	if v.Active {
		u["act"], u["dactt"] = 1, 0
	}
	if p, ok := s.account.Latest(v); ok {
		u["lmsg"], u["cnm"], u["cnm_km"] = message(p), *p.OdometerMetres/1609.344, *p.OdometerMetres/1000
		u["cneh"] = p.Gauges()[drover.ReadingEngine] / 3600
	}
	return u
}

func field(id int, name, value string) object { return object{"id": id, "n": name, "v": value} }

// period is the part that the services on messages share.
type period struct {
	Item  json.Number `json:"itemId"`
	From  int64       `json:"timeFrom"`
	To    int64       `json:"timeTo"`
	Flags int         `json:"flags"`
	Mask  int         `json:"flagsMask"`
	Count int64       `json:"loadCount"`
}

func (s *server) load(params []byte, sid string) object {
	var p period
	if json.Unmarshal(params, &p) != nil || p.To < p.From || p.Flags != 1 || p.Mask != 0xFF01 {
		return failure(codeInput)
	}
	v, ok := s.account.Vehicle(p.Item.String(), nil)
	if !ok {
		return failure(codeDenied)
	}
	samples := s.account.Positions(v, time.Unix(p.From, 0), time.Unix(p.To+1, 0))
	s.keep(sid, loaded{v.ID, samples})
	if len(samples) == 0 {
		return failure(codeNoMessages)
	}
	list := []object{}
	for _, sample := range samples[:min(int64(len(samples)), p.Count)] {
		list = append(list, message(sample))
	}
	return object{"count": len(samples), "messages": list}
}

func message(p sim.Sample) object {
	flags, inputs, parameters := 3, 2, object{"pwr_ext": p.Gauges()[drover.ReadingSupply], "pwr_int": 4.1}
	if *p.Ignition {
		inputs |= 1
	}
	if p.DriverID != nil {
		flags |= 32
		parameters["avl_driver"] = *p.DriverID
	}
	return object{
		"t": p.Time.Unix(), "f": flags, "tp": "ud", "i": inputs, "o": 0, "p": parameters, "rt": p.Received.Unix(),
		"pos": object{"y": p.Latitude, "x": p.Longitude, "z": 213, "s": *p.SpeedKPH, "c": *p.Heading, "sc": 9},
	}
}

// trips finds the trips in what the session has loaded: one that crosses an edge
// is cut there, and one that is under way ends with the newest message.
func (s *server) trips(params []byte, sid string) any {
	var p period
	have := s.loader(sid)
	if json.Unmarshal(params, &p) != nil || have.vehicle != p.Item.String() {
		return failure(codeInput)
	}
	list := []object{}
	for _, run := range sim.Journeys(have.samples) {
		first, last := run[0], run[len(run)-1]
		list = append(list, object{
			"from": tripEnd(first), "to": tripEnd(last), "m": *last.OdometerMetres - *first.OdometerMetres,
		})
	}
	return list
}

func tripEnd(p sim.Sample) object {
	return object{"i": p.ID, "t": p.Time.Unix(), "p": object{"y": p.Latitude, "x": p.Longitude}}
}

func (s *server) keep(sid string, l loaded) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loaded[sid] = l
}

func (s *server) loader(sid string) loaded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loaded[sid]
}

func failure(code int) object {
	if code == codeDenied {
		return object{"error": code, "reason": "ACCESS_DENIED"}
	}
	return object{"error": code}
}
