// Package signing makes and checks the signatures of webhook deliveries (Standard Webhooks 1.0),
// and handles their secrets.
package signing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The headers of a delivery.
const (
	HeaderID        = "Webhook-Id"
	headerTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
)

const (
	secretPrefix = "whsec_"
	secretBytes  = 32
	version      = "v1"
	// tolerance bounds the age of a delivery, so that an old one cannot be sent
	// again by someone who has seen it.
	tolerance = 5 * time.Minute
)

// NewSecret makes a secret from random bytes.
func NewSecret(random io.Reader) (string, error) {
	key := make([]byte, secretBytes)
	if _, err := io.ReadFull(random, key); err != nil {
		return "", fmt.Errorf("make a webhook secret: %w", err)
	}
	return secretPrefix + base64.StdEncoding.EncodeToString(key), nil
}

// keyOf reads the key out of a secret. An empty one would let anyone sign.
func keyOf(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil || len(key) == 0 {
		return nil, errors.New("the webhook secret is not whsec_ and base64")
	}
	return key, nil
}

// sign signs one delivery with one key.
func sign(key []byte, id string, at time.Time, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id))
	mac.Write([]byte{'.'})
	mac.Write(strconv.AppendInt(nil, at.Unix(), 10))
	mac.Write([]byte{'.'})
	mac.Write(body)
	return version + "," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Sign signs a delivery with one secret, in its headers.
func Sign(h http.Header, id string, at time.Time, body []byte, secret string) error {
	key, err := keyOf(secret)
	if err != nil {
		return err
	}
	h.Set(HeaderID, id)
	h.Set(headerTimestamp, strconv.FormatInt(at.Unix(), 10))
	h.Set(HeaderSignature, sign(key, id, at, body))
	return nil
}

// Verify checks a delivery as its receiver does.
func Verify(secret string, h http.Header, body []byte, now time.Time) error {
	key, err := keyOf(secret)
	if err != nil {
		return err
	}
	id, stamp := h.Get(HeaderID), h.Get(headerTimestamp)
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if id == "" || err != nil {
		return errors.New("the webhook headers are missing")
	}
	at := time.Unix(seconds, 0)
	if age := now.Sub(at); age > tolerance || age < -tolerance {
		return fmt.Errorf("the timestamp is %s away from now", age.Round(time.Second))
	}
	want := []byte(sign(key, id, at, body))
	for given := range strings.FieldsSeq(h.Get(HeaderSignature)) {
		if hmac.Equal([]byte(given), want) {
			return nil
		}
	}
	return errors.New("no signature matches")
}
