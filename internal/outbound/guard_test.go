package outbound_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/drover-fleet/drover/internal/outbound"
)

func prefixes(texts ...string) []netip.Prefix {
	var all []netip.Prefix
	for _, s := range texts {
		all = append(all, netip.MustParsePrefix(s))
	}
	return all
}

// dial asks the guard about addr as a dialer would.
func dial(g *outbound.Guard, addr string) error {
	network := "tcp4"
	if strings.Contains(addr, ":") {
		network = "tcp6"
	}
	return g.Control(network, net.JoinHostPort(addr, "443"), nil)
}

func TestGuardRefusesSpecialRanges(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		addrs []string // first, some inner and last address of each range
	}{
		{"unspecified", []string{"0.0.0.0", "::", "::ffff:0.0.0.0"}},
		{"this network", []string{"0.0.0.1", "0.255.255.255", "::2", "64:ff9b::1"}},
		{"private", []string{
			"10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255",
			"::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::c0a8:101",
		}},
		{"carrier-grade NAT", []string{"100.64.0.0", "100.100.100.200", "100.127.255.255"}},
		{"loopback", []string{"127.0.0.0", "127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1"}},
		{"cloud platform", []string{"168.63.129.16"}},
		{"link-local", []string{
			"169.254.0.0", "169.254.169.254", "169.254.255.255", "fe80::", "fe80::1%eth0", "febf:ffff::1", "::ffff:169.254.169.254",
		}},
		{"protocol assignments", []string{"192.0.0.0", "192.0.0.255", "2001:1::1", "2001:1ff:ffff::1"}},
		{"documentation", []string{
			"192.0.2.0", "192.0.2.255", "198.51.100.0", "198.51.100.255", "203.0.113.0", "203.0.113.255",
			"2001:db8::", "2001:db8:ffff::1", "3fff::", "3fff:fff:ffff::1",
		}},
		{"6to4 relay", []string{"192.88.99.1"}},
		{"benchmarking", []string{"198.18.0.0", "198.19.255.255", "2001:2::1"}},
		{"multicast", []string{"224.0.0.0", "239.255.255.255", "ff00::", "ff02::1", "ffff::1"}},
		{"reserved", []string{"240.0.0.0", "255.255.255.254"}},
		{"broadcast", []string{"255.255.255.255", "::ffff:255.255.255.255"}},
		{"IPv4-translated", []string{"::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8"}},
		{"NAT64", []string{"64:ff9b:1::", "64:ff9b:1::8.8.8.8", "64:ff9b:1:ffff::1"}},
		{"discard", []string{"100::", "100::ffff"}},
		{"dummy", []string{"100:0:0:1::1"}},
		{"Teredo", []string{"2001::", "2001:0:ffff::1"}},
		{"ORCHID", []string{"2001:10::1", "2001:20::", "2001:2f:ffff::1"}},
		{"6to4", []string{"2002::", "2002:7f00:1::", "2002:808:808::1"}},
		{"segment routing", []string{"5f00::", "5f00:ffff::1"}},
		{"unique local", []string{"fc00::", "fd00:ec2::254", "fdff:ffff::1"}},
		{"site-local", []string{"fec0::", "feff:ffff::1"}},
		{"unassigned", []string{"64:ff9b:2::1", "200::1", "4000::1", "8000::1", "fe00::1"}},
	}
	g := outbound.NewGuard(nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := "the address is in a private network (" + tt.name + "); the operator can open it with --allow-network"
			for _, addr := range tt.addrs {
				err := dial(g, addr)
				if !errors.Is(err, outbound.ErrRefused) || err.Error() != want {
					t.Errorf("%s: got %v, want %s", addr, err, want)
				}
			}
		})
	}
}

func TestGuardLetsPublicAddressesPass(t *testing.T) {
	t.Parallel()
	g := outbound.NewGuard(nil)
	for _, addr := range []string{
		"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
		"168.63.129.15", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0",
		"192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "203.0.114.0", "223.255.255.255",
		"2000::1", "2001:200::1", "2001:db7::1", "2001:db9::1", "2003::1", "2606:4700::1111", "3ffe::1",
		"::ffff:8.8.8.8", "::8.8.8.8", "64:ff9b::8.8.8.8",
	} {
		if err := dial(g, addr); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

func TestGuardAllowListOpensWhatItNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		allow          string
		opened, closed []string
	}{
		{
			"10.1.0.0/16",
			[]string{"10.1.0.1", "::ffff:10.1.255.255"},
			[]string{"10.0.255.255", "10.2.0.0", "127.0.0.1", "::10.1.0.1", "64:ff9b::10.1.0.1"},
		},
		{"127.0.0.1/32", []string{"127.0.0.1"}, []string{"127.0.0.2", "::1"}},
		{"::1/128", []string{"::1"}, []string{"127.0.0.1", "::"}},
		{"::ffff:10.0.0.0/104", []string{"10.9.9.9", "::ffff:10.9.9.9"}, []string{"192.168.0.1"}},
		{"fe80::/10", []string{"fe80::1%eth0"}, []string{"fc00::1"}},
		{"64:ff9b::/96", []string{"64:ff9b::10.0.0.1"}, []string{"10.0.0.1"}},
		{"::/0", []string{"fc00::1", "::1"}, []string{"10.0.0.1", "::ffff:10.0.0.1"}},
		{"0.0.0.0/0", []string{"10.0.0.1", "::ffff:127.0.0.1"}, []string{"::1", "fc00::1"}},
	}
	for _, tt := range tests {
		t.Run(tt.allow, func(t *testing.T) {
			t.Parallel()
			g := outbound.NewGuard(prefixes(tt.allow))
			for _, addr := range tt.opened {
				if err := dial(g, addr); err != nil {
					t.Errorf("%s: %v", addr, err)
				}
			}
			for _, addr := range tt.closed {
				if err := dial(g, addr); !errors.Is(err, outbound.ErrRefused) {
					t.Errorf("%s: got %v, want a refusal", addr, err)
				}
			}
		})
	}
}

func TestGuardRefusesOtherNetworks(t *testing.T) {
	t.Parallel()
	g := outbound.NewGuard(nil)
	for network, address := range map[string]string{"unix": "/run/a.sock", "udp4": "8.8.8.8:53", "tcp4": "nonsense"} {
		if err := g.Control(network, address, nil); !errors.Is(err, outbound.ErrRefused) {
			t.Errorf("%s %s: got %v, want a refusal", network, address, err)
		}
	}
}

// names is a Resolver over a table; other names do not exist.
type names map[string][]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	var addrs []netip.Addr
	for _, a := range n[host] {
		addrs = append(addrs, netip.MustParseAddr(a))
	}
	if len(addrs) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return addrs, nil
}
