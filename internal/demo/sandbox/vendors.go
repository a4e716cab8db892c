// Package sandbox serves a fake of any provider's API with a moving fleet, to try an integration
// without an account. The fakes are those of the adapters' tests; failures can be requested.
package sandbox

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider/vendors/automile/automiletest"
	"github.com/drover-fleet/drover/internal/provider/vendors/bouncie/bouncietest"
	"github.com/drover-fleet/drover/internal/provider/vendors/cartrack/cartracktest"
	"github.com/drover-fleet/drover/internal/provider/vendors/flespi/flespitest"
	"github.com/drover-fleet/drover/internal/provider/vendors/geotab/geotabtest"
	"github.com/drover-fleet/drover/internal/provider/vendors/gpswox/gpswoxtest"
	"github.com/drover-fleet/drover/internal/provider/vendors/iso15143/iso15143test"
	"github.com/drover-fleet/drover/internal/provider/vendors/john_deere/johndeeretest"
	"github.com/drover-fleet/drover/internal/provider/vendors/mix_telematics/mixtelematicstest"
	"github.com/drover-fleet/drover/internal/provider/vendors/motive/motivetest"
	"github.com/drover-fleet/drover/internal/provider/vendors/navixy/navixytest"
	"github.com/drover-fleet/drover/internal/provider/vendors/ruptela/ruptelatest"
	"github.com/drover-fleet/drover/internal/provider/vendors/samsara/samsaratest"
	"github.com/drover-fleet/drover/internal/provider/vendors/scania/scaniatest"
	"github.com/drover-fleet/drover/internal/provider/vendors/teletrac_navman/teletracnavmantest"
	"github.com/drover-fleet/drover/internal/provider/vendors/traccar/traccartest"
	"github.com/drover-fleet/drover/internal/provider/vendors/trackunit/trackunittest"
	"github.com/drover-fleet/drover/internal/provider/vendors/verizon_connect/verizonconnecttest"
	"github.com/drover-fleet/drover/internal/provider/vendors/volvo_trucks/volvotruckstest"
	"github.com/drover-fleet/drover/internal/provider/vendors/webfleet/webfleettest"
	"github.com/drover-fleet/drover/internal/provider/vendors/wialon/wialontest"
	"github.com/drover-fleet/drover/internal/sim"
)

// vendor is a fake and what it accepts.
type vendor struct {
	serve       func(*sim.Account) http.Handler
	path        string // of the base URL
	credentials map[string]string
}

// password is the secret of all sandboxes that have no form of their own for it.
const password = "sandbox-password"

var vendors = map[drover.ProviderName]vendor{
	drover.Automile: {automiletest.New, "", map[string]string{
		"api_client_id": "sandbox", "api_client_secret": "sandbox-secret", "username": "sandbox@example.com", "password": password,
	}},
	drover.Bouncie: {bouncietest.New, "", map[string]string{
		"client_id": "sandbox", "client_secret": "sandbox-secret", "redirect_uri": "https://example.com/callback",
		"authorization_code": "sandbox-code",
	}},
	drover.Cartrack: {cartracktest.New, "/rest", map[string]string{
		"username": "SAND00001", "password": password,
		"timezone": cartracktest.Timezone,
	}},
	drover.Flespi:           {flespitest.New, "", map[string]string{"token": "sandbox-flespi-token"}},
	drover.Geotab:           {geotabtest.New, "", map[string]string{"database": "sandbox", "username": "sandbox@example.com", "password": password}},
	drover.GPSWOX:           {gpswoxtest.New, "", map[string]string{"email": "sandbox@example.com", "password": password}},
	drover.ProviderISO15143: {iso15143test.New, "", map[string]string{"username": "sandbox", "password": password}},
	drover.JohnDeere: {johndeeretest.New, "", map[string]string{
		"client_id": "sandbox", "client_secret": "sandbox-secret", "refresh_token": "sandbox-refresh-token",
		"redirect_uri": "https://example.com/callback",
	}},
	drover.MixTelematics: {mixtelematicstest.New, "", map[string]string{
		"data_centre": "za", "client_id": "sandbox", "client_secret": "sandbox-secret", "username": "sandbox@example.com", "password": password,
	}},
	drover.Motive:         {motivetest.New, "", map[string]string{"api_key": "sandbox-motive-key"}},
	drover.Navixy:         {navixytest.New, "/v2", map[string]string{"api_key": "sandbox-navixy-key"}},
	drover.ProviderRFMS:   {volvotruckstest.New, "/rfms", map[string]string{"username": "sandbox", "password": password}},
	drover.Ruptela:        {ruptelatest.New, "", map[string]string{"api_key": "sandbox-ruptela-key"}},
	drover.Samsara:        {samsaratest.New, "", map[string]string{"api_token": "sandbox-samsara-token"}},
	drover.Scania:         {scaniatest.New, "", map[string]string{"client_id": "sandbox", "client_secret": scaniatest.SecretKey}},
	drover.TeletracNavman: {teletracnavmantest.New, "/v1", map[string]string{"api_key": "sandbox-teletrac-navman-api-key"}},
	drover.Traccar:        {traccartest.New, "/api", map[string]string{"token": "sandbox-traccar-token"}},
	drover.Trackunit:      {trackunittest.New, "", map[string]string{"client_id": "sandbox", "client_secret": "sandbox-secret"}},
	drover.VerizonConnect: {verizonconnecttest.New, "", map[string]string{
		"region": "us", "app_id": "sandbox-verizon-app-id", "username": "sandbox@example.com", "password": password,
	}},
	drover.VolvoTrucks: {volvotruckstest.New, "", map[string]string{"username": "sandbox", "password": password}},
	drover.Webfleet: {webfleettest.New, "", map[string]string{
		"account": "sandbox", "username": "sandbox", "password": password, "api_key": "sandbox-webfleet-key",
	}},
	drover.Wialon: {wialontest.New, "", map[string]string{"token": "sandbox-wialon-token"}},
}
