package contract_test

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// The hosts of identity providers within the process.
const (
	issuerHost = "login.contract.invalid"
	otherHost  = "evil.contract.invalid"
	issuerURL  = "https://" + issuerHost
	otherURL   = "https://" + otherHost

	accessToken = "an access token of the provider"
)

// issuer is an identity provider that can be made to lie in every way.
type issuer struct {
	tb  testing.TB
	url string
	now func() time.Time

	mu      sync.Mutex
	key     *ecdsa.PrivateKey
	keyID   string
	grants  map[string]grant
	calls   []string // the paths that were asked for
	sent    url.Values
	names   bool // it names itself in its answers
	discoed func(map[string]any)
	// userinfo is what its userinfo endpoint answers; there is none where it is nil. Status is 200 where it is 0.
	userinfo any
	status   int
	// forge makes the token of a grant; nil signs honestly.
	forge func(i *issuer, claims jwt.MapClaims) string
}

// grant is what a code stands for.
type grant struct {
	asked  url.Values
	claims jwt.MapClaims
}

func newIssuer(tb testing.TB, address string, now func() time.Time) *issuer {
	tb.Helper()
	i := &issuer{tb: tb, url: address, now: now, grants: map[string]grant{}}
	i.rotate()
	return i
}

// rotate replaces the key; the old one is forgotten.
func (i *issuer) rotate() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		i.tb.Fatal(err)
	}
	i.key, i.keyID = key, rand.Text()
}

// login is a person who signs in at the page of the provider: it gives what the browser
// is sent back with.
func (i *issuer) login(address string, claims jwt.MapClaims) url.Values {
	u, err := url.Parse(address)
	if err != nil {
		i.tb.Fatal(err)
	}
	asked, code := u.Query(), rand.Text()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.grants[code] = grant{asked, claims}
	back := url.Values{"code": {code}, "state": {asked.Get("state")}, "redirect": {asked.Get("redirect_uri")}}
	if i.names {
		back.Set("iss", i.url)
	}
	return back
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.calls = append(i.calls, r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		document := map[string]any{
			"issuer": i.url, "authorization_endpoint": i.url + "/authorize", "token_endpoint": i.url + "/token", "jwks_uri": i.url + "/keys",
			"end_session_endpoint": i.url + "/logout", "id_token_signing_alg_values_supported": []string{"ES256"},
			"authorization_response_iss_parameter_supported": i.names,
		}
		if i.userinfo != nil {
			document["userinfo_endpoint"] = i.url + "/userinfo"
		}
		if i.discoed != nil {
			i.discoed(document)
		}
		i.write(w, document)
	case "/keys":
		i.write(w, map[string]any{"keys": []any{i.publicKey()}})
	case "/token":
		i.token(w, r)
	case "/userinfo":
		if r.Method != http.MethodGet || r.Header.Get("Authorization") != "Bearer "+accessToken {
			i.tb.Errorf("%s of userinfo with %q", r.Method, r.Header.Get("Authorization"))
		}
		w.WriteHeader(cmp.Or(i.status, http.StatusOK))
		i.write(w, i.userinfo)
	default:
		http.NotFound(w, r)
	}
}

func (i *issuer) write(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		i.tb.Error(err)
	}
}

func (i *issuer) publicKey() map[string]string {
	public, err := i.key.PublicKey.Bytes()
	if err != nil {
		i.tb.Fatal(err)
	}
	return map[string]string{
		"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": i.keyID,
		"x": base64.RawURLEncoding.EncodeToString(public[1:33]), "y": base64.RawURLEncoding.EncodeToString(public[33:]),
	}
}

// token exchanges a code, as the standards ask for it: once, for the same client, redirect
// address and verifier.
func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		i.tb.Fatal(err)
	}
	i.sent = r.PostForm
	client, secret, _ := r.BasicAuth()
	secret, _ = url.QueryUnescape(secret) // as the standard writes it
	g, ok := i.grants[r.PostForm.Get("code")]
	delete(i.grants, r.PostForm.Get("code"))
	challenge := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	switch {
	case client != "drover" || secret != ssoSecret:
		w.WriteHeader(http.StatusUnauthorized)
		i.write(w, map[string]string{"error": "invalid_client"})
	case !ok || g.asked.Get("redirect_uri") != r.PostForm.Get("redirect_uri") || g.asked.Get("code_challenge_method") != "S256" ||
		g.asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(challenge[:]):
		w.WriteHeader(http.StatusBadRequest)
		i.write(w, map[string]string{"error": "invalid_grant"})
	default:
		claims := jwt.MapClaims{
			"iss": i.url, "aud": client, "nonce": g.asked.Get("nonce"), "iat": i.now().Unix(), "exp": i.now().Add(5 * time.Minute).Unix(),
		}
		maps.Copy(claims, g.claims)
		text := ""
		if i.forge != nil {
			text = i.forge(i, claims)
		} else {
			text = i.sign(claims)
		}
		i.write(w, map[string]any{"access_token": accessToken, "token_type": "Bearer", "id_token": text})
	}
}

func (i *issuer) sign(claims jwt.MapClaims) string {
	token := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	token.Header["kid"] = i.keyID
	text, err := token.SignedString(i.key)
	if err != nil {
		i.tb.Fatal(err)
	}
	return text
}
