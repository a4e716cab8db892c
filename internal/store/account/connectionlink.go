package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/directory"
)

// ConnectionLink is a link with its tenant, which is not shown with it.
type ConnectionLink struct {
	drover.ConnectionLink
	TenantID   string
	TenantName string
}

const connectionLinkColumns = `l.id, l.business_name, l.abn, l.email, l.tags, l.providers, l.collection_start_time, l.connection_id, l.created_at, l.expires_at, l.used_at, l.withdrawn_at`

func (q Reader) scanConnectionLink(row database.Scanner, more ...any) (drover.ConnectionLink, error) {
	var l drover.ConnectionLink
	var tags, providers string
	err := row.Scan(append([]any{
		&l.ID, &l.BusinessName, &l.ABN, &l.Email, &tags, &providers, &l.CollectionStartTime, &l.ConnectionID, &l.CreatedAt, &l.ExpiresAt,
		&l.UsedAt, &l.WithdrawnAt,
	}, more...)...)
	if err != nil {
		return l, err
	}
	l.State = l.StateAt(drover.At(q.now()))
	return l, errors.Join(json.Unmarshal([]byte(tags), &l.Tags), json.Unmarshal([]byte(providers), &l.Providers))
}

const selectConnectionLink = `SELECT ` + connectionLinkColumns + `, t.id, t.name FROM connection_link l JOIN tenant t ON t.id = l.tenant_id`

func (q Reader) oneConnectionLink(ctx context.Context, query string, args ...any) (ConnectionLink, error) {
	var l ConnectionLink
	var err error
	l.ConnectionLink, err = q.scanConnectionLink(q.db.QueryRowContext(ctx, query, args...), &l.TenantID, &l.TenantName)
	return l, database.Found(err, "find link")
}

// ConnectionLinkByHash finds the link with a text, of a tenant that is not
// suspended.
func (q Reader) ConnectionLinkByHash(ctx context.Context, hash string) (l ConnectionLink, err error) {
	err = q.whose.Find(ctx, directory.ConnectionLink, hash, func(tenantID string) (err error) {
		l, err = q.oneConnectionLink(ctx, selectConnectionLink+` WHERE l.tenant_id = $1 AND l.hash = $2 AND t.suspended = FALSE`, tenantID, hash)
		return err
	})
	return l, err
}

// ConnectionLinkForUpdate reads a link and keeps others from changing it.
func (tx Editor) ConnectionLinkForUpdate(ctx context.Context, tenantID, id string) (ConnectionLink, error) {
	return tx.oneConnectionLink(ctx, selectConnectionLink+` WHERE l.tenant_id = $1 AND l.id = $2`+tx.words.ForUpdate("l"), tenantID, id)
}

// ConnectionLinks lists a tenant's links by id, after the id given.
func (q Reader) ConnectionLinks(ctx context.Context, tenantID, after string, limit int) ([]drover.ConnectionLink, error) {
	w := database.Where{Args: []any{tenantID}, Parts: []string{"l.tenant_id = $1"}}
	w.ID("l.id >", after)
	rows, err := q.db.QueryContext(ctx, `SELECT `+connectionLinkColumns+` FROM connection_link l`+w.SQL()+w.Limit("l.id", limit), w.Args...)
	return database.ReadAll(rows, err, "list links", func(row database.Scanner) (drover.ConnectionLink,
		error,
	) {
		return q.scanConnectionLink(row)
	})
}

// OtherConnectionLink reports whether a link is another tenant's.
func (q Reader) OtherConnectionLink(ctx context.Context, tenantID, id string) (bool, error) {
	return q.foreign(ctx, `SELECT EXISTS (SELECT 1 FROM connection_link WHERE tenant_id <> $1 AND id = $2)`, tenantID, id)
}

// AddConnectionLink stores a new link with the hash of its text.
func (tx Editor) AddConnectionLink(ctx context.Context, tenantID string, l drover.ConnectionLink, hash string) error {
	tags, providers, err := database.JSONTexts(l.Tags, l.Providers)
	if err != nil {
		return fmt.Errorf("add link: %w", err)
	}
	_, err = tx.tx.Write("connection_link").ExecContext(ctx, `INSERT INTO connection_link
		(tenant_id, id, hash, business_name, abn, email, tags, providers, collection_start_time, connection_id, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		tenantID, l.ID, hash, l.BusinessName, l.ABN, l.Email, tags, providers, l.CollectionStartTime, l.ConnectionID, l.CreatedAt, l.ExpiresAt)
	if err != nil {
		return fmt.Errorf("add link: %w", err)
	}
	return tx.name(ctx, directory.ConnectionLink, hash, tenantID)
}

// SetConnectionLink stores what has become of a link.
func (tx Editor) SetConnectionLink(ctx context.Context, l ConnectionLink) error {
	_, err := tx.tx.Write("connection_link").ExecContext(ctx,
		`UPDATE connection_link SET connection_id = $3, used_at = $4, withdrawn_at = $5 WHERE tenant_id = $1 AND id = $2`,
		l.TenantID, l.ID, l.ConnectionID, l.UsedAt, l.WithdrawnAt)
	if err != nil {
		return fmt.Errorf("set link: %w", err)
	}
	return nil
}

// DropConnectionLink revokes a link. It reports whether there was one.
func (tx Editor) DropConnectionLink(ctx context.Context, tenantID, id string) (bool, error) {
	if !drover.IsID(id) {
		return false, nil
	}
	if err := directory.Drop(ctx, tx.tx, directory.ConnectionLink, `tenant_id = $1 AND id = $2`, tenantID, id); err != nil {
		return false, err
	}
	res, err := tx.tx.Write("connection_link").ExecContext(ctx, `DELETE FROM connection_link WHERE tenant_id = $1 AND id = $2`, tenantID, id)
	if err != nil {
		return false, fmt.Errorf("drop link: %w", err)
	}
	n, err := res.RowsAffected()
	return n > 0, err
}
