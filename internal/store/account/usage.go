package account

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover/internal/store/database"
)

// UsageDay is what a tenant used on a day since 1970. Bytes is nil where nothing was
// measured.
type UsageDay struct {
	TenantID                        string
	Day                             int64
	Requests, Positions, Deliveries int64
	Bytes                           *int64
}

// AddUsage adds to what tenants used: several processes count, each its own part. Bytes
// are a level, and replace those before. The rows are in the order of tenants and days,
// so that no two processes wait for each other.
func (tx Editor) AddUsage(ctx context.Context, rows []UsageDay) error {
	for _, u := range rows {
		_, err := tx.tx.Write("usage_day").ExecContext(ctx, `INSERT INTO usage_day AS u (tenant_id, day, requests, positions, deliveries, bytes)
			VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (tenant_id, day) DO UPDATE SET requests = u.requests + excluded.requests, positions = u.positions + excluded.positions,
				deliveries = u.deliveries + excluded.deliveries, bytes = COALESCE(excluded.bytes, u.bytes)`,
			u.TenantID, u.Day, u.Requests, u.Positions, u.Deliveries, u.Bytes)
		if err != nil {
			return fmt.Errorf("add usage: %w", err)
		}
	}
	return nil
}

// Usage lists what tenants used from one day to another, by tenant and day, after the day
// of a tenant; of one tenant alone where it is named.
func (q Reader) Usage(ctx context.Context, tenantID string, from, to int64, after UsageDay, limit int) ([]UsageDay, error) {
	w := database.Where{Args: []any{from, to}, Parts: []string{"u.day >= $1", "u.day <= $2"}}
	w.ID("u.tenant_id =", tenantID)
	if after.TenantID != "" {
		w.Args = append(w.Args, after.TenantID, after.Day)
		w.Parts = append(w.Parts, fmt.Sprintf("(u.tenant_id, u.day) > ($%d, $%d)", len(w.Args)-1, len(w.Args)))
	}
	rows, err := q.db.QueryContext(ctx, `SELECT u.tenant_id, u.day, u.requests, u.positions, u.deliveries, u.bytes FROM usage_day u`+
		w.SQL()+w.Limit("u.tenant_id, u.day", limit), w.Args...)
	return database.ReadAll(rows, err, "list usage", func(row database.Scanner) (UsageDay, error) {
		var u UsageDay
		return u, row.Scan(&u.TenantID, &u.Day, &u.Requests, &u.Positions, &u.Deliveries, &u.Bytes)
	})
}

// DropUsage forgets what was used before a day.
func (tx Editor) DropUsage(ctx context.Context, day int64) error {
	return database.DropOld(ctx, tx.tx, tx.words, "usage_day", "day <", day)
}
