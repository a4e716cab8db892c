package motive

import (
	"net/http"
	"testing"
)

// TestGenuine holds the signature against one that was computed with openssl:
// printf '{"a":1}' | openssl dgst -sha1 -hmac secret.
func TestGenuine(t *testing.T) {
	t.Parallel()
	header := http.Header{}
	header.Set("X-KT-Webhook-Signature", "f8446672f033e4b2beafc5ca3a71eafcd2cafb6e")
	if !genuine("secret", header, []byte(`{"a":1}`)) {
		t.Error("a notice of the vendor is refused")
	}
	if genuine("secret", header, []byte(`{"a":2}`)) || genuine("other", header, []byte(`{"a":1}`)) || genuine("secret", http.Header{}, nil) {
		t.Error("a notice of someone else is taken")
	}
}
