// Package geotabtest is a fake of the MyGeotab API that serves a simulated fleet.
package geotabtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/sim"
)

const (
	sessionLife = 14 * 24 * time.Hour
	maxRows     = 5000
	maxFeed     = 50_000
)

type server struct{ account *sim.Account }

// New returns a server with its API at /apiv1. The account's credentials are
// database, username and password.
func New(account *sim.Account) http.Handler {
	s := &server{account}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /apiv1", s.serve)
	return mux
}

// object is a JSON object.
type object map[string]any

// ID returns the id of a vehicle or driver: ids of this vendor start with a
// letter.
func ID(number string) string { return "b" + number }

type request struct {
	Method string `json:"method"`
	Params params `json:"params"`
}

type params struct {
	Database     string  `json:"database"`
	UserName     string  `json:"userName"`
	Password     string  `json:"password"`
	TypeName     string  `json:"typeName"`
	FromVersion  *string `json:"fromVersion"`
	ResultsLimit int     `json:"resultsLimit"`
	Search       search  `json:"search"`
	Sort         struct {
		SortBy string  `json:"sortBy"`
		Offset *string `json:"offset"`
	} `json:"sort"`
	Credentials struct {
		Database  string `json:"database"`
		UserName  string `json:"userName"`
		SessionID string `json:"sessionId"`
	} `json:"credentials"`
}

type search struct {
	DeviceSearch struct {
		ID string `json:"id"`
	} `json:"deviceSearch"`
	DiagnosticSearch struct {
		ID string `json:"id"`
	} `json:"diagnosticSearch"`
	FromDate time.Time `json:"fromDate"`
	ToDate   time.Time `json:"toDate"`
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	var req request
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		fail(w, "JsonSerializerException", "The JSON value could not be converted")
		return
	}
	if req.Method == "Authenticate" {
		s.authenticate(w, req.Params)
		return
	}
	c := req.Params.Credentials
	if !s.account.Accepts("database", c.Database) || !s.account.Accepts("username", c.UserName) || !s.account.LoggedIn(c.SessionID) {
		fail(w, "InvalidUserException", "Invalid session @ '"+c.UserName+"'")
		return
	}
	switch req.Method {
	case "Get":
		s.get(w, req.Params)
	case "GetFeed":
		s.feed(w, req.Params)
	default:
		fail(w, "MissingMethodException", "The method '"+req.Method+"' could not be found")
	}
}

func (s *server) authenticate(w http.ResponseWriter, p params) {
	if !s.account.Accepts("database", p.Database) || !s.account.Accepts("username", p.UserName) || !s.account.Accepts("password", p.Password) {
		fail(w, "InvalidUserException", "Incorrect login credentials")
		return
	}
	credentials := object{"database": p.Database, "userName": p.UserName, "sessionId": s.account.Login(sessionLife)}
	reply(w, object{"credentials": credentials, "path": "ThisServer"})
}

func (s *server) get(w http.ResponseWriter, p params) {
	limit := maxRows
	if p.ResultsLimit > 0 {
		limit = min(limit, p.ResultsLimit)
	}
	var rows []row
	if p.TypeName == "Device" {
		reply(w, s.devices(p, limit))
		return
	}
	if p.TypeName == "User" {
		reply(w, s.users(p, limit))
		return
	}
	list, ok := s.lists(p, false)
	if !ok {
		fail(w, "MissingMethodException", "The entity '"+p.TypeName+"' could not be found")
		return
	}
	if p.Search.FromDate.IsZero() || p.Search.ToDate.IsZero() {
		fail(w, "ArgumentException", "A search by date is needed")
		return
	}
	for _, v := range s.account.Vehicles() {
		if id := p.Search.DeviceSearch.ID; id == "" || id == ID(v.ID) {
			rows = append(rows, list.between(v, p.Search.FromDate, p.Search.ToDate.Add(time.Nanosecond))...)
		}
	}
	reply(w, data(rows[:min(len(rows), limit)]))
}

func (s *server) devices(p params, limit int) []object {
	vehicles := s.account.Vehicles()
	if p.Sort.Offset != nil {
		last := slices.IndexFunc(vehicles, func(v sim.Vehicle) bool { return ID(v.ID) == *p.Sort.Offset })
		vehicles = vehicles[last+1:]
	}
	list := []object{}
	for _, v := range vehicles[:min(len(vehicles), limit)] {
		list = append(list, s.device(v))
	}
	return list
}

func (s *server) device(v sim.Vehicle) object {
	activeTo := time.Date(2050, 1, 1, 0, 0, 0, 0, time.UTC)
	if !v.Active {
		activeTo = s.account.Now().AddDate(0, -1, 0)
	}
	return object{
		"id": ID(v.ID), "name": v.Name, "serialNumber": "G9" + v.IMEI[5:], "deviceType": "GO9",
		"licensePlate": v.Registration, "licenseState": "VIC", "vehicleIdentificationNumber": v.VIN,
		"engineVehicleIdentificationNumber": "?", "groups": []object{{"id": "GroupCompanyId"}},
		"activeFrom": "2020-01-27T07:06:25.000Z", "activeTo": timestamp(activeTo), "comment": "",
		"timeZoneId": "Australia/Melbourne", "workTime": object{"id": "WorkTimeStandardHoursId"},
	}
}

// feed serves the rows behind a version, in the order of their versions.
func (s *server) feed(w http.ResponseWriter, p params) {
	list, ok := s.lists(p, true)
	if !ok {
		fail(w, "MissingMethodException", "The entity '"+p.TypeName+"' has no feed")
		return
	}
	limit := maxFeed
	if p.ResultsLimit > 0 {
		limit = min(limit, p.ResultsLimit)
	}
	from, since, err := s.start(p)
	if err != nil {
		fail(w, "ArgumentException", "fromVersion is no version")
		return
	}
	var rows []row
	for _, v := range s.account.Vehicles() {
		rows = append(rows, list.arrived(v, since)...)
	}
	rows = slices.DeleteFunc(rows, func(r row) bool { return r.version <= from })
	order.By(rows, func(a, b row) int { return int(a.version - b.version) })
	rows = rows[:min(len(rows), limit)]
	if len(rows) > 0 {
		from = rows[len(rows)-1].version
	}
	reply(w, object{"data": data(rows), "toVersion": fmt.Sprintf("%016x", from)})
}

// start returns the version to read on from and when its row arrived.
func (s *server) start(p params) (version int64, since time.Time, err error) {
	switch {
	case p.FromVersion != nil:
		_, err := fmt.Sscanf(*p.FromVersion, "%x", &version)
		return version, arrival(version), err
	case !p.Search.FromDate.IsZero():
		return versionOf(p.Search.FromDate, 0, 0) - 1, p.Search.FromDate, nil
	default:
		return versionOf(s.account.Now().Add(time.Second), 0, 0) - 1, s.account.Now(), nil
	}
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func reply(w http.ResponseWriter, result any) {
	write(w, object{"result": result, "jsonrpc": "2.0"})
}

func fail(w http.ResponseWriter, kind, message string) {
	write(w, object{"jsonrpc": "2.0", "error": object{
		"message": message, "code": -32000,
		"data": object{"id": "7b9cf6ab-7a2c-4be2-9b4f-0f6b3f0c8c1e", "type": kind, "requestIndex": 0},
	}})
}

func write(w http.ResponseWriter, answer object) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(answer) // a client that has gone away needs no answer
}

// users serves those who drive by their ids, behind the offset.
func (s *server) users(p params, limit int) []object {
	ids := s.account.Drivers()
	slices.Sort(ids)
	rows := []object{}
	for _, id := range ids {
		if p.Sort.Offset == nil || ID(id) > *p.Sort.Offset {
			first, last, _ := strings.Cut(s.account.DriverName(id), " ")
			rows = append(rows, object{
				"id": ID(id), "name": "driver" + id + "@acme.example", "firstName": first, "lastName": last, "employeeNo": "E" + id,
				"licenseNumber": "L" + id, "licenseProvince": "ON", "isDriver": true, "activeFrom": "2020-01-01T00:00:00.000Z",
				"activeTo": "2050-01-01T00:00:00.000Z", "keys": []object{{"serialNumber": "7" + id}},
			})
		}
	}
	return rows[:min(limit, len(rows))]
}
