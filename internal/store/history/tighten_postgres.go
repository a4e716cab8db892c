package history

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover/internal/store/database"
)

const (
	// looseKey is the size, in bytes for each row, from which on a partition's key is
	// rebuilt. Where it is full, a row takes 53. Each device grows at an end of its own, so
	// that its pages are split in the middle and stay half full, at 104.
	looseKey = 64
	// smallKey is what is not worth the work, in bytes.
	smallKey = 1 << 20
	// grownKey is by which factor the rows must have become more, or fewer, since the last
	// time: so a row is sorted some four times, however long a device's last page, which
	// is never full, makes the key of few rows.
	grownKey = 1.35
)

// keyOf is the key of a partition, and how many rows it has.
type keyOf struct {
	name string
	rows int64
}

// tighten rebuilds beside readers and writers, at the place that the caller looks at. What a rebuild
// that was broken off has left is dropped first: PostgreSQL would keep it up to date for ever.
func (d *onPostgres) tighten(ctx context.Context) (rebuilt int, err error) {
	err = d.Alone(ctx, func(u database.Upkeep) error {
		rebuilt, err = tightenAlone(ctx, u)
		return err
	})
	if err != nil {
		return rebuilt, fmt.Errorf("rebuild the key of positions: %w", err)
	}
	return rebuilt, nil
}

func tightenAlone(ctx context.Context, u database.Upkeep) (rebuilt int, err error) {
	left, err := brokenKeys(ctx, u)
	if err != nil {
		return 0, err
	}
	for _, name := range left {
		if _, err := upkeep(ctx, u, `DROP INDEX CONCURRENTLY IF EXISTS `+name); err != nil {
			return 0, err
		}
	}
	loose, err := looseKeys(ctx, u)
	if err != nil {
		return 0, err
	}
	for _, key := range loose {
		done, err := upkeep(ctx, u, `REINDEX INDEX CONCURRENTLY `+key.name)
		if err == nil && done {
			rebuilt++
			_, err = upkeep(ctx, u, fmt.Sprintf(`COMMENT ON INDEX %s IS 'rebuilt at %d rows'`, key.name, key.rows))
		}
		if err != nil {
			return rebuilt, err
		}
	}
	return rebuilt, nil
}

// upkeep runs a statement, and reports whether nothing was in its way. The next run repeats
// it otherwise.
func upkeep(ctx context.Context, u database.Upkeep, statement string) (done bool, err error) {
	err = u.Run(ctx, statement)
	switch database.State(err) {
	case database.LockNotAvailable, database.UndefinedTable, database.UndefinedObject: // the partition was dropped meanwhile
		return false, nil
	}
	return err == nil, err
}

// partitions are those of positions. On a server of Citus each of its parts of the table has its own.
const partitions = `pg_inherits h JOIN pg_class p ON p.oid = h.inhparent AND p.relkind = 'p' AND p.relname ~ '^position(_\d+)?$'
	AND p.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'position'::regclass)`

// looseKeys lists the keys that are to be rebuilt, their names quoted where they need it. A
// server that has lost its statistics counts rows from zero, and the last vacuum or rebuild
// knows better then. How many there were the last time is noted with the key.
func looseKeys(ctx context.Context, q database.Reader) ([]keyOf, error) {
	rows, err := q.QueryContext(ctx, `SELECT name, rows::bigint FROM (
			SELECT i.indexrelid::regclass::text AS name, pg_relation_size(i.indexrelid) AS size,
			GREATEST(c.reltuples::float8, pg_stat_get_live_tuples(c.oid), 1) AS rows,
				COALESCE((substring(obj_description(i.indexrelid, 'pg_class') FROM '^rebuilt at (\d+) rows$'))::float8, 0) AS before
			FROM `+partitions+` JOIN pg_class c ON c.oid = h.inhrelid JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary AND i.indisvalid) AS key
		WHERE size > $1 AND size > $2::float8 * rows AND (rows > $3::float8 * before OR rows * $3::float8 < before) ORDER BY name`, smallKey,
		looseKey, grownKey)
	return database.ReadAll(rows, err, "look at the keys of partitions", func(row database.Scanner) (keyOf, error) {
		var key keyOf
		return key, row.Scan(&key.name, &key.rows)
	})
}

// brokenKeys lists what rebuilds that were broken off have left.
func brokenKeys(ctx context.Context, q database.Reader) ([]string, error) {
	rows, err := q.QueryContext(ctx, `SELECT i.indexrelid::regclass::text FROM `+partitions+`
		JOIN pg_index i ON i.indrelid = h.inhrelid AND NOT i.indisvalid ORDER BY 1`)
	return database.ReadAll(rows, err, "look for broken keys", database.ScanText)
}

// tighten does nothing: SQLite splits a page at its end where rows come in order.
func (d *onSQLite) tighten(context.Context) (int, error) { return 0, nil }
