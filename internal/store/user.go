package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/drover-fleet/drover"
)

// Login is a user with what is needed to let it in.
type Login struct {
	drover.User
	PasswordHash    string
	TenantSuspended bool
}

const userColumns = `u.id, u.tenant_id, u.username, u.email, u.role, u.disabled, u.created_at`

func scanUser(row scanner) (drover.User, error) {
	var u drover.User
	return u, row.Scan(&u.ID, &u.TenantID, &u.Username, &u.Email, &u.Role, &u.Disabled, &u.CreatedAt)
}

// LoginByName finds a user by its name or its e-mail address, ignoring case. A
// name is looked for before an address.
func (q queries) LoginByName(ctx context.Context, name string) (Login, error) {
	var l Login
	err := q.db.QueryRowContext(ctx, `SELECT `+userColumns+`, u.password_hash, t.suspended
		FROM account_user u JOIN tenant t ON t.id = u.tenant_id
		WHERE u.login_name = $1 OR u.login_email = $1
		ORDER BY CASE WHEN u.login_name = $1 THEN 0 ELSE 1 END LIMIT 1`, fold(name)).
		Scan(&l.ID, &l.TenantID, &l.Username, &l.Email, &l.Role, &l.Disabled, &l.CreatedAt, &l.PasswordHash, &l.TenantSuspended)
	return l, found(err, "find user")
}

// fold is the form in which names are compared.
func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// Users lists a tenant's users by name.
func (q queries) Users(ctx context.Context, tenantID string) ([]drover.User, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+userColumns+` FROM account_user u WHERE u.tenant_id = $1 ORDER BY u.username`, tenantID)
	return collect(rows, err, "list users", scanUser)
}

// UserProfile reads a user with its preferences, which are JSON.
func (q queries) UserProfile(ctx context.Context, tenantID, id string) (u drover.User, preferences string, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT `+userColumns+`, u.preferences FROM account_user u WHERE u.tenant_id = $1 AND u.id = $2`, tenantID, id).
		Scan(&u.ID, &u.TenantID, &u.Username, &u.Email, &u.Role, &u.Disabled, &u.CreatedAt, &preferences)
	return u, preferences, found(err, "read user")
}

// AddUser stores a new user. A name or an address that is taken is ErrExists.
func (tx *Tx) AddUser(ctx context.Context, u drover.User, passwordHash string) error {
	_, err := tx.write("account_user").ExecContext(ctx, `INSERT INTO account_user
		(tenant_id, id, username, email, login_name, login_email, password_hash, role, disabled, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		u.TenantID, u.ID, u.Username, u.Email, fold(u.Username), fold(u.Email), passwordHash, u.Role, u.Disabled, u.CreatedAt)
	if tx.d.IsDuplicate(err) {
		return ErrExists
	}
	if err != nil {
		return fmt.Errorf("add user: %w", err)
	}
	return nil
}

// DisableUser disables a user, or enables it.
func (tx *Tx) DisableUser(ctx context.Context, u drover.User, disabled bool) error {
	_, err := tx.write("account_user").ExecContext(ctx, `UPDATE account_user SET disabled = $3 WHERE tenant_id = $1 AND id = $2`, u.TenantID, u.ID, disabled)
	if err != nil {
		return fmt.Errorf("disable user: %w", err)
	}
	return tx.bumpAuthVersion(ctx)
}

// SetPassword replaces a user's password.
func (tx *Tx) SetPassword(ctx context.Context, u drover.User, passwordHash string) error {
	_, err := tx.write("account_user").ExecContext(ctx, `UPDATE account_user SET password_hash = $3 WHERE tenant_id = $1 AND id = $2`, u.TenantID, u.ID, passwordHash)
	if err != nil {
		return fmt.Errorf("set password: %w", err)
	}
	return nil
}
