package samsaratest

import (
	"net/http"
	"strconv"
	"time"
)

// seen are what the vendor makes of a hard braking, by its minute: most are one, some a start or a turn.
var seen = []string{"Braking", "Braking", "Acceleration", "Braking", "HarshTurn"}

// safetyEvents serves an event of each hard braking, for those who ask for what changed since.
func (s *server) safetyEvents(w http.ResponseWriter, r *http.Request) {
	from, to, ok := period(w, r.URL.Query())
	if !ok {
		return
	}
	list := []object{}
	for _, v := range s.account.Vehicles() {
		for _, p := range s.account.Brakings(v, from, to) {
			driver := "88668"
			if p.DriverID != nil {
				driver = *p.DriverID
			}
			at := p.Time.Time
			minute := at.Unix() / 60
			list = append(list, object{
				"id": v.ID + "-" + strconv.FormatInt(at.UnixMilli(), 10), "asset": object{"id": v.ID, "type": "vehicle"}, "driver": object{"id": driver},
				"behaviorLabels": []object{{"label": seen[minute%int64(len(seen))], "source": "automated"}}, "eventState": "needsReview",
				"startMs": strconv.FormatInt(at.UnixMilli(), 10), "endMs": strconv.FormatInt(at.Add(3*time.Second).UnixMilli(), 10),
				"maxAccelerationGForce": 0.35 + float64(minute%7)*0.04, "location": object{"latitude": p.Latitude, "longitude": p.Longitude, "headingDegrees": *p.Heading},
				"createdAtTime": timestamp(at), "updatedAtTime": timestamp(at),
			})
		}
	}
	replyList(w, list, "", false)
}
