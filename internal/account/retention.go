package account

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover/internal/database"
)

// Retention is how long a tenant wants its positions to be kept.
type Retention struct {
	TenantID string
	// PositionDays is nil where the operator's setting holds, and 0 for ever.
	PositionDays *int
}

// Retention reads how long a tenant's positions are kept.
func (q Reader) Retention(ctx context.Context, tenantID string) (Retention, error) {
	r := Retention{TenantID: tenantID}
	err := q.db.QueryRowContext(ctx, `SELECT position_days FROM tenant WHERE id = $1`, tenantID).Scan(&r.PositionDays)
	return r, database.Found(err, "read retention")
}

// Retentions reads those of all tenants.
func (q Reader) Retentions(ctx context.Context) ([]Retention, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT id, position_days FROM tenant ORDER BY id`)
	return database.ReadAll(rows, err, "list retentions", func(row database.Scanner) (Retention, error) {
		var r Retention
		return r, row.Scan(&r.TenantID, &r.PositionDays)
	})
}

// SetRetention stores how long a tenant's positions are kept.
func (tx Editor) SetRetention(ctx context.Context, r Retention) error {
	if _, err := tx.tx.Write("tenant").ExecContext(ctx, `UPDATE tenant SET position_days = $2 WHERE id = $1`, r.TenantID, r.PositionDays); err != nil {
		return fmt.Errorf("set retention: %w", err)
	}
	return nil
}
