package middle

import (
	"net/http"
	"strings"
	"unicode/utf8"
)

// unmatched is the pattern of what no other matches.
const unmatched = "/"

// Routes serves mux, which must not serve "/" itself, with every refusal in the
// error envelope, and notes in Info which route matched. A path that mux would
// redirect to a cleaner spelling is not found instead: callers of an API do not
// misspell by hand, and a redirect would turn their POST into a GET.
func Routes(mux *http.ServeMux) http.Handler {
	mux.HandleFunc(unmatched, func(w http.ResponseWriter, r *http.Request) { answerUnmatched(w, r, mux) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !soundPath(r) {
			notFound(w)
			return
		}
		defer func() { // also where the operation panics
			if r.Pattern != unmatched {
				InfoFrom(r.Context()).Route = r.Pattern[strings.IndexByte(r.Pattern, ' ')+1:]
			}
		}()
		mux.ServeHTTP(w, r)
	})
}

func notFound(w http.ResponseWriter) {
	WriteError(w, http.StatusNotFound, http.StatusText(http.StatusNotFound))
}

// answerUnmatched tells a path that has other methods from one that has none.
func answerUnmatched(w http.ResponseWriter, r *http.Request, mux *http.ServeMux) {
	var allowed []string
	for _, method := range []string{
		http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPatch, http.MethodPost, http.MethodPut,
	} {
		other := *r
		other.Method = method
		if _, pattern := mux.Handler(&other); pattern != unmatched {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		notFound(w)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
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
