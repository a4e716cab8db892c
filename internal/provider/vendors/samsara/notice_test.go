package samsara

import (
	"net/http"
	"testing"
)

// TestGenuine holds the signature against one that was computed with openssl:
// printf 'v1:1700000000:{"a":1}' | openssl dgst -sha256 -hmac secret.
func TestGenuine(t *testing.T) {
	t.Parallel()
	const secret, signature = "c2VjcmV0", "v1=17bb75ebc8e3db9f892e182dac08b5bd115c2a12570908248a7ed41d89710ec8"
	header := http.Header{"X-Samsara-Timestamp": {"1700000000"}, "X-Samsara-Signature": {signature}}
	body := []byte(`{"a":1}`)
	if !genuine(secret, header, body) {
		t.Error("a notice of the vendor is refused")
	}
	for name, refused := range map[string]bool{
		"another body":   genuine(secret, header, []byte(`{"a":2}`)),
		"another secret": genuine("b3RoZXI=", header, body),
		"no secret":      genuine("not base64!", header, body),
		"no signature":   genuine(secret, http.Header{}, body),
	} {
		if refused {
			t.Errorf("%s is taken", name)
		}
	}
}
