package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of PostgreSQL
)

// tripID is the id of the bench's nth trip: a UUIDv7, as the service makes them.
func tripID(n int) string { return fmt.Sprintf("01900000-0000-7000-8000-%012x", n) }

// tripDays is over how many days the trips are spread, whatever their number.
const tripDays = 365

// addTrips stores the trips from, up to and without to, and sums them up anew.
// They go into the tables directly: through the service, ten million would take
// an hour.
func (p *place) addTrips(ctx context.Context, from, to int) (err error) {
	db, err := p.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	for _, statement := range p.statements(from, to) {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("add trips: %w", err)
		}
	}
	return nil
}

func (p *place) open() (*sql.DB, error) {
	if p.url != "" {
		return sql.Open("pgx", p.url)
	}
	return sql.Open("sqlite", "file:"+filepath.Join(p.data, "drover.db")+"?_pragma=journal_mode(off)&_pragma=synchronous(off)&_pragma=cache_size(-2000000)")
}

func (p *place) statements(from, to int) []string {
	numbers := fmt.Sprintf(`WITH RECURSIVE numbers(n) AS (SELECT %d UNION ALL SELECT n + 1 FROM numbers WHERE n < %d) SELECT n FROM numbers`, from, to-1)
	id, uuid := `printf('01900000-0000-7000-8000-%012x', n)`, ``
	number, finish := `printf('%012d', n)`, []string{`ANALYZE`}
	if p.url != "" {
		numbers = fmt.Sprintf(`SELECT n FROM generate_series(%d, %d) n`, from, to-1)
		id, uuid = `('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`, `::uuid`
		number, finish = `lpad(n::text, 12, '0')`, []string{`VACUUM ANALYZE`, `CHECKPOINT`}
	}
	r := strings.NewReplacer(
		"{numbers}", numbers, "{id}", id, "{uuid}", uuid, "{number}", number, "{days}", fmt.Sprint(tripDays), "{tenant}", p.world.Owner.ID,
		"{device0}", p.world.Devices[0].ID, "{connection0}", p.world.Devices[0].ConnectionID,
		"{device1}", p.world.Devices[1].ID, "{connection1}", p.world.Devices[1].ConnectionID,
		"{now}", fmt.Sprint(p.world.Owner.CreatedAt.UnixMilli()),
	)
	var all []string
	for _, statement := range append([]string{insertTrips, `DELETE FROM trip_day`, `DELETE FROM trip_total`, sumDays, sumTotals}, finish...) {
		all = append(all, r.Replace(statement))
	}
	return all
}

// The statements are the same for both databases but for their {parts}. Every
// tenth trip is invalid.
const (
	insertTrips = `INSERT INTO trip (tenant_id, id, connection_id, device_id, system_trip_id, start_latitude, start_longitude,
		end_latitude, end_longitude, start_time, end_time, distance_metres, duration_seconds, driving_seconds, idling_seconds,
		auxiliary_seconds, is_valid, validation_comments)
		SELECT '{tenant}'{uuid}, {id},
			CASE WHEN n % 2 = 0 THEN '{connection0}'{uuid} ELSE '{connection1}'{uuid} END,
			CASE WHEN n % 2 = 0 THEN '{device0}'{uuid} ELSE '{device1}'{uuid} END,
			{number}, 48.1, 11.5, 48.2, 11.6,
			{now} - CAST(n % {days} AS BIGINT) * 86400000 - 3600000, {now} - CAST(n % {days} AS BIGINT) * 86400000 - 1800000,
			15000.0 + n % 1000, 1800.0, 1700.0, 100.0, NULL, n % 10 <> 0, CASE WHEN n % 10 = 0 THEN 'The distance is too short.' END
		FROM ({numbers}) numbered`

	sums = `COUNT(*), SUM(CASE WHEN is_valid THEN 1 ELSE 0 END),
		CAST(SUM(CASE WHEN is_valid THEN 1000 * COALESCE(distance_metres, 0) ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN is_valid THEN 1000 * COALESCE(driving_seconds, 0) ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN is_valid THEN 1000 * COALESCE(idling_seconds, 0) ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN is_valid THEN 1000 * COALESCE(auxiliary_seconds, 0) ELSE 0 END) AS BIGINT)`

	sumDays = `INSERT INTO trip_day (tenant_id, day, connection_id, trips, valid_trips, distance_mm, driving_ms, idling_ms, auxiliary_ms)
		SELECT tenant_id, start_time / 86400000, connection_id, ` + sums + ` FROM trip GROUP BY tenant_id, start_time / 86400000, connection_id`

	sumTotals = `INSERT INTO trip_total (tenant_id, connection_id, trips, valid_trips, distance_mm, driving_ms, idling_ms, auxiliary_ms)
		SELECT tenant_id, connection_id, ` + sums + ` FROM trip GROUP BY tenant_id, connection_id`
)
