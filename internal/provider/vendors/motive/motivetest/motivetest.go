// Package motivetest is a fake of the Motive API that serves a simulated fleet of
// a company with imperial units.
package motivetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

const (
	maxPage       = 100
	defaultPage   = 25
	kmPerMile     = 1.609344
	maxTripDays   = 30
	maxRecordDays = 92
)

type server struct {
	account *sim.Account

	mu   sync.Mutex
	last listing
}

// New returns the API. The account's credential is api_key.
func New(account *sim.Account) http.Handler {
	s := &server{account: account}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/vehicles", s.vehicles)
	mux.HandleFunc("GET /v1/users", s.users)
	mux.HandleFunc("GET /v3/vehicle_locations", s.latest)
	mux.HandleFunc("GET /v3/vehicle_locations/{id}", s.history)
	mux.HandleFunc("GET /v1/driving_periods", s.trips)
	mux.HandleFunc("GET /v1/fault_codes", s.faultCodes)
	mux.HandleFunc("GET /v2/driver_performance_events", s.performanceEvents)
	mux.HandleFunc("GET /v1/speeding_events", s.speedingEvents)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !account.Accepts("api_key", r.Header.Get("X-API-Key")) {
			refuse(w, http.StatusUnauthorized, "invalid API key")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// object is a JSON object.
type object map[string]any

func (s *server) vehicles(w http.ResponseWriter, r *http.Request) {
	vehicles := s.account.Vehicles()
	replyPage(w, r, "vehicles", len(vehicles), func(i int) object { return object{"vehicle": vehicle(vehicles[i])} })
}

// users serves drivers, one who has left, and an administrator, who does not drive.
func (s *server) users(w http.ResponseWriter, r *http.Request) {
	rows := []object{
		{"id": 7, "first_name": "Ada", "last_name": "Boss", "email": "ada@example.com", "role": "admin", "status": "active"},
		{"id": 49999, "first_name": "Gone", "last_name": "Driver", "role": "driver", "status": "deactivated"},
	}
	for _, id := range s.account.Drivers() {
		rows = append(rows, object{
			"id": json.Number(id), "first_name": "Driver", "last_name": id, "email": nil, "phone": "5558234327", "role": "driver", "status": "active",
			"driver_company_id": "E" + id, "drivers_license_number": "L" + id, "drivers_license_state": "CA", "duty_status": "off_duty",
			"eld_mode": "logs", "cycle": "70_8",
		})
	}
	replyPage(w, r, "users", len(rows), func(i int) object { return object{"user": rows[i]} })
}

func vehicle(v sim.Vehicle) object {
	status := "active"
	if !v.Active {
		status = "inactive"
	}
	return object{
		"id": json.Number(v.ID), "company_id": 11045, "number": v.Name, "status": status, "ifta": true, "vin": v.VIN,
		"make": v.Make, "model": v.Model, "year": strconv.Itoa(v.Year), "license_plate_state": "VIC",
		"license_plate_number": v.Registration, "metric_units": false, "fuel_type": "diesel", "notes": "",
		"group_ids": []int{41}, "created_at": "2020-01-27T07:06:25Z", "updated_at": "2024-05-01T12:00:00Z",
		"permanent_driver": nil, "current_driver": nil, "external_ids": []object{},
	}
}

// latest serves the newest location of each active vehicle.
func (s *server) latest(w http.ResponseWriter, r *http.Request) {
	var active []sim.Vehicle
	for _, v := range s.account.Vehicles() {
		if v.Active {
			active = append(active, v)
		}
	}
	replyPage(w, r, "vehicles", len(active), func(i int) object {
		v := active[i]
		row := object{
			"id": json.Number(v.ID), "number": v.Name, "year": strconv.Itoa(v.Year), "make": v.Make, "model": v.Model,
			"vin": v.VIN, "current_location": nil, "current_driver": nil,
		}
		if p, ok := s.account.Latest(v); ok {
			row["current_location"], row["current_driver"] = location(r, p), driver(p.DriverID)
		}
		return object{"vehicle": row}
	})
}

// history serves all locations of one vehicle, of whole days.
func (s *server) history(w http.ResponseWriter, r *http.Request) {
	from, to, ok := dates(w, r, maxRecordDays)
	if !ok {
		return
	}
	v, ok := s.account.Vehicle(r.PathValue("id"), nil)
	if !ok {
		refuse(w, http.StatusNotFound, "vehicle not found")
		return
	}
	rows := []object{}
	for _, p := range s.account.Positions(v, from, to) {
		row := location(r, p)
		row["id"], row["driver"] = fmt.Sprintf("0d0a7f3e-4b2c-4c7e-9a55-%012x", p.ID), driver(p.DriverID)
		rows = append(rows, object{"vehicle_location": row})
	}
	fake.Reply(w, object{"vehicle_locations": rows})
}

// location has the units that the request asks for, or the company's own.
func location(r *http.Request, p sim.Sample) object {
	unit := kmPerMile
	if r.Header.Get("X-Metric-Units") == "true" {
		unit = 1
	}
	km, g := *p.OdometerMetres/1000/unit, p.Gauges()
	return object{
		"lat": p.Latitude, "lon": p.Longitude, "located_at": timestamp(p.Time.Time), "bearing": *p.Heading,
		"type": kind(p), "description": "3 mi N of Ballarat, VIC", "speed": *p.SpeedKPH / unit,
		"odometer": km - 24, "true_odometer": km, "engine_hours": 4012.1, "fuel": nil,
		"true_engine_hours": g[drover.ReadingEngine] / 3600, "battery_voltage": g[drover.ReadingSupply],
		"fuel_primary_remaining_percentage": g[drover.ReadingFuelPercent], "fuel_secondary_remaining_percentage": nil,
	}
}

func kind(p sim.Sample) string {
	switch {
	case !*p.Ignition:
		return "ignition_off"
	case *p.SpeedKPH == 0:
		return "vehicle_stopped"
	case p.ID%2 == 0:
		return "breadcrumb"
	default:
		return "vehicle_moving"
	}
}

// ReportsIgnition reports whether the type of a location says if the ignition is
// on.
func ReportsIgnition(p sim.Sample) bool {
	return kind(p) == "ignition_off" || kind(p) == "vehicle_moving"
}

func driver(id *string) any {
	if id == nil {
		return nil
	}
	return object{"id": json.Number(*id), "first_name": "Ann", "last_name": "Lee", "role": "driver"}
}

// dates reads a window of whole days, both included.
func dates(w http.ResponseWriter, r *http.Request, longest int) (from, to time.Time, ok bool) {
	from, err := time.Parse(time.DateOnly, r.URL.Query().Get("start_date"))
	if err == nil {
		to, err = time.Parse(time.DateOnly, r.URL.Query().Get("end_date"))
	}
	to = to.AddDate(0, 0, 1)
	switch {
	case err != nil || !from.Before(to):
		refuse(w, http.StatusBadRequest, "Invalid start_date or end_date")
	case to.Sub(from) > time.Duration(longest)*24*time.Hour:
		refuse(w, http.StatusBadRequest, fmt.Sprintf("Date range cannot be greater than %d days", longest))
	default:
		return from, to, true
	}
	return from, to, false
}

// replyPage serves the page that the query asks for, of so many rows in all. A
// page past the end is empty.
func replyPage(w http.ResponseWriter, r *http.Request, name string, total int, row func(int) object) {
	number, size := parameter(r, "page_no", 1), min(parameter(r, "per_page", defaultPage), maxPage)
	rows := []object{}
	for i := (number - 1) * size; i < min(number*size, total); i++ {
		rows = append(rows, row(i))
	}
	fake.Reply(w, object{name: rows, "pagination": object{"per_page": size, "page_no": number, "total": total}})
}

func parameter(r *http.Request, name string, otherwise int) int {
	if n, err := strconv.Atoi(r.URL.Query().Get(name)); err == nil && n > 0 {
		return n
	}
	return otherwise
}

func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func refuse(w http.ResponseWriter, status int, message string) {
	fake.ReplyStatus(w, status, object{"error_message": message})
}
