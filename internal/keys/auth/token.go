package auth

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/drover-fleet/drover/internal/order"
)

// algorithm is the only one that is signed with and accepted.
const algorithm = "HS256"

// KeySet signs and verifies tokens: HS256 JWTs whose header names the key. It
// does not change; after a rotation the caller makes a new one.
//
// A KeySet is safe for concurrent use.
type KeySet struct {
	signing Key
	byID    map[string]Key
	parser  *jwt.Parser
}

// NewKeySet returns the set of the given keys. Of several active ones the newest
// signs: two processes that both made the first key of a new database must not
// stop each other.
func NewKeySet(keys []Key) (*KeySet, error) {
	set := &KeySet{
		byID: make(map[string]Key),
		// Claims are checked here, so that a refused token is distinguished from an expired one
		// as the interface says. Strict decoding leaves a token one spelling only.
		parser: jwt.NewParser(jwt.WithValidMethods([]string{algorithm}), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation()),
	}
	keys = slices.Clone(keys)
	order.By(keys, byAge)
	for _, key := range keys {
		if err := set.add(key); err != nil {
			return nil, err
		}
	}
	if set.signing.ID == "" {
		return nil, errors.New("no active signing key")
	}
	return set, nil
}

func byAge(a, b Key) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt.Time), cmp.Compare(a.ID, b.ID))
}

func (s *KeySet) add(key Key) error {
	if !isPlain(key.ID) {
		return fmt.Errorf("signing key has an unusable id %q", key.ID)
	}
	if _, taken := s.byID[key.ID]; taken {
		return fmt.Errorf("two signing keys have the id %q", key.ID)
	}
	if len(key.Secret) < secretBytes {
		return fmt.Errorf("secret of signing key %q has fewer than %d bytes", key.ID, secretBytes)
	}
	key.Secret = slices.Clone(key.Secret)
	s.byID[key.ID] = key
	if key.Active {
		s.signing = key
	}
	return nil
}

// Active is the id of the key that signs.
func (s *KeySet) Active() string { return s.signing.ID }

// NextEnd says when the next key ends that still verifies; false where none
// does.
func (s *KeySet) NextEnd(now time.Time) (end time.Time, ok bool) {
	for _, key := range s.byID {
		until := key.VerifyUntil
		if until != nil && until.After(now) && (!ok || until.Before(end)) {
			end, ok = until.Time, true
		}
	}
	return end, ok
}

// Sign returns the token that says claims.
func (s *KeySet) Sign(claims Claims) (string, error) {
	if !claims.valid() {
		return "", errors.New("sign token: a claim is missing or cannot be written")
	}
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, newPayload(claims))
	token.Header["kid"] = s.signing.ID
	text, err := token.SignedString(s.signing.Secret)
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	return text, nil
}

// VerifyAccess is Verify for what comes in an Authorization header: a refresh
// token is refused, expired or not.
func (s *KeySet) VerifyAccess(token string, now time.Time) (Claims, error) {
	return s.verify(token, now, func(t TokenType) bool { return t == Access })
}

// VerifyRefresh is Verify for what comes to POST /refresh: an access token is
// refused, expired or not.
func (s *KeySet) VerifyRefresh(token string, now time.Time) (Claims, error) {
	return s.verify(token, now, func(t TokenType) bool { return t == Refresh })
}

// Verify returns what a token of either type says, if one of the keys signed it
// and its time is not over. The error is ErrMalformed, ErrExpired or
// ErrUnauthenticated; it is ErrExpired only for a token that was genuine.
func (s *KeySet) Verify(token string, now time.Time) (Claims, error) {
	return s.verify(token, now, func(TokenType) bool { return true })
}

func (s *KeySet) verify(token string, now time.Time, accepts func(TokenType) bool) (Claims, error) {
	if !wellFormed(token) {
		return Claims{}, errMalformed()
	}
	var said payload
	parsed, err := s.parser.ParseWithClaims(token, &said, s.keyAt(now))
	if err != nil || !said.fills(parsed) {
		return Claims{}, ErrUnauthenticated()
	}
	claims := said.claims()
	if said.Issuer != issuer || !claims.valid() || !accepts(claims.Type) {
		return Claims{}, ErrUnauthenticated()
	}
	if now.Unix() >= claims.ExpiresAt {
		return Claims{}, ErrExpired()
	}
	return claims, nil
}

// keyAt finds the key that a token's header names, while it verifies.
func (s *KeySet) keyAt(now time.Time) jwt.Keyfunc {
	return func(t *jwt.Token) (any, error) {
		id, _ := t.Header["kid"].(string)
		key, known := s.byID[id]
		if !known || key.VerifyUntil != nil && !now.Before(key.VerifyUntil.Time) {
			return nil, errors.New("no such key")
		}
		// Extensions that have to be understood are none of ours.
		if _, critical := t.Header["crit"]; critical {
			return nil, errors.New("unknown extension")
		}
		return key.Secret, nil
	}
}

// wellFormed tells a JWT from any other text: three parts in base64url, of which
// the first is a JSON object. That of the last is not asked for, so that an
// unsigned token is refused and not taken for a typing error.
func wellFormed(token string) bool {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || !isBase64URL(parts[0]) || !isBase64URL(parts[1]) || !isBase64URL(parts[2]) {
		return false
	}
	text, err := base64.RawURLEncoding.Strict().DecodeString(parts[0])
	if err != nil {
		return false
	}
	var header map[string]any
	return json.Unmarshal(text, &header) == nil && header != nil
}

// isBase64URL reports whether s is base64url without padding. The decoder alone
// would skip line breaks.
func isBase64URL(s string) bool {
	for i := range len(s) {
		if !isBase64URLByte(s[i]) {
			return false
		}
	}
	return len(s)%4 != 1
}

func isBase64URLByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '-' || b == '_'
}

// Bearer returns the token of an Authorization header. The error is
// ErrUnauthenticated where there is none, or another scheme.
func Bearer(header string) (string, error) {
	scheme, token, _ := strings.Cut(strings.TrimSpace(header), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", ErrUnauthenticated()
	}
	return token, nil
}
