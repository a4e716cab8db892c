package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover"
)

// LatestPosition reads the newest position of a device.
func (q queries) LatestPosition(ctx context.Context, tenantID, deviceID string) (drover.Position, error) {
	var text string
	err := q.db.QueryRowContext(ctx, `SELECT position FROM device_latest WHERE tenant_id = $1 AND device_id = $2`, tenantID, deviceID).Scan(&text)
	if err != nil {
		return drover.Position{}, found(err, "read latest position")
	}
	var p drover.Position
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return drover.Position{}, fmt.Errorf("read latest position: %w", err)
	}
	return p, nil
}

// SetLatestPosition stores a device's newest position. An older one than the one
// stored changes nothing.
func (tx *Tx) SetLatestPosition(ctx context.Context, tenantID, deviceID string, p drover.Position) error {
	text, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("set latest position: %w", err)
	}
	_, err = tx.db.ExecContext(ctx, `INSERT INTO device_latest AS l (tenant_id, device_id, position_time, position) VALUES ($1, $2, $3, $4)
		ON CONFLICT (tenant_id, device_id) DO UPDATE SET position_time = excluded.position_time, position = excluded.position
		WHERE excluded.position_time > l.position_time`, tenantID, deviceID, p.Time, string(text))
	if err != nil {
		return fmt.Errorf("set latest position: %w", err)
	}
	return nil
}
