package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/pack"
)

// renameBlocks bounds the blocks that one transaction looks at.
const renameBlocks = 20

// RenameDriver gives a driver another name in the positions of a device, and reports how
// many rows and blocks named it. Files that were made of the blocks are made again. A packing
// that has read some of them before finds them changed.
func (h *History) RenameDriver(ctx context.Context, tenantID, deviceID, from, to string) (n int64, err error) {
	d := device{tenantID, deviceID}
	for next, more := int64(-1<<62), true; more; {
		renamed := int64(0)
		err := h.database.Update(ctx, database.Bulk, func(tx *database.Tx) (err error) {
			next, renamed, err = h.renameInDay(ctx, tx, d, next, from, to)
			return err
		})
		if more = !errors.Is(err, sql.ErrNoRows); err != nil && more {
			return n, fmt.Errorf("rename a driver in positions: %w", err)
		}
		n += renamed
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

// renameInDay renames a driver in the rows of the first day from a time on that has any, and
// returns the end of that day; without one it is sql.ErrNoRows.
func (h *History) renameInDay(
	ctx context.Context, tx *database.Tx, d device, next int64, from, to string,
) (end, n int64, err error) {
	query, args := h.on.rowsOfDriver(d, next, 1<<62, from)
	var first int64
	if err := tx.QueryRowContext(ctx, `SELECT time FROM position WHERE `+query+` ORDER BY time LIMIT 1`, args...).Scan(&first); err != nil {
		return next, 0, err
	}
	w := h.In(tx)
	packed, err := w.packedBefore(ctx)
	if err != nil {
		return next, 0, err
	}
	if first < packed {
		if err := w.changed(ctx, d.tenant, []at{{d.id, first}}); err != nil {
			return next, 0, err
		}
	}
	start := dayOf(first)
	query, args = h.on.rowsOfDriver(d, start, start+dayMillis, from)
	res, err := tx.Write("position").ExecContext(ctx, fmt.Sprintf(`UPDATE position SET driver_id = $%d WHERE %s`, len(args)+1, query),
		append(args, to)...)
	if err != nil {
		return next, 0, err
	}
	n, err = res.RowsAffected()
	return start + dayMillis, n, err
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

func renameRows(rows []drover.StoredPosition, from, to string) (changed bool) {
	for i := range rows {
		if rows[i].DriverID != nil && *rows[i].DriverID == from {
			rows[i].DriverID, changed = &to, true
		}
	}
	return changed
}

func (*onSQLite) rowsOfDriver(d device, from, to int64, driver string) (string, []any) {
	return `device = $1 AND time >= $2 AND time < $3 AND driver_id = $4`, []any{deviceKey(d.id), from, to, driver}
}

func (*onPostgres) rowsOfDriver(d device, from, to int64, driver string) (string, []any) {
	return `tenant_id = $1 AND device_id = $2 AND time >= $3 AND time < $4 AND driver_id = $5`, []any{d.tenant, d.id, from, to, driver}
}
