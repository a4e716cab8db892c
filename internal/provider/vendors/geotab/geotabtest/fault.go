package geotabtest

import (
	"fmt"
	"time"

	"github.com/drover-fleet/drover/internal/sim"
)

// faults lists an observation of a broken vehicle's fault for every sample.
func (s *server) faults() list {
	return list{arrived: func(v sim.Vehicle, since time.Time) []row {
		var rows []row
		for _, p := range s.account.Arrived(v, since, s.account.Now().Add(time.Second)) {
			if !v.BrokenAt(p.Time.Time) {
				continue
			}
			rows = append(rows, row{versionOf(p.Received, v.Index, p.Time.Unix()), object{
				"id": fmt.Sprintf("bF%X", p.ID), "dateTime": timestamp(p.Time.Time), "device": object{"id": ID(v.ID)},
				"diagnostic": object{"id": "DiagnosticEngineOilPressureId"}, "controller": object{"id": "ControllerObdPowertrainId"},
				"failureMode": "NoFailureModeId", "count": 2, "faultState": "Active", "faultStates": object{"effectiveStatus": "Active"},
				"amberWarningLamp": false, "malfunctionLamp": true, "protectWarningLamp": false, "redStopLamp": false,
			}})
		}
		return rows
	}}
}
