package motive

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"net/http"

	"github.com/drover-fleet/drover/internal/provider"
)

var notices = &provider.Notices{
	Help:    "In the Motive dashboard, add a company webhook with the address and the action vehicle_location_updated, and copy its shared secret into webhook_secret.",
	Genuine: genuine,
}

// genuine checks a signature: the HMAC-SHA1 of the body, in hexadecimal, which is what
// the vendor signs with.
func genuine(secret string, header http.Header, body []byte) bool {
	mac := hmac.New(sha1.New, []byte(secret))
	mac.Write(body)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(header.Get("X-Kt-Webhook-Signature")))
}
