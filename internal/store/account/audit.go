package account

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// AddAudit writes down what a caller did. It belongs into the transaction that
// does it. Entries with the same name are one that counts them; without a name each
// has a row of its own.
func (tx Editor) AddAudit(ctx context.Context, tenantID string, a drover.Audit, name string) error {
	var same *string
	if name != "" {
		same = &name
	}
	_, err := tx.tx.Write("audit").ExecContext(ctx, `INSERT INTO audit AS a
		(tenant_id, id, time, actor_type, actor_id, actor_name, action, record_type, record_id, address, request_id, outcome, same)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		ON CONFLICT (tenant_id, same) DO UPDATE SET count = a.count + 1, last_at = excluded.time,
			record_id = CASE WHEN a.record_id = excluded.record_id THEN a.record_id END`,
		tenantID, a.ID, a.Time, a.ActorType, a.ActorID, a.ActorName, a.Action, a.RecordType, a.RecordID, a.Address, a.RequestID, a.Outcome, same)
	if err != nil {
		return fmt.Errorf("write audit: %w", err)
	}
	return nil
}

// Audit lists what was done in a tenant, newest first, before the id given.
func (q Reader) Audit(ctx context.Context, tenantID string, f drover.AuditFilter, before string, limit int) ([]drover.Audit, error) {
	w := database.Where{Args: []any{tenantID}, Parts: []string{"a.tenant_id = $1"}}
	w.ID("a.id <", before)
	w.ID("a.actor_id =", f.ActorID)
	for _, c := range []struct{ condition, value string }{
		{"a.action = $%d", f.Action}, {"a.record_id = $%d", f.RecordID}, {"a.outcome = $%d", string(f.Outcome)},
	} {
		if c.value != "" {
			w.Add(c.condition, c.value)
		}
	}
	if f.From != nil {
		w.Add("a.time >= $%d", *f.From)
	}
	if f.To != nil {
		w.Add("a.time < $%d", *f.To)
	}
	rows, err := q.db.QueryContext(ctx, `SELECT a.id, a.time, a.actor_type, a.actor_id, a.actor_name, a.action, a.record_type, a.record_id, a.address, a.request_id, a.outcome, a.count, a.last_at
		FROM audit a`+w.SQL()+w.Limit("a.id DESC", limit), w.Args...)
	return database.ReadAll(rows, err, "list audit", func(row database.Scanner) (drover.Audit, error) {
		var a drover.Audit
		return a, row.Scan(&a.ID, &a.Time, &a.ActorType, &a.ActorID, &a.ActorName, &a.Action, &a.RecordType, &a.RecordID, &a.Address,
			&a.RequestID, &a.Outcome, &a.Count, &a.LastAt)
	})
}

// DropAudit forgets what was done before t.
func (tx Editor) DropAudit(ctx context.Context, t drover.Time) error {
	return database.DropOld(ctx, tx.tx, tx.words, "audit", "time <", t)
}
