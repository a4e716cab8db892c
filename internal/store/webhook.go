package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
)

// Webhook is a stored webhook with its owner.
type Webhook struct {
	drover.Webhook
	TenantID string
}

const selectWebhook = `SELECT w.id, w.url, w.enabled, w.error_count, w.last_error, w.last_error_at, w.created_at, w.updated_at, w.filters, w.options, w.tenant_id FROM webhook w`

func scanWebhook(row scanner) (Webhook, error) {
	var w Webhook
	var filters, options string
	err := row.Scan(&w.ID, &w.URL, &w.Enabled, &w.ErrorCount, &w.LastError, &w.LastErrorAt, &w.CreatedAt, &w.UpdatedAt, &filters, &options, &w.TenantID)
	if err != nil {
		return w, err
	}
	return w, errors.Join(json.Unmarshal([]byte(filters), &w.Filters), json.Unmarshal([]byte(options), &w.Options))
}

// Webhook reads a webhook, whosever it is.
func (q queries) Webhook(ctx context.Context, asker, id string) (Webhook, error) {
	return one(ctx, q, selectWebhook, "w", asker, id, "read webhook", scanWebhook)
}

// Webhooks lists a tenant's webhooks by id, after the id given.
func (q queries) Webhooks(ctx context.Context, tenantID, after string, limit int) ([]drover.Webhook, error) {
	w := where{args: []any{tenantID}, parts: []string{"w.tenant_id = $1"}}
	w.ids("w.id >", after)
	rows, err := q.db.QueryContext(ctx, selectWebhook+w.sql()+w.limit("w.id", limit), w.args...)
	return collect(rows, err, "list webhooks", func(row scanner) (drover.Webhook, error) {
		h, err := scanWebhook(row)
		return h.Webhook, err
	})
}

// AddWebhook stores a new webhook with its sealed secrets.
func (tx *Tx) AddWebhook(ctx context.Context, w Webhook, secrets []byte) error {
	filters, err := json.Marshal(w.Filters)
	if err != nil {
		return fmt.Errorf("add webhook: %w", err)
	}
	options, err := json.Marshal(w.Options)
	if err != nil {
		return fmt.Errorf("add webhook: %w", err)
	}
	_, err = tx.db.ExecContext(ctx, `INSERT INTO webhook
		(tenant_id, id, url, enabled, error_count, last_error, last_error_at, created_at, updated_at, filters, options, secrets)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		w.TenantID, w.ID, w.URL, w.Enabled, w.ErrorCount, w.LastError, w.LastErrorAt, w.CreatedAt, w.UpdatedAt, string(filters), string(options), secrets)
	if err != nil {
		return fmt.Errorf("add webhook: %w", err)
	}
	return nil
}
