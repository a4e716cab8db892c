package middle

import (
	"net/http"
	"slices"
	"strings"
)

// The lists a browser asks for. Tokens travel in a header and never in a
// cookie, so credentials are not allowed and any origin may be.
const (
	corsMethods = "GET, HEAD, POST, PUT, PATCH, DELETE"
	corsHeaders = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Api-Version, X-Request-Id"
	corsExposed = "ETag, Link, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Api-Version, X-Event-Sequence, X-Next-Cursor, X-Request-Id, X-Required-Scope, X-Second-Factor"
	corsMaxAge  = "600" // seconds
)

// CORS lets pages of the given origins call the API. "*" stands for all of
// them; without any it does nothing.
func CORS(origins []string) Middleware {
	if len(origins) == 0 {
		return func(next http.Handler) http.Handler { return next }
	}
	anyOrigin := slices.Contains(origins, "*")
	allowed := func(origin string) string {
		switch {
		case anyOrigin:
			return "*"
		case slices.ContainsFunc(origins, func(o string) bool { return strings.EqualFold(o, origin) }):
			return origin
		}
		return ""
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h, origin := w.Header(), r.Header.Get("Origin")
			if !anyOrigin {
				h.Add("Vary", "Origin")
			}
			if origin == "" {
				next.ServeHTTP(w, r)
				return
			}
			preflight := r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
			if origin = allowed(origin); origin != "" {
				allowOrigin(h, origin, preflight)
			}
			if preflight {
				w.WriteHeader(http.StatusNoContent)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

func allowOrigin(h http.Header, origin string, preflight bool) {
	h.Set("Access-Control-Allow-Origin", origin)
	if !preflight {
		h.Set("Access-Control-Expose-Headers", corsExposed)
		return
	}
	h.Set("Access-Control-Allow-Methods", corsMethods)
	h.Set("Access-Control-Allow-Headers", corsHeaders)
	h.Set("Access-Control-Max-Age", corsMaxAge)
}
