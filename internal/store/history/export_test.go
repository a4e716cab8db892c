package history

import (
	"context"
	"time"
)

// DamageBlock changes a byte of the block that begins at a time.
func (w Writer) DamageBlock(ctx context.Context, tenantID, deviceID string, first time.Time) error {
	blocks, err := w.blocks(ctx, tenantID, deviceID, first.UnixMilli(), first.UnixMilli())
	if err != nil {
		return err
	}
	b := blocks[0]
	b.data[len(b.data)/2] ^= 1
	_, err = w.tx.Write("position_block").ExecContext(ctx,
		`UPDATE position_block SET data = $4 WHERE tenant_id = $1 AND device_id = $2 AND first = $3`, tenantID, deviceID, b.first, b.data)
	return err
}

// ChangedAt reads when a day of a device has changed late.
func (w Writer) ChangedAt(ctx context.Context, tenantID, deviceID string, start time.Time) (changed int64, err error) {
	err = w.tx.QueryRowContext(ctx, `SELECT changed_at FROM position_change WHERE tenant_id = $1 AND device_id = $2 AND day = $3`, tenantID,
		deviceID, start.UnixMilli()).Scan(&changed)
	return changed, err
}
