package geotab

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestExceptionEvents reads exceptions in the vendor's shape.
func TestExceptionEvents(t *testing.T) {
	t.Parallel()
	const rest = `"id":"a1","device":{"id":"b1A"},"activeFrom":"2026-05-04T07:15:20.000Z","activeTo":"2026-05-04T07:15:20.500Z"`
	for payload, want := range map[string]string{
		`{` + rest + `,"rule":{"id":"RuleHarshBrakingId"},"driver":"UnknownDriverId","state":"ExceptionEventStateValidId"}`: "b1A harsh_braking RuleHarshBrakingId open false",
		`{` + rest + `,"rule":{"id":"aOwnRule7"},"driver":{"id":"d1"},"state":"ExceptionEventStateDismissedId"}`:            "b1A other aOwnRule7 dismissed true",
		`{` + rest + `,"rule":"RulePostedSpeedingId","state":1,"details":{"maxSpeed":71,"speedLimit":50}}`:                  "b1A speeding RulePostedSpeedingId invalid false",
		`{` + rest + `,"rule":{"id":"RuleIdlingId"}}`:                                                                       "",
		`{"id":"a1","rule":{"id":"RuleAccidentId"},"activeFrom":"2026-05-04T07:15:20.000Z"}`:                                "",
	} {
		var e exceptionEvent
		if err := json.Unmarshal([]byte(payload), &e); err != nil {
			t.Fatal(err)
		}
		got := ""
		if r, ok := e.record(); ok {
			got = fmt.Sprintf("%s %s %s %s %t", r.SystemDeviceID, r.Type, r.NativeType, r.Status, r.DriverID != nil)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
}
