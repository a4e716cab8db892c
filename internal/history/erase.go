package history

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover/internal/database"
)

// ErasePositions forgets all positions of a device, in many small transactions.
func (h *History) ErasePositions(ctx context.Context, tenantID, deviceID string) error {
	if err := h.on.eraseDevice(ctx, tenantID, deviceID); err != nil {
		return fmt.Errorf("erase positions: %w", err)
	}
	for n := int64(forgetAtOnce); n == forgetAtOnce; {
		err := h.database.Update(ctx, database.Bulk, func(tx *database.Tx) error {
			res, err := tx.Write("position_block").ExecContext(ctx, `DELETE FROM position_block WHERE tenant_id = $1 AND device_id = $2 AND first IN (
				SELECT first FROM position_block WHERE tenant_id = $1 AND device_id = $2 LIMIT $3)`, tenantID, deviceID, forgetAtOnce)
			if err != nil {
				return err
			}
			n, err = res.RowsAffected()
			return err
		})
		if err != nil {
			return fmt.Errorf("erase blocks of positions: %w", err)
		}
	}
	err := h.database.Update(ctx, database.Bulk, func(tx *database.Tx) error {
		_, err := tx.Write("position_change").ExecContext(ctx, `DELETE FROM position_change WHERE tenant_id = $1 AND device_id = $2`, tenantID, deviceID)
		return err
	})
	if err != nil {
		return fmt.Errorf("erase changes of positions: %w", err)
	}
	return nil
}

func (d *onSQLite) eraseDevice(ctx context.Context, _, deviceID string) error {
	_, err := d.forgetDevice(ctx, deviceKey(deviceID), 1<<62)
	return err
}

func (d *onPostgres) eraseDevice(ctx context.Context, tenantID, deviceID string) error {
	// ctid alone names no partition.
	_, err := d.deleteBatches(ctx, `DELETE FROM position WHERE tenant_id = $1 AND device_id = $3 AND time IN (
		SELECT time FROM position WHERE tenant_id = $1 AND device_id = $3 ORDER BY time LIMIT $2)`, tenantID, forgetRows, deviceID)
	return err
}
