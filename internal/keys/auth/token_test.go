package auth

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
)

var noon = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)

func key(id string, seed byte) Key {
	return Key{ID: id, Secret: bytes.Repeat([]byte{seed}, secretBytes), CreatedAt: drover.At(noon), Active: true}
}

func keySet(tb testing.TB, keys ...Key) *KeySet {
	tb.Helper()
	set, err := NewKeySet(keys)
	if err != nil {
		tb.Fatal(err)
	}
	return set
}

func claims(typ TokenType) Claims {
	return Claims{
		Subject:   "0195c3a2-7f10-7d2c-9a51-0242ac120002",
		TenantID:  "0195c3a2-7f10-7d2c-9a51-0242ac120003",
		SessionID: "0195c3a2-7f10-7d2c-9a51-0242ac120004",
		IssuedAt:  noon.Unix(),
		ExpiresAt: noon.Unix() + 3600,
		TokenID:   "0195c3a2-7f10-7d2c-9a51-0242ac120005",
		Type:      typ,
	}
}

func sign(tb testing.TB, set *KeySet, c Claims) string {
	tb.Helper()
	token, err := set.Sign(c)
	if err != nil {
		tb.Fatal(err)
	}
	return token
}

// encoding is that of a token's parts.
var encoding = base64.RawURLEncoding

// signRaw signs any header and payload with the secret of key.
func signRaw(key Key, header, payload string) string {
	text := encoding.EncodeToString([]byte(header)) + "." + encoding.EncodeToString([]byte(payload))
	mac := hmac.New(sha256.New, key.Secret)
	mac.Write([]byte(text))
	return text + "." + encoding.EncodeToString(mac.Sum(nil))
}

// text is what Sign writes of claims.
func (c Claims) text() string {
	text, err := json.Marshal(newPayload(c))
	if err != nil {
		panic(err)
	}
	return string(text)
}

func wantError(t *testing.T, err error, want *drover.Error) {
	t.Helper()
	got, ok := errors.AsType[*drover.Error](err)
	if !ok || got.Kind != want.Kind || got.Message != want.Message {
		t.Errorf("error %v, want %v", err, want)
	}
}

func TestTokenSaysWhatWasSigned(t *testing.T) {
	t.Parallel()
	set := keySet(t, key("k1", 1))
	for _, typ := range []TokenType{Access, Refresh} {
		got, err := set.Verify(sign(t, set, claims(typ)), noon)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(claims(typ), got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestTokenIsStable(t *testing.T) {
	t.Parallel()
	c := Claims{Subject: "u", TenantID: "t", SessionID: "s", IssuedAt: 1, ExpiresAt: 4102444800, TokenID: "j", Type: Access}
	got := sign(t, keySet(t, key("k1", 1)), c)
	want := "eyJhbGciOiJIUzI1NiIsImtpZCI6ImsxIiwidHlwIjoiSldUIn0." +
		"eyJpc3MiOiJkcm92ZXIiLCJzdWIiOiJ1IiwidGlkIjoidCIsInNpZCI6InMiLCJpYXQiOjEsImV4cCI6NDEwMjQ0NDgwMCwianRpIjoiaiIsInR5cCI6ImFjY2VzcyJ9." +
		"X4i7sDPd-P_JesSP6507zl2jWqqY0ZywCSv2YuiN60U"
	if got != want {
		t.Errorf("token %s\nwant  %s", got, want)
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(got, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	wantPayload := `{"iss":"drover","sub":"u","tid":"t","sid":"s","iat":1,"exp":4102444800,"jti":"j","typ":"access"}`
	if string(payload) != wantPayload {
		t.Errorf("payload %s\nwant    %s", payload, wantPayload)
	}
}

func TestExpiryIsToTheSecond(t *testing.T) {
	t.Parallel()
	set := keySet(t, key("k1", 1))
	token := sign(t, set, claims(Access))
	end := noon.Add(time.Hour)
	if _, err := set.Verify(token, end.Add(-time.Nanosecond)); err != nil {
		t.Errorf("just before the end: %v", err)
	}
	for _, late := range []time.Duration{0, time.Nanosecond, 24 * time.Hour} {
		_, err := set.Verify(token, end.Add(late))
		wantError(t, err, ErrExpired())
	}
}

func TestExpiredIsSaidOfGenuineTokensOnly(t *testing.T) {
	t.Parallel()
	set, late := keySet(t, key("k1", 1)), noon.Add(2*time.Hour)
	_, err := set.Verify(sign(t, keySet(t, key("k1", 2)), claims(Access)), late)
	wantError(t, err, ErrUnauthenticated())
	_, err = set.VerifyAccess(sign(t, set, claims(Refresh)), late)
	wantError(t, err, ErrUnauthenticated())
}

func TestTypesAreNotInterchangeable(t *testing.T) {
	t.Parallel()
	set := keySet(t, key("k1", 1))
	access, refresh := sign(t, set, claims(Access)), sign(t, set, claims(Refresh))
	if got, err := set.VerifyAccess(access, noon); err != nil || got.Type != Access {
		t.Errorf("access token: %v, %v", got, err)
	}
	if got, err := set.VerifyRefresh(refresh, noon); err != nil || got.Type != Refresh {
		t.Errorf("refresh token: %v, %v", got, err)
	}
	_, err := set.VerifyAccess(refresh, noon)
	wantError(t, err, ErrUnauthenticated())
	_, err = set.VerifyRefresh(access, noon)
	wantError(t, err, ErrUnauthenticated())
}

func TestEveryAlteredByteOfATokenIsNoticed(t *testing.T) {
	t.Parallel()
	set := keySet(t, key("k1", 1))
	token := sign(t, set, claims(Access))
	for i := range len(token) {
		for _, b := range []byte("Ab0-_.=+ \n") {
			altered := token[:i] + string(b) + token[i+1:]
			if altered == token {
				continue
			}
			if _, err := set.Verify(altered, noon); err == nil {
				t.Fatalf("accepted with %q at %d", b, i)
			}
		}
		if _, err := set.Verify(token[:i], noon); err == nil {
			t.Fatalf("accepted when cut to %d bytes", i)
		}
	}
}

func TestTokenHasOneSpelling(t *testing.T) {
	t.Parallel()
	set := keySet(t, key("k1", 1))
	token := sign(t, set, claims(Access))
	last := token[len(token)-1]
	// The last letter of 32 bytes in base64 has two bits to spare.
	for _, end := range []string{string(last + 1), string(last) + "\n", string(last) + "=", string(last) + " "} {
		if _, err := set.Verify(token[:len(token)-1]+end, noon); err == nil {
			t.Errorf("accepted with the ending %q", end)
		}
	}
}

func TestRefusedTokens(t *testing.T) {
	t.Parallel()
	k := key("k1", 1)
	set := keySet(t, k)
	good := sign(t, set, claims(Access))
	p := strings.Split(good, ".")
	c := claims(Access)
	payload := c.text()
	const header = `{"alg":"HS256","kid":"k1","typ":"JWT"}`
	enc := func(s string) string { return encoding.EncodeToString([]byte(s)) }

	malformed, refused := errMalformed(), ErrUnauthenticated()
	for name, test := range map[string]struct {
		token string
		want  *drover.Error
	}{
		"empty":                   {"", malformed},
		"a word":                  {"garbage", malformed},
		"dots alone":              {"..", malformed},
		"two parts":               {p[0] + "." + p[1], malformed},
		"four parts":              {good + "." + p[2], malformed},
		"header not base64":       {"!!!." + p[1] + "." + p[2], malformed},
		"header padded":           {p[0] + "=." + p[1] + "." + p[2], malformed},
		"header not JSON":         {enc("hello") + "." + p[1] + "." + p[2], malformed},
		"header a list":           {enc("[]") + "." + p[1] + "." + p[2], malformed},
		"header null":             {enc("null") + "." + p[1] + "." + p[2], malformed},
		"payload not base64":      {p[0] + ".?." + p[2], malformed},
		"payload of odd length":   {p[0] + ".A." + p[2], malformed},
		"signature not base64":    {p[0] + "." + p[1] + ".***", malformed},
		"signature with a break":  {good + "\n", malformed},
		"other header, bad rest":  {enc(`{"alg":"none"}`) + ".?.", malformed},
		"wrong signature":         {p[0] + "." + p[1] + "." + enc(strings.Repeat("x", 32)), refused},
		"short signature":         {p[0] + "." + p[1] + "." + p[2][:40], refused},
		"no signature":            {p[0] + "." + p[1] + ".", refused},
		"none":                    {enc(`{"alg":"none","kid":"k1"}`) + "." + p[1] + ".", refused},
		"None":                    {signRaw(k, `{"alg":"None","kid":"k1"}`, payload), refused},
		"other algorithm":         {signRaw(k, `{"alg":"HS512","kid":"k1"}`, payload), refused},
		"lower case algorithm":    {signRaw(k, `{"alg":"hs256","kid":"k1"}`, payload), refused},
		"algorithm in other case": {signRaw(k, `{"ALG":"HS256","kid":"k1"}`, payload), refused},
		"no algorithm":            {signRaw(k, `{"kid":"k1"}`, payload), refused},
		"no key named":            {signRaw(k, `{"alg":"HS256"}`, payload), refused},
		"key id a number":         {signRaw(k, `{"alg":"HS256","kid":1}`, payload), refused},
		"unknown key":             {sign(t, keySet(t, key("k2", 1)), c), refused},
		"critical extension":      {signRaw(k, `{"alg":"HS256","kid":"k1","crit":["x"]}`, payload), refused},
		"empty header":            {signRaw(k, `{}`, payload), refused},
		"payload not JSON":        {signRaw(k, header, "hello"), refused},
		"payload empty":           {signRaw(k, header, ""), refused},
		"payload an empty object": {signRaw(k, header, "{}"), refused},
		"other issuer":            {signRaw(k, header, strings.Replace(payload, `"drover"`, `"other"`, 1)), refused},
		"no issuer":               {signRaw(k, header, strings.Replace(payload, `"iss":"drover",`, "", 1)), refused},
		"other type":              {signRaw(k, header, strings.Replace(payload, `"access"`, `"id"`, 1)), refused},
		"no expiry":               {signRaw(k, header, strings.Replace(payload, `"exp"`, `"iat"`, 1)), refused},
		"expiry a text":           {signRaw(k, header, strings.Replace(payload, `"exp":`, `"exp":"1","x":`, 1)), refused},
		"expiry a fraction":       {signRaw(k, header, strings.Replace(payload, `,"jti"`, `.5,"jti"`, 1)), refused},
		"expiry with a zero":      {signRaw(k, header, strings.Replace(payload, `"exp":`, `"exp":0`, 1)), refused},
		"expiry beyond all years": {signRaw(k, header, strings.Replace(payload, `,"jti"`, `00000,"jti"`, 1)), refused},
		"one claim more":          {signRaw(k, header, strings.Replace(payload, `}`, `,"nbf":9999999999}`, 1)), refused},
		"one claim twice":         {signRaw(k, header, strings.Replace(payload, `}`, `,"tid":"other"}`, 1)), refused},
		"claim in other case":     {signRaw(k, header, strings.Replace(payload, `"tid"`, `"TID"`, 1)), refused},
		"escaped claim":           {signRaw(k, header, strings.Replace(payload, `"sub":"`, `"sub":"\\u0041`, 1)), refused},
		"empty subject":           {signRaw(k, header, strings.Replace(payload, c.Subject, "", 1)), refused},
		"empty session":           {signRaw(k, header, strings.Replace(payload, c.SessionID, "", 1)), refused},
		"rest after claims":       {signRaw(k, header, payload+" "), refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.token == good {
				t.Fatal("the token was not changed")
			}
			got, err := set.Verify(test.token, noon)
			wantError(t, err, test.want)
			if got != (Claims{}) {
				t.Errorf("claims of a refused token: %v", got)
			}
		})
	}
}

func TestHeadersOfOtherSpellingAreRead(t *testing.T) {
	t.Parallel()
	k := key("k1", 1)
	c := claims(Access)
	for _, header := range []string{
		`{"kid":"k1","alg":"HS256"}`,
		`{ "typ":"JWT", "alg":"HS256", "kid":"\u006b1" }`,
	} {
		got, err := keySet(t, k).Verify(signRaw(k, header, c.text()), noon)
		if err != nil || got != c {
			t.Errorf("%s: %v, %v", header, got, err)
		}
	}
}

func TestSignRefusesIncompleteClaims(t *testing.T) {
	t.Parallel()
	set := keySet(t, key("k1", 1))
	for name, change := range map[string]func(*Claims){
		"no subject":     func(c *Claims) { c.Subject = "" },
		"no tenant":      func(c *Claims) { c.TenantID = "" },
		"no session":     func(c *Claims) { c.SessionID = "" },
		"no id":          func(c *Claims) { c.TokenID = "" },
		"no type":        func(c *Claims) { c.Type = "" },
		"no expiry":      func(c *Claims) { c.ExpiresAt = 0 },
		"no issue time":  func(c *Claims) { c.IssuedAt = 0 },
		"far expiry":     func(c *Claims) { c.ExpiresAt = maxInstant + 1 },
		"quote in id":    func(c *Claims) { c.Subject = `a","typ":"access` },
		"backslash":      func(c *Claims) { c.TenantID = `a\` },
		"control letter": func(c *Claims) { c.SessionID = "a\n" },
		"not ASCII":      func(c *Claims) { c.Subject = "é" },
	} {
		c := claims(Access)
		change(&c)
		if token, err := set.Sign(c); err == nil {
			t.Errorf("%s: signed %s", name, token)
		}
	}
}

// TestClaimsAtTheBounds holds that the last moment and the first and last plain letter
// still count.
func TestClaimsAtTheBounds(t *testing.T) {
	t.Parallel()
	set, c := keySet(t, key("k1", 1)), claims(Access)
	c.Subject, c.IssuedAt, c.ExpiresAt = "a b~", maxInstant, maxInstant
	got, err := set.Verify(sign(t, set, c), noon)
	if err != nil || got != c {
		t.Errorf("read %+v, %v, want %+v", got, err, c)
	}
}

func TestKeyRotation(t *testing.T) {
	t.Parallel()
	k1, k2 := key("k1", 1), key("k2", 2)
	k2.CreatedAt = drover.At(noon.Add(time.Minute))
	old := sign(t, keySet(t, k1), claims(Access))

	until := drover.At(noon.Add(30 * time.Minute))
	k1.Active, k1.VerifyUntil = false, &until
	set := keySet(t, k2, k1)
	if set.Active() != "k2" {
		t.Errorf("%s signs, want k2", set.Active())
	}
	for name, token := range map[string]string{"old": old, "new": sign(t, set, claims(Access))} {
		if _, err := set.Verify(token, until.Add(-time.Millisecond)); err != nil {
			t.Errorf("%s token: %v", name, err)
		}
	}
	_, err := set.Verify(old, until.Time)
	wantError(t, err, ErrUnauthenticated())
	_, err = keySet(t, k2).Verify(old, noon)
	wantError(t, err, ErrUnauthenticated())
}

// TestNextEnd holds which key ends next: of those that still verify the first, and none that has ended or has no end.
func TestNextEnd(t *testing.T) {
	t.Parallel()
	first, second, endless := key("first", 1), key("second", 2), key("endless", 3)
	one, two := drover.At(noon.Add(time.Hour)), drover.At(noon.Add(2*time.Hour))
	first.VerifyUntil, second.VerifyUntil = &one, &two
	set := keySet(t, second, endless, first)
	for at, want := range map[time.Time]time.Time{
		noon: one.Time, one.Add(-time.Millisecond): one.Time, one.Time: two.Time, two.Time: {},
	} {
		if got, ok := set.NextEnd(at); !got.Equal(want) || ok == want.IsZero() {
			t.Errorf("at %v: %v, %v, want %v", at, got, ok, want)
		}
	}
}

func TestNewestActiveKeySigns(t *testing.T) {
	t.Parallel()
	older, newer := key("z", 1), key("a", 2)
	newer.CreatedAt = drover.At(noon.Add(time.Minute))
	if got := keySet(t, newer, older).Active(); got != "a" {
		t.Errorf("%s signs, want the newest", got)
	}
}

func TestNewKeySetRefuses(t *testing.T) {
	t.Parallel()
	retired, short := key("k1", 1), key("k1", 1)
	retired.Active = false
	short.Secret = short.Secret[1:]
	for name, keys := range map[string][]Key{
		"none":         nil,
		"none active":  {retired},
		"short secret": {short},
		"same id":      {key("k1", 1), key("k1", 2)},
		"no id":        {key("", 1)},
		"quote in id":  {key(`a"`, 1)},
	} {
		if _, err := NewKeySet(keys); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestNewKey(t *testing.T) {
	t.Parallel()
	k, err := NewKey("k1", strings.NewReader(strings.Repeat("r", secretBytes)), noon)
	if err != nil {
		t.Fatal(err)
	}
	set := keySet(t, k)
	k.Secret[0]++ // the set has its own copy
	if _, err := set.Verify(sign(t, set, claims(Access)), noon); err != nil {
		t.Error(err)
	}
	if _, err := NewKey("k1", strings.NewReader("short"), noon); err == nil {
		t.Error("a key was made of too little randomness")
	}
}

func TestKeyNeverPrintsItsSecret(t *testing.T) {
	t.Parallel()
	k := key("k1", 0x41)
	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).Info("key", "key", k, "pointer", &k)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d"} {
		fmt.Fprintf(&out, strings.Repeat(verb, 3), k, &k, []Key{k})
	}
	if err := json.NewEncoder(&out).Encode(k); err != nil {
		t.Fatal(err)
	}
	for _, leak := range []string{"AAAA", "41414141", "65 65", "QUFB", "0x41, 0x41"} {
		if strings.Contains(out.String(), leak) {
			t.Errorf("printed output holds the secret as %q: %s", leak, out.String())
		}
	}
	if !strings.Contains(out.String(), "signing key k1") {
		t.Error("the id is not printed")
	}
}

func TestBearer(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"Bearer abc":      "abc",
		"bearer abc":      "abc",
		"BEARER   abc":    "abc",
		" Bearer abc ":    "abc",
		"Bearer a.b.c d":  "a.b.c d",
		"":                "",
		"Bearer":          "",
		"Bearer ":         "",
		"Basic dTpw":      "",
		"abc":             "",
		"Bearerabc":       "",
		"Token Bearer ab": "",
	} {
		got, err := Bearer(header)
		if got != want {
			t.Errorf("Bearer(%q) = %q, want %q", header, got, want)
		}
		if want == "" {
			wantError(t, err, ErrUnauthenticated())
		} else if err != nil {
			t.Errorf("Bearer(%q): %v", header, err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	set := keySet(b, key("k1", 1))
	token := sign(b, set, claims(Access))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := set.VerifyAccess(token, noon); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSign(b *testing.B) {
	set := keySet(b, key("k1", 1))
	c := claims(Access)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := set.Sign(c); err != nil {
			b.Fatal(err)
		}
	}
}
