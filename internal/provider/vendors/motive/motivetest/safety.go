package motivetest

import (
	"encoding/json"
	"net/http"
	"time"

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
