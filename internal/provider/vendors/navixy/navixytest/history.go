package navixytest

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/sim"
)

// maxHistory is how many events an answer has at most.
const maxHistory = 1000

// history serves the events of a rule for harsh driving, oldest first.
func (s *server) history(p params) (object, *failure) {
	from, errFrom := time.Parse(time.RFC3339, p.From)
	to, errTo := time.Parse(time.RFC3339, p.To)
	if errFrom != nil || errTo != nil || to.Before(from) || p.Ascending == nil || !*p.Ascending {
		return nil, badParams
	}
	if p.Limit > maxHistory {
		return nil, tooManyIDs
	}
	type event struct {
		v sim.Vehicle
		sim.Sample
	}
	var events []event
	for _, v := range s.account.Vehicles() {
		if !slices.Contains(p.Events, "harsh_driving") {
			break
		}
		for _, at := range s.account.Brakings(v, from, to.Add(time.Second)) {
			events = append(events, event{v, at})
		}
	}
	order.By(events, func(a, b event) int { return cmp.Or(a.Time.Compare(b.Time.Time), cmp.Compare(a.v.Index, b.v.Index)) })
	list := []object{}
	for _, e := range events[:min(len(events), cmp.Or(p.Limit, maxHistory))] {
		list = append(list, object{
			"id": e.ID, "type": "tracker", "is_read": false, "message": "Harsh braking", "time": timestamp(e.Time.Time), "event": "harsh_driving",
			"tracker_id": json.Number(e.v.ID), "rule_id": 3, "track_id": nil,
			"location": object{"lat": e.Latitude, "lng": e.Longitude, "precision": 50}, "address": "",
			"extra": object{
				"task_id": nil, "counter_id": nil, "last_known_location": false, "tracker_label": e.v.Name, "emergency": false, "employee_id": nil,
			},
		})
	}
	return object{"list": list, "limit_exceeded": false}, nil
}
