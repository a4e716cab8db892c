package outbound_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/outbound"
)

func newRequest(t *testing.T, method, url string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// countingServer answers 200 and counts its calls.
func countingServer(t *testing.T) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	var calls atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	t.Cleanup(srv.Close)
	return srv, &calls
}

func newTransport(t *testing.T, allow ...string) *http.Transport {
	t.Helper()
	tr := outbound.NewTransport(outbound.NewGuard(prefixes(allow...)))
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

func TestTransportRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	srv, calls := countingServer(t)
	c := outbound.New(outbound.Options{Transport: newTransport(t, "127.0.0.2/32"), Now: time.Now})
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"} {
		url := "http://" + strings.Replace(srv.Listener.Addr().String(), "127.0.0.1", host, 1)
		_, err := c.Do(newRequest(t, "GET", url, nil)) //nolint:bodyclose // no response
		if !errors.Is(err, outbound.ErrRefused) || outbound.KindOf(err) != outbound.KindPermanent {
			t.Errorf("%s: got %v, want a permanent refusal", host, err)
			continue
		}
		const want = "the address is in a private network (loopback); the operator can open it with --allow-network"
		if err.Error() != want {
			t.Errorf("%s: got %q, want %q", host, err, want)
		}
	}
	if n := calls.Load(); n != 0 {
		t.Errorf("the server was called %d times", n)
	}
}

func TestTransportReachesAllowedAddresses(t *testing.T) {
	t.Parallel()
	srv, calls := countingServer(t)
	client := outbound.NewHTTPClient(newTransport(t, "127.0.0.1/32"), time.Minute)
	resp, err := client.Do(newRequest(t, "GET", srv.URL, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if n := calls.Load(); n != 1 {
		t.Errorf("the server was called %d times, want once", n)
	}
}

// A name that was public when it was saved points to the loopback later.
func TestRebindingIsRefusedAtDial(t *testing.T) {
	t.Parallel()
	srv, calls := countingServer(t)
	g := outbound.NewGuard(nil)
	g.Resolver = names{"rebind.example.com": {"93.184.215.14"}}
	const url = "http://rebind.example.com/"
	if err := g.CheckURL(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	tr := outbound.NewTransport(g)
	t.Cleanup(tr.CloseIdleConnections)
	guarded := tr.DialContext
	tr.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return guarded(ctx, network, srv.Listener.Addr().String())
	}
	_, err := outbound.NewHTTPClient(tr, time.Minute).Do(newRequest(t, "GET", url, nil)) //nolint:bodyclose // no response
	if !errors.Is(err, outbound.ErrRefused) {
		t.Errorf("got %v, want a refusal", err)
	}
	if n := calls.Load(); n != 0 {
		t.Errorf("the server was called %d times", n)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	target, calls := countingServer(t)
	srv := httptest.NewServer(http.RedirectHandler(target.URL, http.StatusFound))
	t.Cleanup(srv.Close)
	tr := newTransport(t, "127.0.0.0/8")
	for name, doer := range map[string]outbound.Doer{
		"Client":     outbound.New(outbound.Options{Transport: tr, Now: time.Now}),
		"HTTPClient": outbound.NewHTTPClient(tr, time.Minute),
	} {
		resp, err := doer.Do(newRequest(t, "GET", srv.URL, nil))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusFound {
			t.Errorf("%s: got %d, want 302", name, resp.StatusCode)
		}
	}
	if n := calls.Load(); n != 0 {
		t.Errorf("the redirect's target was called %d times", n)
	}
}

// Not parallel: it sets the environment.
func TestEnvironmentProxyIsIgnored(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, "http://proxy.example.com:3128")
	}
	tr := newTransport(t)
	var dialled []string
	errStop := errors.New("stop")
	tr.DialContext = func(_ context.Context, _, addr string) (net.Conn, error) {
		dialled = append(dialled, addr)
		return nil, errStop
	}
	_, err := tr.RoundTrip(newRequest(t, "GET", "http://vendor.example.com/", nil)) //nolint:bodyclose // no response
	if !errors.Is(err, errStop) {
		t.Fatal(err)
	}
	if len(dialled) != 1 || dialled[0] != "vendor.example.com:80" {
		t.Errorf("dialled %v, want the vendor", dialled)
	}
}

func TestTransportSpeaksModernTLSAndHTTP2(t *testing.T) {
	t.Parallel()
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto)
	}))
	srv.EnableHTTP2 = true
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // it reports the handshake that is to fail
	srv.StartTLS()
	t.Cleanup(srv.Close)
	tr := newTransport(t, "127.0.0.0/8")
	c := outbound.New(outbound.Options{Transport: tr, Now: time.Now, Attempts: 1})
	_, err := c.Do(newRequest(t, "GET", srv.URL, nil)) //nolint:bodyclose // no response
	if err == nil || err.Error() != "the provider's certificate is of an unknown authority" {
		t.Errorf("got %v, want the certificate refused", err)
	}
	trusting := newTransport(t, "127.0.0.0/8")
	trusting.TLSClientConfig.RootCAs = srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	c = outbound.New(outbound.Options{Transport: trusting, Now: time.Now})
	resp, err := c.Do(newRequest(t, "GET", srv.URL, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.ProtoMajor != 2 {
		t.Errorf("spoke %s, want HTTP/2", resp.Proto)
	}
}
