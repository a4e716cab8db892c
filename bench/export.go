package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/work"
	"github.com/drover-fleet/drover/internal/upkeep/export"
)

const (
	exportBound   = 128 << 20 // bytes of memory in use
	exportDevices = 100
	exportBatch   = 5000
	exportRate    = 500_000 // packed positions a second as Parquet
	mostExported  = 100_000_000
)

// exports measures the memory that an export of many positions takes, in each format.
func (b *bench) exports(ctx context.Context) error {
	b.progress("fill " + table.Thousands(float64(b.exported)) + " positions to export, embedded")
	s, err := store.Open(ctx, store.Options{Path: filepath.Join(b.dir, "export.db")})
	if err != nil {
		return err
	}
	err = b.measureExports(ctx, s)
	if err := errors.Join(err, s.Close()); err != nil || b.packed == 0 {
		return err
	}
	return b.exportPacked(ctx)
}

// exportPacked measures an export of packed positions as Parquet, which is written
// without making rows of them first.
func (b *bench) exportPacked(ctx context.Context) (err error) {
	o := store.Options{Path: filepath.Join(b.dir, "export-packed.db")}
	s, err := store.Open(ctx, o)
	if err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Second)
	if _, err = s.Migrate(ctx); err != nil {
		return errors.Join(err, s.Close())
	}
	tenant, devices, err := exportFleet(ctx, s, now)
	if err := errors.Join(err, s.Close()); err != nil {
		return err
	}
	days := max(1, min(b.packed, mostExported)/exportDevices/perDay)
	b.progress("fill " + table.Thousands(float64(days*perDay*exportDevices)) + " packed positions to export, embedded")
	past := packedPast{
		tenant: tenant, device: devices[0].ID, days: days, end: now.Truncate(24 * time.Hour),
		border: now.Truncate(24 * time.Hour),
	}
	each, err := past.fill(ctx, o)
	if err != nil {
		return err
	}
	if s, err = store.Open(ctx, o); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	b.progress("export them as parquet")
	runner := export.New(export.Options{
		Store: s, Files: export.Folder(filepath.Join(b.dir, "exports")), Now: time.Now,
		Logger: slog.New(slog.DiscardHandler),
	})
	count := each * exportDevices
	begun := time.Now()
	peak, err := exportOnce(ctx, s, runner, tenant, drover.ExportParquet, count)
	if err != nil {
		return err
	}
	rate := float64(count) / time.Since(begun).Seconds()
	name := "an export of " + table.Thousands(float64(count)) + " packed positions as parquet"
	b.table.AtLeast(name, rate, "target", exportRate, 1)
	b.table.AtMost("memory of "+name, peak, exportBound, table.Mebibytes)
	return nil
}

func (b *bench) measureExports(ctx context.Context, s *store.Store) error {
	if _, err := s.Migrate(ctx); err != nil {
		return err
	}
	tenant, err := b.fillExport(ctx, s)
	if err != nil {
		return fmt.Errorf("fill positions: %w", err)
	}
	files := export.Folder(filepath.Join(b.dir, "exports"))
	runner := export.New(export.Options{Store: s, Files: files, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	for _, format := range drover.ExportFormats {
		b.progress("export positions as " + string(format))
		peak, err := exportOnce(ctx, s, runner, tenant, format, b.exported)
		if err != nil {
			return fmt.Errorf("export as %s: %w", format, err)
		}
		b.table.AtMost(fmt.Sprintf("memory of an export of %s positions as %s", table.Thousands(float64(b.exported)), format), peak,
			exportBound, table.Mebibytes)
	}
	return nil
}

// exportOnce makes one export and returns the most heap that was in use meanwhile,
// beyond what was before.
func exportOnce(
	ctx context.Context,
	s *store.Store,
	runner *export.Runner,
	tenant string,
	format drover.ExportFormat,
	want int,
) (float64, error) {
	e := work.Export{TenantID: tenant, Export: drover.Export{
		ID: store.NewID(), Kind: drover.ExportPositions, Format: format, Filters: json.RawMessage("{}"), State: drover.ExportQueued,
		CreatedAt: drover.At(time.Now()),
	}}
	if err := s.Update(ctx, func(tx *store.Tx) error { return tx.Jobs.AddExport(ctx, e) }); err != nil {
		return 0, err
	}
	runtime.GC()
	before := heap()
	done := make(chan error, 1)
	go func() {
		_, err := runner.Next(ctx)
		done <- err
	}()
	var peak float64
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case err := <-done:
			if err != nil {
				return 0, err
			}
			made, err := s.Jobs.Export(ctx, tenant, e.ID)
			if err == nil && (made.State != drover.ExportDone || made.Records != int64(want)) {
				err = fmt.Errorf("it is %s with %d records, want %d", made.State, made.Records, want)
			}
			return peak, err
		case <-look.C:
			peak = max(peak, heap()-before)
		}
	}
}

func heap() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapInuse)
}

// exportFleet adds a tenant with devices.
func exportFleet(ctx context.Context, s *store.Store, now time.Time) (tenantID string, devices []drover.Device, err error) {
	at := drover.At(now)
	tenant := drover.Tenant{ID: store.NewID(), Name: "export", CreatedAt: at}
	conn := drover.Connection{
		ID: store.NewID(), TenantID: tenant.ID, IntegrationName: drover.Traccar, BusinessName: "b", Active: true,
		CollectionStartTime: at,
	}
	devices = make([]drover.Device, exportDevices)
	for i := range devices {
		devices[i] = drover.Device{ID: store.NewID(), ConnectionID: conn.ID, SystemDeviceID: fmt.Sprint(i), Active: true, Tags: []string{}}
	}
	return tenant.ID, devices, s.Update(ctx, func(tx *store.Tx) error {
		return errors.Join(tx.Accounts.AddTenant(ctx, tenant), tx.Fleet.AddConnection(ctx, conn, []byte("sealed"), at),
			tx.Fleet.AddDevices(ctx, tenant.ID, devices, at))
	})
}

// fillExport adds a tenant whose devices have positions.
func (b *bench) fillExport(ctx context.Context, s *store.Store) (tenantID string, err error) {
	now := time.Now().UTC().Truncate(time.Second)
	tenantID, devices, err := exportFleet(ctx, s, now)
	each := b.exported / exportDevices
	for i := range devices {
		for n := 0; n < each && err == nil; n += exportBatch {
			err = s.UpdateBulk(ctx, func(tx *store.Tx) error {
				positions := make([]history.Position, min(exportBatch, each-n))
				for j := range positions {
					k := n + j
					positions[j] = history.Of(devices[i].ID, drover.Position{
						Time: drover.At(now.Add(time.Duration(k-each) * 10 * time.Second)), Latitude: 48 + float64(k%9000)/1e4,
						Longitude: 11 + float64(k%7000)/1e4,
						Heading:   new(float64(k % 360)), SpeedKPH: new(float64(k % 90)), Ignition: new(k%9 != 0), OdometerMetres: new(float64(k) * 100),
						DriverID: new("D-17"),
					})
				}
				_, err := tx.History.AddPositions(ctx, tenantID, positions)
				return err
			})
		}
	}
	return tenantID, err
}
