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

// KeyState is an API key and whether its tenant and its maker may still act.
type KeyState struct {
	drover.APIKey
	TenantID  string
	Suspended bool
	// MakerRole is what its maker is now; nil where there is none, or it is disabled.
	MakerRole *drover.Role
}

const apiKeyColumns = `k.id, k.name, k.role, k.scopes, k.networks, k.created_at, k.expires_at, k.last_used_at, k.owner, k.maker_id, k.maker_name`

func scanAPIKey(row database.Scanner, more ...any) (drover.APIKey, error) {
	var k drover.APIKey
	var scopes, networks string
	if err := row.Scan(append([]any{
		&k.ID, &k.Name, &k.Role, &scopes, &networks, &k.CreatedAt, &k.ExpiresAt, &k.LastUsedAt, &k.Owner,
		&k.MakerID, &k.MakerName,
	}, more...)...); err != nil {
		return k, err
	}
	return k, errors.Join(json.Unmarshal([]byte(scopes), &k.Scopes), json.Unmarshal([]byte(networks), &k.Networks))
}

// APIKeyByHash finds the key with a secret, whichever tenant's it is.
func (q SignInReader) APIKeyByHash(ctx context.Context, hash string) (KeyState, error) {
	var k KeyState
	err := q.whose.Find(ctx, directory.APIKey, hash, func(tenantID string) (err error) {
		k.APIKey, err = scanAPIKey(q.db.QueryRowContext(ctx, `SELECT `+apiKeyColumns+`, k.tenant_id, t.suspended, u.role
			FROM api_key k JOIN tenant t ON t.id = k.tenant_id
			LEFT JOIN account_user u ON u.tenant_id = k.tenant_id AND u.id = k.maker_id AND NOT u.disabled
			WHERE k.tenant_id = $1 AND k.hash = $2`, tenantID, hash), &k.TenantID, &k.Suspended, &k.MakerRole)
		return database.Found(err, "find API key")
	})
	return k, err
}

// APIKey reads a tenant's own key.
func (q SignInReader) APIKey(ctx context.Context, tenantID, id string) (drover.APIKey, error) {
	if !drover.IsID(id) {
		return drover.APIKey{}, database.ErrNotFound
	}
	k, err := scanAPIKey(q.db.QueryRowContext(ctx, `SELECT `+apiKeyColumns+` FROM api_key k WHERE k.tenant_id = $1 AND k.id = $2`, tenantID,
		id))
	return k, database.Found(err, "read API key")
}

// OtherAPIKey reports whether a key is another tenant's.
func (q SignInReader) OtherAPIKey(ctx context.Context, tenantID, id string) (bool, error) {
	return q.foreign(ctx, `SELECT EXISTS (SELECT 1 FROM api_key WHERE tenant_id <> $1 AND id = $2)`, tenantID, id)
}

// APIKeys lists a tenant's keys by id, after the id given.
func (q SignInReader) APIKeys(ctx context.Context, tenantID, after string, limit int) ([]drover.APIKey, error) {
	w := database.Where{Args: []any{tenantID}, Parts: []string{"k.tenant_id = $1"}}
	w.ID("k.id >", after)
	rows, err := q.db.QueryContext(ctx, `SELECT `+apiKeyColumns+` FROM api_key k`+w.SQL()+w.Limit("k.id", limit), w.Args...)
	return database.ReadAll(rows, err, "list API keys", func(row database.Scanner) (drover.APIKey, error) { return scanAPIKey(row) })
}

// AddAPIKey stores a new key with the hash of its secret.
func (tx SignInEditor) AddAPIKey(ctx context.Context, tenantID string, k drover.APIKey, hash string) error {
	scopes, networks, err := database.JSONTexts(k.Scopes, k.Networks)
	if err != nil {
		return fmt.Errorf("add API key: %w", err)
	}
	_, err = tx.tx.Write("api_key").ExecContext(ctx, `INSERT INTO api_key (tenant_id, id, name, hash, role, scopes, networks, created_at, expires_at, owner, maker_id, maker_name)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		tenantID, k.ID, k.Name, hash, k.Role, scopes, networks, k.CreatedAt, k.ExpiresAt, k.Owner, k.MakerID, k.MakerName)
	if err != nil {
		return fmt.Errorf("add API key: %w", err)
	}
	return tx.name(ctx, directory.APIKey, hash, tenantID)
}

// UseAPIKey writes down that a key was used, where it has not been since a time.
func (tx SignInEditor) UseAPIKey(ctx context.Context, tenantID, id string, now, since drover.Time) error {
	_, err := tx.tx.Write("api_key").ExecContext(ctx, `UPDATE api_key SET last_used_at = $3 WHERE tenant_id = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at <= $4)`, tenantID, id, now, since)
	if err != nil {
		return fmt.Errorf("write use of API key: %w", err)
	}
	return nil
}

// DropAPIKey revokes a key. It reports whether there was one.
func (tx SignInEditor) DropAPIKey(ctx context.Context, tenantID, id string) (bool, error) {
	if err := directory.Drop(ctx, tx.tx, directory.APIKey, `tenant_id = $1 AND id = $2`, tenantID, id); err != nil {
		return false, err
	}
	res, err := tx.tx.Write("api_key").ExecContext(ctx, `DELETE FROM api_key WHERE tenant_id = $1 AND id = $2`, tenantID, id)
	if err != nil {
		return false, fmt.Errorf("drop API key: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil || n == 0 {
		return false, err
	}
	return true, tx.bumpAuthVersion(ctx)
}
