package work

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Purge is a connection whose data is being erased, and how far that is.
type Purge struct {
	TenantID, ConnectionID string
	// EventAfter is up to where the events of the connection have gone, and EventTo the
	// last that goes.
	EventAfter, EventTo int64
	// Whole says that the tenant goes too: then nothing says that the connection has gone.
	Whole bool
}

// keeps is the type of event that stays.
func (p Purge) keeps() drover.EventType {
	if p.Whole {
		return ""
	}
	return drover.EventConnectionDeleted
}

// EraseRows bounds the rows that one transaction erases, so that no one waits long
// for it.
const EraseRows = 5000

// AddPurge has the data of a connection erased. Where it is being erased already,
// nothing changes.
func (tx JobsTx) AddPurge(ctx context.Context, p Purge, due drover.Time) error {
	_, err := tx.tx.Write("purge").ExecContext(ctx, `INSERT INTO purge (tenant_id, connection_id, due_at, event_after, event_to) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant_id, connection_id) DO NOTHING`, p.TenantID, p.ConnectionID, due, p.EventAfter, p.EventTo)
	if err != nil {
		return fmt.Errorf("add purge: %w", err)
	}
	return nil
}

// ClaimPurge takes the one that has waited longest. It is due again at until, so that
// no one else takes it meanwhile, and it is not forgotten where that process dies.
// Without one it is ErrNotFound.
func (q Jobs) ClaimPurge(ctx context.Context, now, until drover.Time) (p Purge, err error) {
	const look = `SELECT p.tenant_id, p.connection_id FROM purge p WHERE p.due_at <= $1`
	err = q.claimFirst(ctx, look, "p.tenant_id", "p.due_at", now, func(tx *Tx, tenantID, id string) error {
		row := tx.tx.Write("purge").QueryRowContext(ctx, `UPDATE purge SET due_at = $4 WHERE tenant_id = $1 AND connection_id = $2 AND due_at <= $3
			RETURNING tenant_id, connection_id, event_after, event_to`, tenantID, id, now, until)
		return database.Found(row.Scan(&p.TenantID, &p.ConnectionID, &p.EventAfter, &p.EventTo), "claim purge")
	})
	return p, err
}

// RenewPurge keeps a purge for longer.
func (tx JobsTx) RenewPurge(ctx context.Context, p Purge, until drover.Time) error {
	_, err := tx.tx.Write("purge").ExecContext(ctx, `UPDATE purge SET due_at = $3, event_after = $4 WHERE tenant_id = $1 AND connection_id = $2`, p.TenantID, p.ConnectionID, until, p.EventAfter)
	if err != nil {
		return fmt.Errorf("renew purge: %w", err)
	}
	return nil
}

// EraseMilestoneEvents erases what the feed says of a milestone.
func (tx JobsTx) EraseMilestoneEvents(ctx context.Context, tenantID, milestoneID string) error {
	if _, err := tx.tx.Write("event").ExecContext(ctx, `DELETE FROM event WHERE tenant_id = $1 AND milestone_id = $2`, tenantID,
		milestoneID); err != nil {
		return fmt.Errorf("erase events: %w", err)
	}
	return nil
}

// EraseEvents erases what the owner's feed says of a connection, up to a sequence, but
// for the end of it.
func (tx JobsTx) EraseEvents(ctx context.Context, p Purge, to int64) error {
	_, err := tx.tx.Write("event").ExecContext(ctx, `DELETE FROM event WHERE tenant_id = $1 AND sequence > $2 AND sequence <= $3 AND connection_id = $4 AND type <> $5`,
		p.TenantID, p.EventAfter, to, p.ConnectionID, p.keeps())
	if err != nil {
		return fmt.Errorf("erase events: %w", err)
	}
	_, err = tx.tx.Write("event_block").ExecContext(ctx, `DELETE FROM event_block WHERE tenant_id = $1 AND connection_id = $2 AND last > $3 AND first <= $4
		AND NOT EXISTS (SELECT 1 FROM event e WHERE e.tenant_id = $1 AND e.sequence >= event_block.first AND e.sequence <= event_block.last AND e.block = event_block.first)`, p.TenantID, p.ConnectionID,
		p.EventAfter, to)
	if err != nil {
		return fmt.Errorf("erase blocks of events: %w", err)
	}
	return nil
}

// EraseDeliveries erases some of what was sent of a connection, and reports whether
// there is more.
func (tx JobsTx) EraseDeliveries(ctx context.Context, p Purge) (more bool, err error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT target_id, event_id FROM delivery WHERE tenant_id = $1 AND connection_id = $2 AND type <> $3 LIMIT $4`,
		p.TenantID, p.ConnectionID, p.keeps(), EraseRows)
	found, err := database.ReadAll(rows, err, "find deliveries", func(row database.Scanner) ([2]string, error) {
		var d [2]string
		return d, row.Scan(&d[0], &d[1])
	})
	if err != nil {
		return false, err
	}
	byTarget := map[string][]string{}
	for _, d := range found {
		byTarget[d[0]] = append(byTarget[d[0]], d[1])
	}
	for target, events := range byTarget {
		if err := tx.Feed().DropDeliveries(ctx, drover.Target{TenantID: p.TenantID, ID: target}, events); err != nil {
			return false, err
		}
	}
	return len(found) == EraseRows, nil
}

// ExpireExports lets the files of a tenant's exports go that may hold records which
// are being erased: the next look at exports drops them.
func (tx JobsTx) ExpireExports(ctx context.Context, tenantID string, ids []string, now drover.Time) error {
	_, err := tx.tx.Write("export").ExecContext(ctx, `UPDATE export SET state = CASE WHEN state IN ('queued', 'running') THEN 'cancelled' ELSE state END,
		finished_at = COALESCE(finished_at, $2), expires_at = $2, leased_by = '', leased_until = 0 WHERE tenant_id = $1 AND id `+
		tx.words.InList(3), tenantID, now, tx.words.List(ids))
	if err != nil {
		return fmt.Errorf("expire exports: %w", err)
	}
	return nil
}
