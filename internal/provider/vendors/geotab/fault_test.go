package geotab

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestFaultRows reads observations in the vendor's shape.
func TestFaultRows(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]string{
		`{"id":"bC0DE","dateTime":"2026-05-03T11:02:10.000Z","device":{"id":"b1A"},"diagnostic":{"id":"DiagnosticEngineOilPressureId"},
			"controller":{"id":"ControllerObdPowertrainId"},"failureMode":{"id":"bF11"},"count":2,"faultState":"Active",
			"faultStates":{"effectiveStatus":"Active"},"amberWarningLamp":false,"malfunctionLamp":true,"protectWarningLamp":false,"redStopLamp":true}`: "b1A obd DiagnosticEngineOilPressureId bF11  [malfunction red_stop] false",
		`{"dateTime":"2026-05-03T11:02:10.000Z","device":{"id":"b1A"},"diagnostic":"DiagnosticX","controller":"ControllerGoDeviceId",
			"failureMode":"NoFailureModeId","faultState":"Inactive"}`: "b1A oem DiagnosticX closed [] true",
		`{"dateTime":"9999-12-31T00:00:00.000Z","device":{"id":"b1A"},"diagnostic":"DiagnosticX"}`: "",
		`{"dateTime":"2026-05-03T11:02:10.000Z","diagnostic":"DiagnosticX"}`:                       "",
	} {
		var f faultData
		if err := json.Unmarshal([]byte(payload), &f); err != nil {
			t.Fatal(err)
		}
		got := ""
		if r, ok := f.report(); ok {
			said := r.Faults[0]
			got = fmt.Sprintf("%s %s %s %s %v %t", r.SystemDeviceID, said.Protocol, said.Code, said.Status, said.Lamps, said.Quiet)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", payload, got, want)
		}
	}
}
