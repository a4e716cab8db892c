package store

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
)

// Retention is how long a tenant wants its positions to be kept.
type Retention struct {
	TenantID string
	// PositionDays is nil where the operator's setting holds, and 0 for ever.
	PositionDays *int
}

// Retention reads how long a tenant's positions are kept.
func (q queries) Retention(ctx context.Context, tenantID string) (Retention, error) {
	r := Retention{TenantID: tenantID}
	err := q.db.QueryRowContext(ctx, `SELECT position_days FROM tenant WHERE id = $1`, tenantID).Scan(&r.PositionDays)
	return r, found(err, "read retention")
}

// Retentions reads those of all tenants.
func (q queries) Retentions(ctx context.Context) ([]Retention, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT id, position_days FROM tenant ORDER BY id`)
	return collect(rows, err, "list retentions", func(row scanner) (Retention, error) {
		var r Retention
		return r, row.Scan(&r.TenantID, &r.PositionDays)
	})
}

// SetRetention stores how long a tenant's positions are kept.
func (tx *Tx) SetRetention(ctx context.Context, r Retention) error {
	if _, err := tx.write("tenant").ExecContext(ctx, `UPDATE tenant SET position_days = $2 WHERE id = $1`, r.TenantID, r.PositionDays); err != nil {
		return fmt.Errorf("set retention: %w", err)
	}
	return nil
}

// PositionCut says from when on a tenant's positions are kept; nil keeps all.
type PositionCut struct {
	TenantID string
	Before   *drover.Time
}

// Forgotten is what was forgotten at once: rows one by one, and weeks as a whole.
type Forgotten struct {
	Rows  int64
	Weeks int
}

// forgetRows bounds the rows that one transaction deletes, so that nobody waits
// long for it.
const forgetRows = 5000

// ForgetPositions forgets the positions before each tenant's cut, in whole weeks:
// those of the week that the cut lies in stay. The cuts name every tenant. It
// works in many small transactions, and can be run by several processes.
func (s *Store) ForgetPositions(ctx context.Context, cuts []PositionCut) (Forgotten, error) {
	weekly := make([]PositionCut, len(cuts))
	for i, c := range cuts {
		weekly[i] = c
		if c.Before != nil {
			start := drover.Milli(weekOf(c.Before.UnixMilli()) * weekMillis)
			weekly[i].Before = &start
		}
	}
	done, err := s.on.forgetPositions(ctx, weekly)
	if err != nil {
		return done, fmt.Errorf("forget positions: %w", err)
	}
	return done, nil
}

// ForgetEvents forgets a tenant's events before the time given, oldest first. It
// stops at the first page that has a younger one.
func (s *Store) ForgetEvents(ctx context.Context, tenantID string, before drover.Time) (int64, error) {
	var total int64
	for {
		var n int64
		err := s.UpdateBulk(ctx, func(tx *Tx) error {
			res, err := tx.write("event").ExecContext(ctx, `DELETE FROM event WHERE tenant_id = $1 AND time < $2 AND sequence IN (
				SELECT sequence FROM event WHERE tenant_id = $1 ORDER BY sequence LIMIT $3)`, tenantID, before, forgetRows)
			if err != nil {
				return err
			}
			n, err = res.RowsAffected()
			return err
		})
		if err != nil {
			return total, fmt.Errorf("forget events: %w", err)
		}
		if total += n; n < forgetRows {
			return total, nil
		}
	}
}
