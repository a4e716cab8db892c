package middle

import (
	"net/http"
	"strconv"
	"strings"
)

// AcceptsJSON reports whether a request with header h takes JSON.
func AcceptsJSON(h http.Header) bool { return Accepts(h, "application/json") }

// Accepts reports whether a request with header h takes any of the media types.
func Accepts(h http.Header, types ...string) bool {
	header := h.Values("Accept")
	if len(header) == 0 {
		return len(types) > 0
	}
	for _, name := range types {
		kind, _, _ := strings.Cut(name, "/")
		if accepts(header, true, name, kind+"/*", "*/*") {
			return true
		}
	}
	return false
}

func acceptsGzip(h http.Header) bool { return AcceptsEncoding(h, "gzip") }

// AcceptsEncoding reports whether a request with header h takes a body in this
// encoding.
func AcceptsEncoding(h http.Header, name string) bool {
	return accepts(h.Values("Accept-Encoding"), false, name, "*")
}

// accepts reports whether a header of preferences takes any of the ranges,
// which are listed from the most specific: the first that is mentioned decides.
// A header without any preference decides as absent says.
func accepts(header []string, absent bool, ranges ...string) bool {
	if len(header) == 0 {
		return absent
	}
	mentioned := make(map[string]bool)
	for _, line := range header {
		for entry := range strings.SplitSeq(line, ",") {
			name, parameters, _ := strings.Cut(entry, ";")
			if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
				mentioned[name] = mentioned[name] || acceptable(parameters)
			}
		}
	}
	if len(mentioned) == 0 {
		return absent
	}
	for _, name := range ranges {
		if ok, found := mentioned[name]; found {
			return ok
		}
	}
	return false
}

// acceptable reports whether the parameters of an entry leave it any weight. One
// that cannot be read counts as given without a weight.
func acceptable(parameters string) bool {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(p, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return err != nil || q > 0
		}
	}
	return true
}
