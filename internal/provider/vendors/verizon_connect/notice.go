package verizonconnect

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/drover-fleet/drover/internal/provider"
)

var notices = &provider.Notices{
	Help:    "Give the address to the GPS Push Service of Reveal as its endpoint. The subscription that it asks to confirm is confirmed by drover; the service signs with no secret of yours.",
	Confirm: confirmation,
}

// confirmation is the address of a subscription that waits to be confirmed. The
// service sends by Amazon's notification service, and no other address is called.
func confirmation(body []byte) string {
	var message struct {
		Type         string `json:"Type"`
		SubscribeURL string `json:"SubscribeURL"`
	}
	if json.Unmarshal(body, &message) != nil || message.Type != "SubscriptionConfirmation" {
		return ""
	}
	u, err := url.Parse(message.SubscribeURL)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Port() != "" || !strings.HasPrefix(u.Hostname(), "sns.") ||
		!strings.HasSuffix(u.Hostname(), ".amazonaws.com") {
		return ""
	}
	return u.String()
}
