package history

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Position is a position of a device that is to be stored.
type Position struct {
	DeviceID string
	drover.StoredPosition
}

// Of is a position of a device that is believed.
func Of(deviceID string, p drover.Position) Position {
	return Position{deviceID, drover.StoredPosition{Position: p}}
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

// Week numbers the weeks that positions are forgotten by.
func Week(t drover.Time) int64 { return weekOf(t.UnixMilli()) }

// roadWeeks is for how many weeks, besides the present one, roads are kept.
const roadWeeks = 5

// FirstRoadWeek is the week from which on roads are kept.
func FirstRoadWeek(now time.Time) int64 { return weekOf(now.UnixMilli()) - roadWeeks }

// AddPositions stores positions of a tenant's devices and tells for each whether
// it was new: a position is known by its device and time, and the first stays.
func (w Writer) AddPositions(ctx context.Context, tenantID string, positions []Position) (fresh []bool, err error) {
	if len(positions) == 0 {
		return nil, nil
	}
	packed, err := w.packedBefore(ctx)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(positions, func(p Position) bool { return p.Time.UnixMilli() < packed }) {
		fresh, err = w.addLate(ctx, tenantID, positions, packed)
	} else {
		fresh, err = w.on.addPositions(ctx, w.tx, tenantID, positions)
	}
	if err != nil {
		return nil, fmt.Errorf("add positions: %w", err)
	}
	return fresh, nil
}

// Mark says what is wrong with a stored position; an empty Suspect says
// that nothing is.
type Mark struct {
	DeviceID string
	Time     drover.Time
	Suspect  string
}

// MarkPositions changes the marks of a tenant's positions, all of which were stored
// without one.
func (w Writer) MarkPositions(ctx context.Context, tenantID string, marks []Mark) error {
	if len(marks) == 0 {
		return nil
	}
	if err := w.reopen(ctx, tenantID, marks); err != nil {
		return fmt.Errorf("mark positions: %w", err)
	}
	if err := w.on.markPositions(ctx, w.tx, tenantID, marks); err != nil {
		return fmt.Errorf("mark positions: %w", err)
	}
	return nil
}

// Range selects a device's positions by time, oldest first.
type Range struct {
	TenantID string
	DeviceID string
	From, To drover.Time // [From, To)
	Limit    int         // zero is no limit
	// WithSuspect includes the suspect ones.
	WithSuspect bool
}

// Positions reads a device's positions of a range, oldest first.
func (q Reader) Positions(ctx context.Context, r Range) ([]drover.StoredPosition, error) {
	if !drover.IsID(r.DeviceID) {
		return []drover.StoredPosition{}, nil
	}
	packed, err := q.packedBefore(ctx)
	if err != nil {
		return nil, err
	}
	if r.From.UnixMilli() < packed {
		return q.merged(ctx, r)
	}
	query, args := q.selectRange(r)
	rows, err := q.db.QueryContext(ctx, query, args...)
	return database.ReadAll(rows, err, "read positions", (&rowScanner{}).scan)
}

// selectRange is the query of a range's rows.
func (q Reader) selectRange(r Range) (query string, args []any) {
	query, args = q.on.selectPositions(r)
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
	return query, args
}

const positionColumns = `time, latitude, longitude, heading, speed_kph, odometer, ignition, auxiliary, driver_id, suspect`

// suspectColumn is how a judgement is stored: null where there is none.
func suspectColumn(reason string) *string {
	if reason == "" {
		return nil
	}
	return &reason
}
