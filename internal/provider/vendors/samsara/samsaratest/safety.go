package samsaratest

import (
	"net/http"
	"strconv"
	"time"
)

// safetyEvents serves one event of each broken vehicle, an hour ago, for those who ask for
// what changed since.
func (s *server) safetyEvents(w http.ResponseWriter, r *http.Request) {
	from, to, ok := period(w, r.URL.Query())
	if !ok {
		return
	}
	at := s.account.Now().Truncate(time.Hour).Add(-time.Hour)
	list := []object{}
	for _, v := range s.account.Vehicles() {
		if !v.Broken() || at.Before(from) || !at.Before(to) {
			continue
		}
		list = append(list, object{
			"id": v.ID + "-" + strconv.FormatInt(at.UnixMilli(), 10), "asset": object{"id": v.ID, "type": "vehicle"}, "driver": object{"id": "88668"},
			"behaviorLabels": []object{{"label": "Braking", "source": "automated"}}, "eventState": "needsReview",
			"startMs": strconv.FormatInt(at.UnixMilli(), 10), "endMs": strconv.FormatInt(at.Add(3*time.Second).UnixMilli(), 10),
			"maxAccelerationGForce": 0.47, "location": object{"latitude": 37.4, "longitude": -122.1, "headingDegrees": 120},
			"createdAtTime": timestamp(at), "updatedAtTime": timestamp(at),
		})
	}
	replyList(w, list, "", false)
}
