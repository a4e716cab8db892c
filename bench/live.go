package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover/internal/store"
)

const (
	liveConnections = 4
	liveVehicles    = 100 // of each connection
	liveHours       = 8
	livePoll        = time.Minute
	settledBytes    = 12
)

var liveBytes = map[string]float64{"embedded": 100, "PostgreSQL": 220}

// live measures what a position takes together with the event that reported it: while
// it is new, as collection has stored it, and once it is settled.
func (b *bench) live(ctx context.Context) error {
	for _, database := range b.databases() {
		b.progress("live positions, " + database)
		if err := b.liveOn(ctx, database); err != nil {
			return fmt.Errorf("live positions, %s: %w", database, err)
		}
	}
	return nil
}

func (b *bench) liveOn(ctx context.Context, database string) (err error) {
	options, remove, err := b.newStore(ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	i := newIntake(options, liveConnections, liveVehicles)
	defer func() { err = errors.Join(err, i.close()) }()
	if err := i.open(ctx); err != nil {
		return err
	}
	if _, err := i.makeFleet(ctx); err != nil {
		return err
	}
	stored := 0
	for range int(liveHours * time.Hour / livePoll) {
		n, _, _, err := i.step(ctx, livePoll)
		if err != nil {
			return err
		}
		stored += n
	}
	each := 0.0
	for _, table := range []string{"position", "event"} {
		used, err := tableBytes(ctx, options, table)
		if err != nil {
			return err
		}
		b.table.add(fmt.Sprintf("a live position in table %s, %s", table, database), bytesEach(float64(used)/float64(stored)), "", "", "", "", "")
		each += float64(used) / float64(stored)
	}
	b.table.atMost("a live position with its event, "+database, each, liveBytes[database], bytesEach)
	if each, err = i.settled(ctx, stored); err != nil {
		return err
	}
	b.table.atMost("a settled position with its event, "+database, each, settledBytes, bytesEach)
	return nil
}

// settled packs all and returns what is left of a position.
func (i *intake) settled(ctx context.Context, stored int) (each float64, err error) {
	for _, later := range []int{3, 4} { // it is decided what may be packed, and then packed
		now := i.present.AddDate(0, 0, later)
		if _, err := i.store.Pack(ctx, now, i.present.AddDate(0, 0, 2)); err != nil {
			return 0, err
		}
	}
	for _, table := range []string{"position", "position_block", "event"} {
		used, err := tableBytes(ctx, i.options, table)
		if err != nil {
			return 0, err
		}
		each += float64(used) / float64(stored)
	}
	return each, nil
}

// tableBytes is what a table takes with its indexes and partitions.
func tableBytes(ctx context.Context, o store.Options, table string) (bytes int64, err error) {
	driver, source := "sqlite", "file:"+o.Path+"?mode=ro"
	query := `SELECT SUM(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_master WHERE tbl_name = $1)`
	if o.URL != "" {
		driver, source = "pgx", o.URL
		query = `SELECT (pg_total_relation_size($1::regclass) + COALESCE(SUM(pg_total_relation_size(inhrelid)), 0))::bigint FROM pg_inherits WHERE inhparent = $1::regclass`
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		return 0, fmt.Errorf("open the database to measure it: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if o.URL != "" { // what autovacuum does in time
		if _, err := db.ExecContext(ctx, `VACUUM`); err != nil {
			return 0, fmt.Errorf("vacuum: %w", err)
		}
	}
	return bytes, db.QueryRowContext(ctx, query, table).Scan(&bytes)
}
