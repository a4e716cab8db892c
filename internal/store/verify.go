package store

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover/internal/store/database"
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

// Empty reports whether the database has no tables of ours, nor of anybody's.
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
