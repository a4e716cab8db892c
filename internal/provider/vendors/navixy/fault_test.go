package navixy

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestCodesOfTrackers reads the state that has the codes of a vehicle.
func TestCodesOfTrackers(t *testing.T) {
	t.Parallel()
	const at = `"update_time":"2026-05-07T06:10:00+05:00"`
	for payload, want := range map[string]string{
		`{"field":"obd_dtc_codes","value":"P0420,U0100",` + at + `}`:                                   "P0420 U0100",
		`{"field":"obd_mil_status","value":true},{"field":"obd_dtc_codes","value":"p0420",` + at + `}`: "P0420",
		`{"field":"obd_dtc_codes","value":"",` + at + `}`:                                              "none",
		`{"field":"obd_dtc_codes","value":"P0420 17-3",` + at + `}`:                                    "P0420",
		`{"field":"obd_dtc_codes","value":"17-3",` + at + `}`:                                          "",
		`{"field":"obd_dtc_codes","value":3,` + at + `}`:                                               "",
		`{"field":"obd_dtc_codes","value":"P0420","update_time":"2026-05-07 06:10:00"}`:                "",
		`{"field":"obd_dtc_number","value":2,` + at + `}`:                                              "",
	} {
		var s spoken
		if err := json.Unmarshal([]byte(`{"states":[`+payload+`]}`), &s); err != nil {
			t.Fatal(err)
		}
		got := ""
		if r := s.report(); r != nil {
			var codes []string
			for _, said := range r.Faults {
				codes = append(codes, said.Code)
			}
			if got = strings.Join(codes, " "); got == "" {
				got = "none"
			}
			if r.At.UTC().Hour() != 1 {
				t.Errorf("%s: of %s", payload, r.At)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
}
