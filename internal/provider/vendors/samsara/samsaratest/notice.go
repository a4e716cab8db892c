package samsaratest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
)

// Notice is a webhook as Samsara sends it, signed with a secret in base64.
func Notice(secret string) (http.Header, []byte) {
	const at = "1714975200"
	body := []byte(`{"eventId":"0d4e8f1c","eventTime":"2024-05-06T06:00:00Z","eventType":"GeofenceEntry","orgId":20936,"webhookId":"4712"}`)
	key, err := base64.StdEncoding.DecodeString(secret)
	if err != nil {
		key = []byte(secret)
	}
	mac := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "v1:%s:%s", at, body) // a hash never fails
	header := http.Header{}
	header.Set("X-Samsara-Timestamp", at)
	header.Set("X-Samsara-Signature", fmt.Sprintf("v1=%x", mac.Sum(nil)))
	return header, body
}
