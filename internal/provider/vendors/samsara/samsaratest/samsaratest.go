// Package samsaratest is a fake of the Samsara REST API that serves a simulated
// fleet.
package samsaratest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

const maxVehicles = 512

type server struct{ account *sim.Account }

// New returns the API. The account's credential is api_token.
func New(account *sim.Account) http.Handler {
	s := &server{account}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /fleet/vehicles", s.vehicles)
	mux.HandleFunc("GET /fleet/vehicles/stats/feed", s.feed)
	mux.HandleFunc("GET /fleet/vehicles/stats/history", s.history)
	mux.HandleFunc("GET /fleet/driver-vehicle-assignments", s.assignments)
	mux.HandleFunc("GET /fleet/drivers", s.drivers)
	mux.HandleFunc("GET /v1/fleet/trips", s.trips)
	mux.HandleFunc("GET /idling/events", s.idling)
	mux.HandleFunc("GET /safety-events/stream", s.safetyEvents)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || !account.Accepts("api_token", token) {
			refuse(w, http.StatusUnauthorized, "invalid token")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// object is a JSON object.
type object map[string]any

func (s *server) vehicles(w http.ResponseWriter, r *http.Request) {
	limit, ok := limited(w, r.URL.Query(), maxVehicles)
	if !ok {
		return
	}
	rows := []object{}
	for _, v := range s.account.Vehicles() {
		rows = append(rows, vehicle(v))
	}
	replyPage(w, r, rows, limit)
}

// drivers serves those of one activation status; without one they are the active ones.
func (s *server) drivers(w http.ResponseWriter, r *http.Request) {
	limit, ok := limited(w, r.URL.Query(), maxVehicles)
	if !ok {
		return
	}
	rows := []object{}
	if r.URL.Query().Get("driverActivationStatus") == "deactivated" {
		rows = append(rows, object{"id": "49999", "name": "Driver 49999", "driverActivationStatus": "deactivated", "timezone": "America/Los_Angeles"})
	} else {
		for _, id := range s.account.Drivers() {
			rows = append(rows, object{
				"id": id, "name": s.account.DriverName(id), "username": "driver" + id, "phone": "5558234327", "licenseNumber": "E" + id, "licenseState": "CA",
				"currentIdCardCode": "9f" + id, "timezone": "America/Los_Angeles", "driverActivationStatus": "active",
				"tags": []object{}, "externalIds": object{},
			})
		}
	}
	replyPage(w, r, rows, limit)
}

// vehicle leaves out what is not known, as the vendor does.
func vehicle(v sim.Vehicle) object {
	row := object{
		"id": v.ID, "name": v.Name, "vin": v.VIN, "make": v.Make, "model": v.Model, "year": strconv.Itoa(v.Year),
		"licensePlate": v.Registration, "notes": "", "externalIds": object{"samsara.vin": v.VIN},
		"harshAccelerationSettingType": "automatic", "vehicleRegulationMode": "regulated",
		"createdAtTime": "2020-01-27T07:06:25Z", "updatedAtTime": "2020-01-27T07:06:25Z",
	}
	if v.Active {
		row["gateway"] = object{"serial": "GFRV-" + v.ID, "model": "VG34"}
	}
	return row
}

// limited reads the parameter limit, whose default is its largest value.
func limited(w http.ResponseWriter, query url.Values, largest int) (int, bool) {
	if !query.Has("limit") {
		return largest, true
	}
	limit, err := strconv.Atoi(query.Get("limit"))
	if err != nil || limit < 1 || limit > largest {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("limit must be lesser or equal than %d but got value %s", largest, query.Get("limit")))
		return 0, false
	}
	return limit, true
}

// period reads the window of a query.
func period(w http.ResponseWriter, query url.Values) (from, to time.Time, ok bool) {
	from, err := time.Parse(time.RFC3339, query.Get("startTime"))
	if err == nil {
		to, err = time.Parse(time.RFC3339, query.Get("endTime"))
	}
	if err != nil || !from.Before(to) {
		refuse(w, http.StatusBadRequest, "Invalid value for parameter: startTime or endTime")
		return from, to, false
	}
	return from, to, true
}

// selected reports whether a vehicle passes a filter by ids; none passes all.
func selected(query url.Values, filter, id string) bool {
	return !query.Has(filter) || slices.Contains(strings.Split(strings.Join(query[filter], ","), ","), id)
}

// replyPage serves the page of rows that the query asks for. The cursors of lists
// are numbers here; the vendor's are opaque.
func replyPage(w http.ResponseWriter, r *http.Request, rows []object, limit int) {
	start := 0
	if after := r.URL.Query().Get("after"); after != "" {
		var err error
		if start, err = strconv.Atoi(after); err != nil || start > len(rows) {
			refuse(w, http.StatusBadRequest, "Parameters differ from the ones of the pagination cursor")
			return
		}
	}
	end := min(start+limit, len(rows))
	cursor := ""
	if end < len(rows) {
		cursor = strconv.Itoa(end)
	}
	replyList(w, rows[start:end], cursor, end < len(rows))
}

func replyList(w http.ResponseWriter, rows []object, cursor string, more bool) {
	fake.Reply(w, object{"data": rows, "pagination": object{"endCursor": cursor, "hasNextPage": more}})
}

func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func refuse(w http.ResponseWriter, status int, message string) {
	fake.ReplyStatus(w, status, object{"message": message, "requestId": "5c0e1a7f"})
}
