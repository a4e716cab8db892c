package motivetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/sim"
)

// period is a driving period; one that is under way has no end yet.
type period struct {
	vehicle sim.Vehicle
	start   time.Time
	trip    *sim.Trip
}

// trips serves the driving periods that start on the days asked for, newest
// first.
func (s *server) trips(w http.ResponseWriter, r *http.Request) {
	from, to, ok := dates(w, r, maxTripDays)
	if !ok {
		return
	}
	periods := s.listing(from, to, parameter(r, "page_no", 1) == 1)
	replyPage(w, r, "driving_periods", len(periods), func(i int) object {
		return object{"driving_period": periods[i].row()}
	})
}

// listing is the driving periods of some days. It is made with its first page and
// kept for the others: they are many, and each would be as dear.
type listing struct {
	from, to time.Time
	periods  []period
}

func (s *server) listing(from, to time.Time, again bool) []period {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !again && s.last.from.Equal(from) && s.last.to.Equal(to) {
		return s.last.periods
	}
	s.last = listing{from: from, to: to}
	for _, v := range s.account.Vehicles() {
		s.last.periods = append(s.last.periods, s.periods(v, from, to)...)
	}
	order.By(s.last.periods, func(a, b period) int { return b.start.Compare(a.start) })
	return s.last.periods
}

func (s *server) periods(v sim.Vehicle, from, to time.Time) []period {
	var list []period
	for _, t := range s.account.Trips(v, from, to.Add(sim.LongestJourney)) {
		if !t.StartTime.Before(from) && t.StartTime.Before(to) {
			list = append(list, period{v, t.StartTime, &t})
		}
	}
	if run := s.account.UnderWay(v); len(run) > 0 && !run[0].Time.Before(from) && run[0].Time.Before(to) {
		list = append(list, period{vehicle: v, start: run[0].Time.Time})
	}
	return list
}

func (p period) row() object {
	row := object{
		"id": p.vehicle.Index*10_000_000_000 + int(p.start.Unix()), "start_time": timestamp(p.start), "end_time": nil,
		"status": "in_progress", "type": "driving", "annotation_status": nil, "notes": nil, "duration": 0.0,
		"start_kilometers": nil, "end_kilometers": nil, "source": 1, "driver": nil,
		"vehicle": object{"id": json.Number(p.vehicle.ID), "number": p.vehicle.Name, "metric_units": false},
	}
	t := p.trip
	if t == nil {
		return row
	}
	row["end_time"], row["status"] = timestamp(t.EndTime), "complete"
	row["duration"] = t.EndTime.Sub(t.StartTime).Seconds()
	row["start_kilometers"], row["end_kilometers"] = t.StartOdometer/1000, (t.StartOdometer+t.DistanceMetres)/1000
	row["distance"] = fmt.Sprintf("%.1f mi", t.DistanceMetres/1000/kmPerMile)
	row["driver"] = driver(t.DriverID)
	row["origin"], row["origin_lat"], row["origin_lon"] = "Ballarat, VIC", t.Start.Latitude, t.Start.Longitude
	row["destination"], row["destination_lat"], row["destination_lon"] = "Ararat, VIC", t.End.Latitude, t.End.Longitude
	return row
}
