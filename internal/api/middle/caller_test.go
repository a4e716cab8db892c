package middle_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/drover-fleet/drover/internal/api/middle"
)

func TestCallerAddress(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:ffff::/48")}
	for name, c := range map[string]struct {
		trusted   []netip.Prefix
		peer      string
		forwarded []string
		want      string
	}{
		"no header":                     {trusted, "10.0.0.1:4000", nil, "10.0.0.1:4000"},
		"one proxy":                     {trusted, "10.0.0.1:4000", []string{"203.0.113.9"}, "203.0.113.9"},
		"two proxies":                   {trusted, "10.0.0.1:4000", []string{"203.0.113.9, 10.0.0.2"}, "203.0.113.9"},
		"a proxy that no one trusts":    {trusted, "10.0.0.1:4000", []string{"203.0.113.9, 192.0.2.7, 10.0.0.2"}, "192.0.2.7"},
		"an invented beginning":         {trusted, "10.0.0.1:4000", []string{"198.51.100.1, 203.0.113.9"}, "203.0.113.9"},
		"an invented trusted beginning": {trusted, "10.0.0.1:4000", []string{"10.0.0.9, 203.0.113.9"}, "203.0.113.9"},
		"a malformed beginning":         {trusted, "10.0.0.1:4000", []string{"<x>,, 203.0.113.9"}, "203.0.113.9"},
		"several headers": {
			trusted, "10.0.0.1:4000",
			[]string{"198.51.100.1", "203.0.113.9,10.0.0.2", "10.0.0.3"},
			"203.0.113.9",
		},
		"spaces":                          {trusted, "10.0.0.1:4000", []string{" 203.0.113.9 ,\t10.0.0.2 "}, "203.0.113.9"},
		"with a port":                     {trusted, "10.0.0.1:4000", []string{"203.0.113.9:5123"}, "203.0.113.9"},
		"IPv6":                            {trusted, "[2001:db8:ffff::1]:4000", []string{"2001:db8:1::9"}, "2001:db8:1::9"},
		"IPv6 with a port":                {trusted, "10.0.0.1:4000", []string{"[2001:db8:1::9]:80"}, "2001:db8:1::9"},
		"IPv6 in brackets":                {trusted, "10.0.0.1:4000", []string{"[2001:db8:1::9]"}, "2001:db8:1::9"},
		"IPv4 written as IPv6":            {trusted, "[::ffff:10.0.0.1]:4000", []string{"203.0.113.9, ::ffff:10.0.0.2"}, "203.0.113.9"},
		"a peer that is no proxy":         {trusted, "192.0.2.7:4000", []string{"203.0.113.9"}, "192.0.2.7:4000"},
		"a peer that is no proxy, IPv6":   {trusted, "[2001:db8:1::1]:4000", []string{"203.0.113.9"}, "[2001:db8:1::1]:4000"},
		"no one is trusted":               {nil, "10.0.0.1:4000", []string{"203.0.113.9"}, "10.0.0.1:4000"},
		"proxies alone":                   {trusted, "10.0.0.1:4000", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.1:4000"},
		"malformed":                       {trusted, "10.0.0.1:4000", []string{"unknown"}, "10.0.0.1:4000"},
		"malformed after trusted proxies": {trusted, "10.0.0.1:4000", []string{"203.0.113.9, _hidden, 10.0.0.2"}, "10.0.0.1:4000"},
		"empty":                           {trusted, "10.0.0.1:4000", []string{""}, "10.0.0.1:4000"},
		"empty at the end":                {trusted, "10.0.0.1:4000", []string{"203.0.113.9,"}, "10.0.0.1:4000"},
		"a peer without an address":       {trusted, "@", []string{"203.0.113.9"}, "@"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/device", nil)
			r.RemoteAddr = c.peer
			r.Header["X-Forwarded-For"] = c.forwarded
			var got string
			middle.CallerAddress(c.trusted)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got = r.RemoteAddr
			})).ServeHTTP(httptest.NewRecorder(), r)
			if got != c.want {
				t.Errorf("the caller is %q, want %q", got, c.want)
			}
			if r.RemoteAddr != c.peer {
				t.Errorf("the server's own request was changed to %q", r.RemoteAddr)
			}
		})
	}
}
