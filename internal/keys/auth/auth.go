// Package auth proves who is asking: it hashes passwords, signs and verifies
// tokens, and slows down those who guess. It keeps nothing in a database; its
// callers hand it the hashes and the keys.
package auth

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/drover-fleet/drover"
)

// HashSecret is what is stored of a secret that we made. Unlike a password it has too
// many random bits to be found by trying, so that a fast hash is enough.
func HashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// ErrUnauthenticated is the answer to a request without a token, or with one
// that is refused for any reason but its age.
func ErrUnauthenticated() *drover.Error {
	return &drover.Error{
		Kind:    drover.KindUnauthenticated,
		Message: "Authentication header is missing, or token is invalid/expired",
	}
}

// ErrExpired is the answer to a genuine token whose time is over.
func ErrExpired() *drover.Error {
	return &drover.Error{Kind: drover.KindUnauthenticated, Message: "JWT has expired"}
}

// ErrMalformed is the answer to a token that is no JWT at all.
func ErrMalformed() *drover.Error {
	return &drover.Error{Kind: drover.KindMalformed, Message: "Invalid JWT format"}
}
