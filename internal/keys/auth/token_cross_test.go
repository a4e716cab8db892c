package auth

import (
	"errors"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"
)

// These tests hold our tokens against golang-jwt, an implementation that knows
// nothing of ours.

func independent(k Key, now time.Time) func(token string) (jwt.MapClaims, error) {
	parser := jwt.NewParser(
		jwt.WithValidMethods([]string{"HS256"}),
		jwt.WithIssuer("drover"),
		jwt.WithExpirationRequired(),
		jwt.WithTimeFunc(func() time.Time { return now }),
	)
	return func(token string) (jwt.MapClaims, error) {
		got := jwt.MapClaims{}
		_, err := parser.ParseWithClaims(token, got, func(t *jwt.Token) (any, error) {
			if t.Header["kid"] != k.ID {
				return nil, errors.New("other key")
			}
			return k.Secret, nil
		})
		return got, err
	}
}

func mapClaims(c Claims) jwt.MapClaims {
	return jwt.MapClaims{
		"iss": "drover", "sub": c.Subject, "tid": c.TenantID, "sid": c.SessionID,
		"iat": float64(c.IssuedAt), "exp": float64(c.ExpiresAt), "jti": c.TokenID, "typ": string(c.Type),
	}
}

func TestGolangJWTReadsOurTokens(t *testing.T) {
	t.Parallel()
	k := key("k1", 1)
	token := sign(t, keySet(t, k), claims(Access))
	got, err := independent(k, noon)(token)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(mapClaims(claims(Access)), got); diff != "" {
		t.Error(diff)
	}
	if _, err := independent(k, noon.Add(time.Hour))(token); !errors.Is(err, jwt.ErrTokenExpired) {
		t.Errorf("at the second of its expiry: %v", err)
	}
	if _, err := independent(key("k1", 2), noon)(token); !errors.Is(err, jwt.ErrTokenSignatureInvalid) {
		t.Errorf("with another secret: %v", err)
	}
}

func TestWeReadTokensOfGolangJWT(t *testing.T) {
	t.Parallel()
	k := key("k1", 1)
	want := claims(Refresh)
	made := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"iss": "drover", "sub": want.Subject, "tid": want.TenantID, "sid": want.SessionID,
		"iat": want.IssuedAt, "exp": want.ExpiresAt, "jti": want.TokenID, "typ": want.Type,
	})
	made.Header["kid"] = "k1"
	token, err := made.SignedString(k.Secret)
	if err != nil {
		t.Fatal(err)
	}
	got, err := keySet(t, k).Verify(token, noon)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWeRefuseOtherMethodsOfGolangJWT(t *testing.T) {
	t.Parallel()
	k := key("k1", 1)
	for method, secret := range map[jwt.SigningMethod]any{
		jwt.SigningMethodHS384: k.Secret,
		jwt.SigningMethodHS512: k.Secret,
		jwt.SigningMethodNone:  jwt.UnsafeAllowNoneSignatureType,
	} {
		made := jwt.NewWithClaims(method, mapClaims(claims(Access)))
		made.Header["kid"] = "k1"
		token, err := made.SignedString(secret)
		if err != nil {
			t.Fatal(err)
		}
		_, err = keySet(t, k).Verify(token, noon)
		wantError(t, err, ErrUnauthenticated())
	}
}

// agree fails where we accept a token that golang-jwt refuses or reads
// otherwise.
func agree(t *testing.T, k Key, set *KeySet, token string) {
	t.Helper()
	got, err := set.Verify(token, noon)
	if err != nil {
		return
	}
	theirs, err := independent(k, noon)(token)
	if err != nil {
		t.Fatalf("accepted %q, which golang-jwt refuses: %v", token, err)
	}
	if diff := cmp.Diff(mapClaims(got), theirs); diff != "" {
		t.Fatalf("token %q is read in two ways:\n%s", token, diff)
	}
}

func FuzzVerify(f *testing.F) {
	k := key("k1", 1)
	set := keySet(f, k)
	c := claims(Access)
	f.Add(sign(f, set, c))
	f.Add(sign(f, keySet(f, key("k2", 1)), c))
	f.Add(signRaw(k, `{"alg":"none","kid":"k1"}`, c.text()))
	f.Add("..")
	f.Fuzz(func(t *testing.T, token string) { agree(t, k, set, token) })
}

// FuzzVerifySigned goes past the signature, which FuzzVerify will not forge.
func FuzzVerifySigned(f *testing.F) {
	k := key("k1", 1)
	set := keySet(f, k)
	c := claims(Access)
	f.Add(`{"alg":"HS256","kid":"k1","typ":"JWT"}`, c.text())
	f.Add(`{"kid":"k1","alg":"HS256"}`, `{"exp":99999999999,"exp":1,"iss":"drover"}`)
	f.Add(`{"alg":"HS256","kid":"k1","crit":[]}`, `{"iss":"drover","nbf":99999999999}`)
	f.Fuzz(func(t *testing.T, header, payload string) {
		agree(t, k, set, signRaw(k, header, payload))
	})
}
