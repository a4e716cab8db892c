package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/traces"
	"github.com/drover-fleet/drover/internal/rules/path"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

const (
	packedVehicles = 6
	packedDays     = 31
	packedBytes    = 8       // of a position, with its indexes
	packedRate     = 300_000 // positions a second
	trackRounds    = 41
	dayWarm        = 0.003 // seconds
	dayCold        = 0.01
	monthWarm      = 0.08
)

// packing measures what positions take once they are settled, how fast they are
// packed, and how fast a track is made of them: of a simulated fleet, and of recorded
// vehicles where --traces names them.
func (b *bench) packing(ctx context.Context) error {
	sets := []vehicles{simulatedMonth()}
	if b.tracesDir != "" {
		recorded, err := traces.Read(b.tracesDir)
		if err != nil {
			return err
		}
		set := vehicles{name: "recorded"}
		for _, t := range recorded {
			set.positions = append(set.positions, t.Positions)
		}
		sets = append(sets, set)
	}
	for _, database := range b.databases() {
		for _, set := range sets {
			b.progress("settled positions, " + set.name + ", " + database)
			if err := b.packSet(ctx, database, set); err != nil {
				return fmt.Errorf("settled positions, %s, %s: %w", set.name, database, err)
			}
		}
	}
	return nil
}

// vehicles are positions by vehicle.
type vehicles struct {
	name      string
	positions [][]drover.Position
}

// simulatedMonth is a month of some vehicles, a position every 30 seconds.
func simulatedMonth() vehicles {
	fleet := sim.New(sim.Options{Seed: 15, Vehicles: packedVehicles, Interval: 30 * time.Second, Heartbeat: 30 * time.Second})
	set := vehicles{name: "simulated"}
	from := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for _, v := range fleet.Vehicles() {
		var all []drover.Position
		for _, s := range fleet.Positions(v, from, from.AddDate(0, 0, packedDays)) {
			all = append(all, s.Position)
		}
		set.positions = append(set.positions, all)
	}
	return set
}

// packSet stores a set, packs it, and reads it.
func (b *bench) packSet(ctx context.Context, database string, set vehicles) (err error) {
	c, err := b.newCourier(ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	empty, err := c.used(ctx)
	if err != nil {
		return err
	}
	devices, stored, err := c.storeVehicles(ctx, set)
	if err != nil {
		return err
	}
	rows, err := c.used(ctx)
	if err != nil {
		return err
	}
	took, used, err := c.packAll(ctx, stored)
	if err != nil {
		return err
	}
	packed, err := c.used(ctx)
	if err != nil {
		return err
	}
	what := set.name + ", " + database
	b.table.Add("a position as a row, "+what, bytesEach(float64(rows-empty)/float64(stored)), "", "", "", "", "")
	b.table.AtMost("a settled position, "+what, float64(packed-empty)/float64(stored), packedBytes, bytesEach)
	b.table.AtLeast("packing, "+what, float64(stored)/took.Seconds(), "target", packedRate, 0)
	b.table.AtLeast("packing on one core, "+what, float64(stored)/used.Seconds(), "target", packedRate, 1)
	if set.name != "simulated" {
		return nil
	}
	return b.tracks(ctx, c, devices, database)
}

func bytesEach(v float64) string { return fmt.Sprintf("%.1f B", v) }

// storeVehicles stores each vehicle's positions as collection does, in pages.
func (c *courier) storeVehicles(ctx context.Context, set vehicles) (devices []string, stored int, err error) {
	for n, positions := range set.positions {
		d := drover.Device{ID: store.NewID(), ConnectionID: c.conn, SystemDeviceID: fmt.Sprint(n), Active: true, Tags: []string{}}
		devices = append(devices, d.ID)
		if err := c.store.Update(ctx, func(tx *store.Tx) error {
			return tx.Fleet.AddDevice(ctx, c.tenant, d,
				drover.At(time.Now()))
		}); err != nil {
			return nil, 0, err
		}
		for page := range slices.Chunk(positions, 1000) {
			rows := make([]history.Position, len(page))
			for i, p := range page {
				rows[i] = history.Of(d.ID, p)
			}
			err := c.store.Update(ctx, func(tx *store.Tx) error {
				fresh, err := tx.History.AddPositions(ctx, c.tenant, rows)
				for _, is := range fresh {
					if is {
						stored++
					}
				}
				return err
			})
			if err != nil {
				return nil, 0, err
			}
		}
	}
	return devices, stored, nil
}

// packAll packs everything, as two runs of the service would. It returns how long that
// took, and the processor time of it.
func (c *courier) packAll(ctx context.Context, want int) (took, used time.Duration, err error) {
	now := time.Now()
	if _, err := c.store.History.Pack(ctx, now, now.AddDate(0, 0, -1), 0); err != nil {
		return 0, 0, err
	}
	now = now.Add(time.Hour)
	used, err = c.spent.during(func() error {
		begun := time.Now()
		done, err := c.store.History.Pack(ctx, now, now.AddDate(0, 0, -1), 0)
		took = time.Since(begun)
		if err == nil && done.Positions != want {
			err = fmt.Errorf("%d of %d positions were packed", done.Positions, want)
		}
		return err
	})
	return took, used, err
}

// used is what a database takes: on PostgreSQL the tables of positions with their
// indexes, after a vacuum, and all of an embedded one but its free pages, which are
// used again.
func (c *courier) used(ctx context.Context) (bytes int64, err error) {
	driver, source, query := "sqlite", "file:"+c.options.Path+"?mode=ro",
		`SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size`
	if c.options.URL != "" {
		driver, source = "pgx", c.options.URL
		query = `SELECT COALESCE(SUM(pg_total_relation_size(oid)), 0)::bigint FROM pg_class WHERE relkind = 'r' AND relname LIKE 'position%'`
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		return 0, fmt.Errorf("open the database to measure it: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if c.options.URL != "" {
		if _, err := db.ExecContext(ctx, `VACUUM`); err != nil {
			return 0, fmt.Errorf("vacuum: %w", err)
		}
	}
	return bytes, db.QueryRowContext(ctx, query).Scan(&bytes)
}

// trackDay is a day that all simulated vehicles have.
var trackDay = time.Date(2026, 5, 10, 0, 0, 0, 0, time.UTC)

// tracks measures a day and a month of a device as a track.
func (b *bench) tracks(ctx context.Context, c *courier, devices []string, database string) error {
	if err := b.coldDays(ctx, c, devices, database); err != nil {
		return err
	}
	for _, t := range []struct {
		name      string
		from, to  time.Time
		tolerance float64
		bound     float64
	}{
		{"a day as a track", trackDay, trackDay.AddDate(0, 0, 1), 0, dayWarm},
		{"a month as a simplified track", trackDay.AddDate(0, 0, -9), trackDay.AddDate(0, 0, 21), 20, monthWarm},
	} {
		var took []time.Duration
		for range trackRounds {
			begun := time.Now()
			if err := readTrack(ctx, c.store, c.tenant, devices[0], t.from, t.to, t.tolerance); err != nil {
				return err
			}
			took = append(took, time.Since(begun))
		}
		slices.Sort(took)
		b.table.AtMost(t.name+", "+database, took[len(took)/2].Seconds(), t.bound, inMilliseconds)
	}
	return nil
}

// readTrack reads a device's positions and makes a track of them.
func readTrack(ctx context.Context, s *store.Store, tenant, device string, from, to time.Time, tolerance float64) error {
	rows, err := s.History.Positions(ctx, history.Range{TenantID: tenant, DeviceID: device, From: drover.At(from), To: drover.At(to)})
	if err == nil && len(rows) == 0 {
		err = errors.New("a device has no positions")
	}
	positions := make([]drover.Position, len(rows))
	for i, r := range rows {
		positions[i] = r.Position
	}
	path.Make(positions, tolerance, trip.DefaultRules())
	return err
}
