package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// used is how much a tenant has of what is stored, by quota.
var used = map[drover.Quota]string{
	drover.QuotaConnections:    `SELECT COUNT(*) FROM connection WHERE tenant_id = $1 AND state <> 'archived'`,
	drover.QuotaDevices:        `SELECT COUNT(*) FROM device WHERE tenant_id = $1`,
	drover.QuotaWebhooks:       `SELECT COUNT(*) FROM webhook WHERE tenant_id = $1`,
	drover.QuotaFilterBytes:    `SELECT COALESCE(SUM(OCTET_LENGTH(filters)), 0) FROM webhook WHERE tenant_id = $1`,
	drover.QuotaOpenMilestones: `SELECT COUNT(*) FROM milestone WHERE tenant_id = $1 AND status <> 'trip_ended'`,
	drover.QuotaSyncJobs:       `SELECT COUNT(*) FROM job WHERE tenant_id = $1 AND requested = TRUE AND state = 'active'`,
	drover.QuotaExports:        `SELECT COUNT(*) FROM export WHERE tenant_id = $1`,
	drover.QuotaAPIKeys:        `SELECT COUNT(*) FROM api_key WHERE tenant_id = $1`,
	drover.QuotaUsers:          `SELECT COUNT(*) FROM account_user WHERE tenant_id = $1`,
	drover.QuotaLinks:          `SELECT (SELECT COUNT(*) FROM milestone_link WHERE tenant_id = $1) + (SELECT COUNT(*) FROM connection_link WHERE tenant_id = $1)`,
}

// Used is how much a tenant has of something; zero of what is not stored.
func (q Reader) Used(ctx context.Context, tenantID string, quota drover.Quota) (int64, error) {
	query, stored := used[quota]
	if !stored {
		return 0, nil
	}
	var n int64
	err := q.db.QueryRowContext(ctx, query, tenantID).Scan(&n)
	return n, database.Found(err, "count "+string(quota))
}

// Limit is how much of something a tenant may have.
func (q Reader) Limit(ctx context.Context, tenantID string, quota drover.Quota) (int64, error) {
	var most int64
	err := database.Found(q.db.QueryRowContext(ctx, `SELECT most FROM tenant_limit WHERE tenant_id = $1 AND quota = $2`, tenantID,
		quota).Scan(&most), "read limit")
	if errors.Is(err, database.ErrNotFound) {
		return quota.Default(), nil
	}
	return most, err
}

// counting is the row of tenant_limit that those lock who count what a tenant has. It is the
// tenant's own: the tenant itself is read with every one of its records.
const counting = ""

// LockCounts keeps others from counting what a tenant has until the transaction ends. It comes
// before whatever else the transaction locks, but for a lease.
func (tx Editor) LockCounts(ctx context.Context, tenantID string) error {
	lock := func() error {
		return database.Found(tx.db.QueryRowContext(ctx, `SELECT most FROM tenant_limit WHERE tenant_id = $1 AND quota = $2`+tx.words.ForUpdate(),
			tenantID, counting).Scan(new(int64)), "lock counts")
	}
	err := lock()
	if !errors.Is(err, database.ErrNotFound) {
		return err
	}
	if _, err := tx.tx.Write("tenant_limit").ExecContext(ctx, `INSERT INTO tenant_limit (tenant_id, quota, most) VALUES ($1, $2, 0)
		ON CONFLICT (tenant_id, quota) DO NOTHING`, tenantID, counting); err != nil {
		return fmt.Errorf("lock counts: %w", err)
	}
	return lock()
}

// LimitForUpdate is Limit and Used under LockCounts: of two who both want the last place, the
// second sees that it is taken.
func (tx Editor) LimitForUpdate(ctx context.Context, tenantID string, quota drover.Quota) (limit, used int64, err error) {
	if err := tx.LockCounts(ctx, tenantID); err != nil {
		return 0, 0, err
	}
	if limit, err = tx.Limit(ctx, tenantID, quota); err != nil {
		return 0, 0, err
	}
	used, err = tx.Used(ctx, tenantID, quota)
	return limit, used, err
}

// SetLimit sets how much a tenant may have of something.
func (tx Editor) SetLimit(ctx context.Context, tenantID string, quota drover.Quota, most int64) error {
	res, err := tx.tx.Write("tenant_limit").ExecContext(ctx, `INSERT INTO tenant_limit (tenant_id, quota, most) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id, quota) DO UPDATE SET most = excluded.most WHERE tenant_limit.most <> excluded.most`, tenantID, quota, most)
	return tx.limitChanged(ctx, quota, res, err)
}

// limitChanged has processes forget what they remember with a caller, where a limit has changed.
func (tx Editor) limitChanged(ctx context.Context, quota drover.Quota, res sql.Result, err error) error {
	err = database.Changed(res, err)
	if errors.Is(err, database.ErrNotFound) {
		return nil
	}
	if err != nil || quota != drover.QuotaRequestsPerMinute {
		return err
	}
	return tx.bumpAuthVersion(ctx)
}

// UnsetLimit gives a tenant the default again.
func (tx Editor) UnsetLimit(ctx context.Context, tenantID string, quota drover.Quota) error {
	res, err := tx.tx.Write("tenant_limit").ExecContext(ctx, `DELETE FROM tenant_limit WHERE tenant_id = $1 AND quota = $2`, tenantID,
		quota)
	return tx.limitChanged(ctx, quota, res, err)
}
