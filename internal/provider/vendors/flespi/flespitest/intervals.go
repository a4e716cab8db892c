package flespitest

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

func (s *server) calculator(w http.ResponseWriter, r *http.Request) {
	if !s.account.Accepts("trips_calc_id", r.PathValue("calc")) {
		refuse(w, http.StatusNotFound, 404, "not found")
		return
	}
	calculator := object{"id": json.Number(r.PathValue("calc")), "cid": 77, "name": "Trips"}
	fake.Reply(w, object{"result": []object{only(r.URL.Query().Get("fields"), calculator)}})
}

// intervals serves a calculator whose intervals are the stretches with the
// ignition on. One that is under way ends with the newest message and grows.
func (s *server) intervals(w http.ResponseWriter, r *http.Request) {
	v, ok := s.account.Vehicle(r.PathValue("device"), nil)
	if !ok || !s.account.Accepts("trips_calc_id", r.PathValue("calc")) || r.PathValue("selector") != "all" {
		refuse(w, http.StatusNotFound, 404, "not found")
		return
	}
	span, err := parseSpan(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, 2, err.Error())
		return
	}
	list := s.overlapping(v, instant(span.Begin), instant(span.End))
	fake.Reply(w, object{"result": first(list, span.Count)})
}

// overlapping returns the intervals with a part in the window.
func (s *server) overlapping(v sim.Vehicle, begin, end time.Time) []object {
	list := []object{}
	for _, t := range s.account.Trips(v, begin, end.Add(sim.LongestJourney)) {
		if !t.EndTime.Before(begin) && !t.StartTime.After(end) {
			list = append(list, finished(t))
		}
	}
	if run := s.account.UnderWay(v); len(run) > 0 && !run[0].Time.After(end) {
		list = append(list, growing(run[0], run[len(run)-1]))
	}
	return list
}

func finished(t sim.Trip) object {
	return object{
		"id": t.ID, "begin": t.StartTime.Unix(), "end": t.EndTime.Unix(),
		"duration": t.EndTime.Sub(t.StartTime).Seconds(), "timestamp": t.EndTime.Unix(),
		"mileage": t.DistanceMetres / 1000, "max_speed": 97,
		"idle_time": t.IdlingSeconds, "drive_time": t.DrivingSeconds, "pto_time": t.AuxiliarySeconds,
		"start_location": location(t.Start.Latitude, t.Start.Longitude),
		"end_location":   location(t.End.Latitude, t.End.Longitude),
	}
}

// growing is the interval under way.
func growing(first, last sim.Sample) object {
	return object{
		"id": first.ID, "begin": first.Time.Unix(), "end": last.Time.Unix(),
		"duration": last.Time.Sub(first.Time.Time).Seconds(), "timestamp": last.Time.Unix(),
		"mileage":        (*last.OdometerMetres - *first.OdometerMetres) / 1000,
		"start_location": location(first.Latitude, first.Longitude),
		"end_location":   location(last.Latitude, last.Longitude),
	}
}

func location(latitude, longitude float64) object {
	return object{"position.latitude": latitude, "position.longitude": longitude}
}
