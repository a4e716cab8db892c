package traccartest

import (
	"net/http"
	"strings"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
)

// events serves an alarm of each hard braking.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
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
		for _, p := range s.account.Brakings(v, from, fake.Inclusive(to)) {
			list = append(list, object{
				"id": p.ID, "type": "alarm", "eventTime": timestamp(p.Time.Time), "deviceId": number(v.ID), "positionId": 1, "geofenceId": 0,
				"maintenanceId": 0, "attributes": object{"alarm": "hardBraking"},
			})
		}
	}
	fake.Reply(w, list)
}
