package work

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

const resend = `UPDATE delivery SET state = 'pending', tries = 0, due_at = $3 WHERE tenant_id = $1 AND target_id = $2 AND `

// ReplayDelivery makes one delivery due again, whatever became of it.
func (tx FeedTx) ReplayDelivery(ctx context.Context, t drover.Target, eventID string, now drover.Time) error {
	if !drover.IsID(eventID) {
		return database.ErrNotFound
	}
	n, err := tx.resend(ctx, t, `event_id = $4`, now, eventID)
	if err == nil && n == 0 {
		return database.ErrNotFound
	}
	return err
}

// ReplayDeliveries makes all deliveries of events since the time given due again
// that failed or were skipped, and returns their number.
func (tx FeedTx) ReplayDeliveries(ctx context.Context, t drover.Target, since, now drover.Time) (int, error) {
	return tx.resend(ctx, t, `state IN ('failed', 'skipped') AND created_at >= $4`, now, since)
}

func (tx *Tx) resend(ctx context.Context, t drover.Target, which string, now drover.Time, arg any) (int, error) {
	if err := tx.lockFeed(ctx, t.TenantID); err != nil {
		return 0, err
	}
	res, err := tx.tx.Write("delivery").ExecContext(ctx, resend+which, t.TenantID, t.ID, now, arg)
	if err != nil {
		return 0, fmt.Errorf("replay: %w", err)
	}
	tx.Feed().Wake(t)
	n, err := res.RowsAffected()
	if err != nil || n == 0 {
		return 0, err
	}
	return int(n), tx.dueBy(ctx, t.TenantID, []string{t.ID}, now)
}

// SettledDeliveries lists the events whose deliveries to a target were settled and
// are from before the time given, the oldest first.
func (q FeedReader) SettledDeliveries(ctx context.Context, t drover.Target, before drover.Time, limit int) ([]string, error) {
	// Ids are made in the order of time, so that the key finds the old ones.
	rows, err := q.db.QueryContext(ctx, `SELECT event_id FROM delivery
		WHERE tenant_id = $1 AND target_id = $2 AND event_id < $3 AND state <> 'pending' ORDER BY event_id LIMIT $4`, t.TenantID, t.ID,
		idBefore(before), limit)
	return database.ReadAll(rows, err, "look for old deliveries", database.ScanText)
}

// LostDeliveries lists the events with deliveries to a webhook that is gone. A
// milestone that is gone still has its last events to tell.
func (q FeedReader) LostDeliveries(ctx context.Context, t drover.Target, limit int) ([]string, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT event_id FROM delivery WHERE tenant_id = $1 AND target_id = $2 AND kind = 'webhook'
		AND NOT EXISTS (SELECT 1 FROM webhook WHERE tenant_id = $1 AND id = $2) ORDER BY event_id LIMIT $3`, t.TenantID, t.ID, limit)
	return database.ReadAll(rows, err, "look for deliveries to a webhook that is gone", database.ScanText)
}

// DropDeliveries forgets deliveries to a target, and the log of them. One that was
// made due again meanwhile stays, unless its webhook is gone.
func (tx FeedTx) DropDeliveries(ctx context.Context, t drover.Target, eventIDs []string) error {
	_, err := tx.tx.Write("attempt").ExecContext(ctx, `DELETE FROM attempt WHERE tenant_id = $1 AND target_id = $2 AND event_id `+
		tx.words.InList(3), t.TenantID, t.ID, tx.words.List(eventIDs))
	if err != nil {
		return fmt.Errorf("drop attempts: %w", err)
	}
	_, err = tx.tx.Write("delivery").ExecContext(ctx, `DELETE FROM delivery WHERE tenant_id = $1 AND target_id = $2 AND event_id `+
		tx.words.InList(3)+`
		AND (state <> 'pending' OR kind = 'webhook' AND NOT EXISTS (SELECT 1 FROM webhook WHERE tenant_id = $1 AND id = $2))`, t.TenantID, t.ID,
		tx.words.List(eventIDs))
	if err != nil {
		return fmt.Errorf("drop deliveries: %w", err)
	}
	return nil
}

// idBefore is a bound below every id that is made from the time given on.
func idBefore(t drover.Time) string {
	var id uuid.UUID
	ms := t.UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	return id.String()
}

// NextTarget finds the target after the one given that has deliveries, whatever
// became of them, in one step however many they are. ErrNotFound ends the list.
func (q FeedReader) NextTarget(ctx context.Context, after drover.Target) (drover.Target, error) {
	if after.ID == "" {
		after = drover.Target{TenantID: firstID, ID: firstID}
	}
	here, args := database.Here(ctx, q.words, "tenant_id", []any{after.TenantID, after.ID})
	t, err := scanTarget(q.db.QueryRowContext(ctx, `SELECT tenant_id, target_id FROM delivery WHERE (tenant_id, target_id) > ($1, $2)`+here+`
		ORDER BY tenant_id, target_id LIMIT 1`, args...))
	return t, database.Found(err, "look for targets")
}

// firstID is before every id.
const firstID = "00000000-0000-0000-0000-000000000000"

// DropIdleTargets forgets who has sent to targets that have no deliveries and that
// no one holds, at most so many, and returns their number.
func (tx FeedTx) DropIdleTargets(ctx context.Context, limit int) (int, error) {
	here, args := database.Here(ctx, tx.words, "tenant_id", []any{limit})
	of := func(alias string) string { return strings.ReplaceAll(here, "tenant_id", alias+".tenant_id") }
	res, err := tx.tx.Write("delivery_target").ExecContext(ctx,
		`DELETE FROM delivery_target WHERE leased_until = 0 AND due_at IS NULL`+here+` AND (tenant_id, target_id) IN (
		SELECT t.tenant_id, t.target_id FROM delivery_target t WHERE t.leased_until = 0 AND t.due_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.tenant_id = t.tenant_id AND d.target_id = t.target_id`+of("d")+`)`+of("t")+` LIMIT $1)`, args...)
	if err != nil {
		return 0, fmt.Errorf("drop targets: %w", err)
	}
	n, err := res.RowsAffected()
	return int(n), err
}

func scanTarget(row database.Scanner) (drover.Target, error) {
	var t drover.Target
	return t, row.Scan(&t.TenantID, &t.ID)
}

// StaleTargets lists the targets that positions from before the time given wait
// for.
func (q FeedReader) StaleTargets(ctx context.Context, before drover.Time) ([]drover.Target, error) {
	here, args := database.Here(ctx, q.words, "tenant_id", []any{before})
	rows, err := q.db.QueryContext(ctx, `SELECT DISTINCT tenant_id, target_id FROM delivery
		WHERE state = 'pending' AND type = 'position.updated' AND created_at < $1`+here+` ORDER BY tenant_id, target_id`, args...)
	return database.ReadAll(rows, err, "look for old positions", scanTarget)
}

// WaitingBatch is a batch of positions that waits for a target.
type WaitingBatch struct {
	EventID   string
	CreatedAt drover.Time
	// Devices are those that it is narrowed to. Where it is not, they are nil and
	// Data, the event's, tells them.
	Devices []string
	Data    json.RawMessage
}

// newestID is beyond every id.
const newestID = "ffffffff-ffff-ffff-ffff-ffffffffffff"

// WaitingPositions reads the batches of positions that wait for a target, newest
// first, from before an event on; empty begins with the newest.
func (q FeedReader) WaitingPositions(ctx context.Context, t drover.Target, before string, limit int) ([]WaitingBatch, error) {
	if before == "" {
		before = newestID
	}
	var batches []WaitingBatch
	err := q.withBlocks(ctx, t.TenantID, func() (blocks []inBlock, err error) {
		var in []inBlock
		batches, in, err = q.waitingPositions(ctx, t, before, limit)
		for i := range batches {
			if in[i].data = &batches[i].Data; in[i].block != 0 {
				blocks = append(blocks, in[i])
			}
		}
		return blocks, err
	})
	return batches, err
}

// waitingPositions also says which of the batches are in blocks, and where.
func (q Reader) waitingPositions(
	ctx context.Context,
	t drover.Target,
	before string,
	limit int,
) (batches []WaitingBatch, in []inBlock, err error) {
	rows, err := q.db.QueryContext(ctx, `SELECT d.event_id, d.created_at, d.devices, CASE WHEN d.devices IS NULL AND e.packed IS NULL AND e.block IS NULL THEN e.data END,
		CASE WHEN d.devices IS NULL THEN e.packed END, CASE WHEN d.devices IS NULL THEN e.block END, e.sequence
		FROM delivery d JOIN event e ON e.tenant_id = d.tenant_id AND e.sequence = d.sequence
		WHERE d.tenant_id = $1 AND d.target_id = $2 AND d.state = 'pending' AND d.type = 'position.updated' AND d.event_id < $3
		ORDER BY d.event_id DESC LIMIT $4`, t.TenantID, t.ID, before, limit)
	batches, err = database.ReadAll(rows, err, "read old positions", func(row database.Scanner) (WaitingBatch, error) {
		var b WaitingBatch
		var devices *string
		var s storedData
		var at inBlock
		err := row.Scan(&b.EventID, &b.CreatedAt, &devices, &s.text, &s.packed, &s.block, &at.sequence)
		if err == nil {
			b.Data, err = s.read()
		}
		if s.block != nil {
			at.block = *s.block
		}
		in = append(in, at)
		if err == nil && devices != nil {
			b.Devices, err = database.ParseStrings(*devices)
		}
		return b, err
	})
	return batches, in, err
}

// SupersedeDeliveries gives up those of the deliveries to a target that still wait,
// because newer positions take their place, and returns their number.
func (tx FeedTx) SupersedeDeliveries(ctx context.Context, t drover.Target, eventIDs []string) (int, error) {
	res, err := tx.tx.Write("delivery").ExecContext(ctx,
		`UPDATE delivery SET state = 'superseded' WHERE tenant_id = $1 AND target_id = $2 AND state = 'pending' AND event_id `+tx.words.InList(3),
		t.TenantID, t.ID, tx.words.List(eventIDs))
	if err != nil {
		return 0, fmt.Errorf("supersede: %w", err)
	}
	n, err := res.RowsAffected()
	return int(n), err
}
