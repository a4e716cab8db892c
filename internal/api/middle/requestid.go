package middle

import (
	"context"
	"crypto/rand"
	"net/http"
)

const (
	requestIDHeader    = "X-Request-Id"
	maxRequestIDLength = 128
)

// Identify gives each request an id and an Info. The caller's own id is kept
// where it is harmless to log and to send back. Every response carries the id.
func Identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(requestIDHeader)
		if !saneID(id) {
			id = rand.Text()
		}
		w.Header().Set(requestIDHeader, id)
		ctx := context.WithValue(r.Context(), infoKey{}, &Info{RequestID: id})
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func saneID(id string) bool {
	if id == "" || len(id) > maxRequestIDLength {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '.' || c == '_' || c == '-':
		default:
			return false
		}
	}
	return true
}
