package motive

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestPerformanceEvents reads events in the vendor's shape.
func TestPerformanceEvents(t *testing.T) {
	t.Parallel()
	const rest = `"id":7001,"vehicle":{"id":7},"start_time":"2026-05-06T08:00:00Z","end_time":"2026-05-06T08:00:03Z"`
	for payload, want := range map[string]string{
		`{` + rest + `,"type":"hard_brake","acceleration":0.4,"start_speed":62.5,"coaching_status":"pending_review","driver":{"id":88}}`: "harsh_braking hard_brake open 88 -0.4",
		`{` + rest + `,"type":"hard_brake","acceleration":-0.4,"coaching_status":"dismissed"}`:                                           "harsh_braking hard_brake dismissed - -0.4",
		`{` + rest + `,"type":"manual_event","coaching_status":"coached"}`:                                                               "other manual_event reviewed - 0",
		`{"id":1,"type":"crash","start_time":"2026-05-06T08:00:00Z","vehicle":{}}`:                                                       "",
		`{"id":1,"type":"crash","vehicle":{"id":7}}`:                                                                                     "",
	} {
		var e performanceEvent
		if err := json.Unmarshal([]byte(payload), &e); err != nil {
			t.Fatal(err)
		}
		got := ""
		if r, ok := e.record(); ok {
			g, driver := 0.0, "-"
			if r.AccelerationG != nil {
				g = *r.AccelerationG
			}
			if r.DriverID != nil {
				driver = r.DriverID.Value
			}
			got = fmt.Sprintf("%s %s %s %s %g", r.Type, r.NativeType, r.Status, driver, g)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
}
