// Package openid signs a person in at an OpenID Connect provider: discovery, the authorization
// code flow with PKCE, the checks of the ID token, and the userinfo endpoint. It caches nothing: the provider's keys are
// read at each sign-in, so that a changed or withdrawn key takes effect at once.
package openid

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	// skew is by how much the clock of a provider may be wrong.
	skew = time.Minute
	// maxAnswer bounds an answer of a provider.
	maxAnswer = 1 << 20
	// maxSubject is the bound of the standard.
	maxSubject = 255
)

// algorithms are those that tokens may be signed with: with a key that only the provider
// has. HMAC is not among them, nor is none.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// Reason says in a word why a provider, or what it said, is refused.
type Reason string

// The reasons that others tell apart.
const (
	Unreachable    Reason = "provider_unreachable"
	BadDiscovery   Reason = "bad_discovery"
	IssuerMismatch Reason = "issuer_mismatch"
	ClientRefused  Reason = "client_refused"
)

// The reasons that are only shown.
const (
	codeRefused      Reason = "code_refused"
	noToken          Reason = "no_id_token"
	wrongIssuer      Reason = "wrong_issuer"
	wrongAudience    Reason = "wrong_audience"
	wrongAlgorithm   Reason = "wrong_algorithm"
	badSignature     Reason = "bad_signature"
	wrongNonce       Reason = "wrong_nonce"
	expired          Reason = "token_expired"
	fromTheFuture    Reason = "token_from_the_future"
	wrongSubject     Reason = "bad_subject"
	missingKeys      Reason = "no_keys"
	answerWithoutIss Reason = "answer_without_issuer"
	badUserinfo      Reason = "bad_userinfo"
	wrongUserinfo    Reason = "wrong_userinfo"
	wrongAccessToken Reason = "wrong_access_token"
)

var words = map[Reason]string{
	Unreachable:      "it does not answer",
	BadDiscovery:     "its discovery document cannot be used",
	IssuerMismatch:   "its discovery document names another issuer",
	codeRefused:      "it refused the code",
	ClientRefused:    "it refused the client id or the client secret",
	noToken:          "it sent no ID token",
	wrongIssuer:      "the answer is from another issuer",
	wrongAudience:    "the token is for another client",
	wrongAlgorithm:   "the token is signed with an algorithm that is not accepted",
	badSignature:     "the token's signature is wrong",
	wrongNonce:       "the token belongs to another sign-in",
	expired:          "the token has expired",
	fromTheFuture:    "the token is from the future: one of the clocks is wrong",
	wrongSubject:     "the token has no usable subject",
	missingKeys:      "it publishes no keys",
	answerWithoutIss: "the answer does not say which issuer it is from",
	badUserinfo:      "its userinfo endpoint does not say who it is",
	wrongUserinfo:    "the userinfo is of another person",
	wrongAccessToken: "the access token does not belong to the ID token",
}

// Error is a refusal. Its text is ours: nothing of what a provider sent is in it.
type Error struct{ Reason Reason }

func (e *Error) Error() string { return words[e.Reason] }

func refuse(r Reason) error { return &Error{r} }

// Provider is what a provider says of itself.
type Provider struct {
	oidc   *oidc.Provider
	client *http.Client
	issuer string
	now    func() time.Time
	metadata
}

// metadata is what discovery says beyond what go-oidc reads.
type metadata struct {
	Endpoint    string   `json:"authorization_endpoint"`
	TokenURL    string   `json:"token_endpoint"`
	JWKSURL     string   `json:"jwks_uri"`
	Userinfo    string   `json:"userinfo_endpoint"`
	EndSession  string   `json:"end_session_endpoint"`
	Algorithms  []string `json:"id_token_signing_alg_values_supported"`
	AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	NamesIssuer bool     `json:"authorization_response_iss_parameter_supported"`
}

// Client makes a client for calls to providers of a transport that is guarded.
func Client(rt http.RoundTripper, timeout time.Duration) *http.Client {
	return &http.Client{
		Transport: bounded{rt}, Timeout: timeout,
		// A redirect could take a code or a secret elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// bounded is a transport whose answers end at a size.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(req)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxAnswer)
	}
	return resp, err
}

// Discover reads what a provider says of itself.
func Discover(ctx context.Context, client *http.Client, issuer string, now func() time.Time) (*Provider, error) {
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, client), issuer)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, ok := errors.AsType[*oidc.IssuerMismatchError](err); ok {
			return nil, refuse(IssuerMismatch)
		}
		if _, ok := errors.AsType[*url.Error](err); ok {
			return nil, refuse(Unreachable)
		}
		return nil, refuse(BadDiscovery)
	}
	p := &Provider{oidc: found, client: client, issuer: issuer, now: now}
	if err := found.Claims(&p.metadata); err != nil {
		return nil, refuse(BadDiscovery)
	}
	for _, endpoint := range []string{p.Endpoint, p.TokenURL, p.JWKSURL} {
		if !p.fit(endpoint) {
			return nil, refuse(BadDiscovery)
		}
	}
	for _, optional := range []*string{&p.Userinfo, &p.EndSession} {
		if !p.fit(*optional) {
			*optional = ""
		}
	}
	return p, nil
}

// fit reports whether an endpoint is an address as safe as the issuer's.
func (p *Provider) fit(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && u.Host != "" && u.User == nil && u.Fragment == "" &&
		(u.Scheme == "https" || u.Scheme == "http" && strings.HasPrefix(p.issuer, "http:"))
}

// Keys is how many keys the provider publishes.
func (p *Provider) Keys(ctx context.Context) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.JWKSURL, http.NoBody)
	if err != nil {
		return 0, refuse(BadDiscovery)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return 0, refuse(Unreachable)
	}
	defer resp.Body.Close()
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || json.Unmarshal(text, &set) != nil || len(set.Keys) == 0 {
		return 0, refuse(missingKeys)
	}
	return len(set.Keys), nil
}

// Accepted are the algorithms that the provider signs with, and that are accepted.
func (p *Provider) Accepted() []string {
	offered := p.Algorithms
	if len(offered) == 0 {
		offered = []string{oidc.RS256} // what the standard requires
	}
	accepted := []string{}
	for _, a := range offered {
		if slices.Contains(algorithms, a) {
			accepted = append(accepted, a)
		}
	}
	return accepted
}

// Registration is how a provider knows the service.
type Registration struct {
	ClientID, ClientSecret, RedirectURI string
	Scopes                              []string
	// RoleClaim is asked of the userinfo endpoint where the ID token has none; it may be empty.
	RoleClaim string
}

// Attempt is what one sign-in is recognized by. The nonce binds the token to it, the
// verifier the code.
type Attempt struct {
	State, Nonce, Verifier string
}

func (p *Provider) config(r Registration) oauth2.Config {
	// The library would try both ways, and so use up a code.
	style := oauth2.AuthStyleInHeader
	if len(p.AuthMethods) > 0 && !slices.Contains(p.AuthMethods, "client_secret_basic") || r.ClientSecret == "" {
		style = oauth2.AuthStyleInParams
	}
	return oauth2.Config{
		ClientID: r.ClientID, ClientSecret: r.ClientSecret, RedirectURL: r.RedirectURI, Scopes: append([]string{oidc.ScopeOpenID}, r.Scopes...),
		Endpoint: oauth2.Endpoint{AuthURL: p.Endpoint, TokenURL: p.TokenURL, AuthStyle: style},
	}
}

// AuthURL is where a person signs in.
func (p *Provider) AuthURL(r Registration, a Attempt) string {
	c := p.config(r)
	return c.AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier))
}

// LogoutURL is where a person's session at the provider ends; empty where that cannot be asked for.
func (p *Provider) LogoutURL(r Registration, back string) string {
	u, err := url.Parse(p.EndSession)
	if err != nil || p.EndSession == "" {
		return ""
	}
	q := u.Query()
	q.Set("client_id", r.ClientID)
	q.Set("post_logout_redirect_uri", back)
	u.RawQuery = q.Encode()
	return u.String()
}

// Redeem exchanges a code for what the provider says of a person. Iss is the issuer that
// the answer named; empty where it named none.
func (p *Provider) Redeem(ctx context.Context, r Registration, a Attempt, code, iss string) (Claims, error) {
	// The code goes to the token endpoint of the issuer that it is from, and to no other.
	switch {
	case iss != "" && iss != p.issuer:
		return Claims{}, refuse(wrongIssuer)
	case iss == "" && p.NamesIssuer:
		return Claims{}, refuse(answerWithoutIss)
	}
	ctx = oidc.ClientContext(ctx, p.client)
	c := p.config(r)
	tokens, err := c.Exchange(ctx, code, oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return Claims{}, exchangeError(ctx, err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	if raw == "" {
		return Claims{}, refuse(noToken)
	}
	token, said, err := p.verify(ctx, r, a, raw)
	if err != nil || p.Userinfo == "" || said.has("email") && (r.RoleClaim == "" || said.has(r.RoleClaim)) {
		return said, err
	}
	said.more, err = p.userinfo(ctx, token, tokens.AccessToken)
	return said, err
}

func exchangeError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !ok:
		return refuse(Unreachable)
	case refused.ErrorCode == "invalid_client" || refused.ErrorCode == "unauthorized_client":
		return refuse(ClientRefused)
	}
	return refuse(codeRefused)
}

// verify checks an ID token in all that the standard asks for.
func (p *Provider) verify(ctx context.Context, r Registration, a Attempt, raw string) (*oidc.IDToken, Claims, error) {
	accepted := p.Accepted()
	if len(accepted) == 0 { // the library would choose by itself
		return nil, Claims{}, refuse(wrongAlgorithm)
	}
	verifier := p.oidc.VerifierContext(ctx, &oidc.Config{
		ClientID: r.ClientID, SupportedSigningAlgs: accepted, Now: func() time.Time { return p.now().Add(-skew) },
	})
	token, err := verifier.Verify(ctx, raw)
	if err != nil {
		if ctx.Err() != nil {
			return nil, Claims{}, ctx.Err()
		}
		return nil, Claims{}, refuse(p.why(raw, r, err))
	}
	said := Claims{Subject: token.Subject}
	if err := token.Claims(&said.all); err != nil {
		return nil, Claims{}, refuse(badSignature)
	}
	party, latest := said.text("azp"), p.now().Add(skew)
	notBefore, _ := said.all["nbf"].(float64)
	switch {
	case party != "" && party != r.ClientID, party == "" && len(token.Audience) > 1:
		return nil, Claims{}, refuse(wrongAudience)
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(a.Nonce)) != 1:
		return nil, Claims{}, refuse(wrongNonce)
	case token.IssuedAt.After(latest), notBefore > float64(latest.Unix()):
		return nil, Claims{}, refuse(fromTheFuture)
	case token.Subject == "" || len(token.Subject) > maxSubject || strings.ContainsFunc(token.Subject, unicode.IsControl):
		return nil, Claims{}, refuse(wrongSubject)
	}
	return token, said, nil
}

// why finds out what is wrong with a token that was refused. What it reads has not been
// verified, and decides nothing but the words.
func (p *Provider) why(raw string, r Registration, err error) Reason {
	if _, ok := errors.AsType[*oidc.TokenExpiredError](err); ok {
		return expired
	}
	head, said := peek(raw)
	switch {
	case !slices.Contains(p.Accepted(), head.Algorithm):
		return wrongAlgorithm
	case said.Issuer != "" && said.Issuer != p.issuer:
		return wrongIssuer
	case said.Audience != nil && !slices.Contains(said.Audience, r.ClientID):
		return wrongAudience
	case said.NotBefore > float64(p.now().Add(skew).Unix()):
		return fromTheFuture
	}
	return badSignature
}
