package motivetest

import (
	"crypto/hmac"
	"crypto/sha1"
	"fmt"
	"net/http"
)

// Notice is a webhook as Motive sends it, signed with a shared secret.
func Notice(secret string) (http.Header, []byte) {
	body := []byte(`{"action":"vehicle_location_updated","vehicle_id":1,"located_at":"2024-05-06T06:00:00Z","lat":-37.56,"lon":143.85}`)
	mac := hmac.New(sha1.New, []byte(secret))
	mac.Write(body)
	header := http.Header{}
	header.Set("X-KT-Webhook-Signature", fmt.Sprintf("%x", mac.Sum(nil)))
	return header, body
}
