package outbound

import "net/netip"

// specialRange is a block of addresses that no outgoing call may reach unless
// the operator opened it.
type specialRange struct {
	prefix netip.Prefix
	name   string // goes into the reason that a user reads
}

// specialRanges lists, for both families, every block that is not part of the
// public internet. The first match names the block, so narrow rows stand above
// the wide ones that hold them.
//
// It is built once per Guard rather than kept as a variable, so that nothing
// can alter it.
func specialRanges() []specialRange {
	rows := []struct{ prefix, name string }{
		{"0.0.0.0/32", "unspecified"},
		{"0.0.0.0/8", "this network"},
		{"10.0.0.0/8", "private"},
		{"100.64.0.0/10", "carrier-grade NAT"},
		{"127.0.0.0/8", "loopback"},
		// A public number that Azure answers inside every virtual network.
		{"168.63.129.16/32", "cloud platform"},
		{"169.254.0.0/16", "link-local"},
		{"172.16.0.0/12", "private"},
		{"192.0.0.0/24", "protocol assignments"},
		{"192.0.2.0/24", "documentation"},
		{"192.88.99.0/24", "6to4 relay"},
		{"192.168.0.0/16", "private"},
		{"198.18.0.0/15", "benchmarking"},
		{"198.51.100.0/24", "documentation"},
		{"203.0.113.0/24", "documentation"},
		{"224.0.0.0/4", "multicast"},
		{"255.255.255.255/32", "broadcast"},
		{"240.0.0.0/4", "reserved"},

		{"::/128", "unspecified"},
		{"::1/128", "loopback"},
		{"::ffff:0:0:0/96", "IPv4-translated"},
		{"64:ff9b:1::/48", "NAT64"},
		{"100::/64", "discard"},
		{"100:0:0:1::/64", "dummy"},
		{"2001::/32", "Teredo"},
		{"2001:2::/48", "benchmarking"},
		{"2001:10::/28", "ORCHID"},
		{"2001:20::/28", "ORCHID"},
		{"2001:db8::/32", "documentation"},
		{"2001::/23", "protocol assignments"},
		{"2002::/16", "6to4"},
		{"3fff::/20", "documentation"},
		{"5f00::/16", "segment routing"},
		{"fc00::/7", "unique local"},
		{"fe80::/10", "link-local"},
		{"fec0::/10", "site-local"},
		{"ff00::/8", "multicast"},
		// What is left outside 2000::/3 was never handed out: only a network's
		// own routes can lead there.
		{"::/3", "unassigned"},
		{"4000::/2", "unassigned"},
		{"8000::/1", "unassigned"},
	}
	ranges := make([]specialRange, len(rows))
	for i, row := range rows {
		ranges[i] = specialRange{netip.MustParsePrefix(row.prefix), row.name}
	}
	return ranges
}

// embeddedV4 returns the IPv4 address inside a, where a is of a form that some
// host or gateway turns into a connection to that IPv4 address: IPv4-compatible
// or the well-known prefix of NAT64. IPv4-mapped addresses are unmapped before.
func embeddedV4(a netip.Addr) (netip.Addr, bool) {
	if !a.Is6() {
		return netip.Addr{}, false
	}
	b := a.As16()
	head, tail := [12]byte(b[:12]), netip.AddrFrom4([4]byte(b[12:]))
	switch head {
	case [12]byte{}:
		// ::1 and :: have rows of their own.
		return tail, a != netip.IPv6Unspecified() && a != netip.IPv6Loopback()
	case [12]byte{0x00, 0x64, 0xff, 0x9b}:
		return tail, true
	}
	return netip.Addr{}, false
}
