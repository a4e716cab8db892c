package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/upkeep/retain"
)

type storageCommand struct {
	config.Store
	config.Log
	listing
}

func (storageCommand) Help() string { return example("drover storage", "drover storage --json") }

// storageReport is what the history of all tenants takes, and how long the disk
// lasts.
type storageReport struct {
	retain.Storage
	// The disk is that of the embedded database; where PostgreSQL's is, is not known.
	DiskFreeBytes *int64   `json:"disk_free_bytes"`
	DaysUntilFull *float64 `json:"days_until_full"`
}

func (c *storageCommand) Run(w world) error {
	return withExisting(w, c.Store, c.Log, func(s *store.Store) error {
		report, err := c.report(w, s)
		switch {
		case err != nil && len(report.Tenants) == 0:
			return err
		case c.JSON: // also where some could not be looked at
			return errors.Join(err, printJSON(w, report))
		default:
			return errors.Join(err, report.print(w))
		}
	})
}

func (c *storageCommand) report(w world, s *store.Store) (r storageReport, err error) {
	if r.Storage, err = retain.StorageOf(w, s, time.Now()); err != nil || s.Database() != "sqlite" {
		return r, err
	}
	free, err := freeBytes(c.Data)
	if err != nil {
		return r, err
	}
	r.DiskFreeBytes, r.DaysUntilFull = new(int64(free)), r.DaysUntil(int64(free))
	return r, nil
}

func (r storageReport) print(w world) error {
	cells := [][]string{{"TENANT", "ROWS", "PACKED", "BLOCKS", "POSITIONS", "B/POSITION", "EVENTS", "GROWTH/DAY"}}
	for _, t := range r.Tenants {
		each, growth := "-", "-"
		if t.Positions.BytesPerPosition != nil {
			each = strconv.FormatFloat(*t.Positions.BytesPerPosition, 'f', 1, 64)
		}
		if t.GrowthBytesPerDay != nil {
			growth = mebibytes(*t.GrowthBytesPerDay)
		}
		p := t.Positions
		cells = append(cells, []string{
			t.Tenant, strconv.FormatInt(p.Rows, 10), strconv.FormatInt(p.Packed, 10), strconv.FormatInt(p.Blocks, 10),
			mebibytes(p.RowBytes + p.PackedBytes), each, mebibytes(t.Events.Bytes), growth,
		})
	}
	if err := table(w, cells); err != nil {
		return err
	}
	if r.DiskFreeBytes == nil {
		return nil
	}
	_, err := fmt.Fprintf(w.out, "\ndisk: %s free%s\n", mebibytes(*r.DiskFreeBytes), r.lasts())
	return err
}

// lasts says how long the disk lasts, where that is known.
func (r storageReport) lasts() string {
	if r.DaysUntilFull == nil {
		return "; how long that lasts is known once a day was packed"
	}
	return fmt.Sprintf(", full in %.0f days at this rate", *r.DaysUntilFull)
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
