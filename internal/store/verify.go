package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/directory"
	"github.com/drover-fleet/drover/internal/store/pack"
)

// Schema is the number of the last migration that was run, and of the last one that
// this drover knows.
func (s *Store) Schema(ctx context.Context) (has, known int64, err error) {
	has, err = s.database.Version(ctx, migrations())
	return has, KnownSchema(), err
}

// KnownSchema is the number of the last migration that this drover knows.
func KnownSchema() int64 {
	known, err := database.Known(migrations())
	if err != nil {
		panic(err) // the files are part of the program
	}
	return known
}

// CopyTo copies an embedded database, as it is at one moment, into a new file.
func (s *Store) CopyTo(ctx context.Context, path string) error { return s.database.CopyTo(ctx, path) }

// CheckPages reads the whole database and reports damage.
func (s *Store) CheckPages(ctx context.Context) error { return database.CheckPages(ctx, s.database) }

// Empty reports whether the database has no tables of ours, nor of anyone's.
func (s *Store) Empty(ctx context.Context) (bool, error) {
	query := `SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table'`
	if s.Database() == "postgres" {
		query = `SELECT COUNT(*) FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace`
	}
	var n int
	if err := s.db.QueryRowContext(ctx, query).Scan(&n); err != nil {
		return false, fmt.Errorf("look for tables: %w", err)
	}
	return n == 0, nil
}

// TableReads says how PostgreSQL has read a table, which is what its plans came to.
type TableReads struct {
	Table      string `json:"table"`
	Rows       int64  `json:"rows"` // as it estimates
	Dead       int64  `json:"dead_rows"`
	Whole      int64  `json:"read_whole"` // how often
	ByIndex    int64  `json:"read_by_index"`
	AnalysedAt string `json:"analysed_at"` // empty where it never was
}

// maxTables bounds a list of tables: each week of positions has one.
const maxTables = 200

// TableReads lists the tables of which most rows were read without an index first. It is empty
// for the embedded database, whose plans depend on the schema alone.
func (s *Store) TableReads(ctx context.Context) ([]TableReads, error) {
	if s.Database() != "postgres" {
		return []TableReads{}, nil
	}
	rows, err := s.db.QueryContext(ctx, `SELECT relname, n_live_tup, n_dead_tup, COALESCE(seq_scan, 0), COALESCE(idx_scan, 0),
		COALESCE(GREATEST(last_analyze, last_autoanalyze)::text, '')
		FROM pg_stat_user_tables WHERE schemaname = current_schema() ORDER BY COALESCE(seq_tup_read, 0) DESC, relname LIMIT $1`, maxTables)
	return database.ReadAll(rows, err, "read how tables are read", func(row database.Scanner) (t TableReads, err error) {
		return t, row.Scan(&t.Table, &t.Rows, &t.Dead, &t.Whole, &t.ByIndex, &t.AnalysedAt)
	})
}

// CheckSums compares the sums of trips with the trips, and those of days with the
// totals. A distance may differ by a millimetre for each trip, by rounding.
func (s *Store) CheckSums(ctx context.Context) error {
	const sums = `SUM(trips) AS trips, SUM(valid_trips) AS valid, SUM(distance_mm) AS distance, SUM(driving_ms) AS driving,
		SUM(idling_ms) AS idling, SUM(auxiliary_ms) AS auxiliary, COUNT(*) AS n`
	const differ = ` HAVING SUM(trips) <> 0 OR SUM(valid_trips) <> 0 OR ABS(SUM(distance_mm)) > COUNT(*) OR ABS(SUM(driving_ms)) > COUNT(*)
		OR ABS(SUM(idling_ms)) > COUNT(*) OR ABS(SUM(auxiliary_ms)) > COUNT(*)`
	const totals = `SELECT tenant_id, connection_id, trips, valid_trips, distance_mm, driving_ms, idling_ms, auxiliary_ms FROM trip_total`
	const trips = `SELECT tenant_id, connection_id, -1, CASE WHEN is_valid THEN -1 ELSE 0 END,
		CASE WHEN is_valid THEN -1000 * COALESCE(distance_metres, 0) ELSE 0 END,
		CASE WHEN is_valid THEN -1000 * COALESCE(driving_seconds, 0) ELSE 0 END,
		CASE WHEN is_valid THEN -1000 * COALESCE(idling_seconds, 0) ELSE 0 END, CASE WHEN is_valid THEN -1000 * COALESCE(auxiliary_seconds, 0) ELSE 0 END FROM trip`
	const days = `SELECT tenant_id, connection_id, -trips, -valid_trips, -distance_mm, -driving_ms, -idling_ms, -auxiliary_ms FROM trip_day`
	for what, other := range map[string]string{
		"the totals of trips differ from the trips":         trips,
		"the totals of trips differ from those of the days": days,
	} {
		err := s.checkNone(ctx, what, `SELECT tenant_id, connection_id, `+sums+` FROM (`+totals+` UNION ALL `+other+
			`) AS both_sides GROUP BY tenant_id, connection_id`+differ)
		if err != nil {
			return err
		}
	}
	return nil
}

// CheckFeeds looks for tenants whose feed has a gap, or does not end with the number
// that was given out last. Where events about positions were forgotten before others,
// there are gaps.
func (s *Store) CheckFeeds(ctx context.Context) error {
	return s.checkNone(ctx, "a feed has a gap", `SELECT s.tenant_id FROM event_sequence s
		JOIN (SELECT e.tenant_id, MIN(e.sequence) AS first, MAX(e.sequence) AS last, COUNT(*) AS n FROM event e
			JOIN event_sequence f ON f.tenant_id = e.tenant_id AND e.sequence > f.positions_after
			GROUP BY e.tenant_id) AS e ON e.tenant_id = s.tenant_id
		WHERE e.last <> s.last OR e.n <> e.last - e.first + 1`)
}

// MendDirectory puts the directory right and returns how many entries were missing, or of what
// is gone. Where there are none, it changes nothing.
func (s *Store) MendDirectory(ctx context.Context) (int, error) {
	missing, stale, err := s.whose.Faults(ctx)
	if n := len(missing) + len(stale); err != nil || n == 0 {
		return 0, err
	}
	err = s.Update(ctx, func(tx *Tx) error { return directory.Mend(ctx, tx.tx, missing, stale) })
	return len(missing) + len(stale), err
}

// CheckRecords looks for readings, faults, safety events and assignments that no device of their
// connection has, for readings of no series, for drivers of no connection, for faults that are
// both open and over, and for assignments that end before they begin.
func (s *Store) CheckRecords(ctx context.Context) error {
	const orphan = `SELECT r.tenant_id FROM %[1]s r WHERE NOT EXISTS (
		SELECT 1 FROM device d WHERE d.tenant_id = r.tenant_id AND d.id = r.device_id AND d.connection_id = r.connection_id)`
	for _, c := range [][2]string{
		{"a series of readings has no device", fmt.Sprintf(orphan, "reading_series")},
		{"a fault has no device", fmt.Sprintf(orphan, "fault")},
		{"a safety event has no device", fmt.Sprintf(orphan, "safety_event")},
		{"an assignment has no device", fmt.Sprintf(orphan, "assignment")},
		{"an assignment ends before it begins", `SELECT a.id FROM assignment a WHERE a.end_time < a.start_time`},
		{"readings have no series", `SELECT DISTINCT r.tenant_id, r.device_id, r.series FROM reading r WHERE NOT EXISTS (
			SELECT 1 FROM reading_series s WHERE s.tenant_id = r.tenant_id AND s.device_id = r.device_id AND s.series >= r.series)`},
		{"packed readings have no device", `SELECT b.tenant_id FROM reading_block b WHERE NOT EXISTS (
			SELECT 1 FROM device d WHERE d.tenant_id = b.tenant_id AND d.id = b.device_id)`},
		{"a driver has no connection", `SELECT d.id FROM driver d WHERE NOT EXISTS (
			SELECT 1 FROM connection c WHERE c.tenant_id = d.tenant_id AND c.id = d.connection_id)`},
		{
			"a fault is open and over, or neither",
			`SELECT f.id FROM fault f WHERE (f.status = 'closed') <> (f.closed_at IS NOT NULL) OR (f.closed_at IS NULL) <> (f.closed_by IS NULL)`,
		},
	} {
		if err := s.checkNone(ctx, c[0], c[1]); err != nil {
			return err
		}
	}
	return nil
}

// CheckBlocks unpacks all positions and readings that are packed, and returns how many blocks they
// are in.
func (s *Store) CheckBlocks(ctx context.Context) (int, error) {
	positions, err := s.checkBlocks(ctx, "positions", `SELECT device_id, rows, data FROM position_block`, func(data []byte) (int, error) {
		rows, err := pack.Decode(data)
		return len(rows), err
	})
	if err != nil {
		return 0, err
	}
	readings, err := s.checkBlocks(ctx, "readings", `SELECT device_id, readings, data FROM reading_block`, func(data []byte) (int, error) {
		rows, err := pack.DecodeReadings(data)
		return len(rows), err
	})
	return positions + readings, err
}

// checkBlocks unpacks the blocks that a query reads, one at a time.
func (s *Store) checkBlocks(ctx context.Context, of, query string, unpack func([]byte) (int, error)) (blocks int, err error) {
	rows, err := s.db.QueryContext(ctx, query)
	if err != nil {
		return 0, fmt.Errorf("verify: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	wrong := 0
	var first error
	for ; rows.Next(); blocks++ {
		var device string
		var data []byte
		var want int
		if err := rows.Scan(&device, &want, &data); err != nil {
			return 0, fmt.Errorf("verify: %w", err)
		}
		has, err := unpack(data)
		if err == nil && has != want {
			err = fmt.Errorf("%d are in a block of %d", has, want)
		}
		if err == nil {
			continue
		}
		if wrong++; first == nil {
			first = fmt.Errorf("packed %s of device %s: %w", of, device, err)
		}
	}
	if err := rows.Err(); err != nil {
		return 0, fmt.Errorf("verify: %w", err)
	}
	if wrong > 0 {
		return 0, fmt.Errorf("%w (%d blocks)", first, wrong)
	}
	return blocks, nil
}

// checkNone wants a query to find nothing.
func (s *Store) checkNone(ctx context.Context, what, query string) error {
	var n int
	if err := s.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM (`+query+`) AS wrong`).Scan(&n); err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if n > 0 {
		return fmt.Errorf("%s (%d times)", what, n)
	}
	return nil
}
