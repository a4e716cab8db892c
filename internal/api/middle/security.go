package middle

import "net/http"

// The values are the same in every answer, and so are their lists: no one changes what
// a list holds, only what a header has for one.
var noSniff, noStore, onlyTLS = []string{"nosniff"}, []string{"no-store"}, []string{"max-age=31536000"}

// SecurityHeaders forbids browsers to guess at content types, and everyone to
// keep a response that its handler did not say may be kept. A browser that came by TLS comes
// by nothing else for a year. Behind says that a proxy serves TLS for all.
func SecurityHeaders(behind bool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h := w.Header()
			h["X-Content-Type-Options"], h["Cache-Control"] = noSniff, noStore
			if r.TLS != nil || behind {
				h["Strict-Transport-Security"] = onlyTLS
			}
			next.ServeHTTP(w, r)
		})
	}
}
