package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// Endpoint is the token endpoint of an OAuth 2.0 server.
type Endpoint struct {
	HTTP provider.Doer
	URL  string
	Now  func() time.Time
	// ClientID and ClientSecret go out as HTTP Basic credentials. Servers that
	// want them in the form get them there, from the adapter, and these stay
	// empty.
	ClientID     string
	ClientSecret string
	// Find finds the access token in an answer, for servers that do not call it so.
	Find func(answer []byte) string
}

// Grant is an answer of a token endpoint.
type Grant struct {
	Token
	// Refresh is the new refresh token; empty where the old one stays good.
	Refresh string
}

// Request asks for a token with the given form. A refusal is of KindCredentials:
// a token endpoint has nothing else to refuse.
func (e Endpoint) Request(ctx context.Context, form url.Values) (Grant, error) {
	req, err := wire.PostForm(ctx, e.URL, form)
	if err != nil {
		return Grant{}, err
	}
	if e.ClientID != "" {
		req.SetBasicAuth(e.ClientID, e.ClientSecret)
	}
	return e.Send(req)
}

// Password asks for a token with the name and the password of a user.
func (e Endpoint) Password(ctx context.Context, name, password, scope string) (Token, error) {
	grant, err := e.Request(ctx, url.Values{
		"grant_type": {"password"}, "username": {name}, "password": {password}, "scope": {scope},
	})
	return grant.Token, err
}

// Send asks with a request of the adapter's own making, for servers that take
// JSON or want further headers.
func (e Endpoint) Send(req *http.Request) (Grant, error) {
	var answer struct {
		AccessToken  string      `json:"access_token"`
		RefreshToken string      `json:"refresh_token"`
		ExpiresIn    wire.Number `json:"expires_in"`
		Error        any         `json:"error"`
	}
	var raw json.RawMessage
	if err := outbound.JSON(req.Context(), e.HTTP, req, &raw); err != nil {
		return Grant{}, refusal(err)
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return Grant{}, provider.Errorf(provider.KindTemporary, "the answer of the token endpoint could not be read")
	}
	if e.Find != nil {
		answer.AccessToken = e.Find(raw)
	}
	if answer.AccessToken == "" && refuses(answer.Error) {
		return Grant{}, provider.Errorf(provider.KindCredentials, "the vendor refuses to give an access token")
	}
	if answer.AccessToken == "" {
		return Grant{}, provider.Errorf(provider.KindTemporary, "the token endpoint gave no access token")
	}
	grant := Grant{Token: Token{Value: answer.AccessToken}, Refresh: answer.RefreshToken}
	if seconds := answer.ExpiresIn.Or(0); seconds > 0 {
		grant.Expires = e.Now().Add(time.Duration(seconds * float64(time.Second)))
	}
	return grant, nil
}

// refuses reports whether code is one of the standard's for a request that will
// never be granted: some servers answer with it and status 200.
func refuses(code any) bool {
	switch code {
	case "invalid_client", "invalid_grant", "invalid_request", "invalid_scope",
		"unauthorized_client", "unsupported_grant_type", "access_denied":
		return true
	default:
		return false
	}
}

// refusal turns the statuses with which token endpoints refuse into
// KindCredentials; 400 is the one that the standard names.
func refusal(err error) error {
	status, ok := errors.AsType[*provider.StatusError](err)
	if !ok {
		return fmt.Errorf("get an access token: %w", err)
	}
	switch status.Status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden:
		return provider.Errorf(provider.KindCredentials, "the vendor refuses to give an access token: %w", status)
	default:
		return fmt.Errorf("get an access token: %w", err)
	}
}

// NoConsent is the error of a connection that no one has agreed to yet.
func NoConsent() error {
	return provider.Errorf(provider.KindCredentials, "no one has agreed to the access yet: run drover connection authorize")
}

// RefreshField is the credential that holds a refresh token.
const RefreshField = "refresh_token"

// Refreshing returns a Login that trades the connection's refresh token for an
// access token, and keeps the new refresh token where the vendor gives one. grant
// is called with the newest credentials, while no other process renews the same.
func Refreshing(
	store provider.TokenStore,
	grant func(ctx context.Context, current provider.Credentials) (Grant, error),
) func(context.Context) (Token, error) {
	return func(ctx context.Context) (Token, error) {
		var got Grant
		_, err := store.Exchange(ctx, func(ctx context.Context, current provider.Credentials) (provider.Credentials, error) {
			var err error
			if got, err = grant(ctx, current); err != nil {
				return nil, err
			}
			if got.Refresh == "" || got.Refresh == current[RefreshField] {
				return current, nil
			}
			renewed := maps.Clone(current)
			renewed[RefreshField] = got.Refresh
			return renewed, nil
		})
		return got.Token, err
	}
}
