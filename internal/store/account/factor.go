package account

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/directory"
)

// TOTP is the authenticator app of a user.
type TOTP struct {
	TenantID, UserID string
	Sealed           []byte       // its secret
	ConfirmedAt      *drover.Time // nil until the user has shown a code of it
	LastStep         int64        // that of the last code that was accepted
	Failures         int          // the wrong codes since
}

// Bind names what the sealed secret belongs to.
func (t TOTP) Bind() []string { return []string{t.TenantID, t.UserID} }

const selectTOTP = `SELECT tenant_id, id, secret, confirmed_at, last_step, failures FROM totp WHERE tenant_id = $1 AND id = $2`

func scanTOTP(row database.Scanner) (TOTP, error) {
	var t TOTP
	err := row.Scan(&t.TenantID, &t.UserID, &t.Sealed, &t.ConfirmedAt, &t.LastStep, &t.Failures)
	return t, database.Found(err, "read the authenticator app")
}

// TOTP reads that of a user, confirmed or not.
func (q SignInReader) TOTP(ctx context.Context, tenantID, userID string) (TOTP, error) {
	return scanTOTP(q.db.QueryRowContext(ctx, selectTOTP, tenantID, userID))
}

// TOTPForUpdate reads that of a user and keeps others from using it until the transaction
// ends, so that of two who show one code a single one is let in.
func (tx SignInEditor) TOTPForUpdate(ctx context.Context, tenantID, userID string) (TOTP, error) {
	return scanTOTP(tx.db.QueryRowContext(ctx, selectTOTP+tx.words.ForUpdate(), tenantID, userID))
}

// SetTOTP stores that of a user.
func (tx SignInEditor) SetTOTP(ctx context.Context, t TOTP) error {
	_, err := tx.tx.Write("totp").ExecContext(ctx, `INSERT INTO totp (tenant_id, id, secret, confirmed_at, last_step, failures)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant_id, id) DO UPDATE SET secret = excluded.secret,
		confirmed_at = excluded.confirmed_at, last_step = excluded.last_step, failures = excluded.failures`,
		t.TenantID, t.UserID, t.Sealed, t.ConfirmedAt, t.LastStep, t.Failures)
	if err != nil {
		return fmt.Errorf("set the authenticator app: %w", err)
	}
	return nil
}

// CountCode notes a code that was tried: the step of one that was accepted, or a failure.
func (tx SignInEditor) CountCode(ctx context.Context, t TOTP) error {
	_, err := tx.tx.Write("totp").ExecContext(ctx, `UPDATE totp SET last_step = $3, failures = $4 WHERE tenant_id = $1 AND id = $2`,
		t.TenantID, t.UserID, t.LastStep, t.Failures)
	if err != nil {
		return fmt.Errorf("count a code: %w", err)
	}
	return nil
}

// RecoveryCodes is how many a user has left.
func (q SignInReader) RecoveryCodes(ctx context.Context, tenantID, userID string) (n int, err error) {
	err = q.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM recovery_code WHERE tenant_id = $1 AND user_id = $2`, tenantID, userID).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count recovery codes: %w", err)
	}
	return n, nil
}

// SetRecoveryCodes replaces those of a user.
func (tx SignInEditor) SetRecoveryCodes(ctx context.Context, u drover.User, hashes []string) error {
	if err := tx.dropRecoveryCodes(ctx, u); err != nil {
		return err
	}
	for _, hash := range hashes {
		_, err := tx.tx.Write("recovery_code").ExecContext(ctx, `INSERT INTO recovery_code (tenant_id, user_id, hash) VALUES ($1, $2, $3)`,
			u.TenantID, u.ID, hash)
		if err != nil {
			return fmt.Errorf("add a recovery code: %w", err)
		}
	}
	return nil
}

func (tx SignInEditor) dropRecoveryCodes(ctx context.Context, u drover.User) error {
	_, err := tx.tx.Write("recovery_code").ExecContext(ctx, `DELETE FROM recovery_code WHERE tenant_id = $1 AND user_id = $2`, u.TenantID,
		u.ID)
	if err != nil {
		return fmt.Errorf("drop recovery codes: %w", err)
	}
	return nil
}

// SpendRecoveryCode uses one up, and reports whether the user had it.
func (tx SignInEditor) SpendRecoveryCode(ctx context.Context, u drover.User, hash string) (bool, error) {
	res, err := tx.tx.Write("recovery_code").ExecContext(ctx, `DELETE FROM recovery_code WHERE tenant_id = $1 AND user_id = $2 AND hash = $3`,
		u.TenantID, u.ID, hash)
	if err != nil {
		return false, fmt.Errorf("spend a recovery code: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// SetSecondFactor notes whether a user has one. All that asks for it sees that within a
// second.
func (tx SignInEditor) SetSecondFactor(ctx context.Context, u drover.User, has bool) error {
	_, err := tx.tx.Write("account_user").ExecContext(ctx, `UPDATE account_user SET second_factor = $3 WHERE tenant_id = $1 AND id = $2`,
		u.TenantID, u.ID, has)
	if err != nil {
		return fmt.Errorf("note the second factor: %w", err)
	}
	return tx.bumpAuthVersion(ctx)
}

// DropSecondFactor takes all of it from a user, also what is not confirmed.
func (tx SignInEditor) DropSecondFactor(ctx context.Context, u drover.User) error {
	if _, err := tx.tx.Write("totp").ExecContext(ctx, `DELETE FROM totp WHERE tenant_id = $1 AND id = $2`, u.TenantID, u.ID); err != nil {
		return fmt.Errorf("drop the authenticator app: %w", err)
	}
	if err := directory.Drop(ctx, tx.tx, directory.Passkey, `tenant_id = $1 AND user_id = $2`, u.TenantID, u.ID); err != nil {
		return err
	}
	if _, err := tx.tx.Write("passkey").ExecContext(ctx, `DELETE FROM passkey WHERE tenant_id = $1 AND user_id = $2`, u.TenantID,
		u.ID); err != nil {
		return fmt.Errorf("drop passkeys: %w", err)
	}
	if err := tx.dropRecoveryCodes(ctx, u); err != nil {
		return err
	}
	return tx.SetSecondFactor(ctx, u, false)
}

// ConfirmSession notes that the second factor was shown in a session.
func (tx SignInEditor) ConfirmSession(ctx context.Context, tenantID, id string, now drover.Time) error {
	_, err := tx.tx.Write("session").ExecContext(ctx, `UPDATE session SET factor_at = $3 WHERE tenant_id = $1 AND id = $2`, tenantID, id, now)
	if err != nil {
		return fmt.Errorf("confirm session: %w", err)
	}
	return nil
}

// FactorRule reads whose second factor a tenant requires.
func (q SignInReader) FactorRule(ctx context.Context, tenantID string) (drover.FactorRule, error) {
	var text string
	err := q.db.QueryRowContext(ctx, `SELECT COALESCE(factor_rule, '') FROM tenant WHERE id = $1`, tenantID).Scan(&text)
	if err != nil {
		return drover.FactorRule{}, database.Found(err, "read whose second factor is required")
	}
	return readRule(text)
}

func readRule(text string) (drover.FactorRule, error) {
	rule := drover.FactorRule{RequiredRoles: []drover.Role{}}
	if text == "" {
		return rule, nil
	}
	if err := json.Unmarshal([]byte(text), &rule); err != nil {
		return rule, fmt.Errorf("read whose second factor is required: %w", err)
	}
	return rule, nil
}

// SetFactorRule stores whose second factor a tenant requires.
func (tx SignInEditor) SetFactorRule(ctx context.Context, tenantID string, rule drover.FactorRule) error {
	text, err := json.Marshal(rule)
	if err == nil {
		_, err = tx.tx.Write("tenant").ExecContext(ctx, `UPDATE tenant SET factor_rule = $2 WHERE id = $1`, tenantID, string(text))
	}
	if err != nil {
		return fmt.Errorf("set whose second factor is required: %w", err)
	}
	return tx.bumpAuthVersion(ctx)
}
