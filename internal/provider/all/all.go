// Package all lists the adapters.
package all

import (
	"slices"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/vendors/automile"
	"github.com/drover-fleet/drover/internal/provider/vendors/bouncie"
	"github.com/drover-fleet/drover/internal/provider/vendors/cartrack"
	"github.com/drover-fleet/drover/internal/provider/vendors/flespi"
	"github.com/drover-fleet/drover/internal/provider/vendors/geotab"
	"github.com/drover-fleet/drover/internal/provider/vendors/gpswox"
	"github.com/drover-fleet/drover/internal/provider/vendors/iso15143"
	johndeere "github.com/drover-fleet/drover/internal/provider/vendors/john_deere"
	mixtelematics "github.com/drover-fleet/drover/internal/provider/vendors/mix_telematics"
	"github.com/drover-fleet/drover/internal/provider/vendors/motive"
	"github.com/drover-fleet/drover/internal/provider/vendors/navixy"
	"github.com/drover-fleet/drover/internal/provider/vendors/push"
	"github.com/drover-fleet/drover/internal/provider/vendors/rfms"
	"github.com/drover-fleet/drover/internal/provider/vendors/ruptela"
	"github.com/drover-fleet/drover/internal/provider/vendors/samsara"
	"github.com/drover-fleet/drover/internal/provider/vendors/scania"
	teletracnavman "github.com/drover-fleet/drover/internal/provider/vendors/teletrac_navman"
	"github.com/drover-fleet/drover/internal/provider/vendors/traccar"
	"github.com/drover-fleet/drover/internal/provider/vendors/trackunit"
	verizonconnect "github.com/drover-fleet/drover/internal/provider/vendors/verizon_connect"
	volvotrucks "github.com/drover-fleet/drover/internal/provider/vendors/volvo_trucks"
	"github.com/drover-fleet/drover/internal/provider/vendors/webfleet"
	"github.com/drover-fleet/drover/internal/provider/vendors/wialon"
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

// With returns every adapter, and those beyond the interface's set that are named.
func With(extra []drover.ProviderName) map[drover.ProviderName]provider.Info {
	table := Providers()
	for _, info := range []provider.Info{iso15143.Info, push.Info, rfms.Info} {
		if slices.Contains(extra, info.Name) {
			info.New = wordedNew(info.New)
			table[info.Name] = info
		}
	}
	return table
}

// Add adds adapters that files describe. A name that is taken stays with the one that has it.
func Add(table map[drover.ProviderName]provider.Info, infos []provider.Info) {
	for _, info := range infos {
		if _, taken := table[info.Name]; !taken {
			table[info.Name] = Worded(info)
		}
	}
}

// Worded returns an adapter whose errors say what was being done.
func Worded(info provider.Info) provider.Info {
	info.New = wordedNew(info.New)
	return info
}
