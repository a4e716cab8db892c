package auth

import (
	"bytes"
	"encoding/json"
	"errors"
)

// issuer is the iss of every token.
const issuer = "drover"

// TokenType says what a token is good for.
type TokenType string

// The types of a token.
const (
	Access  TokenType = "access"  // every operation but /token and /refresh
	Refresh TokenType = "refresh" // POST /refresh
)

// Claims is what a token says. Besides these it carries iss, and nothing more.
type Claims struct {
	Subject   string    // sub, the user's id
	TenantID  string    // tid
	SessionID string    // sid
	IssuedAt  int64     // iat, in seconds since 1970
	ExpiresAt int64     // exp, in seconds since 1970; from then on the token is refused
	TokenID   string    // jti
	Type      TokenType // typ
}

// maxInstant is the last second of the year 9999. Beyond it readers of tokens
// disagree on what time is meant.
const maxInstant = 253402300799

// valid reports whether the claims are all there and can be written as they
// are, without escapes.
func (c *Claims) valid() bool {
	return isPlain(c.Subject) && isPlain(c.TenantID) && isPlain(c.SessionID) && isPlain(c.TokenID) &&
		(c.Type == Access || c.Type == Refresh) &&
		c.IssuedAt > 0 && c.IssuedAt <= maxInstant &&
		c.ExpiresAt > 0 && c.ExpiresAt <= maxInstant
}

// isPlain reports whether s is a non-empty text that JSON writes as it is.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			return false
		}
	}
	return s != ""
}

// payload is the second part of a token, in the order in which it is written.
type payload struct {
	Issuer    string    `json:"iss"`
	Subject   string    `json:"sub"`
	TenantID  string    `json:"tid"`
	SessionID string    `json:"sid"`
	IssuedAt  int64     `json:"iat"`
	ExpiresAt int64     `json:"exp"`
	TokenID   string    `json:"jti"`
	Type      TokenType `json:"typ"`

	size int // in bytes, as read
}

// claimCount is how many claims a token carries.
const claimCount = 8

func newPayload(c Claims) *payload {
	return &payload{
		Issuer: issuer, Subject: c.Subject, TenantID: c.TenantID, SessionID: c.SessionID,
		IssuedAt: c.IssuedAt, ExpiresAt: c.ExpiresAt, TokenID: c.TokenID, Type: c.Type,
	}
}

func (p *payload) claims() Claims {
	return Claims{
		Subject: p.Subject, TenantID: p.TenantID, SessionID: p.SessionID,
		IssuedAt: p.IssuedAt, ExpiresAt: p.ExpiresAt, TokenID: p.TokenID, Type: p.Type,
	}
}

// UnmarshalJSON reads exactly our claims, each once. encoding/json alone would
// accept a name in other letter case, the last of two, and claims that we do
// not know: none of that is what Sign writes.
func (p *payload) UnmarshalJSON(text []byte) error {
	read, err := readClaims(text)
	if err != nil {
		return err
	}
	*p = payload{
		Issuer: read.text("iss"), Subject: read.text("sub"), TenantID: read.text("tid"), SessionID: read.text("sid"),
		IssuedAt: read.number("iat"), ExpiresAt: read.number("exp"), TokenID: read.text("jti"), Type: TokenType(read.text("typ")),
		size: len(text),
	}
	return nil
}

// claimValues are the values of a JSON object by their exact names.
type claimValues map[string]json.Token

func readClaims(text []byte) (claimValues, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("the claims are no object")
	}
	read := claimValues{}
	for range claimCount {
		name, errName := d.Token()
		value, errValue := d.Token()
		text, ok := name.(string)
		if _, twice := read[text]; twice || !ok || errName != nil || errValue != nil {
			return nil, errors.New("a claim is missing, repeated or malformed")
		}
		read[text] = value
	}
	if d.More() {
		return nil, errors.New("there are unknown claims")
	}
	return read, nil
}

// text is the empty text where the claim is missing or no text.
func (v claimValues) text(name string) string {
	text, _ := v[name].(string)
	return text
}

// number is 0 where the claim is missing or no integer.
func (v claimValues) number(name string) int64 {
	digits, _ := v[name].(json.Number)
	n, err := digits.Int64()
	if err != nil {
		return 0
	}
	return n
}
