package motivetest

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
	"github.com/drover-fleet/drover/internal/sim"
)

// performanceEvents serves one event of each broken vehicle, an hour ago, whatever the dates say.
func (s *server) performanceEvents(w http.ResponseWriter, r *http.Request) {
	var all []sim.Vehicle
	for _, v := range s.account.Vehicles() {
		if v.Broken() {
			all = append(all, v)
		}
	}
	at := s.account.Now().Truncate(time.Hour).Add(-time.Hour).UTC()
	replyPage(w, r, "driver_performance_events", len(all), func(i int) object {
		v := all[i]
		return object{"driver_performance_event": object{
			"id": 7000 + v.Index, "type": "hard_brake", "start_time": at.Format(time.RFC3339), "end_time": at.Add(3 * time.Second).Format(time.RFC3339),
			"duration": 3, "acceleration": 0.4, "start_speed": 62.5, "end_speed": 20.1, "lat": 37.4, "lon": -122.1, "coaching_status": "pending_review",
			"driver": object{"id": 88}, "vehicle": object{"id": json.Number(v.ID), "number": v.Name}, "camera_media": nil,
		}}
	})
}

// speedingEvents serves one event of each broken vehicle, an hour ago, all on one page. What other
// lists have in an object stands beside this one.
func (s *server) speedingEvents(w http.ResponseWriter, r *http.Request) {
	rows := []object{}
	at := s.account.Now().Truncate(time.Hour).Add(-time.Hour).UTC()
	for _, v := range s.account.Vehicles() {
		if !v.Broken() || parameter(r, "page_no", 1) > 1 {
			continue
		}
		rows = append(rows, object{"speeding_event": object{
			"id": 7000 + v.Index, "type": "posted", "status": "valid", "coaching_status": "coachable", "duration": 69, "metadata": object{"severity": "medium"},
			"start_time": at.Format(time.RFC3339), "end_time": at.Add(69 * time.Second).Format(time.RFC3339), "start_lat": 43.1, "start_lon": -78.7,
			"max_over_speed_in_kph": 12.0, "avg_over_speed_in_kph": 8.0, "min_posted_speed_limit_in_kph": 98.0, "max_posted_speed_limit_in_kph": 98.0,
			"avg_vehicle_speed": 106, "min_vehicle_speed": 99, "max_vehicle_speed": 110, "speeding_distance_in_km": 2.1,
			"driver": object{"id": 88}, "vehicle": object{"id": json.Number(v.ID), "number": v.Name, "metric_units": true},
		}})
	}
	fake.Reply(w, object{"speeding_events": rows, "per_page": maxPage, "page_no": parameter(r, "page_no", 1), "total": len(rows)})
}
