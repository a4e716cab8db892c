package samsara

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestSafetyLabels reads events in the vendor's shape.
func TestSafetyLabels(t *testing.T) {
	t.Parallel()
	const rest = `"asset":{"id":"281","type":"vehicle"},"id":"e","startMs":"1752998400000","endMs":"1752998403000"`
	for payload, want := range map[string]string{
		`{` + rest + `,"driver":{"id":"88668"},"behaviorLabels":[{"label":"Braking","source":"automated"}],"eventState":"needsReview",
			"maxAccelerationGForce":0.47}`: "harsh_braking Braking open -0.47 3s",
		`{` + rest + `,"behaviorLabels":[{"label":"UTurn"},{"label":"MobileUsage"}],"eventState":"dismissed"}`: "phone UTurn, MobileUsage dismissed 0 3s",
		`{` + rest + `,"behaviorLabels":[{"label":"NewLabelOfTomorrow"}],"eventState":"coached"}`:              "other NewLabelOfTomorrow reviewed 0 3s",
		`{` + rest + `,"behaviorLabels":[{"label":"Idling"}]}`:                                                 "",
		`{"asset":{"id":"281"},"id":"e","startMs":"soon","behaviorLabels":[{"label":"Crash"}]}`:                "",
		`{"id":"e","startMs":"1752998400000","behaviorLabels":[{"label":"Crash"}]}`:                            "",
	} {
		var e safetyEvent
		if err := json.Unmarshal([]byte(payload), &e); err != nil {
			t.Fatal(err)
		}
		got := ""
		if r, ok := e.record(); ok {
			g := 0.0
			if r.AccelerationG != nil {
				g = *r.AccelerationG
			}
			got = fmt.Sprintf("%s %s %s %g %s", r.Type, r.NativeType, r.Status, g, r.EndTime.Sub(r.StartTime.Time))
		}
		if got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
}
