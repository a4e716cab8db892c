package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/drover-fleet/drover/internal/store"
)

// dontNeed asks the system to drop the pages of a file from memory.
const dontNeed = 4

// coldDays measures a device's day as a track in a database that was just opened, each
// time another one. The pages of an embedded one come from the disk; those of PostgreSQL
// are the server's own, which only a restart empties.
func (b *bench) coldDays(ctx context.Context, c *courier, devices []string, database string) error {
	var took []time.Duration
	for n := range trackRounds {
		from := trackDay.AddDate(0, 0, n/len(devices))
		one, err := c.coldDay(ctx, devices[n%len(devices)], from)
		if err != nil {
			return err
		}
		took = append(took, one)
	}
	slices.Sort(took)
	b.table.AtMost("a day as a track, cold, "+database, took[len(took)/2].Seconds(), dayCold, inMilliseconds)
	return nil
}

func (c *courier) coldDay(ctx context.Context, device string, from time.Time) (took time.Duration, err error) {
	if c.options.Path != "" {
		if err := forgetPages(c.options.Path); err != nil {
			return 0, err
		}
	}
	s, err := store.Open(ctx, c.options)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	begun := time.Now()
	err = readTrack(ctx, s, c.tenant, device, from, from.AddDate(0, 0, 1), 0)
	return time.Since(begun), err
}

// forgetPages drops what the system holds of an embedded database in memory.
func forgetPages(path string) error {
	files, err := filepath.Glob(path + "*")
	for _, name := range files {
		f, failed := os.Open(name) //nolint:gosec // a file of this program's own
		if failed != nil {
			return failed
		}
		_, _, fault := syscall.Syscall6(syscall.SYS_FADVISE64, f.Fd(), 0, 0, dontNeed, 0, 0)
		err = errors.Join(err, f.Close())
		if fault != 0 {
			err = errors.Join(err, fmt.Errorf("forget the pages of a file: %w", fault))
		}
	}
	return err
}
