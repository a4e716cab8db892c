// Package all is the table of every adapter.
package all

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/traccar"
)

// Providers returns every adapter by its name.
func Providers() map[drover.ProviderName]provider.Info {
	table := map[drover.ProviderName]provider.Info{}
	for _, info := range []provider.Info{
		traccar.Info,
	} {
		table[info.Name] = info
	}
	return table
}
