// Package webfleettest is a fake of WEBFLEET.connect that serves a simulated
// fleet. As the vendor does, it answers errors with status 200 and writes times in
// the zone of the account.
package webfleettest

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

const (
	maxTrips      = 10_000
	longestTracks = 48 * time.Hour
	// longestTrip bounds how long before its end a trip has started.
	longestTrip = 24 * time.Hour
)

// zone is that of the account: ISO 8601 comes with its offset.
var zone = time.FixedZone("account", 2*60*60)

type server struct {
	account *sim.Account
	queue   queue
}

// New returns the gateway. The account's credentials are account, username,
// password and api_key.
func New(account *sim.Account) http.Handler {
	s := &server{account: account}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /extern", s.extern)
	return mux
}

// ObjectUID is the id that the vendor has for v.
func ObjectUID(v sim.Vehicle) string { return "1-83646-" + v.IMEI }

// DriverUID is the id that the vendor has for a driver.
func DriverUID(driver string) string { return "1-83646-" + driver }

// object is a JSON object.
type object map[string]any

// fault is an error of the vendor.
type fault struct {
	code    int
	message string
}

var (
	noData     = &fault{63, "Document is empty"}
	badLogin   = &fault{1101, "login failed"}
	badRequest = &fault{1, "invalid parameter"}
	notAllowed = &fault{8, "action not allowed"}
)

func (s *server) extern(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	rows, failed := s.report(r, query)
	if failed == nil && len(rows) == 0 {
		failed = noData
	}
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	if failed != nil {
		w.Header().Set("X-Webfleet-Errorcode", fmt.Sprint(failed.code))
		w.Header().Set("X-Webfleet-Errormessage", failed.message)
		fake.Reply(w, object{"errorCode": failed.code, "errorMsg": failed.message})
		return
	}
	fake.Reply(w, rows)
}

func (s *server) report(r *http.Request, query url.Values) ([]object, *fault) {
	user, password, _ := r.BasicAuth()
	if !s.account.Accepts("account", query.Get("account")) || !s.account.Accepts("username", user) ||
		!s.account.Accepts("password", password) || !s.account.Accepts("api_key", query.Get("apikey")) {
		return nil, badLogin
	}
	if query.Get("outputformat") != "json" || query.Get("useISO8601") != "true" {
		return nil, badRequest // the other formats are not of this fake
	}
	switch query.Get("action") {
	case "showVehicleReportExtern":
		return s.vehicles(), nil
	case "showObjectReportExtern":
		return s.objects(), nil
	case "showDriverReportExtern":
		return s.drivers(), nil
	case "showTracks":
		return s.tracks(query)
	case "showTripReportExtern":
		return s.trips(query)
	case "showAccelerationEvents":
		return s.accelerations(query)
	case "showSpeedingEvents":
		return nil, nil // no one speeds
	case "createQueueExtern":
		return nil, s.createQueue()
	case "popQueueMessagesExtern":
		return s.popQueue()
	case "ackQueueMessagesExtern":
		return nil, s.ackQueue()
	default:
		return nil, notAllowed
	}
}

func (s *server) vehicles() []object {
	var rows []object
	for _, v := range s.account.Vehicles() {
		rows = append(rows, object{
			"objectno": v.ID, "objectname": v.Name, "licenseplatenumber": v.Registration, "vehicletype": "truck",
			"identnumber": v.VIN, "registrationdate": "2019-03-01", "manufacturedyear": v.Year, "vehiclecolor": "white",
			"description": "", "objectuid": ObjectUID(v), "externalid": "", "enginesize": 1968, "fueltanksize": 75,
			"speedlimit": 120, "vh_fueltype": 1,
		})
	}
	return rows
}

func (s *server) drivers() []object {
	var rows []object
	for _, id := range s.account.Drivers() {
		rows = append(rows, object{
			"driverno": id, "name1": s.account.DriverName(id), "name2": "", "name3": "", "state": "", "zip": "", "city": "", "street": "",
			"telmobile": "+4420" + id, "telprivate": "", "email": "", "description": "", "company": "", "code": "", "driveruid": DriverUID(id),
		})
	}
	return rows
}

func (s *server) objects() []object {
	var rows []object
	for _, v := range s.account.Vehicles() {
		row := object{
			"objectno": v.ID, "objectname": v.Name, "objectclassname": "truck", "objecttype": "truck",
			"description": "", "deleted": !v.Active, "objectuid": ObjectUID(v),
		}
		if p, ok := s.account.Latest(v); ok {
			addPosition(row, p)
		}
		rows = append(rows, row)
	}
	return rows
}

func addPosition(row object, p sim.Sample) {
	row["lastmsgid"], row["msgtime"], row["pos_time"] = p.ID, timestamp(p.Received), timestamp(p.Time.Time)
	row["latitude"], row["longitude"] = sexagesimal(p.Latitude, "N", "S"), sexagesimal(p.Longitude, "E", "W")
	row["latitude_mdeg"], row["longitude_mdeg"] = micro(p.Latitude), micro(p.Longitude)
	row["postext"], row["status"] = "3350 Ballarat", "A"
	row["speed"], row["course"], row["direction"] = math.Round(*p.SpeedKPH), *p.Heading, 1+int(*p.Heading)/45
	row["odometer"], row["odometer_long"] = math.Floor(*p.OdometerMetres/100), *p.OdometerMetres
	g := p.Gauges()
	row["engine_operation_time"], row["fuellevel"] = g[drover.ReadingEngine], g[drover.ReadingFuelPercent]*10
	row["ignition"], row["standstill"] = 0, 1
	if *p.Ignition {
		row["ignition"], row["standstill"] = 1, 0
	}
	row["driveruid"] = ""
	if p.DriverID != nil {
		row["driveruid"], row["driver"] = DriverUID(*p.DriverID), *p.DriverID
	}
}

func (s *server) tracks(query url.Values) ([]object, *fault) {
	from, to, failed := period(query)
	if failed != nil {
		return nil, failed
	}
	v, ok := s.account.Vehicle(query.Get("objectuid"), ObjectUID)
	if !ok || to.Sub(from) > longestTracks {
		return nil, badRequest
	}
	var rows []object
	for _, p := range s.account.Positions(v, from, to) {
		rows = append(rows, object{
			"pos_time": timestamp(p.Time.Time), "latitude": micro(p.Latitude), "longitude": micro(p.Longitude),
			"speed": math.Round(*p.SpeedKPH), "course": *p.Heading, "postext": "Ballarat",
		})
	}
	return rows, nil
}

// trips serves the trips that start within the period.
func (s *server) trips(query url.Values) ([]object, *fault) {
	from, to, failed := period(query)
	if failed != nil {
		return nil, failed
	}
	var rows []object
	for _, v := range s.account.Vehicles() {
		for _, t := range s.account.Trips(v, from, to.Add(longestTrip)) {
			if !t.StartTime.Before(from) && t.StartTime.Before(to) {
				rows = append(rows, trip(v, t))
			}
		}
	}
	return rows[:min(len(rows), maxTrips)], nil
}

func trip(v sim.Vehicle, t sim.Trip) object {
	row := object{
		"tripid": t.ID, "tripmode": 2, "objectno": v.ID, "objectname": v.Name, "objectuid": ObjectUID(v),
		"start_time": timestamp(t.StartTime), "start_odometer": math.Floor(t.StartOdometer / 100), "start_postext": "Ballarat",
		"start_latitude": micro(t.Start.Latitude), "start_longitude": micro(t.Start.Longitude),
		"end_time": timestamp(t.EndTime), "end_odometer": math.Floor((t.StartOdometer + t.DistanceMetres) / 100),
		"end_postext": "Bendigo", "end_latitude": micro(t.End.Latitude), "end_longitude": micro(t.End.Longitude),
		"duration": t.EndTime.Sub(t.StartTime).Seconds(), "idle_time": t.IdlingSeconds + t.AuxiliarySeconds,
		"distance": t.DistanceMetres, "avg_speed": 44, "max_speed": 96, "fueltype": 1, "fuel_usage": 2.4,
		"driveruid": "",
	}
	if t.DriverID != nil {
		row["driveruid"] = DriverUID(*t.DriverID)
	}
	return row
}

// period reads the range of a query, whose last second belongs to it.
func period(query url.Values) (from, to time.Time, failed *fault) {
	from, err := time.Parse(time.RFC3339, query.Get("rangefrom_string"))
	if err != nil || query.Get("range_pattern") != "ud" {
		return from, to, badRequest
	}
	to, err = time.Parse(time.RFC3339, query.Get("rangeto_string"))
	if err != nil || to.Before(from) {
		return from, to, badRequest
	}
	return from, to.Add(time.Second), nil
}

func timestamp(t time.Time) string { return t.In(zone).Format(time.RFC3339) }

func micro(degrees float64) int64 { return int64(math.Round(degrees * 1e6)) }

// sexagesimal writes a coordinate for people, with the comma of the account.
func sexagesimal(degrees float64, positive, negative string) string {
	side := positive
	if degrees < 0 {
		degrees, side = -degrees, negative
	}
	tenths := int(math.Round(degrees * 36_000))
	return fmt.Sprintf("%d°%02d'%02d,%d\" %s", tenths/36_000, tenths/600%60, tenths/10%60, tenths%10, side)
}
