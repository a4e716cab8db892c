package account

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store/database"
)

// SessionState is a session and whether its user may still act.
type SessionState struct {
	drover.Session
	// CookieHash is that of a session of the console; empty for one of tokens.
	CookieHash string
	Username   string
	Role       drover.Role
	Disabled   bool // the user is disabled or its tenant suspended
	// SecondFactor says that the user has one, Rule whose is required.
	SecondFactor bool
	Rule         drover.FactorRule
}

// Session reads a session with the state of its user.
func (q SignInReader) Session(ctx context.Context, tenantID, id string) (SessionState, error) {
	var s SessionState
	if !drover.IsID(tenantID) || !drover.IsID(id) {
		return s, database.ErrNotFound
	}
	var rule string
	err := q.db.QueryRowContext(ctx, `SELECT s.id, s.tenant_id, s.user_id, s.created_at, s.expires_at, s.revoked_at, s.ends_at, s.logout_url, s.factor_at,
			COALESCE(s.cookie_hash, ''), u.username, u.role, (u.disabled OR t.suspended), u.second_factor, COALESCE(t.factor_rule, '')
		FROM session s
		JOIN account_user u ON u.tenant_id = s.tenant_id AND u.id = s.user_id
		JOIN tenant t ON t.id = s.tenant_id
		WHERE s.tenant_id = $1 AND s.id = $2`, tenantID, id).
		Scan(&s.ID, &s.TenantID, &s.UserID, &s.CreatedAt, &s.ExpiresAt, &s.RevokedAt, &s.EndsAt, &s.LogoutURL, &s.FactorAt,
			&s.CookieHash, &s.Username, &s.Role, &s.Disabled, &s.SecondFactor, &rule)
	if err == nil {
		s.Rule, err = readRule(rule)
	}
	return s, database.Found(err, "read session")
}

// OtherSession reports whether a session is another tenant's.
func (q SignInReader) OtherSession(ctx context.Context, tenantID, id string) (bool, error) {
	return q.foreign(ctx, `SELECT EXISTS (SELECT 1 FROM session WHERE tenant_id <> $1 AND id = $2)`, tenantID, id)
}

// Sessions lists a user's sessions that have not ended, oldest first.
func (q SignInReader) Sessions(ctx context.Context, u drover.User, now drover.Time) ([]SessionState, error) {
	rows, err := q.db.QueryContext(ctx, `SELECT s.id, s.tenant_id, s.user_id, s.created_at, s.expires_at, s.revoked_at, COALESCE(s.cookie_hash, '')
		FROM session s WHERE s.tenant_id = $1 AND s.user_id = $2 AND s.revoked_at IS NULL AND s.expires_at > $3 ORDER BY s.id`, u.TenantID,
		u.ID, now)
	return database.ReadAll(rows, err, "list sessions", func(row database.Scanner) (SessionState, error) {
		var s SessionState
		return s, row.Scan(&s.ID, &s.TenantID, &s.UserID, &s.CreatedAt, &s.ExpiresAt, &s.RevokedAt, &s.CookieHash)
	})
}

// RevokeOtherSessions ends all sessions of a user but one.
func (tx SignInEditor) RevokeOtherSessions(ctx context.Context, u drover.User, keep string, now drover.Time) error {
	_, err := tx.tx.Write("session").ExecContext(ctx, `UPDATE session SET revoked_at = $4 WHERE tenant_id = $1 AND user_id = $2 AND id <> $3 AND revoked_at IS NULL`, u.TenantID, u.ID, keep, now)
	if err != nil {
		return fmt.Errorf("revoke sessions: %w", err)
	}
	return tx.bumpAuthVersion(ctx)
}

// AddSession stores a new session; cookieHash is empty for one of tokens.
func (tx SignInEditor) AddSession(ctx context.Context, s drover.Session, cookieHash string) error {
	_, err := tx.tx.Write("session").ExecContext(ctx, `INSERT INTO session
		(tenant_id, id, user_id, created_at, expires_at, cookie_hash, ends_at, logout_url, factor_at)
		VALUES ($1, $2, $3, $4, $5, NULLIF($6, ''), $7, $8, $9)`, s.TenantID, s.ID, s.UserID, s.CreatedAt, s.ExpiresAt, cookieHash, s.EndsAt,
		s.LogoutURL, s.FactorAt)
	if err != nil {
		return fmt.Errorf("add session: %w", err)
	}
	return nil
}

// ExtendSession moves a session's end.
func (tx SignInEditor) ExtendSession(ctx context.Context, tenantID, id string, until drover.Time) error {
	_, err := tx.tx.Write("session").ExecContext(ctx, `UPDATE session SET expires_at = $3 WHERE tenant_id = $1 AND id = $2 AND expires_at < $3`, tenantID, id, until)
	if err != nil {
		return fmt.Errorf("extend session: %w", err)
	}
	return nil
}

// RevokeSession ends a session.
func (tx SignInEditor) RevokeSession(ctx context.Context, tenantID, id string, now drover.Time) error {
	return tx.revoke(ctx, `id`, tenantID, id, now)
}

// RevokeSessions ends all sessions of a user.
func (tx SignInEditor) RevokeSessions(ctx context.Context, u drover.User, now drover.Time) error {
	return tx.revoke(ctx, `user_id`, u.TenantID, u.ID, now)
}

func (tx SignInEditor) revoke(ctx context.Context, column, tenantID, id string, now drover.Time) error {
	_, err := tx.tx.Write("session").ExecContext(ctx, `UPDATE session SET revoked_at = $3 WHERE tenant_id = $1 AND `+column+
		` = $2 AND revoked_at IS NULL`, tenantID, id, now)
	if err != nil {
		return fmt.Errorf("revoke sessions: %w", err)
	}
	return tx.bumpAuthVersion(ctx)
}

// DropSessions forgets the sessions that ended before t.
func (tx SignInEditor) DropSessions(ctx context.Context, t drover.Time) error {
	return database.DropOld(ctx, tx.tx, tx.words, "session", "expires_at <", t)
}
