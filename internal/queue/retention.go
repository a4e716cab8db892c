package queue

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/database"
)

// forgetRows bounds the rows that one transaction deletes, so that nobody waits
// long for it.
const forgetRows = 5000

// ForgetEvents forgets a tenant's events before the time given, oldest first. It
// stops at the first page that has a younger one, or one that others wait for.
func (q *Queue) ForgetEvents(ctx context.Context, tenantID string, before drover.Time) (int64, error) {
	var total int64
	for {
		var n int64
		err := q.database.Update(ctx, database.Bulk, func(tx *database.Tx) error {
			res, err := tx.Write("event").ExecContext(ctx, `DELETE FROM event WHERE tenant_id = $1 AND time < $2 AND sequence IN (
				SELECT sequence FROM event WHERE tenant_id = $1 ORDER BY sequence LIMIT $3)
				AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.tenant_id = $1 AND o.first_sequence <= event.sequence)`, tenantID, before, forgetRows)
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

// ForgetPositionEvents forgets a tenant's events about positions before the time given,
// and leaves the others: the feed then has gaps up to there.
func (q *Queue) ForgetPositionEvents(ctx context.Context, tenantID string, before drover.Time) (int64, error) {
	var total int64
	for {
		more, n, err := q.forgetPositionPage(ctx, tenantID, before)
		if err != nil {
			return total, fmt.Errorf("forget events about positions: %w", err)
		}
		if total += n; !more {
			return total, nil
		}
	}
}

func (q *Queue) forgetPositionPage(ctx context.Context, tenantID string, before drover.Time) (more bool, n int64, err error) {
	var from, to *int64
	err = q.db.QueryRowContext(ctx, `SELECT MIN(sequence), MAX(sequence) FROM (SELECT e.sequence FROM event e
		WHERE e.tenant_id = $1 AND e.time < $2 AND e.sequence > (SELECT positions_after FROM event_sequence WHERE tenant_id = $1) ORDER BY e.sequence LIMIT $3) AS page`,
		tenantID, before, forgetRows).Scan(&from, &to)
	if err != nil || to == nil {
		return false, 0, err
	}
	err = q.database.Update(ctx, database.Bulk, func(tx *database.Tx) error {
		res, err := tx.Write("event").ExecContext(ctx, `DELETE FROM event WHERE tenant_id = $1 AND sequence >= $2 AND sequence <= $3 AND type = 'position.updated'`, tenantID, *from, *to)
		if err != nil {
			return err
		}
		if n, err = res.RowsAffected(); err != nil {
			return err
		}
		_, err = tx.Write("event_sequence").ExecContext(ctx, `UPDATE event_sequence SET positions_after = $2 WHERE tenant_id = $1`, tenantID, *to)
		return err
	})
	return true, n, err
}
