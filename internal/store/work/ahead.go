package work

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// AheadDeliveries lists the events whose deliveries to a target were made, or tried last,
// by a clock that was ahead and has been put right since. They would wait for as long as
// it was ahead.
func (q FeedReader) AheadDeliveries(ctx context.Context, t drover.Target, now drover.Time, limit int) ([]string, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT d.event_id FROM delivery d
		WHERE d.tenant_id = $1 AND d.target_id = $2 AND d.state = 'pending' AND d.due_at > $3
		AND CASE WHEN d.attempts = 0 THEN d.created_at ELSE (SELECT a.time FROM attempt a
			WHERE a.tenant_id = $1 AND a.target_id = $2 AND a.event_id = d.event_id AND a.number = d.attempts) END > $3
		ORDER BY d.due_at, d.sequence LIMIT $4`, t.TenantID, t.ID, latestWait(now), limit)
	return database.ReadAll(rows, err, "look for deliveries of a clock that was ahead", database.ScanText)
}

// MakeDue has deliveries to a target sent now.
func (tx FeedTx) MakeDue(ctx context.Context, t drover.Target, eventIDs []string, now drover.Time) error {
	if err := tx.lockFeed(ctx, t.TenantID); err != nil {
		return err
	}
	_, err := tx.tx.Write("delivery").ExecContext(ctx, `UPDATE delivery SET due_at = $4
		WHERE tenant_id = $1 AND target_id = $2 AND event_id `+tx.words.InList(3)+` AND state = 'pending' AND due_at > $4`, t.TenantID, t.ID,
		tx.words.List(eventIDs), now)
	if err != nil {
		return fmt.Errorf("make deliveries due: %w", err)
	}
	return tx.dueBy(ctx, t.TenantID, []string{t.ID}, now)
}
