package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/drover-fleet/drover/internal/store/database"
)

// forgetPositions drops the partitions in which no one keeps a position, and
// deletes from the others.
func (d *onPostgres) forgetPositions(ctx context.Context, cuts []Cut) (Forgotten, error) {
	var done Forgotten
	here, placed := d.TenantsHere(ctx)
	weeks, err := d.weeks(database.AtNone(ctx))
	if err != nil {
		return done, err
	}
	for _, week := range weeks {
		var dropped, whole bool
		expired, keeping := split(cuts, (week+1)*weekMillis)
		if placed {
			late, _ := split(cuts, (week+1)*weekMillis+leaveWeeks)
			whole = len(keeping) == 0 && len(late) < len(expired)
			expired = slices.DeleteFunc(expired, func(id string) bool { return !slices.Contains(here, id) })
		}
		if len(expired) == 0 || whole {
			continue
		}
		if !placed {
			if dropped, whole, err = d.dropUnused(ctx, week, keeping); err != nil {
				return done, err
			}
		}
		if dropped {
			done.Weeks++
		}
		if whole {
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

// leaveWeeks is for how long a week that no one keeps is left to be dropped as a whole, before each
// place deletes the rows of its tenants: it cannot be dropped while a server is down.
const leaveWeeks = weekMillis

// dropUnused drops the partition of a week, unless one of those who keep it has something there.
func (d *onPostgres) dropUnused(ctx context.Context, week int64, keeping []string) (dropped, unused bool, err error) {
	used, err := d.present(ctx, d.Reader(), week, keeping)
	if err != nil || used != "" {
		return false, false, err
	}
	dropped, err = d.dropWeek(ctx, week, keeping)
	return dropped, true, err
}

// dropExpired drops the partitions in which no one keeps a position.
func (d *onPostgres) dropExpired(ctx context.Context, cuts []Cut) (int, error) {
	weeks, err := d.weeks(ctx)
	if err != nil {
		return 0, err
	}
	all := 0
	for _, week := range weeks {
		expired, keeping := split(cuts, (week+1)*weekMillis)
		if len(expired) == 0 {
			continue
		}
		dropped, _, err := d.dropUnused(ctx, week, keeping)
		if err != nil {
			return all, err
		}
		if dropped {
			all++
		}
	}
	return all, nil
}

// dropEmpty drops the partitions of weeks of which all is packed.
func (d *onPostgres) dropEmpty(ctx context.Context, before int64) (int, error) {
	weeks, err := d.weeks(ctx)
	if err != nil {
		return 0, err
	}
	dropped := 0
	for _, week := range weeks {
		if (week+1)*weekMillis > before {
			break
		}
		used, err := d.used(ctx, d.Reader(), week)
		if used || database.State(err) == database.UndefinedTable { // undefined: another process was faster
			continue
		}
		if err != nil {
			return dropped, err
		}
		gone, err := d.drop(ctx, week, func(tx *database.Tx) (bool, error) { return d.used(ctx, tx, week) })
		if err != nil {
			return dropped, err
		}
		if gone {
			dropped++
		}
	}
	return dropped, nil
}

// used reports whether a partition has anything in it.
func (d *onPostgres) used(ctx context.Context, q database.Reader, week int64) (used bool, err error) {
	if err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+partitionName(week)+`)`).Scan(&used); err != nil {
		return false, fmt.Errorf("look into a partition: %w", err)
	}
	return used, nil
}

// weeks lists the partitions of weeks, oldest first.
func (d *onPostgres) weeks(ctx context.Context) ([]int64, error) {
	// One that is dropped meanwhile has no week. It is asked for once (OFFSET 0): a second answer may differ.
	rows, err := d.Reader().QueryContext(ctx, `SELECT week FROM (SELECT (substring(pg_get_expr(c.relpartbound, c.oid) FROM 'FROM \(''?(-?\d+)''?\)'))::bigint / $1 AS week
		FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'position'::regclass
		AND c.relname <> 'position_default' OFFSET 0) AS weeks WHERE week IS NOT NULL ORDER BY week`, weekMillis)
	return database.ReadAll(rows, err, "list partitions", func(row database.Scanner) (int64, error) {
		var week int64
		return week, row.Scan(&week)
	})
}

// split tells the tenants that keep nothing before end from those that do.
func split(cuts []Cut, end int64) (expired, keeping []string) {
	for _, c := range cuts {
		if c.Before != nil && c.Before.UnixMilli() >= end {
			expired = append(expired, c.TenantID)
		} else {
			keeping = append(keeping, c.TenantID)
		}
	}
	return expired, keeping
}

// present names one of the tenants that has positions in a week; empty where none has.
func (d *onPostgres) present(ctx context.Context, q database.Reader, week int64, tenants []string) (tenant string, err error) {
	err = q.QueryRowContext(ctx, `SELECT tenant_id FROM `+partitionName(week)+` WHERE tenant_id = ANY ($1::uuid[]) LIMIT 1`, tenants).Scan(&tenant)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("look into a partition: %w", err)
	}
	return tenant, nil
}

// dropWeek drops a partition, unless one of those who keep it has just put
// something there.
func (d *onPostgres) dropWeek(ctx context.Context, week int64, keeping []string) (bool, error) {
	return d.drop(ctx, week, func(tx *database.Tx) (bool, error) {
		used, err := d.present(ctx, tx, week, keeping)
		return used != "", err
	})
}

// drop drops a partition, unless it is used. Readers and writers queue behind the lock
// that this needs, so it is not waited for long: where the table is busy, the next run
// drops it.
func (d *onPostgres) drop(ctx context.Context, week int64, used func(*database.Tx) (bool, error)) (dropped bool, err error) {
	err = d.Update(ctx, database.Bulk, func(tx *database.Tx) error {
		dropped = false
		for _, statement := range []string{`SET LOCAL lock_timeout = '1s'`, `LOCK TABLE ONLY position IN ACCESS EXCLUSIVE MODE`} {
			if _, err := tx.Write("position").ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		if is, err := used(tx); err != nil || is {
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
	statement := strings.ReplaceAll(`DELETE FROM partition WHERE tenant_id = $1 AND ctid = ANY (ARRAY(SELECT ctid FROM partition WHERE tenant_id = $1 LIMIT $2))`,
		"partition", partitionName(week))
	left := slices.Clone(tenants)
	var total int64
	for {
		tenant, err := d.present(ctx, d.Reader(), week, left)
		if err != nil || tenant == "" {
			return total, err
		}
		n, err := d.deleteBatches(ctx, statement, tenant, forgetRows)
		if total += n; err != nil {
			return total, err
		}
		left = slices.DeleteFunc(left, func(id string) bool { return id == tenant })
	}
}

// deleteStray deletes tenants' suspect positions that no week has a partition for.
func (d *onPostgres) deleteStray(ctx context.Context, cuts []Cut) (int64, error) {
	var total int64
	for _, c := range cuts {
		if c.Before == nil || !database.IsHere(ctx, d, c.TenantID) {
			continue
		}
		n, err := d.deleteBatches(ctx, `DELETE FROM position_default WHERE tenant_id = $1 AND ctid = ANY (ARRAY(
			SELECT ctid FROM position_default WHERE tenant_id = $1 AND time < $3 LIMIT $2))`,
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
