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
}

func (c Claims) text(name string) string {
	text, _ := c.all[name].(string)
	if strings.ContainsFunc(text, unicode.IsControl) { // no database keeps it, and no one is called so
		return ""
	}
	return strings.TrimSpace(text)
}

// Username is how the person is called at the provider; empty where it does not say.
func (c Claims) Username() string { return c.text("preferred_username") }

// Email is the person's address. It is verified where the provider says so, or where it
// does not say and is trusted to have done so.
func (c Claims) Email(trusted bool) (address string, verified bool) {
	switch v := c.all["email_verified"].(type) {
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
	value, ok := c.all[name]
	if !ok {
		value = c.all
		for part := range strings.SplitSeq(name, ".") {
			object, _ := value.(map[string]any)
			value = object[part]
		}
	}
	switch v := value.(type) {
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
