package mixtelematicstest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/sim"
)

// row is a record with the time of its arrival.
type row struct {
	received time.Time
	object   object
}

// lister returns the records of a vehicle that happened in [from, to), or those
// that arrived then.
type lister func(v sim.Vehicle, from, to time.Time, byArrival bool) []row

// between serves the records of some assets in a span of time.
func (s *server) between(list lister) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		from, errFrom := time.Parse("20060102150405", r.PathValue("from"))
		to, errTo := time.Parse("20060102150405", r.PathValue("to"))
		var ids []int64
		err := json.NewDecoder(r.Body).Decode(&ids)
		if errFrom != nil || errTo != nil || err != nil {
			badArgument(w, "from, to and a list of ids are expected")
			return
		}
		if to.Sub(from) > longest {
			badArgument(w, "the range must not be longer than 7 days")
			return
		}
		vehicles, ok := s.sameOwner(ids)
		if !ok {
			notAuthorised(w)
			return
		}
		var rows []object
		for _, v := range vehicles {
			for _, r := range list(v, from, to.Add(time.Nanosecond), false) {
				rows = append(rows, r.object)
			}
		}
		replyList(w, http.StatusOK, rows)
	}
}

// sameOwner returns the vehicles; false where one is unknown or of another
// organisation than the first.
func (s *server) sameOwner(ids []int64) ([]sim.Vehicle, bool) {
	var vehicles []sim.Vehicle
	for _, id := range ids {
		v, ok := s.account.Vehicle(strconv.FormatInt(id, 10), AssetID)
		if !ok || (len(vehicles) > 0 && organisationOf(v) != organisationOf(vehicles[0])) {
			return nil, false
		}
		vehicles = append(vehicles, v)
	}
	return vehicles, true
}

// since serves the records that arrived after a token, oldest first. Those that
// arrived together come together, though they may be more than asked for.
func (s *server) since(list lister) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		vehicles, ok := s.vehicles(r.PathValue("group"))
		if !ok {
			notAuthorised(w)
			return
		}
		token, quantity := r.PathValue("token"), 0
		since, ok := s.tokenTime(token)
		if n, err := strconv.Atoi(r.PathValue("quantity")); err == nil {
			quantity = min(n, 1000)
		}
		if !ok || quantity <= 0 {
			badArgument(w, "SinceToken must not be older than 7 days")
			return
		}
		var rows []row
		for _, v := range vehicles {
			rows = append(rows, list(v, since.Add(time.Millisecond), s.account.Now().Add(time.Nanosecond), true)...)
		}
		order.By(rows, func(a, b row) int { return a.received.Compare(b.received) })
		s.page(w, rows, quantity, since)
	}
}

func (s *server) page(w http.ResponseWriter, rows []row, quantity int, last time.Time) {
	var page []object
	rest := rows
	for len(rest) > 0 && (len(page) < quantity || rest[0].received.Equal(last)) {
		page, last, rest = append(page, rest[0].object), rest[0].received, rest[1:]
	}
	status, more := http.StatusOK, "False"
	if len(rest) > 0 {
		status, more = http.StatusPartialContent, "True"
	}
	w.Header().Set("GetSinceToken", last.Format("20060102150405")+last.Format(".000")[1:])
	w.Header().Set("HasMoreItems", more)
	replyList(w, status, page)
}

// tokenTime returns the time of a token; false where it is none or too old.
func (s *server) tokenTime(token string) (time.Time, bool) {
	if token == "NEW" {
		return s.account.Now(), true
	}
	if len(token) != len("yyyyMMddHHmmssfff") {
		return time.Time{}, false
	}
	at, err := time.Parse("20060102150405.000", token[:14]+"."+token[14:])
	return at, err == nil && s.account.Now().Sub(at) <= longest
}

func (s *server) positions(v sim.Vehicle, from, to time.Time, byArrival bool) []row {
	samples := s.account.Positions
	if byArrival {
		samples = s.account.Arrived
	}
	var rows []row
	for _, p := range samples(v, from, to) {
		rows = append(rows, row{p.Received, object{
			"PositionId": -p.ID, "AssetId": json.Number(AssetID(v)), "DriverId": driver(p.DriverID),
			"Timestamp": timestamp(p.Time.Time), "Latitude": p.Latitude, "Longitude": p.Longitude,
			"SpeedKilometresPerHour": *p.SpeedKPH, "SpeedLimit": nil, "AltitudeMetres": 754, "Heading": int(*p.Heading),
			"NumberOfSatellites": 7, "Hdop": 0, "OdometerKilometres": *p.OdometerMetres / 1000,
			"FormattedAddress": "", "Source": "Gps", "IsAvl": true,
		}})
	}
	return rows
}

// trips lists trips by their start, or by their arrival.
func (s *server) trips(v sim.Vehicle, from, to time.Time, byArrival bool) []row {
	var rows []row
	for _, t := range s.account.Trips(v, from.AddDate(0, 0, -1), to.AddDate(0, 0, 1)) {
		key := t.StartTime
		if byArrival {
			key = t.Received
		}
		if !key.Before(from) && key.Before(to) {
			rows = append(rows, row{t.Received, trip(v, t)})
		}
	}
	order.By(rows, func(a, b row) int { return cmp.Compare(a.received.Unix(), b.received.Unix()) })
	return rows
}

func trip(v sim.Vehicle, t sim.Trip) object {
	duration := t.EndTime.Sub(t.StartTime).Seconds()
	return object{
		"TripId": 7353232000000000000 + t.ID, "AssetId": json.Number(AssetID(v)), "DriverId": driver(t.DriverID),
		"TripStart": timestamp(t.StartTime), "TripEnd": timestamp(t.EndTime), "SubTrips": []object{}, "EngineSeconds": duration,
		"StartPositionId": -t.StartID, "EndPositionId": -t.EndID,
		"StartPosition": object{
			"PositionId": -t.StartID, "Timestamp": timestamp(t.StartTime), "Latitude": t.Start.Latitude,
			"Longitude": t.Start.Longitude,
		},
		"EndPosition": object{
			"PositionId": -t.EndID, "Timestamp": timestamp(t.EndTime), "Latitude": t.End.Latitude,
			"Longitude": t.End.Longitude,
		},
		"DrivingTime": t.DrivingSeconds, "StandingTime": duration - t.DrivingSeconds, "Duration": duration - 33,
		"DistanceKilometers": t.DistanceMetres / 1000, "StartOdometerKilometers": t.StartOdometer / 1000,
		"EndOdometerKilometers": (t.StartOdometer + t.DistanceMetres) / 1000, "PulseValue": nil, "FuelUsedLitres": 1.2,
	}
}

func driver(id *string) json.Number {
	if id == nil {
		return stranger
	}
	return json.Number(DriverID(*id))
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
