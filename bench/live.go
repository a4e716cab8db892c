package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/upkeep/retain"
)

const (
	liveConnections = 4
	liveVehicles    = 100 // of each connection
	liveHours       = 8
	livePoll        = time.Minute
	sweepPolls      = 15
	eventKeys       = 200 // bytes of an event besides its data
	settledBytes    = 12

	groupedPart   = 0.25 // of what it takes to take a position in
	tightenedPart = 0.1
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
	i := newIntake(options, b.spent(database), liveConnections, liveVehicles)
	defer func() { err = errors.Join(err, i.close()) }()
	if err := i.open(ctx); err != nil {
		return err
	}
	if _, err := i.makeFleet(ctx, 0); err != nil {
		return err
	}
	const polls = int(liveHours * time.Hour / livePoll)
	stored, grouped := 0, 0
	var taking, grouping, tightening time.Duration
	for n := range polls {
		reported, _, used, err := i.step(ctx, livePoll)
		if err != nil {
			return err
		}
		taking += used
		if stored += reported; n%sweepPolls != 0 {
			continue
		}
		used, events, err := i.packEvents(ctx)
		if err != nil {
			return err
		}
		grouping, grouped = grouping+used, grouped+events
		if used, err = i.spent.during(func() error { _, err := i.store.History.Tighten(ctx); return err }); err != nil {
			return err
		}
		tightening += used
	}
	each := 0.0
	for _, table := range []string{"position", "event", "event_block"} {
		used, err := positionBytes(ctx, options, table)
		if err != nil {
			return err
		}
		b.table.Add(fmt.Sprintf("a live position in table %s, %s", table, database), bytesEach(float64(used)/float64(stored)), "", "", "", "", "")
		each += float64(used) / float64(stored)
	}
	b.table.AtMost("a live position with its event, "+database, each, liveBytes[database], bytesEach)
	inEvent := float64(stored) / float64(polls*liveConnections) // a poll of a connection makes one event
	took := taking.Seconds() / float64(stored)
	b.table.Part("processor time of a position whose event is put into a block, "+database, grouping.Seconds()/(float64(grouped)*inEvent),
		"taken in", took, groupedPart, inMicroseconds)
	if database != "embedded" {
		b.table.Part("processor time of a position whose key is rebuilt, "+database, tightening.Seconds()/float64(stored), "taken in", took,
			tightenedPart, inMicroseconds)
	}
	if each, err = i.settled(ctx, stored); err != nil {
		return err
	}
	b.table.AtMost("a settled position with its event, "+database, each, settledBytes, bytesEach)
	return nil
}

// packEvents does what the service does every quarter of an hour. On PostgreSQL the room
// is used again once it was vacuumed. It returns the processor time, and how many events
// were put into blocks.
func (i *intake) packEvents(ctx context.Context) (used time.Duration, events int, err error) {
	used, err = i.spent.during(func() error {
		done, err := retain.PackEvents(ctx, i.store, i.present, 0)
		events = done.Events
		return err
	})
	if err == nil && i.options.URL != "" {
		_, err = tableBytes(ctx, i.options, "event")
	}
	return used, events, err
}

// settled packs all and returns what is left of a position.
func (i *intake) settled(ctx context.Context, stored int) (each float64, err error) {
	for _, later := range []int{3, 4} { // it is decided what may be packed, and then packed
		now := i.present.AddDate(0, 0, later)
		if _, err := i.store.History.Pack(ctx, now, i.present.AddDate(0, 0, 2), 0); err != nil {
			return 0, err
		}
		if _, err := retain.PackEvents(ctx, i.store, now, 0); err != nil {
			return 0, err
		}
	}
	for _, table := range []string{"position", "position_block", "event", "event_block"} {
		used, err := positionBytes(ctx, i.options, table)
		if err != nil {
			return 0, err
		}
		each += float64(used) / float64(stored)
	}
	return each, nil
}

// positionBytes is what positions take of a table: of the events those that report
// positions, and not trips, states and devices.
func positionBytes(ctx context.Context, o store.Options, table string) (int64, error) {
	used, err := tableBytes(ctx, o, table)
	if err != nil || table != "event" {
		return used, err
	}
	driver, source := sourceOf(o)
	db, err := sql.Open(driver, source)
	if err != nil {
		return 0, fmt.Errorf("open the database to measure it: %w", err)
	}
	var share float64
	err = db.QueryRowContext(ctx, `SELECT SUM(CASE type WHEN 'position.updated' THEN size ELSE 0 END) * 1.0 / SUM(size)
		FROM (SELECT type, $1 + length(data) + COALESCE(length(packed), 0) AS size FROM event) AS sized`, eventKeys).Scan(&share)
	return int64(float64(used) * share), errors.Join(err, db.Close())
}

func sourceOf(o store.Options) (driver, source string) {
	if o.URL != "" {
		return "pgx", o.URL
	}
	return "sqlite", "file:" + o.Path + "?mode=ro"
}

// tableBytes is what a table takes with its indexes and partitions.
func tableBytes(ctx context.Context, o store.Options, table string) (bytes int64, err error) {
	driver, source := sourceOf(o)
	query := `SELECT SUM(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_master WHERE tbl_name = $1)`
	if o.URL != "" {
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
