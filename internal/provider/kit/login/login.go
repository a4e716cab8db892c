// Package login authenticates with servers of a standard that leaves the login open: each
// connection chooses the method. Adapters of one vendor know theirs.
package login

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/session"
)

// The ways to authenticate.
const (
	basic  = "basic"
	bearer = "bearer"
	oauth  = "oauth"
	header = "header"
)

// The credentials of each way.
const (
	wayField      = "authentication"
	usernameField = "username"
	passwordField = "password"
	tokenField    = "access_token"
	addressField  = "oauth_url"
	scopeField    = "scope"
	nameField     = "header_name"
	keyField      = "api_key"
)

// Fields are the credentials, that of the server's address first.
func Fields() []provider.Field {
	return []provider.Field{
		{Name: provider.BaseURLField, Title: "Server address", Required: true, Help: "Address that stands before the resources of the standard."},
		{
			Name: wayField, Title: "Authentication", Default: basic, Options: []string{basic, bearer, oauth, header},
			Help: "basic with a user name and a password, bearer with a fixed token, oauth with client credentials, header with a key.",
		},
		{Name: usernameField, Account: true, Title: "User name", Help: "For basic."},
		{Name: passwordField, Title: "Password", Secret: true, Help: "For basic."},
		{Name: tokenField, Title: "Token", Secret: true, Help: "For bearer: a token that does not run out."},
		{Name: addressField, Title: "Address of access tokens", Address: true, Help: "For oauth: where client credentials are traded for an access token."},
		{Name: provider.ClientIDField, Title: "Client id", Help: "For oauth."},
		{Name: provider.ClientSecretField, Title: "Client secret", Secret: true, Help: "For oauth."},
		{Name: scopeField, Title: "Scopes", Help: "For oauth, separated by blanks, where the server wants any."},
		{Name: nameField, Title: "Name of the header", Help: "For header: the one that carries the key, such as X-Api-Key."},
		{Name: keyField, Title: "Key", Secret: true, Help: "For header."},
	}
}

// Login is how the calls of a connection are authenticated: with the value of an
// Authorization header, which is empty where HTTP adds another one.
type Login struct {
	HTTP      provider.Doer
	Authorize func(ctx context.Context, call func(ctx context.Context, header string) error) error
}

// Of returns the login that the credentials choose.
func Of(cfg provider.Config) (Login, error) {
	c := cfg.Credentials
	need := func(way string, fields ...string) error {
		for _, f := range fields {
			if c[f] == "" {
				return provider.Errorf(provider.KindPermanent, "%s authentication needs the credential %s", way, f)
			}
		}
		return nil
	}
	switch way := c[wayField]; way {
	case basic, "":
		pair := base64.StdEncoding.EncodeToString([]byte(c[usernameField] + ":" + c[passwordField]))
		return Login{cfg.HTTP, always("Basic " + pair)}, need(basic, usernameField, passwordField)
	case bearer:
		return Login{cfg.HTTP, always("Bearer " + c[tokenField])}, need(way, tokenField)
	case oauth:
		grant := clientCredentials{cfg: cfg}
		err := need(way, addressField, provider.ClientIDField, provider.ClientSecretField)
		return Login{cfg.HTTP, session.New(cfg.Now, grant.token).Bearer}, err
	case header:
		if err := need(way, nameField, keyField); err != nil {
			return Login{}, err
		}
		if strings.Trim(strings.ToLower(c[nameField]), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return Login{}, provider.Errorf(provider.KindPermanent, "the credential %s is no name of a header", nameField)
		}
		return Login{keyed{cfg.HTTP, c[nameField], c[keyField]}, always("")}, nil
	default:
		return Login{}, provider.Errorf(provider.KindPermanent, "the credential %s is not known", wayField)
	}
}

func always(header string) func(context.Context, func(context.Context, string) error) error {
	return func(ctx context.Context, call func(context.Context, string) error) error { return call(ctx, header) }
}

// keyed is a Doer that adds a header with a key.
type keyed struct {
	provider.Doer
	name, key string
}

// Do implements provider.Doer.
func (k keyed) Do(req *http.Request) (*http.Response, error) {
	req.Header.Set(k.name, k.key)
	return k.Doer.Do(req)
}

// clientCredentials gets access tokens. The client's id and secret go out as the standard
// wants it, in a header; a server that refuses them there gets them in the form.
type clientCredentials struct {
	cfg    provider.Config
	inForm bool
}

func (g *clientCredentials) token(ctx context.Context) (session.Token, error) {
	got, err := g.ask(ctx, g.inForm)
	if provider.KindOf(err) != provider.KindCredentials || err == nil {
		return got.Token, err
	}
	if other, otherErr := g.ask(ctx, !g.inForm); otherErr == nil {
		g.inForm = !g.inForm
		return other.Token, nil
	}
	return got.Token, err
}

func (g *clientCredentials) ask(ctx context.Context, inForm bool) (session.Grant, error) {
	c := g.cfg.Credentials
	endpoint := session.Endpoint{HTTP: g.cfg.HTTP, Now: g.cfg.Now, URL: c[addressField]}
	form := url.Values{"grant_type": {"client_credentials"}}
	if c[scopeField] != "" {
		form.Set("scope", c[scopeField])
	}
	if inForm {
		form.Set("client_id", c[provider.ClientIDField])
		form.Set("client_secret", c[provider.ClientSecretField])
	} else {
		endpoint.ClientID, endpoint.ClientSecret = c[provider.ClientIDField], c[provider.ClientSecretField]
	}
	return endpoint.Request(ctx, form)
}
