package automiletest

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

const (
	maxDays      = 60
	fallbackDays = 30
)

// trips serves those that start in the window, the one under way too.
func (s *server) trips(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	from, fromErr := time.Parse(time.RFC3339, query.Get("fromUtc"))
	to, toErr := time.Parse(time.RFC3339, query.Get("toUtc"))
	if fromErr != nil || toErr != nil {
		refuse(w, http.StatusBadRequest, "fromUtc and toUtc are required")
		return
	}
	if to.Sub(from) > maxDays*24*time.Hour {
		from = to.AddDate(0, 0, -fallbackDays)
	}
	list := []object{}
	for _, v := range s.account.Vehicles() {
		if id := query.Get("vehicleId"); id != "" && id != v.ID {
			continue
		}
		for _, t := range s.account.Trips(v, from, to.Add(sim.LongestJourney)) {
			if !t.StartTime.Before(from) && t.StartTime.Before(to) {
				list = append(list, row(v, t))
			}
		}
		if run := s.account.UnderWay(v); len(run) > 0 && !run[0].Time.Before(from) && run[0].Time.Before(to) {
			p := run[0]
			list = append(list, object{
				"TripId": p.ID, "VehicleId": json.Number(v.ID), "TripStartDateTime": local(p.Time.Time),
				"TripEndDateTime": nil, "DriverContactId": contact(p.DriverID),
			})
		}
	}
	fake.Reply(w, list)
}

func row(v sim.Vehicle, t sim.Trip) object {
	return object{
		"TripId": t.ID, "VehicleId": json.Number(v.ID), "TripStartDateTime": local(t.StartTime),
		"TripEndDateTime": local(t.EndTime), "DistanceKilometers": t.DistanceMetres / 1000,
		"FuelConsumptionInLiters": 3.1, "TripType": 0, "DriverContactId": contact(t.DriverID),
		"HasIdlingEvent": t.IdlingSeconds > 0, "HasSpeedingViolation": false, "IsMerged": false,
		"HideStartRoute": false, "HideEndRoute": false,
	}
}

// find returns the trip that a request names, with its samples.
func (s *server) find(w http.ResponseWriter, r *http.Request) (v sim.Vehicle, t sim.Trip, ok bool) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	start := time.Unix(id%10_000_000_000, 0) // the simulation's ids end with the second
	for _, v := range s.account.Vehicles() {
		if err != nil || int64(v.Index+1) != id/10_000_000_000 {
			continue
		}
		for _, t := range s.account.Trips(v, start, start.Add(sim.LongestJourney)) {
			if t.ID == id {
				return v, t, true
			}
		}
		if run := s.account.UnderWay(v); len(run) > 0 && run[0].ID == id {
			return v, sim.Trip{ID: id, StartTime: run[0].Time.Time, EndTime: s.account.Now(), DriverID: run[0].DriverID}, true
		}
	}
	refuse(w, http.StatusNotFound, "The trip was not found")
	return v, t, false
}

func (s *server) trip(w http.ResponseWriter, r *http.Request) {
	if v, t, ok := s.find(w, r); ok {
		fake.Reply(w, object{
			"TripId": t.ID, "VehicleId": json.Number(v.ID), "TripLengthInKilometers": t.DistanceMetres / 1000,
			"TripLengthInMinutes": t.EndTime.Sub(t.StartTime).Minutes(),
			// The power take-off runs at standstill: it is idling to this vendor.
			"IdleTimeInSecondsAllTrip": t.IdlingSeconds + t.AuxiliarySeconds, "IdleTimeInSecondsFromStart": 20,
			"MaxSpeed": 87, "TripStartTimeZone": 110, "TripEndTimeZone": 110, "IMEI": v.IMEI,
			"DriverContactId": contact(t.DriverID),
		})
	}
}

func (s *server) ends(w http.ResponseWriter, r *http.Request) {
	if _, t, ok := s.find(w, r); ok {
		fake.Reply(w, object{
			"StartLatitude": t.Start.Latitude, "StartLongitude": t.Start.Longitude,
			"EndLatitude": t.End.Latitude, "EndLongitude": t.End.Longitude,
		})
	}
}

// geo serves the track of a trip: on the road, unless the call asks for the raw points.
func (s *server) geo(w http.ResponseWriter, r *http.Request) {
	v, t, ok := s.find(w, r)
	if !ok {
		return
	}
	road := func(degrees float64) float64 { return math.Round(degrees*1e3) / 1e3 }
	if r.URL.Query().Get("snapToRoad") == "false" {
		road = func(degrees float64) float64 { return degrees }
	}
	list := []object{}
	for _, p := range s.account.Positions(v, t.StartTime, t.EndTime.Add(time.Second)) {
		list = append(list, object{
			"RecordTimeStamp": p.Time.Format(time.RFC3339), "Latitude": road(p.Latitude), "Longitude": road(p.Longitude),
			"HeadingDegrees": *p.Heading, "NumberOfSatellites": 9, "HDOP": 1,
		})
	}
	fake.Reply(w, list)
}

// ReportsSpeed reports whether a vehicle reports its speed.
func ReportsSpeed(v sim.Vehicle) bool { return v.Index%4 != 3 }

// speed serves the speeds of a trip, which are measured a second after positions.
func (s *server) speed(w http.ResponseWriter, r *http.Request) {
	v, t, ok := s.find(w, r)
	if !ok {
		return
	}
	if !ReportsSpeed(v) {
		refuse(w, http.StatusNotImplemented, "The vehicle does not support this signal")
		return
	}
	list := []object{}
	for _, p := range s.account.Positions(v, t.StartTime, t.EndTime.Add(time.Second)) {
		list = append(list, object{"SpeedKmPerHour": *p.SpeedKPH, "RecordTimeStamp": local(p.Time.Add(time.Second))})
	}
	fake.Reply(w, list)
}
