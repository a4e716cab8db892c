package outbound

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// redacted stands where a secret was.
const redacted = "[redacted]"

// Redactor removes known secrets from text, in each form in which a request
// would carry them: as they are, escaped for URLs, JSON or HTML, and in base64, alone
// or within a longer text such as Basic credentials.
type Redactor struct{ replacer *strings.Replacer }

// NewRedactor makes a Redactor for secrets. Empty ones are ignored.
func NewRedactor(secrets []string) *Redactor {
	var forms []string
	for _, s := range secrets {
		if s != "" {
			forms = append(forms, secretForms(s)...)
		}
	}
	// The replacer prefers what comes first: a form that holds another must win,
	// or its rest would stay.
	slices.SortFunc(forms, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	forms = slices.Compact(forms)
	pairs := make([]string, 0, 2*len(forms))
	for _, f := range forms {
		pairs = append(pairs, f, redacted)
	}
	return &Redactor{strings.NewReplacer(pairs...)}
}

// Redact returns text without the secrets.
func (r *Redactor) Redact(text string) string { return r.replacer.Replace(text) }

// percentEscape matches an escaped byte as net/url writes it; others write the
// digits in lower case.
var percentEscape = regexp.MustCompile(`%[0-9A-F]{2}`)

// secretForms returns the forms of one secret.
func secretForms(s string) []string {
	forms := append(base64Forms(s), s, html.EscapeString(s))
	if quoted, err := json.Marshal(s); err == nil {
		inner := string(quoted[1 : len(quoted)-1])
		forms = append(forms, inner, strings.ReplaceAll(inner, "/", `\/`))
	}
	for _, f := range slices.Clone(forms) {
		for _, e := range []string{url.QueryEscape(f), url.PathEscape(f)} {
			forms = append(forms, e, percentEscape.ReplaceAllStringFunc(e, strings.ToLower))
		}
	}
	return forms
}

// base64Forms returns s in base64, whole and as the characters that it fills
// wherever it stands in a longer text: these depend on its offset in a group of
// three bytes only. A character that it shares with a neighbour stays.
func base64Forms(s string) []string {
	const shortest = 4 // shorter runs are met by chance
	var forms []string
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		forms = append(forms, enc.EncodeToString([]byte(s)))
		for offset := range 3 {
			whole := enc.EncodeToString([]byte(strings.Repeat("\x00", offset) + s))
			first, last := (offset*8+5)/6, (offset+len(s))*8/6
			if last-first >= shortest {
				forms = append(forms, whole[first:last])
			}
		}
	}
	return forms
}

// requestSecrets returns what authenticates req: what its headers and query
// hold under names that tell so. A vendor may repeat it in an answer, and a token
// that was renewed is not among the secrets that the client was made with. Short
// values are left out: they are rather a name or a number than a secret, and
// taking them out of an answer would leave it unreadable.
func requestSecrets(req *http.Request) []string {
	const shortest = 8
	var secrets []string
	for name, values := range req.Header {
		if credentialName.MatchString(name) {
			for _, v := range values {
				_, token, _ := strings.Cut(v, " ") // the scheme of Authorization is no secret
				secrets = append(secrets, v, token)
			}
		}
	}
	for name, values := range req.URL.Query() {
		if credentialName.MatchString(name) {
			secrets = append(secrets, values...)
		}
	}
	return slices.DeleteFunc(secrets, func(s string) bool { return len(s) < shortest })
}

// credentialName matches names of headers and query parameters that
// authenticate.
var credentialName = regexp.MustCompile(`(?i)auth|cookie|token|key|secret|session|signature|passw|credential`)
