package openid

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode"
)

// Claims is what a provider says of a person. Names of claims are compared exactly.
type Claims struct {
	Subject string

	all map[string]any
	// more is what the userinfo endpoint says. The token, which is signed, goes before it.
	more map[string]any
}

// has reports whether the token says something of a claim.
func (c Claims) has(name string) bool { return at(c.all, name) != nil }

// said is what says something of a claim.
func (c Claims) said(name string) map[string]any {
	if c.has(name) {
		return c.all
	}
	return c.more
}

// at is the claim of a name or, where there is none so named, what its way through objects leads to.
func at(all map[string]any, name string) any {
	if value, ok := all[name]; ok {
		return value
	}
	var value any = all
	for part := range strings.SplitSeq(name, ".") {
		object, _ := value.(map[string]any)
		value = object[part]
	}
	return value
}

func (c Claims) text(name string) string {
	text, _ := c.said(name)[name].(string)
	if strings.ContainsFunc(text, unicode.IsControl) { // no database keeps it, and no one is called so
		return ""
	}
	return strings.TrimSpace(text)
}

// Username is how the person is called at the provider; empty where it does not say.
func (c Claims) Username() string { return c.text("preferred_username") }

// Email is the person's address. It is verified where the provider says so, or where it
// does not say and is trusted to have done so. What says it is what has the address: a
// verified address of the userinfo endpoint does not verify another one of the token.
func (c Claims) Email(trusted bool) (address string, verified bool) {
	switch v := c.said("email")["email_verified"].(type) {
	case nil:
		verified = trusted
	case bool:
		verified = v
	case string: // some providers write it so
		verified = v == "true"
	}
	address = c.text("email")
	return address, verified && address != ""
}

// Values are the texts of a claim: of one text, or of a list. Name is that of the claim
// or, where there is none so named, its way through objects: realm_access.roles.
func (c Claims) Values(name string) []string {
	switch v := at(c.said(name), name).(type) {
	case string:
		return []string{v}
	case []any:
		var texts []string
		for _, item := range v {
			if text, ok := item.(string); ok {
				texts = append(texts, text)
			}
		}
		return texts
	}
	return nil
}

// header is the first part of a token, and unverified what its second says.
type header struct {
	Algorithm string `json:"alg"`
}

type unverified struct {
	Issuer    string    `json:"iss"`
	Audience  audiences `json:"aud"`
	NotBefore float64   `json:"nbf"`
}

// audiences is one text, or a list of them.
type audiences []string

// UnmarshalJSON implements json.Unmarshaler.
func (a *audiences) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*a = audiences{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(a))
}

// peek reads a token without verifying it. What cannot be read is left empty.
func peek(raw string) (h header, u unverified) {
	parts := strings.Split(raw, ".")
	for i, into := range []any{&h, &u} {
		if i >= len(parts) {
			break
		}
		if text, err := base64.RawURLEncoding.DecodeString(parts[i]); err == nil {
			_ = json.Unmarshal(text, into) // the empty value says that it cannot be read
		}
	}
	return h, u
}
