package traccartest

import (
	"net/http"
	"strings"
	"time"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
)

// events serves one alarm of each broken device, an hour ago.
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
	at := s.account.Now().Truncate(time.Hour).Add(-time.Hour)
	list := []object{}
	for _, id := range query["deviceId"] {
		v, ok := s.account.Vehicle(id, nil)
		if !ok {
			badRequest(w, errDenied)
			return
		}
		if v.Broken() && !at.Before(from) && !at.After(to) {
			list = append(list, object{
				"id": 9000 + v.Index, "type": "alarm", "eventTime": timestamp(at), "deviceId": number(v.ID), "positionId": 1, "geofenceId": 0,
				"maintenanceId": 0, "attributes": object{"alarm": "hardBraking"},
			})
		}
	}
	fake.Reply(w, list)
}
