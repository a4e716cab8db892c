package providertest

import (
	"encoding/base64"
	"testing"

	"github.com/drover-fleet/drover/internal/provider"
)

// testNotices holds a notice of the vendor to be taken for one, and any other not.
func testNotices(t *testing.T, h *Harness) {
	t.Helper()
	n := h.Info.Notices
	if n.Help == "" || h.Notice == nil {
		t.Fatal("notices say where the vendor takes the address, and the fake sends one")
	}
	secret := base64.StdEncoding.EncodeToString([]byte("of the vendor"))
	header, body := h.Notice(secret)
	if n.Confirm != nil && n.Confirm(body) != "" {
		t.Error("a notice is taken for a question")
	}
	if n.Genuine == nil {
		return
	}
	hasField := false
	for _, f := range h.Info.Fields {
		hasField = hasField || f.Name == provider.WebhookSecretField && f.Secret && !f.Required
	}
	if !hasField {
		t.Errorf("there is no credential %s", provider.WebhookSecretField)
	}
	if !n.Genuine(secret, header, body) {
		t.Error("a notice of the vendor is refused")
	}
	if n.Genuine(base64.StdEncoding.EncodeToString([]byte("of others")), header, body) || n.Genuine(secret, nil, body) {
		t.Error("a notice of someone else is taken")
	}
}
