package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/batch"
	"github.com/drover-fleet/drover/internal/store/database"
)

// Webhook is a stored webhook with its owner.
type Webhook struct {
	drover.Webhook
	TenantID string
}

const webhookColumns = `w.id, w.url, w.enabled, w.error_count, w.last_error, w.last_error_at, w.created_at, w.updated_at, w.filters, w.options, w.tenant_id`

const selectWebhook = `SELECT ` + webhookColumns + ` FROM webhook w`

func scanWebhook(row database.Scanner) (Webhook, error) {
	var w Webhook
	var filters, options string
	err := row.Scan(&w.ID, &w.URL, &w.Enabled, &w.ErrorCount, &w.LastError, &w.LastErrorAt, &w.CreatedAt, &w.UpdatedAt, &filters, &options,
		&w.TenantID)
	if err != nil {
		return w, err
	}
	return w, errors.Join(json.Unmarshal([]byte(filters), &w.Filters), json.Unmarshal([]byte(options), &w.Options))
}

var webhookByID = batch.NewRecord(batch.Kind{Columns: webhookColumns, Table: "webhook", Alias: "w", Doing: "read webhook"}, scanWebhook)

// Webhook reads a webhook, whichever tenant's it is.
func (q WebhooksReader) Webhook(ctx context.Context, asker, id string) (Webhook, error) {
	return webhookByID.One(ctx, q.source(), nil, asker, id)
}

// Webhooks lists a tenant's webhooks by id, after the id given.
func (q WebhooksReader) Webhooks(ctx context.Context, tenantID, after string, limit int) ([]drover.Webhook, error) {
	w := database.Where{Args: []any{tenantID}, Parts: []string{"w.tenant_id = $1"}}
	w.ID("w.id >", after)
	query := selectWebhook + w.SQL() + w.Limit("w.id", limit)
	rows, err := q.db.QueryContext(ctx, query, w.Args...)
	return database.ReadAll(rows, err, "list webhooks", func(row database.Scanner) (drover.Webhook, error) {
		h, err := scanWebhook(row)
		return h.Webhook, err
	})
}

// AddWebhook stores a new webhook with its sealed secrets.
func (tx WebhooksTx) AddWebhook(ctx context.Context, w Webhook, secrets []byte) error {
	filters, options, err := database.JSONTexts(w.Filters, w.Options)
	if err != nil {
		return fmt.Errorf("add webhook: %w", err)
	}
	_, err = tx.write("webhook").ExecContext(ctx, `INSERT INTO webhook
		(tenant_id, id, url, enabled, error_count, last_error, last_error_at, created_at, updated_at, filters, options, secrets)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		w.TenantID, w.ID, w.URL, w.Enabled, w.ErrorCount, w.LastError, w.LastErrorAt, w.CreatedAt, w.UpdatedAt, filters, options, secrets)
	if err != nil {
		return fmt.Errorf("add webhook: %w", err)
	}
	return tx.feed.ReceiversChanged(ctx, w.TenantID)
}

// WebhookForUpdate reads a tenant's own webhook and keeps others from changing it
// until the transaction ends.
func (tx WebhooksTx) WebhookForUpdate(ctx context.Context, tenantID, id string) (Webhook, error) {
	w, err := scanWebhook(tx.db.QueryRowContext(ctx, selectWebhook+` WHERE w.tenant_id = $1 AND w.id = $2`+tx.d.ForUpdate(), tenantID, id))
	return w, database.Found(err, "read webhook")
}

// SetWebhook stores a changed webhook. Once it is enabled, its time without
// success counts again; while it is not, nothing waits for it.
func (tx WebhooksTx) SetWebhook(ctx context.Context, w Webhook) error {
	filters, options, err := database.JSONTexts(w.Filters, w.Options)
	if err != nil {
		return fmt.Errorf("set webhook: %w", err)
	}
	_, err = tx.write("webhook").ExecContext(ctx, `UPDATE webhook SET url = $3, failing_since = CASE WHEN enabled = $4 THEN failing_since END, enabled = $4, updated_at = $5, filters = $6, options = $7
		WHERE tenant_id = $1 AND id = $2`, w.TenantID, w.ID, w.URL, w.Enabled, w.UpdatedAt, filters, options)
	if err != nil {
		return fmt.Errorf("set webhook: %w", err)
	}
	if err := tx.feed.ReceiversChanged(ctx, w.TenantID); err != nil {
		return err
	}
	target := drover.Target{TenantID: w.TenantID, ID: w.ID}
	if !w.Enabled {
		return tx.feed.SkipDeliveries(ctx, target)
	}
	tx.feed.Wake(target)
	return nil
}

// DropWebhook deletes a webhook. What was or is to be sent to it is lost with it:
// LostDeliveries finds it, for anyone who drops it in pieces.
func (tx WebhooksTx) DropWebhook(ctx context.Context, tenantID, id string) error {
	_, err := tx.write("webhook").ExecContext(ctx, `DELETE FROM webhook WHERE tenant_id = $1 AND id = $2`, tenantID, id)
	if err != nil {
		return fmt.Errorf("drop webhook: %w", err)
	}
	return tx.feed.ReceiversChanged(ctx, tenantID)
}

// WebhookSecrets reads the sealed secrets of a webhook, and keeps others from
// changing them.
func (tx WebhooksTx) WebhookSecrets(ctx context.Context, tenantID, id string) (Sealed, error) {
	s := Sealed{TenantID: tenantID, ID: id}
	err := tx.db.QueryRowContext(ctx, `SELECT secrets FROM webhook WHERE tenant_id = $1 AND id = $2`+tx.d.ForUpdate(), tenantID,
		id).Scan(&s.Sealed)
	return s, database.Found(err, "read webhook secrets")
}

// SetWebhookSecrets replaces the sealed secrets of a webhook.
func (tx WebhooksTx) SetWebhookSecrets(ctx context.Context, s Sealed) error {
	return tx.setSealed(ctx, sealedSecrets, s)
}

// AccountSecrets reads the sealed secrets for the webhooks of a tenant's
// milestones.
func (q WebhooksReader) AccountSecrets(ctx context.Context, tenantID string) (Sealed, error) {
	s := Sealed{TenantID: tenantID}
	err := q.db.QueryRowContext(ctx, `SELECT id, secrets FROM webhook_secret WHERE tenant_id = $1`, tenantID).Scan(&s.ID, &s.Sealed)
	return s, database.Found(err, "read webhook secrets")
}

// AddAccountSecrets stores the first secrets of a tenant. Where there are some,
// they stay.
func (tx WebhooksTx) AddAccountSecrets(ctx context.Context, s Sealed) error {
	_, err := tx.write("webhook_secret").ExecContext(ctx,
		`INSERT INTO webhook_secret (tenant_id, id, secrets) VALUES ($1, $2, $3) ON CONFLICT (tenant_id) DO NOTHING`, s.TenantID, s.ID, s.Sealed)
	if err != nil {
		return fmt.Errorf("add webhook secrets: %w", err)
	}
	return nil
}

// AccountSecretsForUpdate is AccountSecrets, and keeps others from changing them.
func (tx WebhooksTx) AccountSecretsForUpdate(ctx context.Context, tenantID string) (Sealed, error) {
	s := Sealed{TenantID: tenantID}
	err := tx.db.QueryRowContext(ctx, `SELECT id, secrets FROM webhook_secret WHERE tenant_id = $1`+tx.d.ForUpdate(), tenantID).Scan(&s.ID,
		&s.Sealed)
	return s, database.Found(err, "read webhook secrets")
}

// SetAccountSecrets replaces the sealed secrets of a tenant.
func (tx WebhooksTx) SetAccountSecrets(ctx context.Context, s Sealed) error {
	return tx.setSealed(ctx, sealedAccount, s)
}
