package contract_test

import (
	"net/netip"
	"testing"
)

// TestThrottleBehindAProxy fails to log in through a proxy until that caller is
// kept waiting: others behind the proxy are not, and no one else's header counts.
func TestThrottleBehindAProxy(t *testing.T) {
	t.Parallel()
	c := defaults(t.TempDir())
	c.TrustedProxy = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	s := newService(t, c)
	ask := func(peer, forwarded, body string, status int, want string) {
		t.Helper()
		header := map[string]string{fromHeader: peer, "X-Forwarded-For": forwarded}
		row{method: "POST", path: "/token", body: body, header: header, status: status, want: want}.run(t, s)
	}
	wrong, right := login("alice", "x"), login("alice", password)
	wait := refusal(429, "Too many failed attempts, try again later")
	for range 5 {
		ask("10.0.0.1:1000", "198.51.100.1, 203.0.113.9", wrong, 401, refusal(401, "Invalid username or password"))
	}
	ask("10.0.0.2:1000", "198.51.100.2, 203.0.113.9", right, 429, wait)
	ask("203.0.113.9:1000", "203.0.113.10", right, 429, wait)
	ask("10.0.0.1:1000", "203.0.113.10", right, 200, loggedIn)
	ask("10.0.0.1:1000", "unknown", right, 200, loggedIn)
}
