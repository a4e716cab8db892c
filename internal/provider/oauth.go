package provider

import (
	"net/url"
	"strings"
)

// OAuth is a vendor's authorization code flow. A connection has the credentials
// client_id, client_secret and redirect_uri of an application, and what a person's
// consent gives comes into one more.
type OAuth struct {
	// AuthorizeURL is where the person agrees, and is sent on to the redirect URI
	// with a code.
	AuthorizeURL string
	// TokenURL trades the code for a refresh token. It is empty where the code
	// itself is good for more than once, and is kept.
	TokenURL string
	Scopes   []string
	// Field is the credential that keeps the refresh token, or the code.
	Field string
}

// The credentials of an application that is registered with a vendor.
const (
	ClientIDField     = "client_id"
	ClientSecretField = "client_secret"
	RedirectField     = "redirect_uri"
)

// ConsentURL is where a person agrees. State comes back with the code, so that anyone who
// asked knows the answer again.
func (o *OAuth) ConsentURL(credentials Credentials, state string) string {
	query := url.Values{
		"response_type": {"code"},
		"client_id":     {credentials[ClientIDField]},
		"redirect_uri":  {credentials[RedirectField]},
		"state":         {state},
	}
	if len(o.Scopes) > 0 {
		query.Set("scope", strings.Join(o.Scopes, " "))
	}
	return addressAt(o.AuthorizeURL, strings.TrimRight(credentials[BaseURLField], "/")) + "?" + query.Encode()
}

// TokenURLAt is where a code is traded, for a connection whose base URL may replace the
// vendor's.
func (o *OAuth) TokenURLAt(base string) string { return addressAt(o.TokenURL, base) }

// addressAt is an address of a vendor's sign-in at another base URL, where there is one.
func addressAt(address, base string) string {
	u, err := url.Parse(address)
	if err != nil || base == "" {
		return address
	}
	return base + u.Path
}
