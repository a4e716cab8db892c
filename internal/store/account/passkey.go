package account

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/directory"
)

// Passkey is one of a user's, with what it is checked by.
type Passkey struct {
	drover.Passkey
	TenantID, UserID string
	Credential       string // what the device calls it, in base64url
	PublicKey        []byte
	Counter          uint32
	MayMove          bool
}

const passkeyColumns = `k.id, k.tenant_id, k.user_id, k.name, k.credential, k.public_key, k.counter, k.may_move, k.moved, k.created_at, k.last_used_at`

func (k *Passkey) into() []any {
	return []any{
		&k.ID, &k.TenantID, &k.UserID, &k.Name, &k.Credential, &k.PublicKey, &k.Counter, &k.MayMove, &k.BackedUp, &k.CreatedAt, &k.LastUsedAt,
	}
}

func scanPasskey(row database.Scanner) (k Passkey, err error) { return k, row.Scan(k.into()...) }

// Passkeys lists those of a user, oldest first.
func (q SignInReader) Passkeys(ctx context.Context, tenantID, userID string) ([]Passkey, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+passkeyColumns+` FROM passkey k WHERE k.tenant_id = $1 AND k.user_id = $2 ORDER BY k.id`,
		tenantID, userID)
	return database.ReadAll(rows, err, "list passkeys", scanPasskey)
}

// LoginByPasskey finds a passkey by what its device calls it, and the user whose it is.
func (q SignInReader) LoginByPasskey(ctx context.Context, credential string) (k Passkey, l Login, err error) {
	err = q.whose.Find(ctx, directory.Passkey, credential, func(tenantID string) error {
		err := q.db.QueryRowContext(ctx, `SELECT `+passkeyColumns+`, `+loginColumns+`
			FROM passkey k JOIN account_user u ON u.tenant_id = k.tenant_id AND u.id = k.user_id JOIN tenant t ON t.id = k.tenant_id
			WHERE k.tenant_id = $1 AND k.credential = $2`, tenantID, credential).
			Scan(append(k.into(), l.into()...)...)
		return database.Found(err, "find passkey")
	})
	return k, l, err
}

// OtherPasskey reports whether a passkey is another tenant's.
func (q SignInReader) OtherPasskey(ctx context.Context, tenantID, id string) (bool, error) {
	return q.foreign(ctx, `SELECT EXISTS (SELECT 1 FROM passkey WHERE tenant_id <> $1 AND id = $2)`, tenantID, id)
}

// PasskeyForUpdate reads a passkey and keeps others from using it until the transaction ends, so
// that its counter is compared with that of the last use.
func (tx SignInEditor) PasskeyForUpdate(ctx context.Context, tenantID, id string) (Passkey, error) {
	if !drover.IsID(id) {
		return Passkey{}, database.ErrNotFound
	}
	k, err := scanPasskey(tx.db.QueryRowContext(ctx, `SELECT `+passkeyColumns+` FROM passkey k WHERE k.tenant_id = $1 AND k.id = $2`+
		tx.words.ForUpdate(), tenantID, id))
	return k, database.Found(err, "read passkey")
}

// AddPasskey stores a new one. One that is there already, also another user's, is ErrExists.
func (tx SignInEditor) AddPasskey(ctx context.Context, k Passkey) error {
	_, err := tx.tx.Write("passkey").ExecContext(ctx, `INSERT INTO passkey
		(tenant_id, id, user_id, name, credential, public_key, counter, may_move, moved, created_at, last_used_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		k.TenantID, k.ID, k.UserID, k.Name, k.Credential, k.PublicKey, k.Counter, k.MayMove, k.BackedUp, k.CreatedAt, k.LastUsedAt)
	if tx.words.IsDuplicate(err) {
		return database.ErrExists
	}
	if err != nil {
		return fmt.Errorf("add passkey: %w", err)
	}
	return tx.name(ctx, directory.Passkey, k.Credential, k.TenantID)
}

// SetPasskey stores the name of a passkey, and what its last use said.
func (tx SignInEditor) SetPasskey(ctx context.Context, k Passkey) error {
	_, err := tx.tx.Write("passkey").ExecContext(ctx, `UPDATE passkey SET name = $3, counter = $4, moved = $5, last_used_at = $6
		WHERE tenant_id = $1 AND id = $2`, k.TenantID, k.ID, k.Name, k.Counter, k.BackedUp, k.LastUsedAt)
	if err != nil {
		return fmt.Errorf("set passkey: %w", err)
	}
	return nil
}

// DropPasskey deletes one.
func (tx SignInEditor) DropPasskey(ctx context.Context, tenantID, id string) error {
	if err := directory.Drop(ctx, tx.tx, directory.Passkey, `tenant_id = $1 AND id = $2`, tenantID, id); err != nil {
		return err
	}
	_, err := tx.tx.Write("passkey").ExecContext(ctx, `DELETE FROM passkey WHERE tenant_id = $1 AND id = $2`, tenantID, id)
	if err != nil {
		return fmt.Errorf("drop passkey: %w", err)
	}
	return nil
}
