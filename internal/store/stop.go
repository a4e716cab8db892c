package store

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Stop is a stored stop that is over.
type Stop struct {
	drover.Stop
	// Parts is how it is divided among its days, as JSON; nil for one within a day.
	Parts *string
}

const stopColumns = `s.id, s.device_id, s.latitude, s.longitude, s.start_time, s.end_time, s.engine_on_seconds, s.auxiliary_seconds, ` +
	unseenColumns + `, s.parts`

const unseenColumns = `s.unseen_until, s.unseen_metres, s.unseen_by`

func scanStop(row database.Scanner) (Stop, error) {
	var s Stop
	s.EndTime = new(drover.Time)
	var u unseenRow
	err := row.Scan(&s.ID, &s.DeviceID, &s.Latitude, &s.Longitude, &s.StartTime, s.EndTime, &s.EngineOnSeconds, &s.AuxiliarySeconds,
		&u.until, &u.metres, &u.by, &s.Parts)
	s.Unseen = u.after(s.EndTime)
	s.DurationSeconds = s.EndTime.Sub(s.StartTime.Time).Seconds()
	return s, err
}

// unseenRow is the way after a stop as it is stored: it begins where the stop ends.
type unseenRow struct {
	until  *drover.Time
	metres *float64
	by     *drover.KnownBy
}

func unseenOf(u *drover.Unseen) unseenRow {
	if u == nil {
		return unseenRow{}
	}
	return unseenRow{&u.EndTime, &u.DistanceMetres, &u.KnownBy}
}

func (u unseenRow) after(end *drover.Time) *drover.Unseen {
	if u.until == nil || u.metres == nil || u.by == nil {
		return nil
	}
	return &drover.Unseen{StartTime: *end, EndTime: *u.until, DistanceMetres: *u.metres, KnownBy: *u.by}
}

// StopsStarting reads a device's stops that start in [from, to), oldest first. No
// two of them start at once; were they asked for by id too, SQLite would read those
// of all devices, in the index that has this order.
func (q TripsReader) StopsStarting(ctx context.Context, tenantID, deviceID string, from, to drover.Time) ([]Stop, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+stopColumns+` FROM stop s
		WHERE s.tenant_id = $1 AND s.device_id = $2 AND s.start_time >= $3 AND s.start_time < $4 ORDER BY s.start_time`, tenantID, deviceID,
		from, to)
	return database.ReadAll(rows, err, "read stops", scanStop)
}

// AddStop stores a new stop of a connection's device.
func (tx TripsTx) AddStop(ctx context.Context, tenantID, connectionID string, s Stop) error {
	u := unseenOf(s.Unseen)
	_, err := tx.write("stop").ExecContext(ctx, `INSERT INTO stop
		(tenant_id, id, connection_id, device_id, latitude, longitude, start_time, end_time, engine_on_seconds, auxiliary_seconds, parts,
		unseen_until, unseen_metres, unseen_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		tenantID, s.ID, connectionID, s.DeviceID, s.Latitude, s.Longitude, s.StartTime, s.EndTime, s.EngineOnSeconds, s.AuxiliarySeconds,
		s.Parts, u.until, u.metres, u.by)
	if err != nil {
		return fmt.Errorf("add stop: %w", err)
	}
	return tx.countStop(ctx, tenantID, connectionID, s, 1)
}

// SetStop stores a changed stop and counts it again.
func (tx TripsTx) SetStop(ctx context.Context, tenantID, connectionID string, before, after Stop) error {
	s, u := after, unseenOf(after.Unseen)
	_, err := tx.write("stop").ExecContext(ctx, `UPDATE stop SET latitude = $3, longitude = $4, start_time = $5, end_time = $6,
		engine_on_seconds = $7, auxiliary_seconds = $8, parts = $9, unseen_until = $10, unseen_metres = $11, unseen_by = $12 WHERE tenant_id = $1 AND id = $2`,
		tenantID, s.ID, s.Latitude, s.Longitude, s.StartTime, s.EndTime, s.EngineOnSeconds, s.AuxiliarySeconds, s.Parts, u.until, u.metres, u.by)
	if err != nil {
		return fmt.Errorf("set stop: %w", err)
	}
	if err := tx.countStop(ctx, tenantID, connectionID, before, -1); err != nil {
		return err
	}
	return tx.countStop(ctx, tenantID, connectionID, after, 1)
}

// DropStop deletes a stop that was dissolved and takes it out of the roll-ups.
func (tx TripsTx) DropStop(ctx context.Context, tenantID, connectionID string, s Stop) error {
	if _, err := tx.write("stop").ExecContext(ctx, `DELETE FROM stop WHERE tenant_id = $1 AND id = $2`, tenantID, s.ID); err != nil {
		return fmt.Errorf("drop stop: %w", err)
	}
	return tx.countStop(ctx, tenantID, connectionID, s, -1)
}

// countStop adds a stop to the roll-ups of the day on which it started, or takes
// it out again with sign -1.
func (tx TripsTx) countStop(ctx context.Context, tenantID, connectionID string, s Stop, sign int64) error {
	_, err := tx.write("stop_day").ExecContext(ctx, `INSERT INTO stop_day AS r (tenant_id, day, connection_id, stops, duration_ms, engine_on_ms, auxiliary_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant_id, day, connection_id) DO UPDATE SET stops = r.stops + excluded.stops,
		duration_ms = r.duration_ms + excluded.duration_ms, engine_on_ms = r.engine_on_ms + excluded.engine_on_ms, auxiliary_ms = r.auxiliary_ms + excluded.auxiliary_ms`,
		tenantID, s.StartTime.Day(), connectionID, sign, sign*(s.EndTime.UnixMilli()-s.StartTime.UnixMilli()), sign*milli(s.EngineOnSeconds),
		sign*milli(s.AuxiliarySeconds))
	if err != nil {
		return fmt.Errorf("count stop by day: %w", err)
	}
	return nil
}

// summariseStops sums up the stops of a tenant that started on some days.
func (q queries) summariseStops(ctx context.Context, tenantID string, first, last int64) (*drover.StopActivity, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT day, SUM(stops), SUM(duration_ms), SUM(engine_on_ms), SUM(auxiliary_ms) FROM stop_day
		WHERE tenant_id = $1 AND day BETWEEN $2 AND $3 GROUP BY day`, tenantID, first, last)
	out := drover.StopActivity{ByDay: make([]drover.DayStops, last-first+1)}
	for i := range out.ByDay {
		out.ByDay[i].Day = dayText(first + int64(i))
	}
	_, err = database.ReadAll(rows, err, "sum up stops", func(row database.Scanner) (struct{}, error) {
		var day, stops, duration, engine, auxiliary int64
		if err := row.Scan(&day, &stops, &duration, &engine, &auxiliary); err != nil {
			return struct{}{}, err
		}
		sums := drover.StopSums{
			Stops: stops, DurationSeconds: float64(duration) / 1000, EngineOnSeconds: float64(engine) / 1000,
			AuxiliarySeconds: float64(auxiliary) / 1000,
		}
		out.ByDay[day-first].StopSums = sums
		out.Add(sums)
		return struct{}{}, nil
	})
	return &out, err
}

// LastTrip reads the trip of a device that started last.
func (q TripsReader) LastTrip(ctx context.Context, tenantID, deviceID string) (Trip, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+tripColumns+`, 0 FROM trip t
		WHERE t.tenant_id = $1 AND t.device_id = $2 ORDER BY t.start_time DESC, t.id DESC LIMIT 1`, tenantID, deviceID)
	trips, err := database.ReadAll(rows, err, "read the last trip", scanTrip)
	switch {
	case err != nil:
		return Trip{}, err
	case len(trips) == 0:
		return Trip{}, ErrNotFound
	}
	return trips[0], nil
}

// TripsAround are the trips of a device that start within some time, oldest first, and
// the ones beside them; nil where there is none.
type TripsAround struct {
	Before, After *Trip
	Within        []Trip
}

// The places of trips around some time, and the query for them.
const (
	tripBefore = iota
	tripWithin
	tripAfter

	tripsOf     = `, ` + tripColumns + `, 0 FROM trip t WHERE t.tenant_id = $1 AND t.device_id = $2 AND t.start_time `
	tripsAround = `SELECT * FROM (SELECT 0` + tripsOf + `< $3 ORDER BY t.start_time DESC, t.id DESC LIMIT 1) AS earlier
		UNION ALL SELECT * FROM (SELECT 1` + tripsOf + `>= $3 AND t.start_time < $4) AS between_them
		UNION ALL SELECT * FROM (SELECT 2` + tripsOf + `>= $4 ORDER BY t.start_time, t.id LIMIT 1) AS later`
)

// TripsAround reads a device's trips that start in [from, to), the last one that starts
// before them and the first one that starts after them.
func (q TripsReader) TripsAround(ctx context.Context, tenantID, deviceID string, from, to drover.Time) (TripsAround, error) {
	rows, err := q.db.QueryContext(ctx, tripsAround, tenantID, deviceID, from, to)
	var a TripsAround
	_, err = database.ReadAll(rows, err, "read the trips around", func(row database.Scanner) (struct{}, error) {
		at := placed{row: row}
		t, err := scanTrip(&at)
		switch at.place {
		case tripBefore:
			a.Before = &t
		case tripWithin:
			a.Within = append(a.Within, t)
		case tripAfter:
			a.After = &t
		}
		return struct{}{}, err
	})
	order.By(a.Within, func(a, b Trip) int { return cmp.Or(a.StartTime.Compare(b.StartTime.Time), strings.Compare(a.ID, b.ID)) })
	return a, err
}

// placed is a row that begins with its place.
type placed struct {
	row   database.Scanner
	place int
}

// Scan implements database.Scanner.
func (p *placed) Scan(dest ...any) error { return p.row.Scan(append([]any{&p.place}, dest...)...) }
