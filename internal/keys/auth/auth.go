// Package auth authenticates: it hashes passwords, signs and verifies tokens, and throttles failed
// logins. It uses no database; its callers pass the hashes and keys.
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

// errMalformed is the answer to a token that is no JWT at all.
func errMalformed() *drover.Error {
	return &drover.Error{Kind: drover.KindMalformed, Message: "Invalid JWT format"}
}
