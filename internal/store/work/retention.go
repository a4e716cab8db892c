package work

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// forgetRows bounds the rows that one transaction deletes, so that no one waits
// long for it.
const forgetRows = 5000

// ForgetEvents forgets a tenant's events before the time given, oldest first. It
// stops at the first page that has a younger one, or one that others wait for.
func (q Feed) ForgetEvents(ctx context.Context, tenantID string, before drover.Time) (int64, error) {
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
			return total, q.forgetBlocks(ctx, tenantID)
		}
	}
}

// forgetAtOnce bounds the blocks that one transaction deletes.
const forgetAtOnce = 200

// forgetBlocks forgets the blocks of which no event is left. Every block whose last event
// is old enough is one.
func (q *Queue) forgetBlocks(ctx context.Context, tenantID string) error {
	for {
		var positions, others int64
		err := q.reader.db.QueryRowContext(ctx, `SELECT positions_after, COALESCE((SELECT MIN(e.sequence) - 1 FROM event e WHERE e.tenant_id = $1), last)
			FROM event_sequence WHERE tenant_id = $1`, tenantID).Scan(&positions, &others)
		if errors.Is(err, sql.ErrNoRows) { // the tenant is gone
			return nil
		}
		if err != nil {
			return fmt.Errorf("look for blocks of events to forget: %w", err)
		}
		rows, err := q.reader.db.QueryContext(ctx, `SELECT first FROM event_block WHERE tenant_id = $1 AND first <= $2 AND last <= $2 ORDER BY first LIMIT $3`, tenantID, max(positions, others), forgetAtOnce)
		old, err := database.ReadAll(rows, err, "look for blocks of events to forget", database.ScanText)
		if err != nil || len(old) == 0 {
			return err
		}
		err = q.database.Update(ctx, database.Bulk, func(tx *database.Tx) error {
			_, err := tx.Write("event_block").ExecContext(ctx, `DELETE FROM event_block WHERE tenant_id = $1 AND first `+q.reader.words.InList(2),
				tenantID, q.reader.words.List(old))
			return err
		})
		if err != nil {
			return fmt.Errorf("forget blocks of events: %w", err)
		}
	}
}

// ForgetPositionEvents forgets a tenant's events about positions before the time given,
// and leaves the others: the feed then has gaps up to there.
func (q Feed) ForgetPositionEvents(ctx context.Context, tenantID string, before drover.Time) (int64, error) {
	var total int64
	for {
		more, n, err := q.forgetPositionPage(ctx, tenantID, before)
		if err != nil {
			return total, fmt.Errorf("forget events about positions: %w", err)
		}
		if total += n; !more {
			return total, q.forgetBlocks(ctx, tenantID)
		}
	}
}

func (q *Queue) forgetPositionPage(ctx context.Context, tenantID string, before drover.Time) (more bool, n int64, err error) {
	var from, to *int64
	err = q.reader.db.QueryRowContext(ctx, `SELECT MIN(sequence), MAX(sequence) FROM (SELECT e.sequence FROM event e
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
