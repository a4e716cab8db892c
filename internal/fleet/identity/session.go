package identity

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
)

// Tokens is what a login or a refresh returns.
type Tokens struct {
	AccessToken  string
	RefreshToken string
	ExpiresIn    int
	Subject      string
}

// Credentials are what someone logs in with. Name is a username or an e-mail address, Code
// or Passkey the second factor, empty where none was sent.
type Credentials struct {
	Name, Password, Code string
	Passkey              *drover.PasskeyProof
}

// LogIn checks credentials and opens a session; addr is where the request comes from.
func (s *Directory) LogIn(ctx context.Context, addr string, sent Credentials) (Tokens, error) {
	user, err := s.checkLogin(ctx, addr, sent)
	if err != nil {
		return Tokens{}, err
	}
	session := s.loginSession(user, s.refreshLifetime)
	if err := s.guard.Update(ctx, principalOf(user, session.ID),
		func(tx *store.Tx) error { return tx.SignIn.AddSession(ctx, session, "") }); err != nil {
		return Tokens{}, err
	}
	return s.issue(session)
}

// checkLogin finds the user that credentials belong to. The second factor is asked for once
// the password is known to be right: all is sent in one request, so that no one is ever half
// signed in.
func (s *Directory) checkLogin(ctx context.Context, addr string, sent Credentials) (account.Login, error) {
	user, err := s.store.Accounts.LoginByName(ctx, sent.Name)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return user, err
	}
	if !user.PasswordLogin { // no password is the right one, in the same time
		user.PasswordHash = ""
	}
	// Failures with the name and with the address of a user are counted together.
	ok, err := s.login.Check(ctx, addr, cmp.Or(user.ID, account.NormalName(sent.Name)), user.PasswordHash, sent.Password)
	if err != nil {
		return user, err
	}
	if !ok {
		if err := s.auditLogin(ctx, user); err != nil {
			return user, err
		}
		return user, drover.Errorf(drover.KindUnauthenticated, "Invalid username or password")
	}
	if user.Disabled || user.TenantSuspended {
		return user, errors.Join(drover.Forbidden(), s.auditLogin(ctx, user))
	}
	return user, s.checkFactor(ctx, addr, user, sent)
}

// auditLogin writes down that a login was refused. For a name that no one has
// something else is written: the time of an answer must not tell which there are.
func (s *Directory) auditLogin(ctx context.Context, user account.Login) error {
	if user.ID == "" {
		return s.store.ProbeWrite(ctx, s.now())
	}
	return s.AuditRefusal(ctx, principalOf(user, ""))
}

func principalOf(user account.Login, sessionID string) drover.Principal {
	return drover.Principal{TenantID: user.TenantID, UserID: user.ID, SessionID: sessionID, Name: user.Username, Role: user.Role}
}

func (s *Directory) newSession(user account.Login, lifetime time.Duration) drover.Session {
	now := s.now()
	return drover.Session{ID: store.NewID(), TenantID: user.TenantID, UserID: user.ID, CreatedAt: now, ExpiresAt: drover.At(now.Add(lifetime))}
}

// issue signs both tokens of a session.
func (s *Directory) issue(session drover.Session) (Tokens, error) {
	t := Tokens{ExpiresIn: int(s.accessLifetime.Seconds()), Subject: session.UserID}
	issued := s.clock().Unix()
	claims := auth.Claims{
		Subject: session.UserID, TenantID: session.TenantID, SessionID: session.ID,
		IssuedAt: issued, ExpiresAt: issued + int64(t.ExpiresIn), TokenID: store.NewID(), Type: auth.Access,
	}
	var err error
	if t.AccessToken, err = s.vault.Tokens().Sign(claims); err != nil {
		return Tokens{}, err
	}
	claims.Type, claims.TokenID = auth.Refresh, store.NewID()
	claims.ExpiresAt = issued + int64(s.refreshLifetime.Seconds())
	t.RefreshToken, err = s.vault.Tokens().Sign(claims)
	return t, err
}

// Refresh gives a session new tokens. The refresh token used stays valid until
// its own expiry, so that a client which ignores the new one goes on working.
func (s *Directory) Refresh(ctx context.Context, addr, subject, token string) (Tokens, error) {
	if err := s.throttle.Allow(addr, refreshThrottle+subject); err != nil {
		return Tokens{}, err
	}
	invalid := drover.Errorf(drover.KindUnauthenticated, "Invalid Refresh Token")
	claims, err := s.vault.VerifyRefresh(ctx, token, s.clock())
	if err != nil && drover.ErrorKind(err) == drover.KindInternal {
		return Tokens{}, err
	}
	if err != nil || claims.Subject != subject {
		s.throttle.Fail(addr, refreshThrottle+subject)
		return Tokens{}, invalid
	}
	session, err := s.session(ctx, claims)
	if err != nil {
		if kind := drover.ErrorKind(err); kind == drover.KindUnauthenticated || kind == drover.KindForbidden {
			return Tokens{}, invalid
		}
		return Tokens{}, err
	}
	until := drover.At(s.now().Add(s.refreshLifetime))
	err = s.store.Update(ctx, func(tx *store.Tx) error { return tx.SignIn.ExtendSession(ctx, session.TenantID, session.ID, until) })
	if err != nil {
		return Tokens{}, err
	}
	return s.issue(session.Session)
}

// refreshThrottle keeps failed refreshes apart from failed logins of a user
// whose name happens to be the same.
const refreshThrottle = "refresh:"

// LogOut ends the caller's session: all its tokens are refused from now on. A key
// has none.
func (s *Directory) LogOut(ctx context.Context, p drover.Principal) error {
	if err := guard.Person(p); err != nil {
		return err
	}
	err := s.guard.Update(ctx, p, func(tx *store.Tx) error { return tx.SignIn.RevokeSession(ctx, p.TenantID, p.SessionID, s.now()) })
	if err != nil {
		return err
	}
	return s.vault.Refresh(ctx)
}

// Remembered tells who sent an Authorization header whose token was looked at before,
// where nothing has changed since. It asks no one, and so waits for nothing. Keys that
// are bound to networks are left to Authenticate. Tenant is the one that an operator acts
// in; empty for all others.
func (s *Directory) Remembered(header, tenant string) (drover.Principal, bool) {
	token, err := auth.Bearer(header)
	if err != nil {
		return drover.Principal{}, false
	}
	if tenant != "" {
		k, ok := s.acting.get(actingName(token, tenant), s.vault.Version(), s.clock())
		return k.principal, ok
	}
	k, ok := s.known.get(token, s.vault.Version(), s.clock())
	return k.principal, ok && len(k.networks) == 0
}

// Authenticate tells who sent an Authorization header, from memory where the
// token has been looked at and nothing has changed since. Tenant is the one that an
// operator acts in; empty for all others.
func (s *Directory) Authenticate(ctx context.Context, header, tenant string) (drover.Principal, error) {
	token, err := auth.Bearer(header)
	if err != nil {
		return drover.Principal{}, err
	}
	if strings.HasPrefix(token, drover.OperatorKeyPrefix) {
		return s.act(ctx, token, tenant)
	}
	if tenant != "" {
		return drover.Principal{}, ErrOperatorHeader()
	}
	if strings.HasPrefix(token, drover.APIKeyPrefix) {
		return s.authenticateKey(ctx, token)
	}
	version, now := s.vault.Version(), s.clock()
	if k, ok := s.known.get(token, version, now); ok {
		return k.principal, nil
	}
	claims, err := s.vault.VerifyAccess(ctx, token, now)
	if err != nil {
		return drover.Principal{}, err
	}
	session, err := s.session(ctx, claims)
	if err != nil {
		return drover.Principal{}, err
	}
	p, whole, err := s.entered(ctx, session)
	if err != nil || !whole {
		return p, err
	}
	until := time.Unix(claims.ExpiresAt, 0)
	if change, ok := s.vault.Tokens().NextEnd(now); ok && change.Before(until) {
		until = change
	}
	s.known.put(token, version, knownToken{principal: p, until: until})
	return p, nil
}

// ErrOperatorHeader refuses a caller of a tenant who names one: it would not be heard, and
// must not think that it was.
func ErrOperatorHeader() *drover.Error {
	return drover.Errorf(drover.KindMalformed, drover.TenantHeader+" is for operator keys: other callers have one tenant")
}

// session reads the session that a token belongs to.
func (s *Directory) session(ctx context.Context, claims auth.Claims) (account.SessionState, error) {
	session, err := s.store.SignIn.Session(ctx, claims.TenantID, claims.SessionID)
	if errors.Is(err, store.ErrNotFound) {
		return session, auth.ErrUnauthenticated()
	}
	if err != nil {
		return session, err
	}
	if session.RevokedAt != nil || session.UserID != claims.Subject || session.TenantID != claims.TenantID || session.CookieHash != "" {
		return session, auth.ErrUnauthenticated()
	}
	if session.Disabled { // the token is good, and its user no longer
		return session, drover.Forbidden()
	}
	return session, nil
}

// knownTokens holds what was found good, of one place of a request, for as long as the
// vault's version stays the same: whatever could end a session changes it.
type knownTokens struct {
	mu      sync.RWMutex
	version int64
	entries map[string]knownToken
}

// knownToken is good until its own end, or that of a key.
type knownToken struct {
	principal drover.Principal
	until     time.Time
	networks  []netip.Prefix // those that an API key may be used from; none is all
}

// maxKnown bounds the memory of the cache, at some 700 bytes each.
const maxKnown = 10_000

func newKnownTokens() *knownTokens { return &knownTokens{entries: map[string]knownToken{}} }

func (c *knownTokens) get(token string, version int64, now time.Time) (knownToken, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.version != version {
		return knownToken{}, false
	}
	k, ok := c.entries[token]
	return k, ok && now.Before(k.until)
}

func (c *knownTokens) put(token string, version int64, k knownToken) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if version < c.version {
		return
	}
	if version > c.version || len(c.entries) >= maxKnown {
		clear(c.entries)
		c.version = version
	}
	// The header that the token is part of need not live as long.
	c.entries[strings.Clone(token)] = k
}
