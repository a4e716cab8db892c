package history

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/pack"
)

// renameBlocks bounds the blocks that one transaction looks at.
const renameBlocks = 20

// RenameDriver gives a driver another name in the positions of a device, and reports how
// many rows and blocks named it. Files that were made of the blocks are made again.
func (h *History) RenameDriver(ctx context.Context, tenantID, deviceID, from, to string) (n int64, err error) {
	err = h.database.Update(ctx, database.Bulk, func(tx *database.Tx) (err error) {
		n, err = h.on.renameDriver(ctx, tx, tenantID, deviceID, from, to)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("rename a driver in positions: %w", err)
	}
	for after := int64(-1 << 62); ; {
		var blocks []block
		renamed := int64(0)
		err := h.database.Update(ctx, database.Bulk, func(tx *database.Tx) (err error) {
			blocks, renamed, err = h.renameInBlocks(ctx, tx, device{tenantID, deviceID}, after, from, to)
			return err
		})
		if err != nil {
			return n, fmt.Errorf("rename a driver in blocks of positions: %w", err)
		}
		n += renamed
		if len(blocks) < renameBlocks {
			return n, nil
		}
		after = blocks[len(blocks)-1].first
	}
}

func (h *History) renameInBlocks(
	ctx context.Context, tx *database.Tx, d device, after int64, from, to string,
) (blocks []block, n int64, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT first, last, rows, data FROM position_block WHERE tenant_id = $1 AND device_id = $2 AND first > $3
		ORDER BY first LIMIT $4`+h.database.ForUpdate(), d.tenant, d.id, after, renameBlocks)
	blocks, err = database.ReadAll(rows, err, "read blocks", func(row database.Scanner) (block, error) {
		var b block
		return b, row.Scan(&b.first, &b.last, &b.rows, &b.data)
	})
	if err != nil {
		return nil, 0, err
	}
	for _, b := range blocks {
		rows, err := b.decode(d.id, nil)
		if err != nil {
			return nil, 0, err
		}
		if !renameRows(rows, from, to) {
			continue
		}
		if b.data, err = pack.Encode(rows); err != nil {
			return nil, 0, err
		}
		if _, err := tx.Write("position_block").ExecContext(ctx, `UPDATE position_block SET data = $4 WHERE tenant_id = $1 AND device_id = $2 AND first = $3`,
			d.tenant, d.id, b.first, b.data); err != nil {
			return nil, 0, err
		}
		if err := h.notePacked(ctx, tx, d.tenant, dayOf(b.first)); err != nil {
			return nil, 0, err
		}
		n++
	}
	return blocks, n, nil
}

func renameRows(rows []pack.Row, from, to string) (changed bool) {
	for i := range rows {
		if rows[i].DriverID != nil && *rows[i].DriverID == from {
			rows[i].DriverID, changed = &to, true
		}
	}
	return changed
}

func (*onSQLite) renameDriver(ctx context.Context, tx *database.Tx, _, deviceID, from, to string) (int64, error) {
	return renamedRows(tx.Write("position").ExecContext(ctx, `UPDATE position SET driver_id = $3 WHERE device = $1 AND driver_id = $2`,
		deviceKey(deviceID), from, to))
}

func (*onPostgres) renameDriver(ctx context.Context, tx *database.Tx, tenantID, deviceID, from, to string) (int64, error) {
	return renamedRows(tx.Write("position").ExecContext(ctx,
		`UPDATE position SET driver_id = $4 WHERE tenant_id = $1 AND device_id = $2 AND driver_id = $3`, tenantID, deviceID, from, to))
}

func renamedRows(res interface{ RowsAffected() (int64, error) }, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
