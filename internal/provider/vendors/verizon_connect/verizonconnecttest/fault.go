package verizonconnecttest

import (
	"net/http"

	"github.com/drover-fleet/drover/internal/provider/providertest/fake"
)

// activeCodes serves the active codes of the whole fleet.
func (s *server) activeCodes(w http.ResponseWriter, _ *http.Request) {
	list := []object{}
	for _, v := range s.account.Vehicles() {
		codes := ""
		if v.Broken() {
			codes = "P0420, P0171"
		}
		list = append(list, object{
			"VehicleNumber": Number(v), "VehicleName": v.Name, "ActiveDTCs": codes, "LastUpdatedDateTime": timestamp(s.account.Now()),
		})
	}
	fake.Reply(w, list)
}
