package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"hash"
	"sync"
	"time"
)

// algorithm is the only one that is signed with and accepted.
const algorithm = "HS256"

// encoding is base64url without padding. It is strict, so that a text has one
// encoding only.
var encoding = base64.RawURLEncoding.Strict()

// signer is a key made ready.
type signer struct {
	id     string
	header string    // the first part of every token it signs
	until  time.Time // verifies before; zero for always
	macs   sync.Pool // of *macState
}

// macState is what one signature takes. Setting up the HMAC costs as much as
// signing a token, so it is done once and kept.
type macState struct {
	mac     hash.Hash
	token   []byte
	payload []byte
	sum     [sha256.Size]byte
	sig     [43]byte // sum in base64url
}

func newSigner(key Key) *signer {
	header := `{"alg":"` + algorithm + `","kid":"` + key.ID + `","typ":"JWT"}`
	s := &signer{id: key.ID, header: encoding.EncodeToString([]byte(header))}
	if key.VerifyUntil != nil {
		s.until = key.VerifyUntil.Time
	}
	secret := append([]byte(nil), key.Secret...)
	s.macs.New = func() any { return &macState{mac: hmac.New(sha256.New, secret)} }
	return s
}

func (s *signer) verifiesAt(now time.Time) bool {
	return s.until.IsZero() || now.Before(s.until)
}

// signature returns the encoded signature of text. It is overwritten by the
// next call.
func (m *macState) signature(text []byte) []byte {
	m.mac.Reset()
	m.mac.Write(text)
	encoding.Encode(m.sig[:], m.mac.Sum(m.sum[:0]))
	return m.sig[:]
}

func (s *signer) sign(claims *Claims) string {
	m := s.macs.Get().(*macState)
	defer s.macs.Put(m)
	m.payload = claims.append(m.payload[:0])
	b := append(m.token[:0], s.header...)
	b = append(b, '.')
	b = encoding.AppendEncode(b, m.payload)
	sig := m.signature(b)
	b = append(b, '.')
	b = append(b, sig...)
	m.token = b
	return string(b)
}

// open returns the payload of a token, if the signature is the key's. It
// compares the encoded signature, so that there is one spelling of each token.
func (s *signer) open(token string, p parts) (string, bool) {
	m := s.macs.Get().(*macState)
	defer s.macs.Put(m)
	m.token = append(m.token[:0], token...)
	signed := m.token[:len(token)-len(p.signature)-1]
	if subtle.ConstantTimeCompare(m.signature(signed), m.token[len(signed)+1:]) != 1 {
		return "", false
	}
	var err error
	m.payload, err = encoding.AppendDecode(m.payload[:0], signed[len(p.header)+1:])
	if err != nil {
		return "", false
	}
	return string(m.payload), true
}
