package auth

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// KeySet signs and verifies tokens: HS256 JWTs whose header names the key. It
// does not change; after a rotation the caller makes a new one.
//
// A KeySet is safe for concurrent use.
type KeySet struct {
	signing  *signer
	byID     map[string]*signer
	byHeader map[string]*signer // by the first part of the tokens it signs
}

// NewKeySet returns the set of the given keys. Of several active ones the newest
// signs: two processes that both made the first key of a new database must not
// stop each other.
func NewKeySet(keys []Key) (*KeySet, error) {
	set := &KeySet{byID: make(map[string]*signer), byHeader: make(map[string]*signer)}
	for _, key := range slices.SortedFunc(slices.Values(keys), byAge) {
		if err := set.add(key); err != nil {
			return nil, err
		}
	}
	if set.signing == nil {
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
	signer := newSigner(key)
	s.byID[key.ID] = signer
	s.byHeader[signer.header] = signer
	if key.Active {
		s.signing = signer
	}
	return nil
}

// Active is the id of the key that signs.
func (s *KeySet) Active() string { return s.signing.id }

// NextEnd tells when the next key ends that still verifies; false where none
// does.
func (s *KeySet) NextEnd(now time.Time) (end time.Time, ok bool) {
	for _, key := range s.byID {
		if key.until.After(now) && (!ok || key.until.Before(end)) {
			end, ok = key.until, true
		}
	}
	return end, ok
}

// Sign returns the token that says claims.
func (s *KeySet) Sign(claims Claims) (string, error) {
	if !claims.valid() {
		return "", errors.New("sign token: a claim is missing or cannot be written")
	}
	return s.signing.sign(&claims), nil
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
	parts, ok := split(token)
	if !ok {
		return Claims{}, ErrMalformed()
	}
	signer, ok := s.byHeader[parts.header]
	if !ok {
		var err error
		if signer, err = s.signerOf(parts); err != nil {
			return Claims{}, err
		}
	}
	payload, ok := signer.open(token, parts)
	if !ok || !signer.verifiesAt(now) {
		return Claims{}, parts.refusal()
	}
	claims, ok := parseClaims(payload)
	if !ok || !accepts(claims.Type) {
		return Claims{}, ErrUnauthenticated()
	}
	if now.Unix() >= claims.ExpiresAt {
		return Claims{}, ErrExpired()
	}
	return claims, nil
}

// signerOf finds the key of a header that is not written as Sign writes it.
func (s *KeySet) signerOf(parts parts) (*signer, error) {
	header, ok := parts.decodeHeader()
	if !ok || !isBase64URL(parts.payload) || !isBase64URL(parts.signature) {
		return nil, ErrMalformed()
	}
	id, _ := header["kid"].(string)
	signer, known := s.byID[id]
	// Extensions that have to be understood are none of ours.
	_, critical := header["crit"]
	if !known || critical || header["alg"] != algorithm {
		return nil, ErrUnauthenticated()
	}
	return signer, nil
}

// parts are the three of a token, still encoded.
type parts struct{ header, payload, signature string }

func split(token string) (parts, bool) {
	header, rest, ok1 := strings.Cut(token, ".")
	payload, signature, ok2 := strings.Cut(rest, ".")
	ok := ok1 && ok2 && !strings.Contains(signature, ".")
	return parts{header, payload, signature}, ok
}

// refusal tells a token that is no JWT from one that is not ours. The header
// has been read before.
func (p parts) refusal() error {
	if !isBase64URL(p.payload) || !isBase64URL(p.signature) {
		return ErrMalformed()
	}
	return ErrUnauthenticated()
}

func (p parts) decodeHeader() (map[string]any, bool) {
	if !isBase64URL(p.header) {
		return nil, false
	}
	text, err := encoding.DecodeString(p.header)
	if err != nil {
		return nil, false
	}
	var header map[string]any
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
