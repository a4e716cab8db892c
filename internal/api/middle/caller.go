package middle

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// CallerAddress puts the address of the caller into a request's RemoteAddr, so
// that logins are slowed down and logged by caller and not by proxy. Where the
// peer is a trusted proxy that is the last address of X-Forwarded-For that is
// none: each proxy appends the address it was called from, and whatever stands
// before that the caller may have invented. Otherwise it stays the peer, also
// where the header cannot be read up to that address.
func CallerAddress(trusted []netip.Prefix) Middleware {
	if len(trusted) == 0 {
		return func(next http.Handler) http.Handler { return next }
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if caller, ok := forwardedFor(r, trusted); ok {
				known := *r
				known.RemoteAddr = caller.String()
				r = &known
			}
			next.ServeHTTP(w, r)
		})
	}
}

// forwardedFor is the caller that the trusted proxies before us name, if any.
func forwardedFor(r *http.Request, trusted []netip.Prefix) (netip.Addr, bool) {
	isProxy := func(a netip.Addr) bool {
		return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(a) })
	}
	if peer, ok := parseAddress(r.RemoteAddr); !ok || !isProxy(peer) {
		return netip.Addr{}, false
	}
	for _, header := range slices.Backward(r.Header.Values("X-Forwarded-For")) {
		for _, hop := range slices.Backward(strings.Split(header, ",")) {
			addr, ok := parseAddress(strings.TrimSpace(hop))
			if !ok {
				return netip.Addr{}, false
			}
			if !isProxy(addr) {
				return addr, true
			}
		}
	}
	return netip.Addr{}, false
}

// parseAddress reads an IP address with or without a port or brackets.
func parseAddress(text string) (netip.Addr, bool) {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return plain(withPort.Addr()), true
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		text = strings.TrimSuffix(inner, "]")
	}
	addr, err := netip.ParseAddr(text)
	return plain(addr), err == nil
}

// plain is an address as a network of a setting contains it.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }
