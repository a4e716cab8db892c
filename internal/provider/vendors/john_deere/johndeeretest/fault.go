package johndeeretest

import (
	"maps"
	"net/http"
	"time"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
)

// longestAlerts is the longest time that one call may ask for.
const longestAlerts = 7 * 24 * time.Hour

// alerts serves the trouble code of a broken machine, an hour ago, and an alert of a geofence, which
// every machine has.
func (s *server) alerts(w http.ResponseWriter, r *http.Request) {
	v, from, to, ok := s.asked(w, r)
	if !ok {
		return
	}
	if to.Sub(from) > longestAlerts {
		fake.ReplyStatus(w, http.StatusBadRequest, object{"message": "the period is longer than seven days"})
		return
	}
	values := []object{}
	at := s.account.Now().Truncate(time.Hour).Add(-time.Hour)
	if !at.Before(from) && at.Before(to) {
		common := object{
			"time": timestamp(at), "location": object{"@type": "Point", "lat": 41.1, "lon": -90.2}, "color": "YELLOW", "severity": "MEDIUM",
			"acknowledgementStatus": "N", "ignored": false, "invisible": false, "links": []object{},
		}
		alert := func(kind, id string, more object) {
			out := object{"@type": kind, "id": id}
			maps.Copy(out, common)
			maps.Copy(out, more)
			values = append(values, out)
		}
		alert("GeofenceAlert", "1"+v.ID, nil)
		if v.BrokenAt(at) {
			alert("DiagnosticTroubleCodeAlert", "2"+v.ID, object{
				"duration":    object{"@type": "measurementAsInteger", "valueAsInteger": "3", "unit": "Seconds"},
				"occurrences": "1", "machineLinearTime": 36951157, "bus": "0",
				"engineHours": object{"@type": "EngineHours", "reading": object{"valueAsDouble": 668.25, "unit": "Hours"}},
				"definition": object{
					"@type": "DiagnosticTroubleCodeAlertDefinition", "suspectParameterName": "3031", "failureModeIndicator": "9", "bus": "0",
					"sourceAddress": "0", "threeLetterAcronym": "ECU", "id": "1234567", "description": "ECU 3031.09 DEF quality sensor. Service required.",
				},
			})
		}
	}
	paged(w, r, host, values, trackPage)
}
