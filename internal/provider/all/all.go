// Package all is the table of every adapter.
package all

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/automile"
	"github.com/drover-fleet/drover/internal/provider/bouncie"
	"github.com/drover-fleet/drover/internal/provider/cartrack"
	"github.com/drover-fleet/drover/internal/provider/flespi"
	"github.com/drover-fleet/drover/internal/provider/geotab"
	"github.com/drover-fleet/drover/internal/provider/gpswox"
	johndeere "github.com/drover-fleet/drover/internal/provider/john_deere"
	mixtelematics "github.com/drover-fleet/drover/internal/provider/mix_telematics"
	"github.com/drover-fleet/drover/internal/provider/motive"
	"github.com/drover-fleet/drover/internal/provider/navixy"
	"github.com/drover-fleet/drover/internal/provider/ruptela"
	"github.com/drover-fleet/drover/internal/provider/samsara"
	"github.com/drover-fleet/drover/internal/provider/scania"
	teletracnavman "github.com/drover-fleet/drover/internal/provider/teletrac_navman"
	"github.com/drover-fleet/drover/internal/provider/traccar"
	"github.com/drover-fleet/drover/internal/provider/trackunit"
	verizonconnect "github.com/drover-fleet/drover/internal/provider/verizon_connect"
	volvotrucks "github.com/drover-fleet/drover/internal/provider/volvo_trucks"
	"github.com/drover-fleet/drover/internal/provider/webfleet"
	"github.com/drover-fleet/drover/internal/provider/wialon"
)

// Providers returns every adapter by its name.
func Providers() map[drover.ProviderName]provider.Info {
	table := map[drover.ProviderName]provider.Info{}
	for _, info := range []provider.Info{
		automile.Info,
		bouncie.Info,
		cartrack.Info,
		flespi.Info,
		geotab.Info,
		gpswox.Info,
		johndeere.Info,
		mixtelematics.Info,
		motive.Info,
		navixy.Info,
		ruptela.Info,
		samsara.Info,
		scania.Info,
		teletracnavman.Info,
		traccar.Info,
		trackunit.Info,
		verizonconnect.Info,
		volvotrucks.Info,
		webfleet.Info,
		wialon.Info,
	} {
		info.New = wordedNew(info.New)
		table[info.Name] = info
	}
	return table
}
