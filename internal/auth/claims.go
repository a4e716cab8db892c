package auth

import (
	"strconv"
	"strings"
)

// Issuer is the iss of every token.
const Issuer = "drover"

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

// append writes the claims as JSON. They have to be valid.
func (c *Claims) append(b []byte) []byte {
	b = append(b, `{"iss":"`+Issuer+`","sub":"`...)
	b = append(b, c.Subject...)
	b = append(b, `","tid":"`...)
	b = append(b, c.TenantID...)
	b = append(b, `","sid":"`...)
	b = append(b, c.SessionID...)
	b = append(b, `","iat":`...)
	b = strconv.AppendInt(b, c.IssuedAt, 10)
	b = append(b, `,"exp":`...)
	b = strconv.AppendInt(b, c.ExpiresAt, 10)
	b = append(b, `,"jti":"`...)
	b = append(b, c.TokenID...)
	b = append(b, `","typ":"`...)
	b = append(b, c.Type...)
	return append(b, `"}`...)
}

// claimCount is how many claims a token carries.
const claimCount = 8

// parseClaims reads compact JSON of exactly our claims, in any order.
//
// It is stricter than encoding/json, and several times as fast, which counts
// because every request pays for it. A claim that is unknown, that comes twice,
// in other letter case or with escapes is none that Sign writes.
func parseClaims(text string) (Claims, bool) {
	var c Claims
	var issuer string
	r := claimReader{rest: text}
	r.skip("{")
	for i := range claimCount {
		if i > 0 {
			r.skip(",")
		}
		switch r.name() {
		case "iss":
			issuer = r.text()
		case "sub":
			c.Subject = r.text()
		case "tid":
			c.TenantID = r.text()
		case "sid":
			c.SessionID = r.text()
		case "iat":
			c.IssuedAt = r.number()
		case "exp":
			c.ExpiresAt = r.number()
		case "jti":
			c.TokenID = r.text()
		case "typ":
			c.Type = TokenType(r.text())
		default:
			return Claims{}, false
		}
	}
	r.skip("}")
	// No claim may be empty, so one that came twice shows by the one it crowded
	// out.
	ok := !r.failed && r.rest == "" && issuer == Issuer && c.valid()
	return c, ok
}

// claimReader reads JSON from the front of rest. After the first fault it
// returns nothing more.
type claimReader struct {
	rest   string
	failed bool
}

func (r *claimReader) skip(literal string) {
	rest, ok := strings.CutPrefix(r.rest, literal)
	r.advance(rest, ok)
}

func (r *claimReader) name() string {
	name := r.text()
	r.skip(":")
	return name
}

// text reads a string as it stands. It may hold what JSON does not allow or
// would read otherwise; Claims.valid refuses that.
func (r *claimReader) text() string {
	r.skip(`"`)
	text, rest, ok := strings.Cut(r.rest, `"`)
	r.advance(rest, ok)
	return text
}

// number reads a positive integer.
func (r *claimReader) number() int64 {
	rest := strings.TrimLeft(r.rest, "0123456789")
	digits := r.rest[:len(r.rest)-len(rest)]
	n, err := strconv.ParseInt(digits, 10, 64)
	r.advance(rest, err == nil && digits[0] != '0')
	return n
}

func (r *claimReader) advance(rest string, ok bool) {
	if !ok || r.failed {
		r.rest, r.failed = "", true
		return
	}
	r.rest = rest
}
