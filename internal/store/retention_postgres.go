package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/drover-fleet/drover/internal/database"
)

// forgetPositions drops the partitions in which nobody keeps a position, and
// deletes from the others.
func (d *onPostgres) forgetPositions(ctx context.Context, cuts []PositionCut) (Forgotten, error) {
	var done Forgotten
	weeks, err := d.weeks(ctx)
	if err != nil {
		return done, err
	}
	for _, week := range weeks {
		expired, keeping := split(cuts, (week+1)*weekMillis)
		if len(expired) == 0 {
			continue
		}
		used, err := d.present(ctx, d.Reader(), week, keeping)
		if err != nil {
			return done, err
		}
		if len(used) == 0 {
			dropped, err := d.dropWeek(ctx, week, keeping)
			if err != nil {
				return done, err
			}
			if dropped {
				done.Weeks++
			}
			continue
		}
		n, err := d.deleteWeek(ctx, week, expired)
		done.Rows += n
		if err != nil {
			return done, err
		}
	}
	n, err := d.deleteStray(ctx, cuts)
	done.Rows += n
	return done, err
}

// weeks lists the partitions of weeks, oldest first.
func (d *onPostgres) weeks(ctx context.Context) ([]int64, error) {
	rows, err := d.Reader().QueryContext(ctx, `SELECT (substring(pg_get_expr(c.relpartbound, c.oid) FROM 'FROM \(''?(-?\d+)''?\)'))::bigint / $1 AS week
		FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'position'::regclass
		AND c.relname <> 'position_default' ORDER BY week`, weekMillis)
	return collect(rows, err, "list partitions", func(row scanner) (int64, error) {
		var week int64
		return week, row.Scan(&week)
	})
}

// split tells the tenants that keep nothing before end from those that do.
func split(cuts []PositionCut, end int64) (expired, keeping []string) {
	for _, c := range cuts {
		if c.Before != nil && c.Before.UnixMilli() >= end {
			expired = append(expired, c.TenantID)
		} else {
			keeping = append(keeping, c.TenantID)
		}
	}
	return expired, keeping
}

// present lists those of the tenants that have positions in a week.
func (d *onPostgres) present(ctx context.Context, q database.Reader, week int64, tenants []string) ([]string, error) {
	rows, err := q.QueryContext(ctx, `SELECT t::text FROM unnest($1::uuid[]) AS t
		WHERE EXISTS (SELECT 1 FROM `+partitionName(week)+` p WHERE p.tenant_id = t)`, tenants)
	return collect(rows, err, "look into a partition", func(row scanner) (string, error) {
		var id string
		return id, row.Scan(&id)
	})
}

// dropWeek drops a partition, unless one of those who keep it has just put
// something there. Readers and writers queue behind the lock that this needs, so
// it is not waited for long: where the table is busy, the next run drops it.
func (d *onPostgres) dropWeek(ctx context.Context, week int64, keeping []string) (dropped bool, err error) {
	err = d.Update(ctx, database.Bulk, func(tx *database.Tx) error {
		dropped = false
		for _, statement := range []string{`SET LOCAL lock_timeout = '1s'`, `LOCK TABLE ONLY position IN ACCESS EXCLUSIVE MODE`} {
			if _, err := tx.Write("position").ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		used, err := d.present(ctx, tx, week, keeping)
		if err != nil || len(used) > 0 {
			return err
		}
		_, err = tx.Write("position").ExecContext(ctx, `DROP TABLE `+partitionName(week))
		dropped = err == nil
		return err
	})
	switch state := database.State(err); {
	case state == database.LockNotAvailable, state == database.UndefinedTable: // undefined: another process was faster
		return false, nil
	case err != nil:
		return false, fmt.Errorf("drop a partition: %w", err)
	}
	if dropped {
		d.partitions.Delete(week)
	}
	return dropped, nil
}

// deleteWeek deletes tenants' positions of a week that others keep.
func (d *onPostgres) deleteWeek(ctx context.Context, week int64, tenants []string) (int64, error) {
	tenants, err := d.present(ctx, d.Reader(), week, tenants)
	if err != nil {
		return 0, err
	}
	statement := strings.ReplaceAll(`DELETE FROM partition WHERE ctid = ANY (ARRAY(SELECT ctid FROM partition WHERE tenant_id = $1 LIMIT $2))`, "partition", partitionName(week))
	var total int64
	for _, tenant := range tenants {
		n, err := d.deleteBatches(ctx, statement, tenant, forgetRows)
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// deleteStray deletes tenants' suspect positions that no week has a partition for.
func (d *onPostgres) deleteStray(ctx context.Context, cuts []PositionCut) (int64, error) {
	var total int64
	for _, c := range cuts {
		if c.Before == nil {
			continue
		}
		n, err := d.deleteBatches(ctx, `DELETE FROM position_default WHERE ctid = ANY (ARRAY(SELECT ctid FROM position_default WHERE tenant_id = $1 AND time < $3 LIMIT $2))`,
			c.TenantID, forgetRows, c.Before)
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// deleteBatches runs a statement that deletes up to forgetRows rows, each time in
// a transaction of its own, until it finds no more.
func (d *onPostgres) deleteBatches(ctx context.Context, statement string, args ...any) (int64, error) {
	var total int64
	for n := int64(forgetRows); n == forgetRows; total += n {
		err := d.Update(ctx, database.Bulk, func(tx *database.Tx) error {
			res, err := tx.Write("position").ExecContext(ctx, statement, args...)
			if err != nil {
				return err
			}
			n, err = res.RowsAffected()
			return err
		})
		if err != nil {
			return total, fmt.Errorf("delete from a partition: %w", err)
		}
	}
	return total, nil
}
