package samsaratest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

const (
	maxTripSpan = 90 * 24 * time.Hour
	maxIdling   = 200
	assignPage  = 50
)

// trips serves those of one vehicle that overlap the window, the one under way
// too. This endpoint refuses in plain text.
func (s *server) trips(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	v, ok := s.account.Vehicle(query.Get("vehicleId"), nil)
	start, startErr := strconv.ParseInt(query.Get("startMs"), 10, 64)
	end, endErr := strconv.ParseInt(query.Get("endMs"), 10, 64)
	from, to := time.UnixMilli(start), time.UnixMilli(end)
	switch {
	case !ok:
		invalid(w, "Missing parameter: vehicleId")
		return
	case startErr != nil || endErr != nil || start >= end:
		invalid(w, "Missing parameter: startMs or endMs")
		return
	case to.Sub(from) > maxTripSpan:
		invalid(w, "requested time range cannot exceed 90 days")
		return
	}
	rows := []object{}
	for _, t := range s.account.Trips(v, from, to.Add(sim.LongestJourney)) {
		if t.EndTime.After(from) && t.StartTime.Before(to) {
			rows = append(rows, trip(t))
		}
	}
	if run := s.account.UnderWay(v); len(run) > 0 && run[0].Time.Before(to) {
		rows = append(rows, object{
			"startMs": run[0].Time.UnixMilli(), "endMs": int64(math.MaxInt64), "driverId": 0, "distanceMeters": 0,
			"startCoordinates": object{"latitude": run[0].Latitude, "longitude": run[0].Longitude},
		})
	}
	fake.Reply(w, object{"trips": rows})
}

func trip(t sim.Trip) object {
	driver := json.Number("0")
	if t.DriverID != nil {
		driver = json.Number(*t.DriverID)
	}
	return object{
		"startMs": t.StartTime.UnixMilli(), "endMs": t.EndTime.UnixMilli(), "driverId": driver,
		"codriverIds": []int{}, "assetIds": []int{}, "distanceMeters": t.DistanceMetres, "fuelConsumedMl": 3220,
		"tollMeters": 0, "startOdometer": t.StartOdometer, "endOdometer": t.StartOdometer + t.DistanceMetres,
		"startLocation": "1 Sturt St", "endLocation": "2 Sturt St",
		"startCoordinates": object{"latitude": t.Start.Latitude, "longitude": t.Start.Longitude},
		"endCoordinates":   object{"latitude": t.End.Latitude, "longitude": t.End.Longitude},
	}
}

func invalid(w http.ResponseWriter, text string) {
	http.Error(w, "rpc error: code = InvalidArgument desc = "+text, http.StatusBadRequest)
}

// idling serves the standstills that begin within the window. The simulation
// tells only how long they were over a trip: the engine idles when it begins, and
// drives the power take-off before it ends.
func (s *server) idling(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	limit, ok := limited(w, query, maxIdling)
	if !ok {
		return
	}
	from, to, ok := period(w, query)
	if !ok {
		return
	}
	rows := []object{}
	add := func(v sim.Vehicle, at time.Time, seconds float64, pto string) {
		if seconds > 0 && !at.Before(from) && at.Before(to) {
			rows = append(rows, object{
				"eventUuid": fmt.Sprintf("%s-%d-%s", v.ID, at.Unix(), pto), "startTime": timestamp(at),
				"durationMilliseconds": seconds * 1000, "asset": object{"id": json.Number(v.ID)}, "ptoState": pto,
			})
		}
	}
	for _, v := range s.account.Vehicles() {
		if !selected(query, "assetIds", v.ID) {
			continue
		}
		for _, t := range s.account.Trips(v, from, to.Add(sim.LongestJourney)) {
			add(v, t.StartTime, t.IdlingSeconds, "inactive")
			add(v, t.EndTime.Add(-time.Duration(t.AuxiliarySeconds)*time.Second), t.AuxiliarySeconds, "active")
		}
	}
	replyPage(w, r, rows, limit)
}

// assignments serves who drove within the window, in pages whose size cannot be
// chosen.
func (s *server) assignments(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	from, to, ok := period(w, query)
	if !ok {
		return
	}
	if query.Get("filterBy") != "vehicles" {
		refuse(w, http.StatusBadRequest, "filterBy must be one of drivers, vehicles")
		return
	}
	rows := []object{}
	for _, v := range s.account.Vehicles() {
		if selected(query, "vehicleIds", v.ID) && len(v.Drivers) > 0 {
			rows = append(rows, s.shifts(v, from, to)...)
		}
	}
	replyPage(w, r, rows, assignPage)
}

// shifts returns one assignment for each run of samples with the same driver.
func (s *server) shifts(v sim.Vehicle, from, to time.Time) []object {
	var rows []object
	var driver string
	var first, last time.Time
	flush := func() {
		if driver != "" && !last.Before(from) && first.Before(to) {
			rows = append(rows, object{
				"startTime": timestamp(first), "endTime": timestamp(last), "assignedAtTime": "",
				"assignmentType": "HOS", "isPassenger": false,
				"driver": object{"id": driver, "name": s.account.DriverName(driver)}, "vehicle": object{"id": v.ID, "name": v.Name},
			})
		}
	}
	for _, p := range s.account.Positions(v, from.Add(-sim.LongestJourney), to.Add(sim.LongestJourney)) {
		now := ""
		if p.DriverID != nil {
			now = *p.DriverID
		}
		if now != driver {
			flush()
			driver, first = now, p.Time.Time
		}
		last = p.Time.Time
	}
	flush()
	return rows
}
