package app

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/drover-fleet/drover/internal/config"
)

// folderLock keeps other services out of a data folder. Nil keeps no one out.
type folderLock struct{ file *flock.Flock }

// lockFolder takes the folder of an embedded database, which one process serves at a
// time: two would free each other's leases and send everything twice. The lock ends
// with the process, however that ends. Commands beside the service do not take it.
func lockFolder(c config.Store) (*folderLock, error) {
	url, err := c.DatabaseURL()
	if err != nil || url != "" {
		return nil, err
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	file := flock.New(filepath.Join(c.Data, "drover.lock"), flock.SetPermissions(0o600))
	taken, err := file.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	if !taken {
		return nil, fmt.Errorf("another drover process uses %s; stop it first, or use another folder with --data", c.Data)
	}
	return &folderLock{file}, nil
}

func (l *folderLock) release() {
	if l != nil {
		_ = l.file.Unlock() // it ends with the process anyway
	}
}
