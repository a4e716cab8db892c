package sink

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
	"github.com/drover-fleet/drover/internal/upkeep/export"
)

// recordFiles are the kinds of which there is one file, by the change that says its version.
var recordFiles = map[drover.ExportKind]drover.ChangeKind{
	drover.ExportDrivers: drover.ChangedDrivers, drover.ExportFaults: drover.ChangedFaults, drover.ExportSafety: drover.ChangedSafetyEvents,
}

// RecordName is the name of a tenant's file of a kind of records, or of one of its days.
func RecordName(kind drover.ExportKind, tenantID string, day *drover.Time) string {
	name := string(kind) + "s/tenant=" + tenantID
	if day != nil {
		name += "/day=" + day.Format(time.DateOnly)
	}
	return name + "/" + string(kind) + "s.parquet"
}

// Records makes the files of a tenant's own readings, drivers, faults and safety events that are
// missing or older than what there is. The readings of a day are written with its positions.
func Records(ctx context.Context, from *store.Store, to Target, tenantID string, now time.Time, done *Done) error {
	days, err := from.History.PackedDays(ctx, tenantID, now.Add(-unchanged))
	if err != nil {
		return err
	}
	put := func(kind drover.ExportKind, day *drover.Time, version, filters string) error {
		name := RecordName(kind, tenantID, day)
		there, err := to.Version(ctx, name)
		switch {
		case err != nil:
			return fmt.Errorf("look at %s: %w", name, err)
		case there == version:
			if version != "" {
				done.Current++
			}
			return nil
		}
		var records int64
		err = to.Put(ctx, name, version, func(w io.Writer) (err error) {
			e := work.Export{TenantID: tenantID, Export: drover.Export{Kind: kind, Filters: []byte(filters)}}
			o := export.Options{Store: from, Now: func() time.Time { return now }}
			records, err = export.WriteOwn(ctx, o, e, [2]string{versionName, version}, w)
			return err
		})
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		done.Files++
		done.Records += records
		return nil
	}
	for _, day := range days {
		filters := fmt.Sprintf(`{"from":%q,"to":%q,"suspect":true}`, day.Start, drover.At(day.Start.Add(24*time.Hour)))
		if err := put(drover.ExportReadings, &day.Start, strconv.FormatInt(day.Version, 10), filters); err != nil {
			return err
		}
	}
	for _, kind := range drover.ExportKinds {
		of, one := recordFiles[kind]
		if !one {
			continue
		}
		version, err := from.Fleet.ChangeVersion(ctx, tenantID, of)
		if err != nil {
			return err
		}
		if err := put(kind, nil, version, `{}`); err != nil {
			return err
		}
	}
	return nil
}
