package work

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// TargetSettings is what has to be known of a target to send to it.
type TargetSettings struct {
	Kind    drover.TargetKind
	URL     string
	Enabled bool
	// Secrets are a webhook's own, sealed. Milestones have their tenant's.
	Secrets []byte
	// WaitUntil is until when the receiver has asked not to be called.
	WaitUntil drover.Time
	// Suspended says that its tenant is.
	Suspended bool
}

// TargetSettings reads how to send to a target. ErrNotFound says that it is gone.
func (q FeedReader) TargetSettings(ctx context.Context, t drover.Target, now drover.Time) (TargetSettings, error) {
	s := TargetSettings{}
	const wait = `, COALESCE((SELECT wait_until FROM delivery_target WHERE tenant_id = $1 AND target_id = $2 AND waited_at <= $3), 0), (SELECT suspended FROM tenant WHERE id = $1)`
	err := q.db.QueryRowContext(ctx, `SELECT 'webhook', url, enabled, secrets`+wait+` FROM webhook WHERE tenant_id = $1 AND id = $2
		UNION ALL SELECT 'milestone', webhook_url, webhook_enabled, NULL`+wait+
		` FROM milestone WHERE tenant_id = $1 AND id = $2 AND webhook_url IS NOT NULL`,
		t.TenantID, t.ID, latestWait(now)).Scan(&s.Kind, &s.URL, &s.Enabled, &s.Secrets, &s.WaitUntil, &s.Suspended)
	return s, database.Found(err, "read target")
}

// AttemptHealth is what attempts say of a target.
type AttemptHealth struct {
	drover.Target
	Kind drover.TargetKind
	// Succeeded says that one of them succeeded; the failures are those after it.
	Succeeded bool
	Failures  int
	FirstAt   drover.Time // of the failures
	LastAt    drover.Time
	LastError string
}

// NoteHealth counts attempts to a target and returns since when it has failed,
// nil where it has not.
func (tx FeedTx) NoteHealth(ctx context.Context, h AttemptHealth) (failingSince *drover.Time, err error) {
	if h.Succeeded {
		if err := tx.NoteSuccess(ctx, h.TenantID, h.Kind, []string{h.ID}); err != nil {
			return nil, err
		}
	}
	if h.Failures == 0 {
		return nil, nil
	}
	table, prefix := healthColumns(h.Kind)
	last := "last_error"
	if prefix != "" {
		last = "last_webhook_error"
	}
	err = tx.tx.Write(table).QueryRowContext(ctx, fmt.Sprintf(`UPDATE %s SET %serror_count = %serror_count + $3, %sfailing_since = COALESCE(%sfailing_since, $4), %s = $5, %s_at = $6
		WHERE tenant_id = $1 AND id = $2 RETURNING %sfailing_since`, table, prefix, prefix, prefix, prefix, last, last, prefix),
		h.TenantID, h.ID, h.Failures, h.FirstAt, h.LastError, h.LastAt).Scan(&failingSince)
	if errors.Is(err, sql.ErrNoRows) { // the target is gone
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("note failure: %w", err)
	}
	return failingSince, nil
}

// NoteSuccess forgets the failures of targets of a tenant before an attempt that succeeded.
func (tx FeedTx) NoteSuccess(ctx context.Context, tenantID string, kind drover.TargetKind, targets []string) error {
	table, prefix := healthColumns(kind)
	_, err := tx.tx.Write(table).ExecContext(ctx, fmt.Sprintf(`UPDATE %s SET %serror_count = 0, %sfailing_since = NULL
		WHERE tenant_id = $1 AND id %s AND (%serror_count > 0 OR %sfailing_since IS NOT NULL)`, table, prefix, prefix, tx.words.InList(2),
		prefix, prefix), tenantID, tx.words.List(targets))
	if err != nil {
		return fmt.Errorf("note success: %w", err)
	}
	return nil
}

func healthColumns(kind drover.TargetKind) (table, prefix string) {
	if kind == drover.TargetMilestone {
		return "milestone", "webhook_"
	}
	return "webhook", ""
}

// DisableTarget turns a target off and skips what waits for it. It reports
// whether it was on.
func (tx FeedTx) DisableTarget(ctx context.Context, t drover.Target, kind drover.TargetKind, now drover.Time) (bool, error) {
	table, column := "webhook", "enabled"
	if kind == drover.TargetMilestone {
		table, column = "milestone", "webhook_enabled"
	}
	res, err := tx.tx.Write(table).ExecContext(ctx, fmt.Sprintf(`UPDATE %s SET %s = FALSE, updated_at = $3 WHERE tenant_id = $1 AND id = $2 AND %s = TRUE`, table, column, column), t.TenantID, t.ID, now)
	if err != nil {
		return false, fmt.Errorf("disable target: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil || n == 0 {
		return false, err
	}
	if kind == drover.TargetWebhook {
		if err := tx.ReceiversChanged(ctx, t.TenantID); err != nil {
			return false, err
		}
	}
	return true, tx.SkipDeliveries(ctx, t)
}
