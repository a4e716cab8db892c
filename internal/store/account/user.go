package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/directory"
)

// Login is a user with what is needed to let it in.
type Login struct {
	drover.User
	PasswordHash    string
	TenantSuspended bool
	// PasswordLogin is false where the tenant has switched it off, and the user is not the
	// one who may use it nevertheless.
	PasswordLogin bool
}

const (
	loginColumns = userColumns + `, u.password_hash, t.suspended, (t.password_login OR u.break_glass)`
	loginTables  = ` FROM account_user u JOIN tenant t ON t.id = u.tenant_id`
)

func scanLogin(row database.Scanner) (Login, error) {
	var l Login
	return l, row.Scan(l.into()...)
}

func (l *Login) into() []any {
	return []any{
		&l.ID, &l.TenantID, &l.Username, &l.Email, &l.Role, &l.Disabled, &l.SecondFactor, &l.CreatedAt, &l.PasswordHash,
		&l.TenantSuspended, &l.PasswordLogin,
	}
}

const userColumns = `u.id, u.tenant_id, u.username, u.email, u.role, u.disabled, u.second_factor, u.created_at`

func scanUser(row database.Scanner) (drover.User, error) {
	var u drover.User
	return u, row.Scan(&u.ID, &u.TenantID, &u.Username, &u.Email, &u.Role, &u.Disabled, &u.SecondFactor, &u.CreatedAt)
}

// LoginByName finds a user by its name or its e-mail address. A name is looked for
// before an address.
func (q Reader) LoginByName(ctx context.Context, name string) (Login, error) {
	l, err := q.loginBy(ctx, directory.LoginName, name)
	if errors.Is(err, database.ErrNotFound) {
		return q.LoginByEmail(ctx, name)
	}
	return l, err
}

// LoginByEmail finds a user by its e-mail address alone.
func (q Reader) LoginByEmail(ctx context.Context, address string) (Login, error) {
	return q.loginBy(ctx, directory.LoginEmail, address)
}

func (q Reader) loginBy(ctx context.Context, kind directory.Kind, name string) (l Login, err error) {
	name = NormalName(name)
	err = q.whose.Find(ctx, kind, name, func(tenantID string) (err error) {
		l, err = scanLogin(q.db.QueryRowContext(ctx, `SELECT `+loginColumns+loginTables+` WHERE u.tenant_id = $1 AND u.`+string(kind)+` = $2`,
			tenantID, name))
		return database.Found(err, "find user")
	})
	return l, err
}

// Users lists a tenant's users by name.
func (q Reader) Users(ctx context.Context, tenantID string) ([]drover.User, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT `+userColumns+` FROM account_user u WHERE u.tenant_id = $1 ORDER BY u.username`, tenantID)
	return database.ReadAll(rows, err, "list users", scanUser)
}

// UsersPage lists a tenant's users by id, after the id given.
func (q Reader) UsersPage(ctx context.Context, tenantID, after string, limit int) ([]drover.User, error) {
	w := database.Where{Args: []any{tenantID}, Parts: []string{"u.tenant_id = $1"}}
	w.ID("u.id >", after)
	rows, err := q.db.QueryContext(ctx, `SELECT `+userColumns+` FROM account_user u`+w.SQL()+w.Limit("u.id", limit), w.Args...)
	return database.ReadAll(rows, err, "list users", scanUser)
}

// NameTaken reports whether another user, of any tenant, has the name or the address of a
// user.
func (q Reader) NameTaken(ctx context.Context, u drover.User) (bool, error) {
	for _, login := range logins(u) {
		taken := false
		err := q.whose.Find(ctx, login.Kind, login.Key, func(tenantID string) error {
			err := q.db.QueryRowContext(ctx, `SELECT u.id <> $3 FROM account_user u WHERE u.tenant_id = $1 AND u.`+string(login.Kind)+` = $2`, tenantID,
				login.Key, u.ID).Scan(&taken)
			return database.Found(err, "look for a name")
		})
		if taken || err != nil && !errors.Is(err, database.ErrNotFound) {
			return taken, err
		}
	}
	return false, nil
}

// logins are by what a user is found in the directory.
func logins(u drover.User) []directory.Entry {
	return []directory.Entry{
		{Kind: directory.LoginName, Key: NormalName(u.Username), TenantID: u.TenantID},
		{Kind: directory.LoginEmail, Key: NormalName(u.Email), TenantID: u.TenantID},
	}
}

// nameLogins writes a user into the directory. A name or an address that is taken is ErrExists.
func (tx Editor) nameLogins(ctx context.Context, u drover.User) error {
	for _, login := range logins(u) {
		if err := directory.Add(ctx, tx.tx, login); err != nil {
			return err
		}
	}
	return nil
}

// unnameLogins takes a user out of the directory.
func (tx Editor) unnameLogins(ctx context.Context, u drover.User) error {
	for _, login := range logins(u) {
		if err := directory.Drop(ctx, tx.tx, login.Kind, `tenant_id = $1 AND id = $2`, u.TenantID, u.ID); err != nil {
			return err
		}
	}
	return nil
}

// OtherUser reports whether a user is another tenant's.
func (q Reader) OtherUser(ctx context.Context, tenantID, id string) (bool, error) {
	return q.foreign(ctx, `SELECT EXISTS (SELECT 1 FROM account_user WHERE tenant_id <> $1 AND id = $2)`, tenantID, id)
}

// LoginByID reads a tenant's own user with its password.
func (q Reader) LoginByID(ctx context.Context, tenantID, id string) (Login, error) {
	var l Login
	if !drover.IsID(id) {
		return l, database.ErrNotFound
	}
	err := q.db.QueryRowContext(ctx, `SELECT `+userColumns+`, u.password_hash FROM account_user u WHERE u.tenant_id = $1 AND u.id = $2`,
		tenantID, id).
		Scan(&l.ID, &l.TenantID, &l.Username, &l.Email, &l.Role, &l.Disabled, &l.SecondFactor, &l.CreatedAt, &l.PasswordHash)
	return l, database.Found(err, "read user")
}

// AdminsForUpdate are the users of a tenant who administer it. No one else changes
// them until the transaction ends, so that two admins cannot remove each other.
func (tx Editor) AdminsForUpdate(ctx context.Context, tenantID string) ([]drover.User, error) {
	rows, err := tx.db.QueryContext(ctx, `SELECT `+userColumns+` FROM account_user u
		WHERE u.tenant_id = $1 AND u.role = $2 AND u.disabled = FALSE ORDER BY u.id`+tx.words.ForUpdate(), tenantID, drover.RoleAdmin)
	return database.ReadAll(rows, err, "list admins", scanUser)
}

// UserForUpdate reads a tenant's own user and keeps others from changing it.
func (tx Editor) UserForUpdate(ctx context.Context, tenantID, id string) (drover.User, error) {
	if !drover.IsID(id) {
		return drover.User{}, database.ErrNotFound
	}
	u, err := scanUser(tx.db.QueryRowContext(ctx, `SELECT `+userColumns+` FROM account_user u WHERE u.tenant_id = $1 AND u.id = $2`+
		tx.words.ForUpdate(), tenantID, id))
	return u, database.Found(err, "read user")
}

// SetUser stores a changed user. A name or an address that is taken is ErrExists.
func (tx Editor) SetUser(ctx context.Context, u drover.User) error {
	if err := tx.unnameLogins(ctx, u); err != nil {
		return err
	}
	if err := tx.nameLogins(ctx, u); err != nil {
		return err
	}
	_, err := tx.tx.Write("account_user").ExecContext(ctx,
		`UPDATE account_user SET username = $3, email = $4, login_name = $5, login_email = $6, role = $7, disabled = $8
		WHERE tenant_id = $1 AND id = $2`, u.TenantID, u.ID, u.Username, u.Email, NormalName(u.Username), NormalName(u.Email), u.Role, u.Disabled)
	if tx.words.IsDuplicate(err) {
		return database.ErrExists
	}
	if err != nil {
		return fmt.Errorf("set user: %w", err)
	}
	return tx.bumpAuthVersion(ctx)
}

// SetPreferences replaces a user's preferences, which are JSON, where they differ.
func (tx Editor) SetPreferences(ctx context.Context, tenantID, id, preferences string) error {
	_, err := tx.tx.Write("account_user").ExecContext(ctx,
		`UPDATE account_user SET preferences = $3 WHERE tenant_id = $1 AND id = $2 AND preferences <> $3`, tenantID, id, preferences)
	if err != nil {
		return fmt.Errorf("set preferences: %w", err)
	}
	return nil
}

// DropUser deletes a user with its sessions, its second factor and with who it is at providers.
func (tx Editor) DropUser(ctx context.Context, u drover.User) error {
	if err := tx.unnameLogins(ctx, u); err != nil {
		return err
	}
	if err := directory.Drop(ctx, tx.tx, directory.Passkey, `tenant_id = $1 AND user_id = $2`, u.TenantID, u.ID); err != nil {
		return err
	}
	for _, table := range []string{"session", "user_identity", "recovery_code", "passkey"} {
		if _, err := tx.tx.Write(table).ExecContext(ctx, `DELETE FROM `+table+` WHERE tenant_id = $1 AND user_id = $2`, u.TenantID,
			u.ID); err != nil {
			return fmt.Errorf("drop from %s: %w", table, err)
		}
	}
	for _, table := range []string{"totp", "account_user"} {
		if _, err := tx.tx.Write(table).ExecContext(ctx, `DELETE FROM `+table+` WHERE tenant_id = $1 AND id = $2`, u.TenantID,
			u.ID); err != nil {
			return fmt.Errorf("drop from %s: %w", table, err)
		}
	}
	return tx.bumpAuthVersion(ctx)
}

// UserProfile reads a user with its preferences, which are JSON.
func (q Reader) UserProfile(ctx context.Context, tenantID, id string) (u drover.User, preferences string, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT `+userColumns+`, u.preferences FROM account_user u WHERE u.tenant_id = $1 AND u.id = $2`,
		tenantID, id).
		Scan(&u.ID, &u.TenantID, &u.Username, &u.Email, &u.Role, &u.Disabled, &u.SecondFactor, &u.CreatedAt, &preferences)
	return u, preferences, database.Found(err, "read user")
}

// AddUser stores a new user. A name or an address that is taken is ErrExists.
func (tx Editor) AddUser(ctx context.Context, u drover.User, passwordHash string) error {
	if err := tx.nameLogins(ctx, u); err != nil {
		return err
	}
	_, err := tx.tx.Write("account_user").ExecContext(ctx, `INSERT INTO account_user
		(tenant_id, id, username, email, login_name, login_email, password_hash, role, disabled, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		u.TenantID, u.ID, u.Username, u.Email, NormalName(u.Username), NormalName(u.Email), passwordHash, u.Role, u.Disabled, u.CreatedAt)
	if tx.words.IsDuplicate(err) {
		return database.ErrExists
	}
	if err != nil {
		return fmt.Errorf("add user: %w", err)
	}
	return nil
}

// DisableUser disables a user, or enables it.
func (tx Editor) DisableUser(ctx context.Context, u drover.User, disabled bool) error {
	_, err := tx.tx.Write("account_user").ExecContext(ctx, `UPDATE account_user SET disabled = $3 WHERE tenant_id = $1 AND id = $2`,
		u.TenantID, u.ID, disabled)
	if err != nil {
		return fmt.Errorf("disable user: %w", err)
	}
	return tx.bumpAuthVersion(ctx)
}

// SetBreakGlass lets a user sign in with its password wherever the tenant has switched that
// off, or no longer.
func (tx Editor) SetBreakGlass(ctx context.Context, u drover.User, on bool) error {
	_, err := tx.tx.Write("account_user").ExecContext(ctx, `UPDATE account_user SET break_glass = $3 WHERE tenant_id = $1 AND id = $2`,
		u.TenantID, u.ID, on)
	if err != nil {
		return fmt.Errorf("set break-glass: %w", err)
	}
	return nil
}

// SetPassword replaces a user's password.
func (tx Editor) SetPassword(ctx context.Context, u drover.User, passwordHash string) error {
	_, err := tx.tx.Write("account_user").ExecContext(ctx, `UPDATE account_user SET password_hash = $3 WHERE tenant_id = $1 AND id = $2`,
		u.TenantID, u.ID, passwordHash)
	if err != nil {
		return fmt.Errorf("set password: %w", err)
	}
	return nil
}
