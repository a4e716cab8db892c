package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
)

const (
	version  = 1
	keyBytes = 32
	maxKeyID = 255
)

// keys seals with one key and opens with several. Neither the raw keys nor the
// expanded ones are reachable without following a pointer, so that printing a
// struct that holds them shows nothing.
type keys struct {
	sealing string
	byID    map[string]cipher.AEAD
}

func (k *keys) add(id string, raw []byte) error {
	// AES would take a shorter key for AES-128.
	if len(raw) != keyBytes {
		return fmt.Errorf("key has %d bytes, want %d", len(raw), keyBytes)
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return fmt.Errorf("make cipher: %w", err)
	}
	// Random nonces of 12 bytes are safe for 2^32 values under one key, far
	// above what one deployment seals between two rotations.
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return fmt.Errorf("make cipher: %w", err)
	}
	if k.byID == nil {
		k.byID = make(map[string]cipher.AEAD)
	}
	k.byID[id] = aead
	return nil
}

func (k *keys) seal(plain, bind []byte) []byte {
	aead := k.byID[k.sealing]
	header := makeHeader(k.sealing)
	sealed := make([]byte, len(header), len(header)+len(plain)+aead.Overhead())
	copy(sealed, header)
	return aead.Seal(sealed, nil, plain, additional(header, bind))
}

func (k *keys) open(sealed, bind []byte) ([]byte, error) {
	header, ok := parseHeader(sealed)
	if !ok {
		return nil, errTampered
	}
	id := string(header[2:])
	aead, ok := k.byID[id]
	if !ok {
		return nil, fmt.Errorf("%w %q", ErrUnknownKey, id)
	}
	plain, err := aead.Open(nil, nil, sealed[len(header):], additional(header, bind))
	if err != nil {
		return nil, errTampered
	}
	return plain, nil
}

func makeHeader(id string) []byte {
	return append([]byte{version, byte(len(id))}, id...)
}

// parseHeader returns the part of sealed that stands before the nonce.
func parseHeader(sealed []byte) ([]byte, bool) {
	if len(sealed) < 2 || sealed[0] != version {
		return nil, false
	}
	end := 2 + int(sealed[1])
	if end == 2 || end > len(sealed) {
		return nil, false
	}
	return sealed[:end:end], true
}

// additional is what the tag covers besides the ciphertext. The header tells
// its own length, so header and binding cannot run into each other.
func additional(header, bind []byte) []byte {
	data := make([]byte, 0, len(header)+len(bind))
	return append(append(data, header...), bind...)
}

// binding joins parts so that no two lists of parts give the same bytes.
func binding(parts ...string) []byte {
	var b []byte
	for _, part := range parts {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	return b
}
