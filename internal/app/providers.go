package app

import (
	"fmt"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/all"
	"github.com/drover-fleet/drover/internal/provider/declared"
)

// vendorFiles are the vendors that files of the operator describe; nil where there is no
// folder. A file that has mistakes is left out, and says so in the log: it must not take the
// others down.
func (a *App) vendorFiles() (provider.Files, error) {
	if a.Config.ProviderDir == "" {
		return nil, nil
	}
	folder := &declared.Folder{Dir: a.Config.ProviderDir, Now: a.now, Logger: a.logger, Each: all.Worded}
	if err := folder.Open(); err != nil {
		return nil, fmt.Errorf("read --provider-dir: %w", err)
	}
	return folder, nil
}
