package identity

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

const (
	// consoleIdle is how long a session of the console lasts without a request.
	consoleIdle = 12 * time.Hour
	// ConsoleLifetime is how long it lasts in all.
	ConsoleLifetime = 30 * 24 * time.Hour
	// consoleLook is how often a session in use is looked at, and moved on.
	consoleLook = 5 * time.Minute
)

// OpenConsole checks credentials and opens a session of the console. The cookie is
// all that proves it: the session's name and a secret, of which a hash is stored.
func (s *Directory) OpenConsole(ctx context.Context, addr string, sent Credentials) (p drover.Principal, cookie string, err error) {
	user, err := s.checkLogin(ctx, addr, sent)
	if err != nil {
		return p, "", err
	}
	return s.openConsole(ctx, user, s.loginSession(user, consoleIdle))
}

// openConsole opens a session of the console for a user who has proved to be one.
func (s *Directory) openConsole(
	ctx context.Context, user account.Login, session drover.Session,
) (p drover.Principal, cookie string, err error) {
	secret := rand.Text()
	p = principalOf(user, session.ID)
	err = s.guard.Update(ctx, p, func(tx *store.Tx) error { return tx.SignIn.AddSession(ctx, session, auth.HashSecret(secret)) })
	cookie = base64.RawURLEncoding.EncodeToString([]byte(session.TenantID + "." + session.ID + "." + secret))
	return p, cookie, err
}

// AuthenticateCookie tells whose a cookie of the console is. A session in use moves
// its end on.
func (s *Directory) AuthenticateCookie(ctx context.Context, cookie string) (drover.Principal, error) {
	version, now := s.vault.Version(), s.clock()
	if k, ok := s.cookies.get(cookie, version, now); ok {
		return k.principal, nil
	}
	session, err := s.consoleSession(ctx, cookie)
	if err != nil {
		return drover.Principal{}, err
	}
	until := endOf(session.EndsAt, session.CreatedAt.Add(ConsoleLifetime))
	if idle := now.Add(consoleIdle); idle.Before(until) {
		until = idle
	}
	if until.Sub(session.ExpiresAt.Time) > consoleLook {
		err := s.store.Update(ctx, func(tx *store.Tx) error {
			return tx.SignIn.ExtendSession(ctx, session.TenantID, session.ID, drover.At(until))
		})
		if err != nil {
			return drover.Principal{}, err
		}
	}
	p, whole, err := s.entered(ctx, session)
	if err != nil || !whole {
		return p, err
	}
	if look := now.Add(consoleLook); look.Before(until) {
		until = look
	}
	s.cookies.put(cookie, version, knownToken{principal: p, until: until})
	return p, nil
}

// consoleSession finds the session that a cookie proves.
func (s *Directory) consoleSession(ctx context.Context, cookie string) (account.SessionState, error) {
	text, err := base64.RawURLEncoding.DecodeString(cookie)
	parts := strings.Split(string(text), ".")
	if err != nil || len(parts) != 3 {
		return account.SessionState{}, auth.ErrUnauthenticated()
	}
	session, err := s.store.SignIn.Session(ctx, parts[0], parts[1])
	if errors.Is(err, store.ErrNotFound) {
		return session, auth.ErrUnauthenticated()
	}
	if err != nil {
		return session, err
	}
	if subtle.ConstantTimeCompare([]byte(session.CookieHash), []byte(auth.HashSecret(parts[2]))) != 1 ||
		session.RevokedAt != nil || !s.clock().Before(session.ExpiresAt.Time) {
		return session, auth.ErrUnauthenticated()
	}
	if session.Disabled {
		return session, drover.Forbidden()
	}
	return session, nil
}

// Profile tells a caller who it is, and what it may do.
func (s *Directory) Profile(ctx context.Context, p drover.Principal) (drover.Profile, error) {
	tenant, err := s.store.Accounts.Tenant(ctx, p.TenantID)
	if err != nil {
		return drover.Profile{}, err
	}
	profile := drover.Profile{
		Tenant: drover.TenantName{ID: tenant.ID, Name: tenant.Name}, Permissions: p.Permissions(),
		Preferences: json.RawMessage(`{}`),
	}
	if p.Role != "" {
		profile.Role = &p.Role
	}
	if p.Operates() {
		return profile, nil
	}
	if p.Key {
		key, err := s.store.SignIn.APIKey(ctx, p.TenantID, p.UserID)
		profile.APIKey = &key
		return profile, err
	}
	user, preferences, err := s.store.Accounts.UserProfile(ctx, p.TenantID, p.UserID)
	if err != nil {
		return profile, err
	}
	profile.User, profile.Preferences = &user, json.RawMessage(preferences)
	session, err := s.store.SignIn.Session(ctx, p.TenantID, p.SessionID)
	if step := stepOf(session); step != "" {
		profile.FactorStep = &step
	}
	return profile, err
}
