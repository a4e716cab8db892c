package sink_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/upkeep/sink"
)

// TestRecordsBesidePositions keeps files of a tenant's own readings, drivers, faults and safety
// events, writes them again when they change, and leaves out what others share with it.
func TestRecordsBesidePositions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w world) {
		t.Helper()
		ctx, at := t.Context(), drover.At(start.Add(time.Hour))
		run := func() (done sink.Done) {
			t.Helper()
			if err := sink.Records(ctx, w.Store, w.files, w.tenant, w.clock.Now(), &done); err != nil {
				t.Fatal(err)
			}
			return done
		}
		w.expect(run(), sink.Done{}) // no files of nothing
		other, shared := store.NewID(), store.NewID()
		own := drover.Connection{ID: store.NewID(), TenantID: w.tenant, IntegrationName: drover.Traccar, CollectionStartTime: at}
		foreign := drover.Connection{ID: store.NewID(), TenantID: other, IntegrationName: drover.Traccar, CollectionStartTime: at}
		device, theirs := store.NewID(), store.NewID()
		w.update(func(tx *store.Tx) error {
			return tx.Accounts.AddTenant(ctx, drover.Tenant{ID: other, Name: "other", CreatedAt: at})
		})
		for _, c := range []struct {
			drover.Connection
			device, system string
		}{{own, device, "D-1"}, {foreign, theirs, "D-2"}} {
			w.update(func(tx *store.Tx) error {
				if err := tx.Fleet.AddConnection(ctx, c.Connection, []byte("sealed"), at); err != nil {
					return err
				}
				d := drover.Device{ID: c.device, ConnectionID: c.ID, SystemDeviceID: "2", Active: true, Tags: []string{}}
				if err := tx.Fleet.AddDevice(ctx, c.TenantID, d, at); err != nil {
					return err
				}
				value := drover.ReadingValue{At: at.UnixMilli(), Value: 7}
				rows := []store.ReadingRow{{DeviceID: c.device, ReadingRow: drover.ReadingRow{Series: 1, ReadingValue: value}}}
				if err := tx.Vehicles.AddReadings(ctx, c.TenantID, rows); err != nil {
					return err
				}
				series := drover.ReadingSeries{Kind: drover.ReadingFuelPercent, NativeName: "fuel"}
				err := tx.Vehicles.SetReadingSeries(ctx, c.TenantID, []store.ReadingSeries{
					{ID: store.NewID(), DeviceID: c.device, ConnectionID: c.ID, Number: 1, ReadingSeries: series, Shown: value},
				})
				if err != nil {
					return err
				}
				err = tx.Vehicles.SetFaults(ctx, c.TenantID, []store.Fault{{Key: "k", Fault: drover.Fault{
					ID: store.NewID(), DeviceID: c.device, ConnectionID: c.ID, Protocol: drover.FaultOBD, Code: "P0420", Status: drover.FaultOpen,
					FirstSeenAt: at, LastSeenAt: at,
				}}})
				if err != nil {
					return err
				}
				return tx.Drivers.AddDrivers(ctx, c.TenantID, []drover.Driver{{ID: store.NewID(), ConnectionID: c.ID, SystemDriverID: c.system}}, at)
			})
		}
		w.update(func(tx *store.Tx) error {
			share := drover.Share{ID: shared, OwnerTenantID: other, ConnectionID: foreign.ID, TenantID: w.tenant, CreatedAt: at}
			if err := tx.Shares.AddShare(ctx, share, drover.FullGrant); err != nil {
				return err
			}
			return tx.Shares.AcceptShare(ctx, share, at)
		})
		w.expect(run(), sink.Done{Files: 2, Records: 2}) // one fault, one driver; the day is not packed
		w.expect(run(), sink.Done{Current: 2})
		w.add(time.Hour)
		w.pack()
		w.clock.Advance(time.Hour)
		w.expect(run(), sink.Done{Files: 1, Current: 2, Records: 1})
		folder, _ := w.files.(sink.Folder)
		type reading struct {
			DeviceID string  `parquet:"device_id"`
			Kind     string  `parquet:"kind"`
			Value    float64 `parquet:"value"`
		}
		name := sink.RecordName(drover.ExportReadings, w.tenant, new(drover.At(start)))
		rows, err := parquet.ReadFile[reading](filepath.Join(string(folder), name))
		if err != nil || len(rows) != 1 || rows[0] != (reading{device, "fuel_level_percent", 7}) {
			t.Errorf("the readings of the day are %v, %v", rows, err)
		}
		w.update(func(tx *store.Tx) error {
			_, err := tx.Drivers.ForgetDriver(ctx, w.tenant, "D-1", "erased-x", at)
			return err
		})
		w.expect(run(), sink.Done{Files: 1, Current: 2, Records: 1})
		type driver struct {
			SystemDriverID string `parquet:"system_driver_id"`
		}
		people, err := parquet.ReadFile[driver](filepath.Join(string(folder), sink.RecordName(drover.ExportDrivers, w.tenant, nil)))
		if err != nil || len(people) != 1 || people[0].SystemDriverID != "erased-x" {
			t.Errorf("the drivers are %v, %v", people, err)
		}
		w.update(func(tx *store.Tx) error {
			_, err := tx.Vehicles.EraseFaults(ctx, w.tenant, device)
			return err
		})
		w.expect(run(), sink.Done{Files: 1, Current: 2})
		w.expect(run(), sink.Done{Current: 2})
	})
}
