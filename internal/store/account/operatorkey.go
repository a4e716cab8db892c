package account

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

const operatorKeyColumns = `k.id, k.name, k.scopes, k.created_at, k.expires_at, k.last_used_at`

func scanOperatorKey(row database.Scanner) (drover.OperatorKey, error) {
	var k drover.OperatorKey
	var scopes string
	if err := row.Scan(&k.ID, &k.Name, &scopes, &k.CreatedAt, &k.ExpiresAt, &k.LastUsedAt); err != nil {
		return k, err
	}
	return k, json.Unmarshal([]byte(scopes), &k.Scopes)
}

// OperatorKeyByHash finds the operator's key with a secret.
func (q SignInReader) OperatorKeyByHash(ctx context.Context, hash string) (drover.OperatorKey, error) {
	k, err := scanOperatorKey(q.db.QueryRowContext(ctx, `SELECT `+operatorKeyColumns+` FROM operator_key k WHERE k.hash = $1`, hash))
	return k, database.Found(err, "find operator key")
}

// OperatorKeys lists the operator's keys, oldest first.
func (q SignInReader) OperatorKeys(ctx context.Context) ([]drover.OperatorKey, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+operatorKeyColumns+` FROM operator_key k ORDER BY k.id`)
	return database.ReadAll(rows, err, "list operator keys", scanOperatorKey)
}

// AddOperatorKey stores a new key with the hash of its secret.
func (tx SignInEditor) AddOperatorKey(ctx context.Context, k drover.OperatorKey, hash string) error {
	scopes, err := json.Marshal(k.Scopes)
	if err != nil {
		return fmt.Errorf("add operator key: %w", err)
	}
	_, err = tx.tx.Write("operator_key").ExecContext(ctx, `INSERT INTO operator_key (id, name, hash, scopes, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6)`, k.ID, k.Name, hash, string(scopes), k.CreatedAt, k.ExpiresAt)
	if err != nil {
		return fmt.Errorf("add operator key: %w", err)
	}
	return nil
}

// UseOperatorKey writes down that a key was used, where it has not been since a time.
func (tx SignInEditor) UseOperatorKey(ctx context.Context, id string, now, since drover.Time) error {
	_, err := tx.tx.Write("operator_key").ExecContext(ctx, `UPDATE operator_key SET last_used_at = $2
		WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)`, id, now, since)
	if err != nil {
		return fmt.Errorf("write use of operator key: %w", err)
	}
	return nil
}

// DropOperatorKey revokes a key. It reports whether there was one.
func (tx SignInEditor) DropOperatorKey(ctx context.Context, id string) (bool, error) {
	if !drover.IsID(id) {
		return false, nil
	}
	res, err := tx.tx.Write("operator_key").ExecContext(ctx, `DELETE FROM operator_key WHERE id = $1`, id)
	if err != nil {
		return false, fmt.Errorf("drop operator key: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil || n == 0 {
		return false, err
	}
	return true, tx.bumpAuthVersion(ctx)
}
