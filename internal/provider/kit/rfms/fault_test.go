package rfms

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
)

// TestTellTales reads the lamps of a status in the shapes of both versions.
func TestTellTales(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string][]string{
		`{"vin":"V","createdDateTime":"2024-05-02T10:00:00Z","uptimeData":{"tellTaleInfo":[
			{"tellTale":"ENGINE_MIL_INDICATOR","state":"YELLOW"},{"tellTale":"BRAKE_MALFUNCTION","state":"RED"},{"tellTale":"ADBLUE_LEVEL","state":"OFF"},
			{"tellTale":"PARKING_HEATER","state":"INFO"},{"tellTale":"WATER_IN_FUEL","state":"NOT_AVAILABLE"},
			{"tellTale":"OEM_SPECIFIC_TELL_TALE","oemTellTale":"OWN_7","state":"RED"},{"state":"RED"}]}}`: {
			"ENGINE_MIL_INDICATOR amber", "BRAKE_MALFUNCTION red_stop", "ADBLUE_LEVEL closed", "PARKING_HEATER closed", "OWN_7 red_stop",
		},
		`{"Vin":"V","CreatedDateTime":"2024-05-02T10:00:00Z","UptimeData":{"TellTaleInfo":[{"TellTale":"COOLING_AIR_CONDITIONING","State":"YELLOW"}]}}`: {
			"COOLING_AIR_CONDITIONING amber",
		},
		`{"vin":"V","createdDateTime":"2024-05-02T10:00:00Z"}`:                                                                      nil,
		`{"createdDateTime":"2024-05-02T10:00:00Z","uptimeData":{"tellTaleInfo":[{"tellTale":"BRAKE_MALFUNCTION","state":"RED"}]}}`: nil,
	} {
		var r report
		if err := json.Unmarshal([]byte(payload), &r); err != nil {
			t.Fatal(err)
		}
		var got []string
		if faults, ok := r.faults(); ok {
			for _, said := range faults.Faults {
				text := said.Code
				if len(said.Lamps) == 1 {
					text += " " + string(said.Lamps[0])
				}
				if said.Status == drover.FaultClosed {
					text += " closed"
				}
				got = append(got, text)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", payload, diff)
		}
	}
}
