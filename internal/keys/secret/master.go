package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// Master is the operator's master keys. The first one seals and all of them
// open: to replace a key, put the new one first, rewrap the data keys, and then
// take the old one away.
//
// A Master is safe for concurrent use.
type Master struct {
	keys keys
}

// ParseMaster reads master keys, separated by commas or line breaks, each 32
// bytes in hex or in base64 of either alphabet, padded or not.
func ParseMaster(text string) (*Master, error) {
	m := &Master{}
	number := 0
	for part := range strings.FieldsFuncSeq(text, isSeparator) {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		number++
		raw, ok := decodeKey(part)
		if !ok {
			return nil, fmt.Errorf("master key %d is not %d bytes in base64 or hex", number, keyBytes)
		}
		if err := m.add(raw); err != nil {
			return nil, fmt.Errorf("master key %d: %w", number, err)
		}
	}
	if number == 0 {
		return nil, errors.New("no master key given")
	}
	return m, nil
}

func isSeparator(r rune) bool { return r == ',' || r == '\n' || r == '\r' }

// decodeKey cannot confuse the two forms: 32 bytes are 64 digits in hex and 43
// letters in base64.
func decodeKey(text string) ([]byte, bool) {
	if len(text) == hex.EncodedLen(keyBytes) {
		raw, err := hex.DecodeString(text)
		return raw, err == nil
	}
	text = strings.TrimSuffix(text, "=")
	if len(text) != base64.RawStdEncoding.EncodedLen(keyBytes) {
		return nil, false
	}
	text = strings.NewReplacer("-", "+", "_", "/").Replace(text)
	raw, err := base64.RawStdEncoding.DecodeString(text)
	return raw, err == nil
}

func (m *Master) add(raw []byte) error {
	defer clear(raw)
	id := fingerprint(raw)
	if err := m.keys.add(id, raw); err != nil {
		return err
	}
	if m.keys.sealing == "" {
		m.keys.sealing = id
	}
	return nil
}

// fingerprint names a master key without telling anything about it.
func fingerprint(raw []byte) string {
	mac := hmac.New(sha256.New, raw)
	mac.Write([]byte("drover master key fingerprint"))
	return hex.EncodeToString(mac.Sum(nil)[:6])
}

// fingerprint is a short name of the key that seals, safe to print. It is what
// KeyID returns for a value that this key sealed.
func (m *Master) fingerprint() string { return m.keys.sealing }

// Seal encrypts plain. Open returns it to anyone who gives the same bind.
func (m *Master) Seal(plain, bind []byte) ([]byte, error) {
	if m.keys.sealing == "" {
		return nil, errors.New("no master key to seal with")
	}
	return m.keys.seal(plain, bind), nil
}

// Open decrypts what Seal made with any of the keys. The error is ErrUnknownKey
// or ErrTampered.
func (m *Master) Open(sealed, bind []byte) ([]byte, error) {
	return m.keys.open(sealed, bind)
}

// String names the master key by its fingerprint.
func (m *Master) String() string { return "master key " + m.keys.sealing }

// Format prints the same as String, whatever the verb.
func (m *Master) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, m.String()) }

// LogValue logs the same as String.
func (m *Master) LogValue() slog.Value { return slog.StringValue(m.String()) }
