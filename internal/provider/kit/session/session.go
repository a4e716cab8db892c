// Package session keeps an adapter logged in at its vendor: it logs in once, uses the token until
// it expires, and renews it once if the vendor refuses it earlier. oauth.go has the grants of
// OAuth 2.0.
package session

import (
	"context"
	"sync"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
)

// Token is what a vendor hands out for a login.
type Token struct {
	Value string
	// Expires is when it runs out; zero: when the vendor refuses it.
	Expires time.Time
}

// early is how long before its end a token is no longer used: a call takes time,
// and clocks differ.
const early = 30 * time.Second

// Session holds a token between calls.
type Session struct {
	// Login gets a new token. Its error is final: it is of KindCredentials where
	// the vendor refuses the login.
	Login func(context.Context) (Token, error)
	Now   func() time.Time
	// Stale reports whether a call's error says that the token is no longer
	// good. Nil: every error of KindCredentials does.
	Stale func(error) bool

	mu    sync.Mutex
	token Token
}

// New makes a session of which every error of KindCredentials says that its token is
// no longer good.
func New(now func() time.Time, login func(context.Context) (Token, error)) *Session {
	return &Session{Login: login, Now: now}
}

// Do runs call with a token. Where the vendor refuses one that was used before,
// the session logs in again and call runs once more: a session may end at any
// time, but a fresh token that is refused means that a person must act.
func (s *Session) Do(ctx context.Context, call func(ctx context.Context, token string) error) error {
	token, fresh, err := s.current(ctx)
	if err != nil {
		return err
	}
	err = call(ctx, token)
	if err == nil || fresh || !s.stale(err) {
		return err
	}
	s.forget(token)
	if token, _, err = s.current(ctx); err != nil {
		return err
	}
	return call(ctx, token)
}

// Bearer runs call as Do does, with the token as an Authorization header.
func (s *Session) Bearer(ctx context.Context, call func(ctx context.Context, header string) error) error {
	return s.Do(ctx, func(ctx context.Context, token string) error { return call(ctx, "Bearer "+token) })
}

// current returns the token, and whether it was made just now.
func (s *Session) current(ctx context.Context) (token string, fresh bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.token
	if t.Value != "" && (t.Expires.IsZero() || s.Now().Before(t.Expires.Add(-early))) {
		return t.Value, false, nil
	}
	t, err = s.Login(ctx)
	if err != nil {
		return "", false, err
	}
	s.token = t
	return t.Value, true, nil
}

func (s *Session) forget(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token.Value == token {
		s.token = Token{}
	}
}

func (s *Session) stale(err error) bool {
	if s.Stale != nil {
		return s.Stale(err)
	}
	return provider.KindOf(err) == provider.KindCredentials
}
