// Package sink keeps a folder or bucket of Parquet files up to date with the history of positions
// and readings: one file for each tenant and day, in UTC, once all positions of the day are
// packed. Drivers, faults and safety events are in one file each, with their current state.
//
// A file carries the version of the day that it was made from. So a run needs no state: it writes
// files that are missing or older, and leaves the others. A file is replaced as a whole; a reader
// gets the old or the new one. Data that the service deletes remains in the files.
package sink

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/upkeep/export"
)

// unchanged is how long a day has to be as it is before a file is made of it: packing
// goes through the devices one by one.
const unchanged = time.Hour

// versionName is what the version of a day is called in its file.
const versionName = "drover-version"

// Target is where the files lie.
type Target interface {
	// Version is the version of a file, empty where there is none.
	Version(ctx context.Context, name string) (string, error)
	// Put makes or replaces a file of what write writes, whole or not at all.
	Put(ctx context.Context, name, version string, write func(io.Writer) error) error
}

// Days reads packed days.
type Days interface {
	PackedDays(ctx context.Context, tenantID string, unchangedSince time.Time) ([]history.PackedDay, error)
	PackedVersion(ctx context.Context, tenantID string, start drover.Time) (int64, error)
	PackedDevices(ctx context.Context, tenantID string, start drover.Time) ([]string, error)
	PackedPositions(ctx context.Context, tenantID, deviceID string, start drover.Time) ([]drover.StoredPosition, error)
}

// Done is what a run did.
type Done struct {
	Files     int   // made or replaced
	Current   int   // that were up to date
	Changing  int   // whose day changed meanwhile: the next run makes them
	Positions int64 // in the files that were made
	Records   int64 // of other kinds in them
}

// Name is the name of the file of a tenant's day, in the form that engines take for
// partitions.
func Name(tenantID string, start drover.Time) string {
	return "positions/tenant=" + tenantID + "/day=" + start.Format(time.DateOnly) + "/positions.parquet"
}

// Run makes the files of a tenant that are missing or older than their day.
func Run(ctx context.Context, from Days, to Target, tenantID string, now time.Time, done *Done) error {
	days, err := from.PackedDays(ctx, tenantID, now.Add(-unchanged))
	if err != nil {
		return err
	}
	for _, day := range days {
		name, version := Name(tenantID, day.Start), strconv.FormatInt(day.Version, 10)
		there, err := to.Version(ctx, name)
		if err != nil {
			return fmt.Errorf("look at %s: %w", name, err)
		}
		if there == version {
			done.Current++
			continue
		}
		f := file{from: from, tenantID: tenantID, day: day}
		err = to.Put(ctx, name, version, func(w io.Writer) error { return f.write(ctx, w) })
		switch {
		case err == nil:
			done.Files++
			done.Positions += f.positions
		case f.changed:
			done.Changing++
		default:
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

// file is one that is being made.
type file struct {
	from      Days
	tenantID  string
	day       history.PackedDay
	positions int64
	changed   bool // the day has changed since it was listed
}

func (f *file) write(ctx context.Context, w io.Writer) error {
	devices, err := f.from.PackedDevices(ctx, f.tenantID, f.day.Start)
	if err != nil {
		return err
	}
	out := export.NewPositionFile(w)
	out.Note(versionName, strconv.FormatInt(f.day.Version, 10))
	for _, id := range devices {
		positions, err := f.from.PackedPositions(ctx, f.tenantID, id, f.day.Start)
		if err != nil {
			return err
		}
		if err := out.Write(id, positions); err != nil {
			return err
		}
		f.positions += int64(len(positions))
	}
	if err := out.Close(); err != nil {
		return err
	}
	version, err := f.from.PackedVersion(ctx, f.tenantID, f.day.Start)
	if err == nil && version != f.day.Version {
		f.changed = true
		err = fmt.Errorf("the day has changed")
	}
	return err
}
