package auth

import (
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/drover-fleet/drover"
)

// secretBytes is the size of a signing secret: that of the hash, as RFC 7518
// asks of HS256.
const secretBytes = 32

// Key signs tokens. Its secret is kept sealed, and is never printed.
type Key struct {
	ID        string
	Secret    []byte `json:"-"`
	CreatedAt drover.Time
	Active    bool // signs; the others only verify

	// VerifyUntil is when a retired key stops verifying, nil for never.
	VerifyUntil *drover.Time
}

// NewKey makes an active key with a secret taken from rand.
func NewKey(id string, rand io.Reader, now time.Time) (Key, error) {
	secret := make([]byte, secretBytes)
	if _, err := io.ReadFull(rand, secret); err != nil {
		return Key{}, fmt.Errorf("make signing key: %w", err)
	}
	return Key{ID: id, Secret: secret, CreatedAt: drover.At(now), Active: true}, nil
}

// String names the key and leaves the secret out.
func (k Key) String() string { return "signing key " + k.ID }

// Format prints the same as String, whatever the verb.
func (k Key) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, k.String()) }

// LogValue logs the same as String.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }
