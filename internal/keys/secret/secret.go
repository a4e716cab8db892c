// Package secret seals what must not be readable in the database: credentials
// of vendors, signing keys, webhook secrets.
//
// There are two layers. The operator holds the master keys, outside of the
// database. They seal the data keys, which lie in the database; the data keys
// seal everything else. So a new master key means re-sealing a handful of data
// keys, and a new data key can be made without the operator.
//
// Everything sealed has the same form, whichever layer sealed it:
//
//	version (1 byte, 1)
//	length of the key's id (1 byte), id of the key
//	nonce (12 bytes)
//	AES-256-GCM ciphertext and tag
//
// The bytes before the nonce are authenticated, and so is a binding that is not
// stored: the caller names what the secret belongs to, and a sealed value that
// was copied to another row does not open there.
package secret

import "errors"

var (
	// ErrUnknownKey says that the key that sealed a value is not at hand.
	// Another process may have made it: a caller with a Ring reads the data
	// keys again and tries once more.
	ErrUnknownKey = errors.New("sealed with an unknown key")

	// errTampered says that a value is not what was sealed: it was changed,
	// cut, or belongs to something else than it is opened for.
	errTampered = errors.New("sealed value was altered or belongs elsewhere")
)

// KeyID returns the id of the key that sealed a value, "" where the value has
// not the form of a sealed one. It is not authenticated: use it to find what an
// old key sealed, not to trust it.
func KeyID(sealed []byte) string {
	header, ok := parseHeader(sealed)
	if !ok {
		return ""
	}
	return string(header[2:])
}
