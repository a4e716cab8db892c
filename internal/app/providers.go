package app

import (
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/all"
	"github.com/drover-fleet/drover/internal/provider/declared"
)

// providers are those of the service. A file that has mistakes is left out, and says so in
// the log: it must not take the others down.
func (a *App) providers() (map[drover.ProviderName]provider.Info, error) {
	table := all.With(a.Config.ProviderExtra)
	if a.Config.ProviderDir == "" {
		return table, nil
	}
	infos, broken, err := declared.ReadDir(a.Config.ProviderDir)
	if err != nil {
		return nil, fmt.Errorf("read --provider-dir: %w", err)
	}
	for _, err := range broken {
		a.logger.Error("a vendor's file is left out", "error", err)
	}
	all.Add(table, infos)
	return table, nil
}
