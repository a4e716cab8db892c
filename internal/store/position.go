package store

import (
	"context"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
)

// Position is a stored position of a device. Suspect names what is wrong with
// it; a suspect position is kept, and left out of trips and milestones.
type Position struct {
	DeviceID string
	drover.Position
	Suspect string
}

const weekMillis = int64(7 * 24 * time.Hour / time.Millisecond)

// weekOf numbers the weeks, from the one that 1970 began with.
func weekOf(milli int64) int64 {
	week := milli / weekMillis
	if milli%weekMillis < 0 {
		week--
	}
	return week
}

// AddPositions stores positions of a tenant's devices and tells for each whether
// it was new: a position is known by its device and time, and the first stays.
func (tx *Tx) AddPositions(ctx context.Context, tenantID string, positions []Position) (fresh []bool, err error) {
	if len(positions) == 0 {
		return nil, nil
	}
	fresh, err = tx.on.addPositions(ctx, tx.tx, tenantID, positions)
	if err != nil {
		return nil, fmt.Errorf("add positions: %w", err)
	}
	return fresh, nil
}

// PositionMark says what is wrong with a stored position; an empty Suspect says
// that nothing is.
type PositionMark struct {
	DeviceID string
	Time     drover.Time
	Suspect  string
}

// MarkPositions changes the marks of a tenant's positions, all of which were stored
// without one.
func (tx *Tx) MarkPositions(ctx context.Context, tenantID string, marks []PositionMark) error {
	if len(marks) == 0 {
		return nil
	}
	if err := tx.on.markPositions(ctx, tx.tx, tenantID, marks); err != nil {
		return fmt.Errorf("mark positions: %w", err)
	}
	return nil
}

// PositionRange selects a device's positions by time, oldest first.
type PositionRange struct {
	TenantID string
	DeviceID string
	From, To drover.Time // [From, To)
	Limit    int         // zero is no limit
	// WithSuspect includes the suspect ones.
	WithSuspect bool
}

// Positions reads a device's positions of a range, oldest first.
func (q queries) Positions(ctx context.Context, r PositionRange) ([]Position, error) {
	if !validID(r.DeviceID) {
		return []Position{}, nil
	}
	query, args := q.on.selectPositions(r)
	query += fmt.Sprintf(` AND time >= $%d AND time < $%d`, len(args)+1, len(args)+2)
	args = append(args, r.From, r.To)
	if !r.WithSuspect {
		query += ` AND suspect IS NULL`
	}
	query += ` ORDER BY time`
	if r.Limit > 0 {
		args = append(args, r.Limit)
		query += fmt.Sprintf(` LIMIT $%d`, len(args))
	}
	rows, err := q.db.QueryContext(ctx, query, args...)
	return collect(rows, err, "read positions", func(row scanner) (Position, error) {
		p := Position{DeviceID: r.DeviceID}
		var suspect *string
		err := row.Scan(&p.Time, &p.Latitude, &p.Longitude, &p.Heading, &p.SpeedKPH, &p.OdometerMetres, &p.Ignition, &p.Auxiliary, &p.DriverID, &suspect)
		if suspect != nil {
			p.Suspect = *suspect
		}
		return p, err
	})
}

const positionColumns = `time, latitude, longitude, heading, speed_kph, odometer, ignition, auxiliary, driver_id, suspect`

// suspectColumn is how a judgement is stored: null where there is none.
func suspectColumn(reason string) *string {
	if reason == "" {
		return nil
	}
	return &reason
}

// LatestPosition reads the newest position of a device.
func (q queries) LatestPosition(ctx context.Context, tenantID, deviceID string) (drover.Position, error) {
	var text string
	err := q.db.QueryRowContext(ctx, `SELECT position FROM device_latest WHERE tenant_id = $1 AND device_id = $2`, tenantID, deviceID).Scan(&text)
	if err != nil {
		return drover.Position{}, found(err, "read latest position")
	}
	if text == "" { // only trips are known of it
		return drover.Position{}, ErrNotFound
	}
	p, err := readPosition(text)
	if err != nil {
		return drover.Position{}, fmt.Errorf("read latest position: %w", err)
	}
	return p, nil
}
