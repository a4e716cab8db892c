package provider

import "net/http"

// WebhookSecretField is the credential that a vendor's notices are signed with, or
// carry.
const WebhookSecretField = "webhook_secret"

// Notices are how a vendor says by itself that there is something new: it calls an
// address of the connection's own. A notice is a reason to look at once, and may carry
// positions; it is never the only source.
type Notices struct {
	// Help says where the vendor takes the address.
	Help string
	// Genuine reports whether a notice is the vendor's, by the secret that the
	// connection has for that. Nil where the vendor signs none: the address itself is
	// the secret then.
	Genuine func(secret string, header http.Header, body []byte) bool
	// Confirm returns the address that the vendor wants to be called before it sends
	// notices, empty for any other notice. Nil where it wants none.
	Confirm func(body []byte) string
	// Positions returns those that a notice carries, none for any other. Nil where no
	// notice does.
	Positions func(body []byte) []Position
}
