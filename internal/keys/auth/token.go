package auth

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

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
}

// NewKeySet returns the set of the given keys. Of several active ones the newest
// signs: two processes that both made the first key of a new database must not
// stop each other.
func NewKeySet(keys []Key) (*KeySet, error) {
	set := &KeySet{byID: make(map[string]Key)}
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
	header, err := json.Marshal(map[string]string{"alg": algorithm, "kid": s.signing.ID, "typ": "JWT"})
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	said, err := json.Marshal(newPayload(claims))
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	signed := partEncoding.EncodeToString(header) + "." + partEncoding.EncodeToString(said)
	return signed + "." + partEncoding.EncodeToString(s.signing.sign(signed)), nil
}

// partEncoding is that of a token's parts. It is strict, which leaves a token one spelling only.
var partEncoding = base64.RawURLEncoding.Strict()

// sign is the signature of the first two parts of a token.
func (k Key) sign(signed string) []byte {
	mac := hmac.New(sha256.New, k.Secret)
	mac.Write([]byte(signed))
	return mac.Sum(nil)
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
	header, ok := readHeader(token)
	if !ok {
		return Claims{}, errMalformed()
	}
	said, err := s.read(token, header, now)
	if err != nil {
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

// read returns what a token says, if one of the keys signed it that verify at the time.
func (s *KeySet) read(token string, header map[string]any, now time.Time) (*payload, error) {
	id, _ := header["kid"].(string)
	key, known := s.byID[id]
	if !known || key.VerifyUntil != nil && !now.Before(key.VerifyUntil.Time) {
		return nil, errors.New("no such key")
	}
	// Extensions that have to be understood are none of ours.
	if _, critical := header["crit"]; critical || header["alg"] != algorithm {
		return nil, errors.New("another algorithm or an unknown extension")
	}
	end := strings.LastIndexByte(token, '.')
	signature, err := partEncoding.DecodeString(token[end+1:])
	if err != nil || !hmac.Equal(signature, key.sign(token[:end])) {
		return nil, errors.New("the signature is not right")
	}
	text, err := partEncoding.DecodeString(token[strings.IndexByte(token, '.')+1 : end])
	if err != nil {
		return nil, err
	}
	said := new(payload)
	if err := json.Unmarshal(text, said); err != nil {
		return nil, err
	}
	// White space around the claims would make two spellings of one token.
	if said.size != len(text) {
		return nil, errors.New("there is more than the claims")
	}
	return said, nil
}

// readHeader distinguishes a JWT from any other text: three parts in base64url, of which
// the first is a JSON object. That of the last is not asked for, so that an
// unsigned token is refused and not taken for a typing error.
func readHeader(token string) (header map[string]any, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || !isBase64URL(parts[0]) || !isBase64URL(parts[1]) || !isBase64URL(parts[2]) {
		return nil, false
	}
	text, err := partEncoding.DecodeString(parts[0])
	if err != nil {
		return nil, false
	}
	err = json.Unmarshal(text, &header)
	return header, err == nil && header != nil
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
