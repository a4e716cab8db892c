package outbound_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
)

func TestCheckURL(t *testing.T) {
	t.Parallel()
	const (
		scheme   = "the URL must start with http:// or https://"
		host     = "the URL has no host"
		user     = "the URL must not hold a user name or a password"
		port     = "the port of the URL is not valid"
		invalid  = "the URL is not valid"
		address  = "the host of the URL is not a valid address"
		loopback = "(loopback)"
	)
	tests := map[string]string{ // URL to a part of the reason; empty where accepted
		"https://hooks.example.com/a?b=c": "",
		"http://hooks.example.com:8080":   "",
		"HTTPS://HOOKS.EXAMPLE.COM.":      "",
		"https://hooks.example.com:":      "",
		"https://8.8.8.8/":                "",
		"https://134744072/":              "",
		"https://[2606:4700::1111]:443/":  "",
		"https://unknown.example.com/":    "",
		"https://10.example.com/":         "",
		"https://0xfeed.example/":         "",

		"":                                    scheme,
		"hooks.example.com":                   scheme,
		"//hooks.example.com":                 scheme,
		"ftp://hooks.example.com":             scheme,
		"file:///etc/passwd":                  scheme,
		"http:hooks.example.com":              host,
		"https:///path":                       host,
		"https://:443/":                       host,
		"https://./":                          host,
		"https://user@hooks.example.com":      user,
		"https://u:hunter2@hooks.example.com": user,
		"https://hooks.example.com:0":         port,
		"https://hooks.example.com:65536":     port,
		"https://hooks.example.com:x":         invalid,
		"https://[::1":                        invalid,
		"https://hooks.example.com/\x7f":      invalid,

		"http://127.0.0.1/":              loopback,
		"http://127.0.0.1./":             loopback,
		"http://2130706433/":             loopback,
		"http://0177.0.0.1/":             loopback,
		"http://0x7f000001/":             loopback,
		"http://0X7F.1/":                 loopback,
		"http://017700000001/":           loopback,
		"http://127.1/":                  loopback,
		"http://127.0.1/":                loopback,
		"http://127.0xffffff/":           loopback,
		"http://[::1]/":                  loopback,
		"http://[0:0:0:0:0:0:0:1]:80/":   loopback,
		"http://[::ffff:127.0.0.1]/":     loopback,
		"http://[::ffff:7f00:1]/":        loopback,
		"http://localhost/":              loopback,
		"http://LocalHost.:8080/":        loopback,
		"http://a.b.localhost/":          loopback,
		"http://[fe80::1%25eth0]/":       "(link-local)",
		"http://169.254.169.254/latest/": "(link-local)",
		"http://0/":                      "(unspecified)",
		"http://0x/":                     "(unspecified)",
		"http://10.1/":                   "(private)",
		"http://256.256.256.256/":        address,
		"http://1.2.3.4.5/":              address,
		"http://4294967296/":             address,
		"http://99999999999999999999/":   address,
		"http://1..2/":                   address,
		"http://a.1/":                    address,
		"http://08.0.0.1/":               address,
		"http://[fe80::zz]/":             invalid,

		"https://inside.example.com/": "(private)",
		"https://mixed.example.com/":  loopback,
		"https://mapped.example.com/": "(link-local)",
	}
	g := outbound.NewGuard(nil)
	g.Resolver = names{
		"hooks.example.com":  {"93.184.215.14", "2606:2800::1"},
		"inside.example.com": {"10.0.0.1"},
		"mixed.example.com":  {"93.184.215.14", "::1"},
		"mapped.example.com": {"::ffff:169.254.169.254"},
		"localhost":          {"93.184.215.14"},
		"10.example.com":     {"93.184.215.14"},
	}
	for raw, want := range tests {
		err := g.CheckURL(t.Context(), raw)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", raw, err)
		case want != "" && (!errors.Is(err, outbound.ErrRefused) || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: got %v, want %s", raw, err, want)
		}
	}
}

func TestCheckURLAllowList(t *testing.T) {
	t.Parallel()
	g := outbound.NewGuard(prefixes("127.0.0.0/8", "10.0.0.0/8"))
	g.Resolver = names{"inside.example.com": {"10.0.0.1"}, "wide.example.com": {"10.0.0.1", "192.168.0.1"}}
	for raw, open := range map[string]bool{
		"http://localhost:8080/":      true,
		"http://vendor.localhost/":    true,
		"http://2130706433/":          true,
		"http://[::ffff:7f00:1]/":     true,
		"http://inside.example.com/":  true,
		"http://[::1]/":               false,
		"http://wide.example.com/":    false,
		"http://192.168.0.1/":         false,
		"http://user:pw@localhost/":   false,
		"gopher://127.0.0.1/":         false,
		"http://169.254.169.254/meta": false,
	} {
		if err := g.CheckURL(t.Context(), raw); (err == nil) != open {
			t.Errorf("%s: got %v, open should be %t", raw, err, open)
		}
	}
}

func TestCheckURLKeepsSecretsOut(t *testing.T) {
	t.Parallel()
	g := outbound.NewGuard(nil)
	for _, raw := range []string{
		"https://me:hunter2@hooks.example.com/?k=hunter2",
		"https://127.0.0.1/hunter2?k=hunter2",
		"https://hooks.example.com:hunter2/",
		"hunter2://hooks.example.com/",
		"https://[hunter2/",
	} {
		err := g.CheckURL(t.Context(), raw)
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v", raw, err)
		}
	}
}

// slowResolver answers only when its context ends.
type slowResolver struct{}

func (slowResolver) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestCheckURLWaitsOneSecondForNames(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := outbound.NewGuard(nil)
		g.Resolver = slowResolver{}
		start := time.Now()
		if err := g.CheckURL(t.Context(), "https://hooks.example.com/"); err != nil {
			t.Errorf("a name that does not resolve: %v", err)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("took %s, want 1s", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if err := g.CheckURL(ctx, "https://hooks.example.com/"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the context's error", err)
		}
	})
}
