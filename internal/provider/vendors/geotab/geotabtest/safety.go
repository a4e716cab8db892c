package geotabtest

import (
	"fmt"
	"time"

	"github.com/drover-fleet/drover/internal/sim"
)

// exceptions lists one of a stock rule for every sample of a broken vehicle, and one of idling.
func (s *server) exceptions() list {
	return list{arrived: func(v sim.Vehicle, since time.Time) []row {
		var rows []row
		for _, p := range s.account.Arrived(v, since, s.account.Now().Add(time.Second)) {
			if !v.Broken() {
				continue
			}
			for i, rule := range []string{"RuleHarshBrakingId", "RuleIdlingId"} {
				rows = append(rows, row{versionOf(p.Received, v.Index, 2*p.Time.Unix()+int64(i)), object{
					"id": fmt.Sprintf("a%d%X", i, p.ID), "rule": object{"id": rule, "state": "ExceptionRuleStateActiveId"}, "device": object{"id": ID(v.ID)},
					"driver": "UnknownDriverId", "diagnostic": "NoDiagnosticId", "activeFrom": timestamp(p.Time.Time),
					"activeTo": timestamp(p.Time.Add(500 * time.Millisecond)), "duration": "00:00:00.5000000", "distance": 0.002,
					"state": "ExceptionEventStateValidId", "version": "00000000000000a7",
				}})
			}
		}
		return rows
	}}
}
