package bouncie

import (
	"crypto/subtle"
	"net/http"

	"github.com/drover-fleet/drover/internal/provider"
)

var notices = &provider.Notices{
	Help:    "In the Bouncie developer portal, enter the address as the application's webhook, with a key of your own as its authorization, and the same key as webhook_secret.",
	Genuine: genuine,
}

// genuine compares the key that the application sends with each notice. Bouncie signs
// nothing.
func genuine(secret string, header http.Header, _ []byte) bool {
	return subtle.ConstantTimeCompare([]byte(secret), []byte(header.Get("Authorization"))) == 1
}
