// Package identity authenticates callers: logins, sessions of tokens and of the console, API keys,
// single sign-on and second factors. It also has the use cases of users and of the audit log.
package identity

import (
	"context"
	"net/http"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/store"
)

// Options are what a Directory works with.
type Options struct {
	Store    *store.Store
	Vault    *vault.Vault
	Guard    *guard.Guard
	Login    *auth.Login
	Throttle *auth.Throttle
	Hasher   *auth.Hasher
	Now      func() time.Time
	// PublicURL is the address under which people reach the service; empty where it is not
	// known.
	PublicURL string
	// CheckURL refuses a URL that must not be called; nil refuses none.
	CheckURL func(ctx context.Context, url string) error
	// Issuers sends requests to the providers that people sign in at; it is guarded.
	Issuers http.RoundTripper

	AccessTokenLifetime  time.Duration
	RefreshTokenLifetime time.Duration
}

// Directory knows those who may call, and manages them. It is safe for concurrent use.
type Directory struct {
	store           *store.Store
	vault           *vault.Vault
	guard           *guard.Guard
	login           *auth.Login
	throttle        *auth.Throttle
	hasher          *auth.Hasher
	clock           func() time.Time
	publicURL       string
	checkURL        func(ctx context.Context, url string) error
	issuers         *http.Client
	accessLifetime  time.Duration
	refreshLifetime time.Duration
	// known are tokens and API keys of an Authorization header, cookies those of the
	// console: what passes in one place must not pass in the other.
	known, cookies *knownTokens
	// operators are keys of the operator, and acting such keys with a tenant.
	operators, acting *knownTokens
}

// New makes a Directory.
func New(o Options) *Directory {
	return &Directory{
		store: o.Store, vault: o.Vault, guard: o.Guard, login: o.Login, throttle: o.Throttle, hasher: o.Hasher, clock: o.Now,
		accessLifetime: o.AccessTokenLifetime, refreshLifetime: o.RefreshTokenLifetime, known: newKnownTokens(), cookies: newKnownTokens(),
		operators: newKnownTokens(), acting: newKnownTokens(),
		publicURL: o.PublicURL, checkURL: o.CheckURL, issuers: issuerClient(o.Issuers),
	}
}

func (s *Directory) now() drover.Time { return drover.At(s.clock()) }
