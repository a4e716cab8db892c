package account

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/directory"
)

// SingleSignOn is how a tenant's people sign in at its own provider.
type SingleSignOn struct {
	TenantID, ID string
	// Code is that of the address where people begin.
	Code     string
	Settings drover.SSOSettings
	Sealed   []byte // the client secret
	// PasswordLogin says whether passwords are accepted, too.
	PasswordLogin   bool
	TenantSuspended bool
}

// Bind names what the sealed secret belongs to.
func (s SingleSignOn) Bind() []string { return []string{s.TenantID, s.ID} }

const ssoColumns = `t.id, COALESCE(s.id, t.id), COALESCE(s.code, ''), COALESCE(s.settings, ''), s.secret, t.password_login, t.suspended
	FROM tenant t`

// SingleSignOn reads that of a tenant. One that has set nothing has an empty code.
func (q SignInReader) SingleSignOn(ctx context.Context, tenantID string) (SingleSignOn, error) {
	return q.singleSignOn(ctx, ` LEFT JOIN single_sign_on s ON s.tenant_id = t.id WHERE t.id = $1`, tenantID)
}

// SingleSignOnForUpdate reads that of a tenant and keeps others from changing it.
func (tx SignInEditor) SingleSignOnForUpdate(ctx context.Context, tenantID string) (SingleSignOn, error) {
	if _, err := (Editor{Reader{tx.source}, tx.writer}).TenantForUpdate(ctx, tenantID); err != nil {
		return SingleSignOn{}, err
	}
	return tx.SingleSignOn(ctx, tenantID)
}

// SingleSignOnByCode finds that of an address where people begin.
func (q SignInReader) SingleSignOnByCode(ctx context.Context, code string) (s SingleSignOn, err error) {
	err = q.whose.Find(ctx, directory.SingleSignOn, code, func(tenantID string) (err error) {
		s, err = q.singleSignOn(ctx, ` JOIN single_sign_on s ON s.tenant_id = t.id WHERE s.tenant_id = $1 AND s.code = $2`, tenantID, code)
		return err
	})
	return s, err
}

func (q SignInReader) singleSignOn(ctx context.Context, where string, args ...any) (SingleSignOn, error) {
	s := SingleSignOn{Settings: drover.NewSSOSettings()}
	var text string
	err := q.db.QueryRowContext(ctx, `SELECT `+ssoColumns+where, args...).
		Scan(&s.TenantID, &s.ID, &s.Code, &text, &s.Sealed, &s.PasswordLogin, &s.TenantSuspended)
	if err = database.Found(err, "read single sign-on"); err != nil || text == "" {
		return s, err
	}
	if err := json.Unmarshal([]byte(text), &s.Settings); err != nil {
		return s, fmt.Errorf("read single sign-on: %w", err)
	}
	return s, nil
}

// SetSingleSignOn stores that of a tenant.
func (tx SignInEditor) SetSingleSignOn(ctx context.Context, s SingleSignOn) error {
	text, err := json.Marshal(s.Settings)
	if err != nil {
		return fmt.Errorf("set single sign-on: %w", err)
	}
	if err := directory.Drop(ctx, tx.tx, directory.SingleSignOn, `tenant_id = $1`, s.TenantID); err != nil {
		return err
	}
	if err := tx.name(ctx, directory.SingleSignOn, s.Code, s.TenantID); err != nil {
		return err
	}
	_, err = tx.tx.Write("single_sign_on").ExecContext(ctx, `INSERT INTO single_sign_on (tenant_id, id, code, settings, secret)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant_id) DO UPDATE SET code = excluded.code, settings = excluded.settings, secret = excluded.secret`,
		s.TenantID, s.ID, s.Code, string(text), s.Sealed)
	if err != nil {
		return fmt.Errorf("set single sign-on: %w", err)
	}
	_, err = tx.tx.Write("tenant").ExecContext(ctx, `UPDATE tenant SET password_login = $2 WHERE id = $1`, s.TenantID, s.PasswordLogin)
	if err != nil {
		return fmt.Errorf("set password login: %w", err)
	}
	return nil
}

// LoginByIdentity finds the user of a tenant who is known to a provider by a subject.
func (q SignInReader) LoginByIdentity(ctx context.Context, tenantID, issuer, subject string) (Login, error) {
	l, err := scanLogin(q.db.QueryRowContext(ctx, `SELECT `+loginColumns+loginTables+`
		JOIN user_identity i ON i.tenant_id = u.tenant_id AND i.user_id = u.id
		WHERE i.tenant_id = $1 AND i.issuer = $2 AND i.subject = $3`, tenantID, issuer, subject))
	return l, database.Found(err, "find user")
}

// Identified reports whether a user is known to a provider.
func (q SignInReader) Identified(ctx context.Context, u drover.User, issuer string) (known bool, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM user_identity WHERE tenant_id = $1 AND user_id = $2 AND issuer = $3)`,
		u.TenantID, u.ID, issuer).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("look for an identity: %w", err)
	}
	return known, nil
}

// AddIdentity notes who a user is at a provider. One that is another user's is ErrExists.
func (tx SignInEditor) AddIdentity(ctx context.Context, u drover.User, issuer, subject string, now drover.Time) error {
	_, err := tx.tx.Write("user_identity").ExecContext(ctx, `INSERT INTO user_identity (tenant_id, issuer, subject, user_id, created_at)
		VALUES ($1, $2, $3, $4, $5)`, u.TenantID, issuer, subject, u.ID, now)
	if tx.words.IsDuplicate(err) {
		return database.ErrExists
	}
	if err != nil {
		return fmt.Errorf("add identity: %w", err)
	}
	return nil
}

// SpendSignIn notes that a sign-in has come back. One that has before is ErrExists.
func (tx SignInEditor) SpendSignIn(ctx context.Context, tenantID, hash string, until drover.Time) error {
	_, err := tx.tx.Write("spent_sign_in").ExecContext(ctx, `INSERT INTO spent_sign_in (tenant_id, hash, expires_at) VALUES ($1, $2, $3)`,
		tenantID, hash, until)
	if tx.words.IsDuplicate(err) {
		return database.ErrExists
	}
	if err != nil {
		return fmt.Errorf("spend sign-in: %w", err)
	}
	return nil
}

// DropSpentSignIns forgets those that have run out before t.
func (tx SignInEditor) DropSpentSignIns(ctx context.Context, t drover.Time) error {
	return database.DropOld(ctx, tx.tx, tx.words, "spent_sign_in", "expires_at <", t)
}
