package history

import (
	"context"

	"github.com/drover-fleet/drover/internal/store/database"
)

// dropEmpty has nothing to do: there is one table.
func (d *onSQLite) dropEmpty(context.Context, int64) (int, error) { return 0, nil }

// dropExpired has nothing to do either.
func (d *onSQLite) dropExpired(context.Context, []Cut) (int, error) { return 0, nil }

// forgetPositions deletes device by device, because a device's positions lie
// together. Devices without old ones are left alone: each write syncs the disk.
func (d *onSQLite) forgetPositions(ctx context.Context, cuts []Cut) (Forgotten, error) {
	var done Forgotten
	for _, c := range cuts {
		if c.Before == nil {
			continue
		}
		rows, err := d.Reader().QueryContext(ctx, `SELECT d.id FROM device d WHERE d.tenant_id = $1
			AND EXISTS (SELECT 1 FROM position p WHERE p.device = unhex(d.id, '-') AND p.time < $2)`, c.TenantID, c.Before)
		ids, err := database.ReadAll(rows, err, "find old positions", func(row database.Scanner) (string, error) {
			var id string
			return id, row.Scan(&id)
		})
		if err != nil {
			return done, err
		}
		for _, id := range ids {
			n, err := d.forgetDevice(ctx, deviceKey(id), c.Before.UnixMilli())
			done.Rows += n
			if err != nil {
				return done, err
			}
		}
	}
	return done, nil
}

func (d *onSQLite) forgetDevice(ctx context.Context, device []byte, before int64) (int64, error) {
	var total int64
	for {
		var n int64
		err := d.Update(ctx, database.Bulk, func(tx *database.Tx) error {
			res, err := tx.Write("position").ExecContext(ctx, `DELETE FROM position WHERE device = $1 AND time < COALESCE(
				(SELECT time FROM position WHERE device = $1 AND time < $2 ORDER BY time LIMIT 1 OFFSET $3), $2)`, device, before, forgetRows)
			if err != nil {
				return err
			}
			n, err = res.RowsAffected()
			return err
		})
		if total += n; err != nil || n < forgetRows {
			return total, err
		}
	}
}
