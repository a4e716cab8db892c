package traccartest

import (
	"net/http"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

// trips serves the report of trips. As the server does, it works on the positions
// within the period: a trip that crosses an edge is cut there, and one that is
// under way ends with the newest position.
func (s *server) trips(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.Header.Get("Accept"), "application/json") {
		w.Header().Set("Content-Type", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
		return
	}
	query := r.URL.Query()
	from, to, err := period(query)
	if err != nil {
		badRequest(w, err)
		return
	}
	list := []object{}
	for _, id := range query["deviceId"] {
		v, ok := s.account.Vehicle(id, nil)
		if !ok {
			badRequest(w, errDenied)
			return
		}
		list = append(list, s.report(v, from, to)...)
	}
	fake.Reply(w, list)
}

func (s *server) report(v sim.Vehicle, from, to time.Time) []object {
	var list []object
	free := from // behind the last trip that has ended
	for _, t := range s.account.Trips(v, from, to.AddDate(0, 0, 1)) {
		if t.StartTime.After(to) {
			return list
		}
		list = append(list, s.trip(v, later(t.StartTime, from), earlier(t.EndTime, to))...)
		free = t.EndTime.Add(time.Second)
	}
	for _, p := range s.account.Positions(v, free, fake.Inclusive(to)) {
		if *p.Ignition {
			return append(list, s.trip(v, p.Time.Time, to)...)
		}
	}
	return list
}

// trip returns the trip from the first to the last position of a period, none
// where it has fewer than two.
func (s *server) trip(v sim.Vehicle, from, to time.Time) []object {
	positions := s.account.Positions(v, from, fake.Inclusive(to))
	if len(positions) < 2 {
		return nil
	}
	first, last := positions[0], positions[len(positions)-1]
	duration := last.Time.Sub(first.Time.Time)
	distance := *last.OdometerMetres - *first.OdometerMetres
	return []object{{
		"deviceId": number(v.ID), "deviceName": v.Name, "distance": distance,
		"averageSpeed": knots(distance / 1000 / duration.Hours()), "maxSpeed": 48.6, "spentFuel": 0.0,
		"startOdometer": *first.OdometerMetres, "endOdometer": *last.OdometerMetres,
		"startTime": timestamp(first.Time.Time), "endTime": timestamp(last.Time.Time),
		"startPositionId": first.ID, "endPositionId": last.ID,
		"startLat": first.Latitude, "startLon": first.Longitude, "endLat": last.Latitude, "endLon": last.Longitude,
		"startAddress": nil, "endAddress": nil, "duration": duration.Milliseconds(),
		"driverUniqueId": first.DriverID, "driverName": nil,
	}}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
