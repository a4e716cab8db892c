package motive

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
)

// TestFaultCodes reads records in the vendor's shape.
func TestFaultCodes(t *testing.T) {
	t.Parallel()
	now := drover.At(time.Date(2026, 5, 7, 0, 0, 0, 0, time.UTC))
	for payload, want := range map[string]string{
		`{"id":9001,"code":"P2ABC","code_description":"text","status":"closed","type":"constant","network":"obdii","fmi":null,"num_observations":12,
			"first_observed_at":"2026-05-06T08:00:00Z","last_observed_at":"2026-05-06T09:30:00Z","vehicle":{"id":7001}}`: "7001 obd P2ABC closed 12 2026-05-06T08:00:00Z",
		`{"id":9002,"code":"3031","status":"opened","network":"j1939","fmi":9,"occurrence_count":3,"dtc_severity":"Critical",
			"first_observed_at":"2026-05-06T08:00:00Z","vehicle":{"id":7001}}`: "7001 j1939 SPN 3031 FMI 9  3 2026-05-06T08:00:00Z",
		`{"id":9003,"code":"X","status":"open","network":"smoke","first_observed_at":"2026-05-06T08:00:00Z","vehicle":{}}`: "",
	} {
		var f faultCode
		if err := json.Unmarshal([]byte(payload), &f); err != nil {
			t.Fatal(err)
		}
		got := ""
		if r, ok := f.report(now); ok {
			said := r.Faults[0]
			got = fmt.Sprintf("%s %s %s %s %d %s", r.SystemDeviceID, said.Protocol, said.Code, said.Status, *said.Occurrences, said.First)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", payload, got, want)
		}
	}
}
