package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // what RFC 6238 says, and all that most authenticator apps know
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

const (
	// codeStep is for how long a code is shown.
	codeStep = 30
	// codeSkew is by how many steps a clock may be wrong.
	codeSkew = 1
	// factorSecretBytes is the length that RFC 4226 recommends.
	factorSecretBytes = 20
	// recoveryBytes make a code that cannot be guessed, also by those who have its hash.
	recoveryBytes = 10
)

// NewFactorSecret makes the secret of an authenticator app.
func NewFactorSecret() []byte {
	secret := make([]byte, factorSecretBytes)
	_, _ = rand.Read(secret) // it never fails
	return secret
}

// FactorText is a secret as people type it.
func FactorText(secret []byte) string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret)
}

// FactorURI is a secret as authenticator apps scan it.
func FactorURI(secret []byte, issuer, username string) string {
	query := url.Values{"secret": {FactorText(secret)}, "issuer": {issuer}, "algorithm": {"SHA1"}, "digits": {"6"}, "period": {"30"}}
	// Apps take a plus for itself.
	return "otpauth://totp/" + url.PathEscape(issuer+":"+username) + "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
}

// IsCode reports whether a text can be a code of an authenticator app.
func IsCode(text string) bool {
	return len(text) == 6 && !strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

// CodeStep finds the step of a code, as far as a clock may be wrong, after the last one that
// was accepted: a code is good once. Ok is false where it is the code of none.
func CodeStep(secret []byte, code string, now time.Time, last int64) (step int64, ok bool) {
	present := now.Unix() / codeStep
	for s := present - codeSkew; s <= present+codeSkew; s++ {
		if subtle.ConstantTimeCompare([]byte(codeAt(secret, s)), []byte(code)) == 1 && s > last {
			step, ok = s, true
		}
	}
	return step, ok
}

// CodeAt is the code that an authenticator app shows at a time.
func CodeAt(secret []byte, now time.Time) string { return codeAt(secret, now.Unix()/codeStep) }

// codeAt is the code of a step: RFC 6238 with six digits.
func codeAt(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(step))) // steps count from 1970 on
	sum := mac.Sum(nil)
	number := binary.BigEndian.Uint32(sum[sum[len(sum)-1]&0xf:]) & 0x7fffffff
	return fmt.Sprintf("%06d", number%1_000_000)
}

// NewRecoveryCode makes a code that lets a user in once.
func NewRecoveryCode() string {
	raw := make([]byte, recoveryBytes)
	_, _ = rand.Read(raw) // it never fails
	text := strings.ToLower(base32.StdEncoding.EncodeToString(raw))
	return text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:]
}

// HashRecoveryCode is what is stored of a recovery code, however it was typed.
func HashRecoveryCode(code string) string {
	plain := strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(code))
	return HashSecret(plain)
}
