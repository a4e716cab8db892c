package history

import (
	"context"
	"fmt"
	"slices"

	"github.com/drover-fleet/drover/internal/store/database"
)

// ErasePositions forgets all positions of a device, in many small transactions.
func (h *History) ErasePositions(ctx context.Context, tenantID, deviceID string) error {
	if err := h.on.eraseDevice(ctx, tenantID, deviceID); err != nil {
		return fmt.Errorf("erase positions: %w", err)
	}
	for more := true; more; {
		err := h.database.Update(ctx, database.Bulk, func(tx *database.Tx) (err error) {
			more, err = h.eraseBlocks(ctx, tx, tenantID, deviceID)
			return err
		})
		if err != nil {
			return fmt.Errorf("erase blocks of positions: %w", err)
		}
	}
	err := h.database.Update(ctx, database.Bulk, func(tx *database.Tx) error {
		_, err := tx.Write("position_change").ExecContext(ctx, `DELETE FROM position_change WHERE tenant_id = $1 AND device_id = $2`, tenantID,
			deviceID)
		return err
	})
	if err != nil {
		return fmt.Errorf("erase changes of positions: %w", err)
	}
	return nil
}

// eraseBlocks deletes some blocks of a device, and reports whether there may be more.
// What was made of their days is no longer true.
func (h *History) eraseBlocks(ctx context.Context, tx *database.Tx, tenantID, deviceID string) (more bool, err error) {
	rows, err := tx.Write("position_block").QueryContext(ctx,
		`DELETE FROM position_block WHERE tenant_id = $1 AND device_id = $2 AND first IN (
		SELECT first FROM position_block WHERE tenant_id = $1 AND device_id = $2 LIMIT $3) RETURNING first`, tenantID, deviceID, forgetAtOnce)
	days, err := database.ReadAll(rows, err, "delete blocks", func(row database.Scanner) (int64, error) {
		var first int64
		err := row.Scan(&first)
		return dayOf(first), err
	})
	if err != nil {
		return false, err
	}
	more = len(days) == forgetAtOnce
	slices.Sort(days) // one order for all who note them
	for _, start := range slices.Compact(days) {
		if err := h.notePacked(ctx, tx, tenantID, start); err != nil {
			return false, err
		}
	}
	return more, nil
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
