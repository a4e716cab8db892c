// Package middle holds what happens to every request before and after the
// operation it is for: plain http.Handler middlewares that know nothing of the
// store, and the error envelope that every refusal is written in.
//
// They are meant to be chained from the outside in as
//
//	CallerAddress, Identify, Log, Metrics, Recover, SecurityHeaders, CORS,
//	Gzip, MaxBody, JSONBody, EarlyBody, Shed, Routes
//
// CallerAddress and Identify come first because all others may name the caller
// and the request. Recover stands
// inside Log and Metrics, so that a panic is seen as the 500 it became, and
// outside Gzip, so that half a compressed answer is never finished as if it
// were whole. CORS stands outside Shed and the rest, so that a browser can read
// their refusals. EarlyBody stands outside Shed, so that a slow body takes no
// place, and inside what bounds it. A Limiter needs the tenant and is asked after authentication.
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

// Either wraps requests for which first reports true in one middleware and all
// others in the other.
func Either(first func(r *http.Request) bool, one, other Middleware) Middleware {
	return func(next http.Handler) http.Handler {
		a, b := one(next), other(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if first(r) {
				a.ServeHTTP(w, r)
				return
			}
			b.ServeHTTP(w, r)
		})
	}
}
