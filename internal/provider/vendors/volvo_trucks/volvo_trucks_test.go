package volvotrucks

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/rfms/rfmstest"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/volvo_trucks/volvotruckstest"
	"github.com/drover-fleet/drover/internal/sim"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	providertest.Run(t, providertest.Harness{
		Info:        Info,
		Credentials: map[string]string{"username": "api-user", "password": "correct horse"},
		Readings: []drover.ReadingKind{
			drover.ReadingOdometer, drover.ReadingEngine, drover.ReadingFuelPercent, drover.ReadingFuelUsed,
			drover.ReadingDEF,
		},
		Vendor: volvotruckstest.New,
		ID:     func(v sim.Vehicle) string { return v.VIN },
		ExpectDevice: func(_ sim.Vehicle, want *provider.Device) {
			want.Registration, want.Active = nil, true
		},
		ExpectPosition: func(s sim.Sample, want *provider.Position, _ bool) {
			if !rfmstest.HasStatus(s) {
				want.DriverID, want.OdometerMetres = nil, nil
			}
			if *s.SpeedKPH > 0 {
				want.Ignition = nil // only events have it, which happen at a standstill
			}
		},
	})
}

// canned answers the call that asks for what the payload is, and the other one
// with nothing.
type canned struct{ payload string }

func (c canned) Do(req *http.Request) (*http.Response, error) {
	body := `{"MoreDataAvailable":false}`
	for path, list := range map[string]string{
		"vehicles": `"Vehicle"`, "vehiclepositions": `"VehiclePosition"`, "vehiclestatuses": `"VehicleStatus"`,
	} {
		if strings.HasSuffix(req.URL.Path, "/"+path) && strings.Contains(c.payload, list) {
			body = c.payload
		}
	}
	return providertest.Answer(body)
}

func cannedAdapter(t *testing.T, payload []byte) provider.Provider {
	t.Helper()
	return providertest.Adapter(t, Info, provider.Credentials{"username": "u", "password": "p"}, canned{string(payload)},
		time.Date(2018, 3, 26, 15, 0, 0, 0, time.UTC))
}

func TestGolden(t *testing.T) {
	t.Parallel()
	live := provider.Query{From: time.Date(2018, 3, 26, 12, 0, 0, 0, time.UTC)}
	providertest.GoldenCalls(t, live, func(payload []byte) provider.Provider { return cannedAdapter(t, payload) },
		"devices.json", "positions.json", "statuses.json", "trips.json")
}
