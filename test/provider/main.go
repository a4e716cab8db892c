// Command provider is an OpenID Connect provider to sign in at in tests: the protocol is
// that of ory/fosite, which others run in earnest. Anyone who asks signs in as the user
// whom the request names. It has a module of its own: what is tested must not need it.
package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v3"
	"github.com/ory/fosite"
	"github.com/ory/fosite/compose"
	"github.com/ory/fosite/handler/openid"
	"github.com/ory/fosite/storage"
	"github.com/ory/fosite/token/jwt"
	"golang.org/x/crypto/bcrypt"
)

type provider struct {
	issuer string
	fosite fosite.OAuth2Provider

	mu  sync.Mutex
	key jose.JSONWebKey
}

func main() {
	redirect := flag.String("redirect", "", "redirect address of the client")
	flag.Parse()
	if err := run(*redirect); err != nil {
		log.Fatal(err)
	}
}

func run(redirect string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	p := &provider{issuer: "http://" + listener.Addr().String()}
	if err := p.rotate(); err != nil {
		return err
	}
	secret, err := bcrypt.GenerateFromPassword([]byte("a client secret of the tests"), bcrypt.MinCost)
	if err != nil {
		return err
	}
	kept := storage.NewMemoryStore()
	kept.Clients["drover"] = &fosite.DefaultClient{
		ID: "drover", Secret: secret, RedirectURIs: []string{redirect}, ResponseTypes: []string{"code"},
		GrantTypes: []string{"authorization_code"}, Scopes: []string{"openid", "profile", "email"},
	}
	config := &fosite.Config{IDTokenIssuer: p.issuer, EnforcePKCE: true, GlobalSecret: []byte("thirty-two bytes of the tests' own"), HashCost: bcrypt.MinCost}
	get := func(context.Context) (any, error) { k := p.current(); return &k, nil }
	p.fosite = compose.Compose(config, kept, &compose.CommonStrategy{
		CoreStrategy: compose.NewOAuth2HMACStrategy(config), OpenIDConnectTokenStrategy: compose.NewOpenIDConnectStrategy(get, config),
		Signer: &jwt.DefaultSigner{GetPrivateKey: get},
	}, compose.OAuth2AuthorizeExplicitFactory, compose.OpenIDConnectExplicitFactory, compose.OAuth2PKCEFactory)

	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("POST /rotate", func(w http.ResponseWriter, _ *http.Request) {
		if err := p.rotate(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	fmt.Println("issuer", p.issuer)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	return server.Serve(listener)
}

// rotate makes a new key, and forgets the old one.
func (p *provider) rotate() error {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key = jose.JSONWebKey{Key: private, KeyID: rand.Text(), Algorithm: "RS256", Use: "sig"}
	return nil
}

func (p *provider) current() jose.JSONWebKey {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.key
}

func (p *provider) discovery(w http.ResponseWriter, _ *http.Request) {
	answer(w, map[string]any{
		"issuer": p.issuer, "authorization_endpoint": p.issuer + "/authorize", "token_endpoint": p.issuer + "/token",
		"jwks_uri": p.issuer + "/keys", "response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256"},
	})
}

func (p *provider) keys(w http.ResponseWriter, _ *http.Request) {
	key := p.current()
	answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{key.Public()}})
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the other side may have gone
}

// authorize signs in the user that the request names as login, which its page asks for.
func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	asked, err := p.fosite.NewAuthorizeRequest(r.Context(), r)
	if err != nil {
		p.fosite.WriteAuthorizeError(r.Context(), w, asked, err)
		return
	}
	if r.URL.Query().Get("login") == "" {
		askForName(w, r)
		return
	}
	for _, scope := range asked.GetRequestedScopes() {
		asked.GrantScope(scope)
	}
	name, now := r.URL.Query().Get("login"), time.Now().UTC()
	session := &openid.DefaultSession{
		Subject: "subject-of-" + name, Username: name, Headers: &jwt.Headers{Extra: map[string]any{"kid": p.current().KeyID}},
		Claims: &jwt.IDTokenClaims{
			Issuer: p.issuer, Subject: "subject-of-" + name, RequestedAt: now, AuthTime: now, IssuedAt: now, ExpiresAt: now.Add(time.Hour),
			Extra: map[string]any{"email": name + "@northern.example", "email_verified": true, "preferred_username": name, "groups": []string{"fleet-admins"}},
		},
	}
	response, err := p.fosite.NewAuthorizeResponse(r.Context(), asked, session)
	if err != nil {
		p.fosite.WriteAuthorizeError(r.Context(), w, asked, err)
		return
	}
	p.fosite.WriteAuthorizeResponse(r.Context(), w, asked, response)
}

// askForName has a person say who it is, and comes back with what was asked.
func askForName(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, `<!doctype html><html lang="en"><title>Provider</title><form>`)
	for key := range r.URL.Query() {
		fmt.Fprintf(w, `<input type="hidden" name="%s" value="%s">`, html.EscapeString(key), html.EscapeString(r.URL.Query().Get(key)))
	}
	fmt.Fprint(w, `<label>Name <input name="login"></label> <button>Sign in</button></form>`)
}

func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	asked, err := p.fosite.NewAccessRequest(r.Context(), r, openid.NewDefaultSession())
	if err != nil {
		p.fosite.WriteAccessError(r.Context(), w, asked, err)
		return
	}
	response, err := p.fosite.NewAccessResponse(r.Context(), asked)
	if err != nil {
		p.fosite.WriteAccessError(r.Context(), w, asked, err)
		return
	}
	p.fosite.WriteAccessResponse(r.Context(), w, asked, response)
}
