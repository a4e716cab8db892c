// Package middle holds what happens to every request before and after the
// operation it is for: plain http.Handler middlewares that know nothing of the
// store, and the error envelope that every refusal is written in.
//
// They are meant to be chained from the outside in as
//
//	CallerAddress, Identify, Trace, Log, Metrics, Recover, SecurityHeaders, CORS,
//	Gzip, MaxBody, JSONBody, EarlyBody, Routes
//
// CallerAddress and Identify come first because all others may name the caller
// and the request. Recover stands
// inside Log and Metrics, so that a panic is seen as the 500 it became, and
// outside Gzip, so that half a compressed answer is never finished as if it
// were whole. CORS stands outside the rest, so that a browser can read their
// refusals. EarlyBody stands inside what bounds a body. A Limiter needs the tenant
// and is asked after authentication.
package middle

import (
	"net/http"
	"slices"
)

// Middleware wraps a handler in another.
type Middleware = func(http.Handler) http.Handler

// Chain wraps h in the given middlewares, the first of them outermost.
func Chain(h http.Handler, outermost ...Middleware) http.Handler {
	for _, wrap := range slices.Backward(outermost) {
		h = wrap(h)
	}
	return h
}

// Where wraps the requests for which the condition holds in a middleware, and leaves
// the others alone.
func Where(condition func(r *http.Request) bool, wrap Middleware) Middleware {
	return func(next http.Handler) http.Handler {
		wrapped := wrap(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if condition(r) {
				wrapped.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}
