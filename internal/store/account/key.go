package account

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// SealedKey is a signing key or a data key as it is stored: sealed.
type SealedKey struct {
	ID        string
	Sealed    []byte
	CreatedAt drover.Time
	Active    bool
}

// KeyTable names one of the two sets of keys.
type KeyTable string

// The sets of keys.
const (
	SigningKeys KeyTable = "signing_key"
	DataKeys    KeyTable = "data_key"
)

// Keys lists all keys of a set, oldest first.
func (q Reader) Keys(ctx context.Context, table KeyTable) ([]SealedKey, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT id, sealed, active, created_at FROM `+string(table)+` ORDER BY created_at, id`)
	return database.ReadAll(rows, err, "list keys", func(row database.Scanner) (SealedKey, error) {
		var k SealedKey
		return k, row.Scan(&k.ID, &k.Sealed, &k.Active, &k.CreatedAt)
	})
}

// AddActiveKey stores a key and makes it the one in use. The others stay, to
// verify or to open what they sealed.
func (tx Editor) AddActiveKey(ctx context.Context, table KeyTable, k SealedKey) error {
	if _, err := tx.tx.Write(string(table)).ExecContext(ctx, `UPDATE `+string(table)+` SET active = FALSE WHERE active = TRUE`); err != nil {
		return fmt.Errorf("add key: %w", err)
	}
	_, err := tx.tx.Write(string(table)).ExecContext(ctx,
		`INSERT INTO `+string(table)+` (id, sealed, active, created_at) VALUES ($1, $2, TRUE, $3)`, k.ID, k.Sealed, k.CreatedAt)
	if err != nil {
		return fmt.Errorf("add key: %w", err)
	}
	return tx.bumpAuthVersion(ctx)
}

// ReplaceKey stores a key sealed again.
func (tx Editor) ReplaceKey(ctx context.Context, table KeyTable, k SealedKey) error {
	if _, err := tx.tx.Write(string(table)).ExecContext(ctx, `UPDATE `+string(table)+` SET sealed = $2 WHERE id = $1`, k.ID,
		k.Sealed); err != nil {
		return fmt.Errorf("replace key: %w", err)
	}
	return nil
}

// DropKey forgets a key.
func (tx Editor) DropKey(ctx context.Context, table KeyTable, id string) error {
	if _, err := tx.tx.Write(string(table)).ExecContext(ctx, `DELETE FROM `+string(table)+` WHERE id = $1 AND active = FALSE`,
		id); err != nil {
		return fmt.Errorf("drop key: %w", err)
	}
	return tx.bumpAuthVersion(ctx)
}

// AuthVersion changes whenever a key, a user's state or a session was changed by
// any process.
func (q Reader) AuthVersion(ctx context.Context) (int64, error) {
	var v int64
	if err := q.db.QueryRowContext(ctx, `SELECT version FROM auth_version WHERE one = 1`).Scan(&v); err != nil {
		return 0, fmt.Errorf("read auth version: %w", err)
	}
	return v, nil
}

// LockAuth serialises changes of keys between processes until the transaction
// ends.
func (tx Editor) LockAuth(ctx context.Context) error { return tx.bumpAuthVersion(ctx) }

func (tx writer) bumpAuthVersion(ctx context.Context) error {
	if _, err := tx.tx.Write("auth_version").ExecContext(ctx, `UPDATE auth_version SET version = version + 1 WHERE one = 1`); err != nil {
		return fmt.Errorf("change auth version: %w", err)
	}
	return nil
}
