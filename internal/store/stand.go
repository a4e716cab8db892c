package store

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
)

const standColumns = `s.id, s.device_id, s.latitude, s.longitude, s.start_time, s.end_time, s.engine_on_seconds, s.auxiliary_seconds`

func scanStand(row scanner) (drover.Stand, error) {
	var s drover.Stand
	err := row.Scan(&s.ID, &s.DeviceID, &s.Latitude, &s.Longitude, &s.StartTime, &s.EndTime, &s.EngineOnSeconds, &s.AuxiliarySeconds)
	s.DurationSeconds = s.EndTime.Sub(s.StartTime.Time).Seconds()
	return s, err
}

// Stands lists the stands that asker may see by start time, after the place given.
func (q queries) Stands(ctx context.Context, asker string, f drover.StandFilter, after *drover.TripCursor, limit int) ([]drover.Stand, error) {
	w := where{args: []any{asker}, parts: []string{visible("s", "connection_id")}}
	w.ids("s.device_id =", f.DeviceID)
	w.ids("s.connection_id =", f.ConnectionID)
	if f.From != nil {
		w.add("s.start_time >= $%d", *f.From)
	}
	if f.To != nil {
		w.add("s.start_time < $%d", *f.To)
	}
	if f.EngineOn != nil {
		w.add("(COALESCE(s.engine_on_seconds, 0) > 0) = $%d", *f.EngineOn)
	}
	if after != nil {
		w.args = append(w.args, after.StartTime, after.ID)
		w.parts = append(w.parts, fmt.Sprintf("(s.start_time, s.id) > ($%d, $%d)", len(w.args)-1, len(w.args)))
	}
	rows, err := q.db.QueryContext(ctx, `SELECT `+standColumns+` FROM stand s`+w.sql()+w.limit("s.start_time, s.id", limit), w.args...)
	return collect(rows, err, "list stands", scanStand)
}

// StandsStarting reads a device's stands that start in [from, to), oldest first.
func (q queries) StandsStarting(ctx context.Context, tenantID, deviceID string, from, to drover.Time) ([]drover.Stand, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+standColumns+` FROM stand s
		WHERE s.tenant_id = $1 AND s.device_id = $2 AND s.start_time >= $3 AND s.start_time < $4 ORDER BY s.start_time, s.id`, tenantID, deviceID, from, to)
	return collect(rows, err, "read stands", scanStand)
}

// AddStand stores a new stand of a connection's device.
func (tx *Tx) AddStand(ctx context.Context, tenantID, connectionID string, s drover.Stand) error {
	_, err := tx.write("stand").ExecContext(ctx, `INSERT INTO stand
		(tenant_id, id, connection_id, device_id, latitude, longitude, start_time, end_time, engine_on_seconds, auxiliary_seconds)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		tenantID, s.ID, connectionID, s.DeviceID, s.Latitude, s.Longitude, s.StartTime, s.EndTime, s.EngineOnSeconds, s.AuxiliarySeconds)
	if err != nil {
		return fmt.Errorf("add stand: %w", err)
	}
	return nil
}

// SetStand stores a changed stand.
func (tx *Tx) SetStand(ctx context.Context, tenantID string, s drover.Stand) error {
	_, err := tx.write("stand").ExecContext(ctx, `UPDATE stand SET latitude = $3, longitude = $4, start_time = $5, end_time = $6,
		engine_on_seconds = $7, auxiliary_seconds = $8 WHERE tenant_id = $1 AND id = $2`,
		tenantID, s.ID, s.Latitude, s.Longitude, s.StartTime, s.EndTime, s.EngineOnSeconds, s.AuxiliarySeconds)
	if err != nil {
		return fmt.Errorf("set stand: %w", err)
	}
	return nil
}

// DropStand deletes a stand that is no more.
func (tx *Tx) DropStand(ctx context.Context, tenantID, id string) error {
	if _, err := tx.write("stand").ExecContext(ctx, `DELETE FROM stand WHERE tenant_id = $1 AND id = $2`, tenantID, id); err != nil {
		return fmt.Errorf("drop stand: %w", err)
	}
	return nil
}

// TripBefore reads the last trip of a device that starts before a time.
func (q queries) TripBefore(ctx context.Context, tenantID, deviceID string, at drover.Time) (Trip, error) {
	return q.nextTrip(ctx, `t.start_time < $3 ORDER BY t.start_time DESC, t.id DESC`, tenantID, deviceID, at)
}

// TripFrom reads the first trip of a device that starts at a time or later.
func (q queries) TripFrom(ctx context.Context, tenantID, deviceID string, at drover.Time) (Trip, error) {
	return q.nextTrip(ctx, `t.start_time >= $3 ORDER BY t.start_time, t.id`, tenantID, deviceID, at)
}

func (q queries) nextTrip(ctx context.Context, condition string, args ...any) (Trip, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+tripColumns+`, FALSE FROM trip t
		WHERE t.tenant_id = $1 AND t.device_id = $2 AND `+condition+` LIMIT 1`, args...)
	trips, err := collect(rows, err, "read the trip beside", scanTrip)
	switch {
	case err != nil:
		return Trip{}, err
	case len(trips) == 0:
		return Trip{}, ErrNotFound
	}
	return trips[0], nil
}
