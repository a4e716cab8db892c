package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
)

// ErrRefused is matched by every refusal of a Guard. The refusal's own text is a
// short reason for a user and holds neither credentials nor a query.
var ErrRefused = errors.New("the address is refused")

// Resolver finds the addresses of a name. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Guard keeps outgoing calls away from the operator's own networks. Addresses
// that tenants give, of webhooks and of private installations, are called from
// inside the operator's network: without it a tenant could reach what only that
// network should.
//
// The check that counts is Control, at dial time: names may resolve to another
// address than when they were saved. CheckURL tells a user early.
type Guard struct {
	// Resolver serves CheckURL alone. NewGuard sets the system's.
	Resolver Resolver

	allow   []netip.Prefix
	special []specialRange
}

// NewGuard makes a Guard that refuses every special range but the prefixes in
// allow. An allowed IPv4 prefix opens its IPv4-mapped form too, and no other.
func NewGuard(allow []netip.Prefix) *Guard {
	g := &Guard{Resolver: net.DefaultResolver, special: specialRanges()}
	for _, p := range allow {
		g.allow = append(g.allow, unmapPrefix(p))
	}
	return g
}

// unmapPrefix writes an IPv4-mapped prefix as the IPv4 prefix that it is.
func unmapPrefix(p netip.Prefix) netip.Prefix {
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p
}

// Control is for net.Dialer.Control: it sees the address that is about to be
// connected to, after names were resolved.
func (g *Guard) Control(network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return refuse("the address is not a public internet address")
	}
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return refuse("the address is not valid")
	}
	return g.checkAddr(ap.Addr())
}

// checkAddr refuses a where it lies in a special range that is not opened.
func (g *Guard) checkAddr(a netip.Addr) error {
	a = a.WithZone("").Unmap()
	if g.allowed(a) {
		return nil
	}
	// The allow-list is not asked about an embedded address: it opens what it
	// names, not the ways to it through a gateway.
	if v4, ok := embeddedV4(a); ok {
		a = v4
	}
	if name, ok := g.specialName(a); ok {
		return refuse("the address is in a private network (%s); the operator can open it with --allow-network", name)
	}
	return nil
}

// Internal reports whether an address is one that only the allowed prefixes open:
// without them it would be refused.
func (g *Guard) Internal(a netip.Addr) bool {
	a = a.WithZone("").Unmap()
	if !g.allowed(a) {
		return false
	}
	_, special := g.specialName(a)
	return special
}

func (g *Guard) allowed(a netip.Addr) bool {
	for _, p := range g.allow {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

func (g *Guard) specialName(a netip.Addr) (string, bool) {
	for _, r := range g.special {
		if r.prefix.Contains(a) {
			return r.name, true
		}
	}
	return "", false
}

// refusal is an error whose text is only the reason, and that is ErrRefused.
type refusal struct{ reason string }

func refuse(format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...)}
}

func (r *refusal) Error() string { return r.reason }

func (r *refusal) Unwrap() error { return ErrRefused }
