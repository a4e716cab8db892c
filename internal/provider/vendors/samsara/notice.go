package samsara

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"

	"github.com/drover-fleet/drover/internal/provider"
)

var notices = &provider.Notices{
	Help:    "In the Samsara dashboard under Settings, Webhooks, add the address with the events of interest, and copy the secret key into webhook_secret.",
	Genuine: genuine,
}

// genuine checks a signature: v1= and the HMAC-SHA256, in hexadecimal, of the version,
// the time in the header and the body. The secret is written in base64.
func genuine(secret string, header http.Header, body []byte) bool {
	key, err := base64.StdEncoding.DecodeString(secret)
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("v1:" + header.Get("X-Samsara-Timestamp") + ":"))
	mac.Write(body)
	return hmac.Equal([]byte("v1="+hex.EncodeToString(mac.Sum(nil))), []byte(header.Get("X-Samsara-Signature")))
}
