package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// PackedDay is a day, in UTC, of which a tenant has packed positions.
type PackedDay struct {
	Start drover.Time
	// Version grows whenever what is packed of the day changes.
	Version int64
}

// PackedDays lists the days of a tenant of which all is packed and has not changed for
// a while, oldest first.
func (q Reader) PackedDays(ctx context.Context, tenantID string, unchangedSince time.Time) ([]PackedDay, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT d.day, d.changed_at FROM packed_day d WHERE d.tenant_id = $1 AND d.changed_at < $2
		AND NOT EXISTS (SELECT 1 FROM position_change c WHERE c.tenant_id = $1 AND c.day = d.day) ORDER BY d.day`, tenantID,
		unchangedSince.UnixMilli())
	return database.ReadAll(rows, err, "list packed days", func(row database.Scanner) (PackedDay, error) {
		var d PackedDay
		return d, row.Scan(&d.Start, &d.Version)
	})
}

// PackedVersion is the version of a packed day now.
func (q Reader) PackedVersion(ctx context.Context, tenantID string, start drover.Time) (version int64, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT changed_at FROM packed_day WHERE tenant_id = $1 AND day = $2`, tenantID, start).Scan(&version)
	if err != nil && !errors.Is(err, sql.ErrNoRows) { // it was forgotten meanwhile
		return 0, fmt.Errorf("read a packed day: %w", err)
	}
	return version, nil
}

// PackedDevices lists the devices that have packed positions of a day.
func (q Reader) PackedDevices(ctx context.Context, tenantID string, start drover.Time) ([]string, error) {
	first := start.UnixMilli()
	rows, err := q.db.QueryContext(ctx, `SELECT DISTINCT device_id FROM position_block WHERE tenant_id = $1 AND first >= $2 AND first < $3 ORDER BY device_id`, tenantID, first, first+dayMillis)
	return database.ReadAll(rows, err, "list devices of a packed day", func(row database.Scanner) (string, error) {
		var id string
		return id, row.Scan(&id)
	})
}

// PackedPositions reads what is packed of a device's day.
func (q Reader) PackedPositions(ctx context.Context, tenantID, deviceID string, start drover.Time) ([]drover.StoredPosition, error) {
	first := start.UnixMilli()
	blocks, err := q.blocks(ctx, tenantID, deviceID, first, first+dayMillis-1)
	if err != nil {
		return nil, err
	}
	end := drover.Milli(first + dayMillis)
	return openAll(blocks, Range{DeviceID: deviceID, From: start, To: end, WithSuspect: true}, end)
}

// notePacked notes that what is packed of a day has changed.
func (h *History) notePacked(ctx context.Context, tx *database.Tx, tenantID string, start int64) error {
	_, err := tx.Write("packed_day").ExecContext(ctx, `INSERT INTO packed_day (tenant_id, day, changed_at) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id, day) DO UPDATE SET changed_at =
		CASE WHEN packed_day.changed_at < excluded.changed_at THEN excluded.changed_at ELSE packed_day.changed_at + 1 END`,
		tenantID, start, h.now().UnixMilli())
	return err
}
