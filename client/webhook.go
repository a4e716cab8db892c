package client

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tolerance is by how much a delivery's time may differ from the receiver's: an old
// one may be somebody's who has recorded it.
const tolerance = 5 * time.Minute

// The faults of a delivery.
var (
	ErrSecret    = errors.New("the secret is not one of a webhook: whsec_ and base64")
	ErrTimestamp = errors.New("the delivery has no time, or one that is too far from now")
	ErrSignature = errors.New("the delivery is not signed with the secret")
)

// Verify checks that a delivery was signed with the webhook's secret and is of now, as
// Standard Webhooks 1.0 has it. Body is the request's, to the byte.
func Verify(secret string, h http.Header, body []byte, now time.Time) error {
	text, ok := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) == 0 {
		return ErrSecret
	}
	seconds, err := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return ErrTimestamp
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(h.Get("webhook-id") + "." + h.Get("webhook-timestamp") + "."))
	mac.Write(body)
	want := mac.Sum(nil)
	for signature := range strings.FieldsSeq(h.Get("webhook-signature")) {
		given, ok := strings.CutPrefix(signature, "v1,")
		if got, err := base64.StdEncoding.DecodeString(given); ok && err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return ErrSignature
}
