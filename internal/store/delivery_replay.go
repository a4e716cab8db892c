package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/drover-fleet/drover"
)

const resend = `UPDATE delivery SET state = 'pending', tries = 0, due_at = $3 WHERE tenant_id = $1 AND target_id = $2 AND `

// ReplayDelivery makes one delivery due again, whatever became of it.
func (tx *Tx) ReplayDelivery(ctx context.Context, t drover.Target, eventID string, now drover.Time) error {
	if !validID(eventID) {
		return ErrNotFound
	}
	n, err := tx.resend(ctx, t, `event_id = $4`, now, eventID)
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}

// ReplayDeliveries makes all deliveries of events since the time given due again
// that failed or were skipped, and returns their number.
func (tx *Tx) ReplayDeliveries(ctx context.Context, t drover.Target, since, now drover.Time) (int, error) {
	return tx.resend(ctx, t, `state IN ('failed', 'skipped') AND created_at >= $4`, now, since)
}

func (tx *Tx) resend(ctx context.Context, t drover.Target, which string, now drover.Time, arg any) (int, error) {
	res, err := tx.write("delivery").ExecContext(ctx, resend+which, t.TenantID, t.ID, now, arg)
	if err != nil {
		return 0, fmt.Errorf("replay: %w", err)
	}
	tx.wake(t)
	n, err := res.RowsAffected()
	return int(n), err
}

// DropDeliveries forgets what was settled for a target before the time given,
// and the log of it.
func (tx *Tx) DropDeliveries(ctx context.Context, t drover.Target, before drover.Time) error {
	// Ids are made in the order of time, so that the key finds the old ones.
	oldest := idBefore(before)
	_, err := tx.write("delivery").ExecContext(ctx, `DELETE FROM delivery WHERE tenant_id = $1 AND target_id = $2 AND event_id < $3 AND state <> 'pending'`, t.TenantID, t.ID, oldest)
	if err != nil {
		return fmt.Errorf("drop deliveries: %w", err)
	}
	_, err = tx.write("attempt").ExecContext(ctx, `DELETE FROM attempt WHERE tenant_id = $1 AND target_id = $2 AND event_id < $3`, t.TenantID, t.ID, oldest)
	if err != nil {
		return fmt.Errorf("drop attempts: %w", err)
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

// Targets lists the targets that anything was ever sent to, by id, after the id
// given.
func (q queries) Targets(ctx context.Context, after drover.Target, limit int) ([]drover.Target, error) {
	w := where{parts: []string{"TRUE"}}
	if after.ID != "" {
		w.args = []any{after.TenantID, after.ID}
		w.parts = []string{"(tenant_id, target_id) > ($1, $2)"}
	}
	query := `SELECT tenant_id, target_id FROM delivery_target` + w.sql() + w.limit("tenant_id, target_id", limit)
	rows, err := q.db.QueryContext(ctx, query, w.args...)
	return collect(rows, err, "list targets", scanTarget)
}

func scanTarget(row scanner) (drover.Target, error) {
	var t drover.Target
	return t, row.Scan(&t.TenantID, &t.ID)
}

// StaleTargets lists the targets that positions from before the time given wait
// for.
func (q queries) StaleTargets(ctx context.Context, before drover.Time) ([]drover.Target, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT DISTINCT tenant_id, target_id FROM delivery
		WHERE state = 'pending' AND type = 'position.updated' AND created_at < $1`, before)
	return collect(rows, err, "look for old positions", scanTarget)
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
func (q queries) WaitingPositions(ctx context.Context, t drover.Target, before string, limit int) ([]WaitingBatch, error) {
	if before == "" {
		before = newestID
	}
	rows, err := q.db.QueryContext(ctx, `SELECT d.event_id, d.created_at, d.devices, CASE WHEN d.devices IS NULL THEN e.data END
		FROM delivery d JOIN event e ON e.tenant_id = d.tenant_id AND e.sequence = d.sequence
		WHERE d.tenant_id = $1 AND d.target_id = $2 AND d.state = 'pending' AND d.type = 'position.updated' AND d.event_id < $3
		ORDER BY d.event_id DESC LIMIT $4`, t.TenantID, t.ID, before, limit)
	return collect(rows, err, "read old positions", func(row scanner) (WaitingBatch, error) {
		var b WaitingBatch
		var devices, data *string
		if err := row.Scan(&b.EventID, &b.CreatedAt, &devices, &data); err != nil {
			return b, err
		}
		if data != nil {
			b.Data = json.RawMessage(*data)
		}
		var err error
		if devices != nil {
			b.Devices, err = scanStrings(*devices)
		}
		return b, err
	})
}

// SupersedeDeliveries gives up those of the deliveries to a target that still wait,
// because newer positions take their place, and returns their number.
func (tx *Tx) SupersedeDeliveries(ctx context.Context, t drover.Target, eventIDs []string) (int, error) {
	res, err := tx.write("delivery").ExecContext(ctx, `UPDATE delivery SET state = 'superseded' WHERE tenant_id = $1 AND target_id = $2 AND state = 'pending' AND event_id `+tx.d.InList(3),
		t.TenantID, t.ID, tx.d.List(eventIDs))
	if err != nil {
		return 0, fmt.Errorf("supersede: %w", err)
	}
	n, err := res.RowsAffected()
	return int(n), err
}
