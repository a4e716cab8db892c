package outbound_test

import (
	"testing"

	"github.com/drover-fleet/drover/internal/outbound"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	r := outbound.NewRedactor([]string{"", "s3cret", "s3cret/longer", "a b+c"})
	for text, want := range map[string]string{
		"nothing to see":       "nothing to see",
		"":                     "",
		"key=s3cret.":          "key=[redacted].",
		"s3cret/longer s3cret": "[redacted] [redacted]",
		"s3cret%2Flonger":      "[redacted]",
		"s3cret%2flonger":      "[redacted]",
		`s3cret\/longer`:       "[redacted]",
		"x=a+b%2Bc&y":          "x=[redacted]&y",
		"x=a%20b+c&y":          "x=[redacted]&y",
		"czNjcmV0":             "[redacted]",
		"Basic dTpzM2NyZXQ=":   "Basic dTp[redacted]Q=",
	} {
		if got := r.Redact(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := outbound.NewRedactor(nil).Redact("text"); got != "text" {
		t.Errorf("without secrets: got %q", got)
	}
}
