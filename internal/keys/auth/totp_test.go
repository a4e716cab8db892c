package auth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/keys/auth"
)

// TestCodesOfTheRFC holds codes to the vectors of RFC 6238, appendix B, which have eight
// digits: ours are their last six.
func TestCodesOfTheRFC(t *testing.T) {
	t.Parallel()
	secret := []byte("12345678901234567890")
	for at, want := range map[int64]string{
		59: "94287082", 1111111109: "07081804", 1111111111: "14050471", 1234567890: "89005924", 2000000000: "69279037", 20000000000: "65353130",
	} {
		if got := auth.CodeAt(secret, time.Unix(at, 0)); got != want[2:] {
			t.Errorf("at %d: %s, want %s", at, got, want[2:])
		}
	}
}

// TestCodeStep holds when a code is good: once, and as far as clocks may differ.
func TestCodeStep(t *testing.T) {
	t.Parallel()
	secret, now := auth.NewFactorSecret(), time.Unix(1_700_000_010, 0)
	code := auth.CodeAt(secret, now)
	step := now.Unix() / 30
	for _, tt := range []struct {
		name string
		at   time.Duration
		last int64
		ok   bool
	}{
		{"Now", 0, 0, true},
		{"Replayed", 0, step, false},
		{"AfterALaterOne", 0, step + 1, false},
		{"ClockBehind", -30 * time.Second, 0, true},
		{"ClockAhead", 30 * time.Second, 0, true},
		{"ClockTooFarBehind", -60 * time.Second, 0, false},
		{"ClockTooFarAhead", 60 * time.Second, 0, false},
	} {
		got, ok := auth.CodeStep(secret, code, now.Add(tt.at), tt.last)
		if ok != tt.ok || ok && got != step {
			t.Errorf("%s: step %d, %t; want %t", tt.name, got, ok, tt.ok)
		}
	}
	if _, ok := auth.CodeStep(auth.NewFactorSecret(), code, now, 0); ok {
		t.Error("the code of another secret is accepted")
	}
}

// TestFactorTexts holds how secrets and codes are written, and read however they are typed.
func TestFactorTexts(t *testing.T) {
	t.Parallel()
	if got, want := auth.FactorURI([]byte("12345678901234567890"), "fleet.example", "ann lee"),
		"otpauth://totp/fleet.example:ann%20lee?algorithm=SHA1&digits=6&issuer=fleet.example&period=30&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"; got != want {
		t.Errorf("the address is %s, want %s", got, want)
	}
	code := auth.NewRecoveryCode()
	if len(code) != 19 || auth.IsCode(code) || code == auth.NewRecoveryCode() {
		t.Errorf("a recovery code is %q", code)
	}
	if typed := " " + strings.ToUpper(strings.ReplaceAll(code, "-", "")); auth.HashRecoveryCode(typed) != auth.HashRecoveryCode(code) {
		t.Error("a recovery code is another one when it is typed otherwise")
	}
	if !auth.IsCode("012345") || !auth.IsCode("987654") || auth.IsCode("12345") || auth.IsCode("12345a") {
		t.Error("six digits are a code, and nothing else")
	}
}
