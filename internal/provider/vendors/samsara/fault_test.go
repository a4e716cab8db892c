package samsara

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFaultLists reads a list of each bus, in the vendor's shape.
func TestFaultLists(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string][]string{
		`{"time":"2026-07-20T10:00:00Z","canBusType":"CANBUS_J1939_500KBPS","j1939":{"checkEngineLights":{"emissionsIsOn":true,"protectIsOn":false,
			"stopIsOn":false,"warningIsOn":true},"diagnosticTroubleCodes":[{"spnId":3031,"fmiId":9,"txId":0,"occurrenceCount":2,"spnDescription":"DEF",
			"fmiDescription":"rate"},{"spnId":111,"fmiDescription":"no mode"}]}}`: {"j1939 SPN 3031 FMI 9  [malfunction amber] DEF, rate"},
		`{"time":"2026-07-20T10:00:00Z","obdii":{"checkEngineLightIsOn":true,"diagnosticTroubleCodes":[{
			"confirmedDtcs":[{"dtcShortCode":"P0420","dtcDescription":"Catalyst"}],"pendingDtcs":[{"dtcShortCode":"P0171"}],"permanentDtcs":[]}]}}`: {
			"obd P0171 pending [malfunction]", "obd P0420 open [malfunction] Catalyst",
		},
		`{"time":"2026-07-20T10:00:00Z","oem":{"diagnosticTroubleCodes":[{"codeIdentifier":"X1","codeSeverity":"high"}]}}`: {"oem X1  []"},
		`{"time":"2026-07-20T10:00:00Z"}`: nil,
	} {
		var list faultList
		if err := json.Unmarshal([]byte(payload), &list); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, said := range list.said() {
			text := fmt.Sprintf("%s %s %s %v", said.Protocol, said.Code, said.Status, said.Lamps)
			if said.Description != nil {
				text += " " + *said.Description
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", payload, diff)
		}
	}
}
