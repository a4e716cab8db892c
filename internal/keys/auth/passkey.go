package auth

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/netip"
	"net/url"
	"strings"
)

// Site is the service as passkeys know it (WebAuthn, Level 3): they sign for the host of its
// pages alone, so that no other site can use what they sign.
type Site struct {
	ID     string // the host
	Origin string // of the pages
}

// SiteOf is that of the public address. Ok is false where browsers would let no page there use
// passkeys: it needs a name, and TLS but on the machine itself.
func SiteOf(publicURL string) (site Site, ok bool) {
	u, err := url.Parse(publicURL)
	if err != nil {
		return site, false
	}
	site.ID = strings.ToLower(u.Hostname())
	port := u.Port()
	local := u.Scheme == "http" && (site.ID == "localhost" || strings.HasSuffix(site.ID, ".localhost"))
	if _, err := netip.ParseAddr(site.ID); err == nil || site.ID == "" || u.Scheme != "https" && !local {
		return Site{}, false
	}
	site.Origin = u.Scheme + "://" + site.ID
	if usual := map[string]string{"https": "443", "http": "80"}[u.Scheme]; port != "" && port != usual {
		site.Origin += ":" + port
	}
	return site, true
}

// PasskeyText is the form in which browsers and the service exchange bytes.
var PasskeyText = base64.RawURLEncoding.Strict()

// The ceremonies, as browsers call them.
const (
	PasskeyCreate = "webauthn.create"
	PasskeyGet    = "webauthn.get"
)

// PasskeyError is a reason for which a passkey is refused.
type PasskeyError string

// The reasons.
const (
	ErrPasskeyForm      PasskeyError = "the answer is not well formed"
	ErrPasskeyType      PasskeyError = "the answer belongs to another ceremony"
	ErrPasskeyOrigin    PasskeyError = "the answer comes from another page"
	ErrPasskeyFrame     PasskeyError = "the page was shown within another site"
	ErrPasskeySite      PasskeyError = "the passkey has signed for another site"
	ErrPasskeyPerson    PasskeyError = "the device has not verified the person"
	ErrPasskeyBackup    PasskeyError = "the device contradicts itself about backups"
	ErrPasskeyKey       PasskeyError = "the passkey has a kind of key that is not accepted"
	ErrPasskeySigned    PasskeyError = "the signature is wrong"
	ErrPasskeyCopied    PasskeyError = "the passkey seems to be copied: its counter has not grown"
	ErrPasskeyChallenge PasskeyError = "the challenge was answered before, has run out, or belongs to something else"
	ErrPasskeyUnknown   PasskeyError = "the passkey is not that of the user"
)

func (e PasskeyError) Error() string { return string(e) }

// Passkey is what is known of one.
type Passkey struct {
	PublicKey []byte // as SubjectPublicKeyInfo
	Counter   uint32 // of its signatures; 0 where the device counts none
	// MayMove says that it may be copied to other devices of the person, Moved that it was.
	MayMove, Moved bool
}

// Challenge reads which challenge a page has answered, and refuses one of another page or
// ceremony.
func (s Site) Challenge(ceremony string, clientData []byte) ([]byte, error) {
	var said struct {
		Type        string `json:"type"`
		Challenge   string `json:"challenge"`
		Origin      string `json:"origin"`
		CrossOrigin bool   `json:"crossOrigin"`
		TopOrigin   string `json:"topOrigin"`
	}
	if json.Unmarshal(clientData, &said) != nil {
		return nil, ErrPasskeyForm
	}
	challenge, err := PasskeyText.DecodeString(said.Challenge)
	switch {
	case err != nil:
		return nil, ErrPasskeyForm
	case said.Type != ceremony:
		return nil, ErrPasskeyType
	case said.Origin != s.Origin:
		return nil, ErrPasskeyOrigin
	case said.CrossOrigin || said.TopOrigin != "":
		return nil, ErrPasskeyFrame
	}
	return challenge, nil
}

// The flags of what a device says.
const (
	flagPresent    = 1 << 0
	flagVerified   = 1 << 2
	flagMayMove    = 1 << 3
	flagMoved      = 1 << 4
	flagCredential = 1 << 6
	flagExtensions = 1 << 7
)

// deviceHead is the length of what a device always says: the hash of the site, flags and counter.
const deviceHead = sha256.Size + 1 + 4

// device reads what a device says. Rest is what follows.
func (s Site) device(data []byte) (p Passkey, flags byte, rest []byte, err error) {
	if len(data) < deviceHead {
		return p, 0, nil, ErrPasskeyForm
	}
	site := sha256.Sum256([]byte(s.ID))
	flags = data[sha256.Size]
	p = Passkey{
		Counter: binary.BigEndian.Uint32(data[sha256.Size+1:]), MayMove: flags&flagMayMove != 0, Moved: flags&flagMoved != 0,
	}
	switch {
	case subtle.ConstantTimeCompare(data[:sha256.Size], site[:]) != 1:
		err = ErrPasskeySite
	case flags&flagPresent == 0 || flags&flagVerified == 0:
		err = ErrPasskeyPerson
	case p.Moved && !p.MayMove:
		err = ErrPasskeyBackup
	}
	return p, flags, data[deviceHead:], err
}

const (
	modelLength   = 16 // of the id of the device's model, which comes before the credential
	maxCredential = 1023
)

// Register reads a new passkey. No attestation is asked for: which make the device is of does
// not matter, so that the key, which the browser also gives by itself, need not be looked for
// in what the device says.
func (s Site) Register(credential, deviceData, publicKey []byte) (Passkey, error) {
	p, flags, rest, err := s.device(deviceData)
	if err != nil {
		return p, err
	}
	named := append(binary.BigEndian.AppendUint16(nil, uint16(len(credential))), credential...)
	key, same := bytes.CutPrefix(rest[min(modelLength, len(rest)):], named)
	if flags&flagCredential == 0 || len(credential) == 0 || len(credential) > maxCredential || !same || len(key) == 0 {
		return p, ErrPasskeyForm
	}
	if _, err := passkeyKey(publicKey); err != nil {
		return p, err
	}
	p.PublicKey = publicKey
	return p, nil
}

// Verify checks what a passkey has signed, and returns the passkey as it is to be known from now
// on.
func (s Site) Verify(known Passkey, clientData, deviceData, signature []byte) (Passkey, error) {
	p, flags, rest, err := s.device(deviceData)
	switch {
	case err != nil:
		return p, err
	case flags&flagCredential != 0 || len(rest) > 0 != (flags&flagExtensions != 0):
		return p, ErrPasskeyForm
	case p.MayMove != known.MayMove:
		return p, ErrPasskeyBackup
	}
	key, err := passkeyKey(known.PublicKey)
	if err != nil {
		return p, err
	}
	about := sha256.Sum256(clientData)
	if !signed(key, append(bytes.Clone(deviceData), about[:]...), signature) {
		return p, ErrPasskeySigned
	}
	if (p.Counter > 0 || known.Counter > 0) && p.Counter <= known.Counter {
		return p, ErrPasskeyCopied
	}
	p.PublicKey = known.PublicKey
	return p, nil
}

// The sizes of RSA keys that are accepted: larger ones would only keep a processor busy.
const minRSA, maxRSA = 2048, 4096

// passkeyKey reads a key of one of the kinds that are accepted. The kind alone says how it signs:
// a caller has no say in it.
func passkeyKey(spki []byte) (crypto.PublicKey, error) {
	key, err := x509.ParsePKIXPublicKey(spki)
	if err != nil {
		return nil, ErrPasskeyKey
	}
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		if k.Curve == elliptic.P256() {
			return k, nil
		}
	case *rsa.PublicKey:
		if bits := k.N.BitLen(); bits >= minRSA && bits <= maxRSA {
			return k, nil
		}
	case ed25519.PublicKey:
		return k, nil
	}
	return nil, ErrPasskeyKey
}

// signed checks a signature by ES256, RS256 or EdDSA.
func signed(key crypto.PublicKey, message, signature []byte) bool {
	sum := sha256.Sum256(message)
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(k, sum[:], signature)
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(k, crypto.SHA256, sum[:], signature) == nil
	case ed25519.PublicKey:
		return ed25519.Verify(k, message, signature)
	}
	return false
}
