package outbound_test

import (
	"net/url"
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

func TestRedactURL(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://example.com/a/b":                   "https://example.com/a/b",
		"https://u:hunter2@example.com:8443/a":      "https://example.com:8443/a",
		"https://example.com/a?k=hunter2&n=1&k=x#f": "https://example.com/a?k=&n=&k=",
		"https://example.com/a?hunter2":             "https://example.com/a",
		"https://example.com/a?k=%zz;hunter2":       "https://example.com/a?k=",
		"mailto:hunter2@example.com":                "mailto:",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		before := u.String()
		if got := outbound.RedactURL(u); got != want {
			t.Errorf("%s: got %s, want %s", raw, got, want)
		}
		if u.String() != before {
			t.Errorf("%s was altered", raw)
		}
	}
	if got := outbound.RedactURL(nil); got != "" {
		t.Errorf("nil: got %s", got)
	}
}
