// Package all is the table of every adapter.
package all

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/bouncie"
	"github.com/drover-fleet/drover/internal/provider/cartrack"
	"github.com/drover-fleet/drover/internal/provider/flespi"
	"github.com/drover-fleet/drover/internal/provider/geotab"
	"github.com/drover-fleet/drover/internal/provider/motive"
	"github.com/drover-fleet/drover/internal/provider/samsara"
	"github.com/drover-fleet/drover/internal/provider/scania"
	"github.com/drover-fleet/drover/internal/provider/traccar"
	"github.com/drover-fleet/drover/internal/provider/webfleet"
	"github.com/drover-fleet/drover/internal/provider/wialon"
)

// Providers returns every adapter by its name.
func Providers() map[drover.ProviderName]provider.Info {
	table := map[drover.ProviderName]provider.Info{}
	for _, info := range []provider.Info{
		bouncie.Info,
		cartrack.Info,
		flespi.Info,
		geotab.Info,
		motive.Info,
		samsara.Info,
		scania.Info,
		traccar.Info,
		webfleet.Info,
		wialon.Info,
	} {
		table[info.Name] = info
	}
	return table
}
