// Package flespitest is a fake of flespi's REST API that serves a simulated
// fleet: devices, messages and the intervals of one calculator.
package flespitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

type server struct{ account *sim.Account }

// New returns a server. The account's credentials are token, and where they are
// to be accepted cid, the number of a subaccount, and trips_calc_id, that of the
// calculator.
func New(account *sim.Account) http.Handler {
	s := &server{account}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /gw/devices/{devices}", s.devices)
	mux.HandleFunc("GET /gw/devices/{devices}/messages", s.messages)
	mux.HandleFunc("GET /gw/devices/{devices}/telemetry/{names}", s.telemetry)
	mux.HandleFunc("GET /gw/calcs/{calc}", s.calculator)
	mux.HandleFunc("GET /gw/calcs/{calc}/devices/{device}/intervals/{selector}", s.intervals)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mqtt" {
			s.broker(w, r)
			return
		}
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "FlespiToken ")
		accepted := ok && account.Accepts("token", token)
		if r.URL.Path == "/auth/info" { // its status is always 200: the body says what the token is worth
			s.info(w, accepted)
			return
		}
		if !accepted {
			refuse(w, http.StatusUnauthorized, 401, "invalid token")
			return
		}
		if cid := r.Header.Get("x-flespi-cid"); cid != "" && !account.Accepts("cid", cid) {
			refuse(w, http.StatusForbidden, 403, "access denied for cid "+cid)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// object is a JSON object.
type object map[string]any

func (s *server) info(w http.ResponseWriter, accepted bool) {
	if !accepted {
		fake.Reply(w, object{"errors": []object{{"code": 1, "reason": "token is disabled or unknown"}}})
		return
	}
	fake.Reply(w, object{"result": []object{{"cid": 77, "type": 2, "ttl": 31536000, "enabled": true, "access": object{"type": 2}}}})
}

func (s *server) devices(w http.ResponseWriter, r *http.Request) {
	vehicles, ok := s.selected(r.PathValue("devices"))
	if !ok {
		refuse(w, http.StatusNotFound, 404, "not found")
		return
	}
	query := r.URL.Query()
	answer := object{}
	if limit, err := strconv.Atoi(query.Get("limit")); err == nil {
		offset, _ := strconv.Atoi(query.Get("offset"))
		answer["pagination"] = object{"limit": limit, "offset": offset, "count": len(vehicles)}
		offset = min(offset, len(vehicles))
		vehicles = vehicles[offset:min(offset+limit, len(vehicles))]
	}
	list := []object{}
	for _, v := range vehicles {
		list = append(list, only(query.Get("fields"), device(v)))
	}
	answer["result"] = list
	fake.Reply(w, answer)
}

// telemetry serves the last values of the parameters named.
func (s *server) telemetry(w http.ResponseWriter, r *http.Request) {
	vehicles, ok := s.selected(r.PathValue("devices"))
	if !ok {
		refuse(w, http.StatusNotFound, 404, "not found")
		return
	}
	list := []object{}
	for _, v := range vehicles {
		values := object{}
		if p, ok := s.account.Latest(v); ok {
			for name, value := range only(r.PathValue("names"), message(v, p)) {
				values[name] = object{"ts": seconds(p.Time.Time), "value": value}
			}
		}
		list = append(list, object{"id": json.Number(v.ID), "telemetry": values})
	}
	fake.Reply(w, object{"result": list})
}

// selected returns the devices of a selector: all, or numbers with commas.
func (s *server) selected(selector string) ([]sim.Vehicle, bool) {
	if selector == "all" {
		return s.account.Vehicles(), true
	}
	var vehicles []sim.Vehicle
	for id := range strings.SplitSeq(selector, ",") {
		v, ok := s.account.Vehicle(id, nil)
		if !ok {
			return nil, false
		}
		vehicles = append(vehicles, v)
	}
	return vehicles, true
}

func device(v sim.Vehicle) object {
	return object{
		"id": json.Number(v.ID), "cid": 77, "name": v.Name, "enabled": v.Active, "device_type_id": 44,
		"connected": v.Active, "configuration": object{"ident": v.IMEI},
		"metadata": object{
			"registration": v.Registration, "make": v.Make, "model": v.Model, "year": strconv.Itoa(v.Year),
			"depot": object{"gate": 4},
		},
	}
}

// span is the data parameter of messages and intervals.
type span struct {
	From, To   float64
	Begin, End float64
	Count      int
	Fields     string
}

func parseSpan(r *http.Request) (span, error) {
	var s span
	if err := json.Unmarshal([]byte(r.URL.Query().Get("data")), &s); err != nil {
		return s, fmt.Errorf("request data is not valid JSON")
	}
	if s.Count < 0 {
		return s, fmt.Errorf("count is negative")
	}
	return s, nil
}

func (s *server) messages(w http.ResponseWriter, r *http.Request) {
	vehicles, ok := s.selected(r.PathValue("devices"))
	if !ok {
		refuse(w, http.StatusNotFound, 404, "not found")
		return
	}
	span, err := parseSpan(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, 2, err.Error())
		return
	}
	list := []object{}
	for _, v := range vehicles {
		for _, p := range s.account.Positions(v, instant(span.From), fake.Inclusive(instant(span.To))) {
			list = append(list, only(span.Fields, message(v, p)))
		}
	}
	fake.Reply(w, object{"result": first(list, span.Count)})
}

func message(v sim.Vehicle, p sim.Sample) object {
	m := object{
		"timestamp": p.Time.Unix(), "server.timestamp": seconds(p.Received), "ident": v.IMEI, "device.id": json.Number(v.ID),
		"position.latitude": p.Latitude, "position.longitude": p.Longitude, "position.altitude": 238,
		"position.speed": *p.SpeedKPH, "position.direction": *p.Heading, "position.satellites": 11, "position.valid": true,
		"engine.ignition.status": *p.Ignition, "vehicle.mileage": *p.OdometerMetres / 1000, "battery.voltage": 4.1, "battery.level": 98,
	}
	g := p.Gauges()
	m["can.engine.motorhours"], m["can.fuel.level"], m["can.fuel.consumed"] = g[drover.ReadingEngine]/3600, g[drover.ReadingFuelPercent],
		g[drover.ReadingFuelUsed]
	m["external.powersource.voltage"], m["can.engine.coolant.temperature"] = g[drover.ReadingSupply], g[drover.ReadingCoolant]
	m["can.ambient.air.temperature"], m["can.driver.door.status"] = g[drover.ReadingAmbient], false
	if p.DriverID != nil {
		m["driver.id"] = *p.DriverID
	}
	return m
}

// only returns the fields of an object that a list with commas names; all where
// the list is empty.
func only(fields string, o object) object {
	if fields == "" {
		return o
	}
	chosen := object{}
	for name := range strings.SplitSeq(fields, ",") {
		if value, ok := o[name]; ok {
			chosen[name] = value
		}
	}
	return chosen
}

// first returns as many objects as count allows; zero allows all.
func first(list []object, count int) []object {
	if count == 0 {
		return list
	}
	return slices.Clip(list[:min(count, len(list))])
}

func instant(seconds float64) time.Time { return time.UnixMilli(int64(seconds * 1000)).UTC() }

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

func refuse(w http.ResponseWriter, status, code int, reason string) {
	fake.ReplyStatus(w, status, object{"errors": []object{{"code": code, "reason": reason}}})
}
