package account

import (
	"context"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Day is what retention is counted in.
const Day = 24 * time.Hour

// RetentionPolicy is the operator's: how long things are kept. Zero is for ever.
type RetentionPolicy struct {
	Positions time.Duration // of tenants without a setting of their own
	Events    time.Duration
	// PositionEvents is how long events about positions are kept, which are most.
	PositionEvents time.Duration
	// Pack is how long after their day positions are packed, if nothing of the day
	// changes meanwhile. Zero is never.
	Pack time.Duration
}

// Oldest is the time from which on a tenant's positions are kept, and whether
// there is one.
func (p RetentionPolicy) Oldest(r Retention, now time.Time) (time.Time, bool) {
	keep := p.Positions
	if r.PositionDays != nil {
		keep = time.Duration(*r.PositionDays) * Day
	}
	return now.Add(-keep), keep > 0
}

// Days is the policy in days, as tenants are shown it.
func (p RetentionPolicy) Days() drover.Retention {
	days := func(kept time.Duration) *int {
		if kept <= 0 {
			return nil
		}
		return new(int(kept / Day))
	}
	all := drover.Retention{PositionDays: days(p.Positions), EventDays: days(p.Events), PositionEventDays: days(p.PositionEvents)}
	if all.PositionEventDays == nil {
		all.PositionEventDays = all.EventDays
	}
	return all
}

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
	if _, err := tx.tx.Write("tenant").ExecContext(ctx, `UPDATE tenant SET position_days = $2 WHERE id = $1`, r.TenantID,
		r.PositionDays); err != nil {
		return fmt.Errorf("set retention: %w", err)
	}
	return nil
}
