package outbound

import (
	"context"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// resolveLimit bounds what saving a URL waits for the DNS.
const resolveLimit = time.Second

// CheckURL says whether a URL may be saved as one to call later: it must be an
// http or https URL with a host and no user name, and neither its literal
// address, in any notation, nor any address its name resolves to may be
// refused. A name that does not resolve within a second is accepted: dialling is
// guarded again, and a receiver may be set up after its webhook.
//
// The error matches ErrRefused, or is ctx's own.
func (g *Guard) CheckURL(ctx context.Context, raw string) error {
	u, err := url.Parse(raw)
	if err != nil {
		// The parser's error repeats the URL, with its secrets.
		return refuse("the URL is not valid")
	}
	if err := checkForm(u); err != nil {
		return err
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if host == "" {
		return refuse("the URL has no host")
	}
	if addr, literal, ok := parseLiteral(host); literal {
		if !ok {
			return refuse("the host of the URL is not a valid address")
		}
		return g.checkAddr(addr)
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		// These names mean the loopback whatever a resolver says of them.
		return g.checkAddr(netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	}
	return g.checkName(ctx, host)
}

// checkForm checks what can be known without looking at the host's address.
func checkForm(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return refuse("the URL must start with http:// or https://")
	}
	if u.Host == "" {
		return refuse("the URL has no host")
	}
	if u.User != nil {
		return refuse("the URL must not hold a user name or a password")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return refuse("the port of the URL is not valid")
		}
	}
	return nil
}

func (g *Guard) checkName(ctx context.Context, host string) error {
	limited, cancel := context.WithTimeout(ctx, resolveLimit)
	defer cancel()
	addrs, err := g.Resolver.LookupNetIP(limited, "ip", host)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return nil // an unknown name is judged when it is dialled
	}
	for _, a := range addrs {
		if err := g.checkAddr(a); err != nil {
			return err
		}
	}
	return nil
}

// parseLiteral reads host as an IP address. It reports whether host is meant as
// one, and whether it is valid.
func parseLiteral(host string) (addr netip.Addr, literal, ok bool) {
	if strings.Contains(host, ":") {
		addr, err := netip.ParseAddr(host)
		return addr, true, err == nil
	}
	parts := strings.Split(host, ".")
	if _, numeric := parseNumber(parts[len(parts)-1]); !numeric {
		return netip.Addr{}, false, false
	}
	addr, ok = parseNumbers(parts)
	return addr, true, ok
}

// parseNumbers reads an IPv4 address as the C library's inet_aton does, which
// some resolvers follow: one to four numbers, the last of which fills the bytes
// that are left.
func parseNumbers(parts []string) (netip.Addr, bool) {
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, part := range parts {
		n, ok := parseNumber(part)
		last := i == len(parts)-1
		if !ok || (!last && n > 0xff) || (last && n >= 1<<(8*(4-i))) {
			return netip.Addr{}, false
		}
		if !last {
			n <<= 8 * (3 - i)
		}
		sum |= n
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}

// parseNumber reads decimal, octal with a leading 0 and hexadecimal with 0x. A
// number too large for an address comes back as one that no place accepts.
func parseNumber(s string) (uint64, bool) {
	base, digits := 10, s
	switch {
	case strings.HasPrefix(s, "0x"):
		base, digits = 16, s[2:]
		if digits == "" {
			return 0, true
		}
	case len(s) > 1 && s[0] == '0':
		base, digits = 8, s[1:]
	}
	n, err := strconv.ParseUint(digits, base, 40)
	if err == nil {
		return n, true
	}
	// "08" and "99999999999999" are numbers still, if wrong ones: not names.
	decimal := strings.Trim(s, "0123456789") == "" && s != ""
	return 1 << 40, decimal || (base == 16 && strings.Trim(digits, "0123456789abcdef") == "")
}
