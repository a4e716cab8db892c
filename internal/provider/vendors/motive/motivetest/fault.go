package motivetest

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/drover-fleet/drover/internal/sim"
)

// faultCodes serves the faults of vehicles, which began a day ago.
func (s *server) faultCodes(w http.ResponseWriter, r *http.Request) {
	var broken []sim.Vehicle
	for _, v := range s.account.Vehicles() {
		if v.Broken() {
			broken = append(broken, v)
		}
	}
	now := s.account.Now()
	replyPage(w, r, "fault_codes", len(broken), func(i int) object {
		v := broken[i]
		return object{"fault_code": object{
			"id": 9000 + v.Index, "code": "P0420", "code_label": "P0420", "code_description": "Catalyst efficiency below threshold",
			"status": "opened", "type": "constant", "network": "obdii", "fmi": nil, "num_observations": 12, "dtc_severity": nil,
			"first_observed_at": now.Add(-24 * time.Hour).UTC().Format(time.RFC3339), "last_observed_at": now.UTC().Format(time.RFC3339),
			"vehicle": object{"id": json.Number(v.ID), "number": v.Name, "metric_units": true},
		}}
	})
}
