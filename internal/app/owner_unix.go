//go:build unix

package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/drover-fleet/drover/internal/config"
)

// folderOwner is who owns the data folder of an embedded database, where that is someone
// else than root, who runs this.
func folderOwner(c config.Store) (uid, gid int, other bool) {
	if url, err := c.DatabaseURL(); err != nil || url != "" || os.Geteuid() != 0 {
		return 0, 0, false
	}
	uid, gid = ownerOf(c.Data)
	return uid, gid, uid > 0
}

// ownerOf is root for what is not there.
func ownerOf(path string) (uid, gid int) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return int(stat.Uid), int(stat.Gid)
}

// GiveBack gives what root has made in a data folder to the folder's owner: the service,
// which runs as that user, could not open it otherwise. Commands call it when they are
// done.
func GiveBack(c config.Store) error {
	uid, gid, other := folderOwner(c)
	if !other {
		return nil
	}
	err := filepath.WalkDir(c.Data, func(path string, _ fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the service goes on meanwhile
		}
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return nil //nolint:nilerr // it went away meanwhile
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); !ok || stat.Uid != 0 {
			return nil
		}
		if err := os.Lchown(path, uid, gid); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("give the files in %s to their owner: %w", c.Data, err)
	}
	return nil
}

// refuseRoot keeps a service that root starts out of a folder of another user: whatever it
// makes there while it runs, the service of that user could not open.
func refuseRoot(c config.Store) error {
	uid, _, other := folderOwner(c)
	if !other {
		return nil
	}
	name := strconv.Itoa(uid)
	if u, err := user.LookupId(name); err == nil {
		name = u.Username
	}
	return fmt.Errorf("%s belongs to the user %s, and this is root: start the service as that user, such as with sudo -u %s, or give it another folder with --data",
		c.Data, name, name)
}
