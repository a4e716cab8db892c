package work

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/directory"
)

// Inbound is the address that a provider may call with news of a connection.
type Inbound struct {
	TenantID, ConnectionID string
	TokenHash              []byte
	CreatedAt              drover.Time
	LastNoticeAt           *drover.Time
}

// Inbound reads the address of a connection, no matter who it belongs to: a provider names no
// tenant.
func (q JobsReader) Inbound(ctx context.Context, connectionID string) (Inbound, error) {
	in := Inbound{ConnectionID: connectionID}
	if !drover.IsID(connectionID) {
		return in, database.ErrNotFound
	}
	err := q.whose.Find(ctx, directory.Inbound, connectionID, func(tenantID string) error {
		in.TenantID = tenantID
		err := q.db.QueryRowContext(ctx, `SELECT token_hash, created_at, last_notice_at FROM connection_inbound
			WHERE tenant_id = $1 AND connection_id = $2`, tenantID, connectionID).Scan(&in.TokenHash, &in.CreatedAt, &in.LastNoticeAt)
		return database.Found(err, "read inbound address")
	})
	return in, err
}

// SetInbound stores the address of a connection in the place of the one before.
func (tx JobsTx) SetInbound(ctx context.Context, in Inbound) error {
	entry := directory.Entry{Kind: directory.Inbound, Key: in.ConnectionID, TenantID: in.TenantID}
	if err := directory.Add(ctx, tx.tx, entry); err != nil && !errors.Is(err, database.ErrExists) {
		return err
	}
	_, err := tx.tx.Write("connection_inbound").ExecContext(ctx,
		`INSERT INTO connection_inbound (tenant_id, connection_id, token_hash, created_at)
		VALUES ($1, $2, $3, $4) ON CONFLICT (tenant_id, connection_id)
		DO UPDATE SET token_hash = excluded.token_hash, created_at = excluded.created_at, last_notice_at = NULL`,
		in.TenantID, in.ConnectionID, in.TokenHash, in.CreatedAt)
	if err != nil {
		return fmt.Errorf("set inbound address: %w", err)
	}
	return nil
}

// TakeNotice notes that a provider has news of a connection: its live positions are
// due now, unless they were just read, and then when gap has passed since. A push
// that fails keeps its pause.
func (tx JobsTx) TakeNotice(ctx context.Context, tenantID, connectionID string, now drover.Time, gap time.Duration) error {
	if _, err := tx.tx.Write("connection_inbound").ExecContext(ctx,
		`UPDATE connection_inbound SET last_notice_at = $3 WHERE tenant_id = $1 AND connection_id = $2`, tenantID, connectionID,
		now); err != nil {
		return fmt.Errorf("note a notice: %w", err)
	}
	_, err := tx.tx.Write("job").ExecContext(ctx, `UPDATE job SET due_at = CASE WHEN last_run_at IS NULL OR last_run_at + $4 <= $3 THEN $3 ELSE last_run_at + $4 END
		WHERE tenant_id = $1 AND connection_id = $2 AND kind = 'positions' AND backfill = FALSE AND state = 'active' AND consecutive_errors = 0
		AND due_at > $3 AND (last_run_at IS NULL OR due_at > last_run_at + $4)`, tenantID, connectionID, now, gap.Milliseconds())
	if err != nil {
		return fmt.Errorf("take a notice: %w", err)
	}
	return tx.WakeCollection(ctx, tenantID, connectionID, now)
}
