package ruptelatest

import (
	"net/http"
	"time"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
)

// detected serves the events of a rule for harsh braking.
func (s *server) detected(w http.ResponseWriter, r *http.Request) {
	r.SetPathValue("object", r.URL.Query().Get("object_id"))
	v, q, ok := s.history(w, r)
	if !ok {
		return
	}
	list := []object{}
	for _, p := range s.account.Brakings(v, q.from, q.to.Add(time.Nanosecond)) {
		if len(list) == q.limit {
			fake.Reply(w, object{"events": list, "continuation_token": timestamp(p.Time.Time)})
			return
		}
		moment := func(at time.Time) object {
			return object{"datetime": timestamp(at), "location": object{"latitude": p.Latitude, "longitude": p.Longitude}, "speed": 45, "mileage": 12.5}
		}
		list = append(list, object{
			"name": "Harsh braking", "description": "Rule of the fleet", "object_id": ObjectID(v), "driver_id": nil, "duration": 2,
			"start": moment(p.Time.Time), "end": moment(p.Time.Add(2 * time.Second)), "trip_type": "BUSINESS",
		})
	}
	fake.Reply(w, object{"events": list})
}
