package traccar

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// TestEvents reads events in the server's shape: several alarms of one are several events.
func TestEvents(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string][]string{
		`{"id":9,"type":"alarm","eventTime":"2026-05-04T07:15:20.000+00:00","deviceId":4,"attributes":{"alarm":"hardBraking, sos"}}`: {
			"4 9 harsh_braking hardBraking 0", "4 9-sos other sos 0",
		},
		`{"id":9,"type":"deviceOverspeed","eventTime":"2026-05-04T07:15:20.000+00:00","deviceId":4,"attributes":{"speed":50,"speedLimit":27}}`: {
			"4 9 speeding deviceOverspeed 50.004",
		},
		`{"id":9,"type":"alarm","eventTime":"2026-05-04T07:15:20.000+00:00","deviceId":4,"attributes":{}}`: nil,
		`{"id":9,"type":"alarm","deviceId":4,"attributes":{"alarm":"sos"}}`:                                nil,
	} {
		var e event
		if err := json.Unmarshal([]byte(payload), &e); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range e.records() {
			limit := 0.0
			if r.SpeedLimitKPH != nil {
				limit = *r.SpeedLimitKPH
			}
			got = append(got, fmt.Sprintf("%s %s %s %s %g", r.SystemDeviceID, r.SystemEventID, r.Type, r.NativeType, limit))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
}
