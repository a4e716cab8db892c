package middle

import (
	"net/http"
	"strings"
	"unicode/utf8"
)

// Routes serves mux with every refusal of its own in the error envelope, and
// notes in Info which route matched. A path that mux would redirect to a
// cleaner spelling is not found instead: callers of an API do not misspell by
// hand, and a redirect would turn their POST into a GET.
func Routes(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !soundPath(r) {
			notFound(w)
			return
		}
		refusal, pattern := mux.Handler(r)
		if pattern == "" {
			answerUnmatched(w, r, refusal)
			return
		}
		InfoFrom(r.Context()).Route = pattern[strings.IndexByte(pattern, ' ')+1:]
		mux.ServeHTTP(w, r)
	})
}

func notFound(w http.ResponseWriter) {
	WriteError(w, http.StatusNotFound, http.StatusText(http.StatusNotFound))
}

// answerUnmatched says in the envelope what refusal, mux's own handler for a
// request without a route, would say in plain text. Only mux knows which
// methods the path has.
func answerUnmatched(w http.ResponseWriter, r *http.Request, refusal http.Handler) {
	said := &verdict{header: make(http.Header)}
	refusal.ServeHTTP(said, r)
	if said.status != http.StatusMethodNotAllowed {
		notFound(w)
		return
	}
	w.Header().Set("Allow", said.header.Get("Allow"))
	WriteError(w, http.StatusMethodNotAllowed, http.StatusText(http.StatusMethodNotAllowed))
}

// soundPath reports whether the path of r is spelled the way mux would spell
// it, and holds only text that a store can look up.
func soundPath(r *http.Request) bool {
	if !utf8.ValidString(r.URL.Path) || strings.IndexByte(r.URL.Path, 0) >= 0 {
		return false
	}
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), "/")
	if !ok {
		return false
	}
	for path != "" {
		var segment string
		segment, path, _ = strings.Cut(path, "/")
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// verdict keeps the status and the headers of a response and drops its body.
type verdict struct {
	header http.Header
	status int
}

func (v *verdict) Header() http.Header         { return v.header }
func (v *verdict) WriteHeader(status int)      { v.status = status }
func (v *verdict) Write(b []byte) (int, error) { return len(b), nil }
