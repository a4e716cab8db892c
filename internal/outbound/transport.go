package outbound

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// NewTransport makes a transport whose every connection passes g. It ignores the
// proxies of the environment: behind a proxy, the guard would judge the proxy's
// address and not the target's. One transport serves the whole process, so that
// connections are shared.
func NewTransport(g *Guard) *http.Transport {
	dialer := &net.Dialer{
		Timeout:   10 * time.Second,
		KeepAlive: 30 * time.Second,
		Control:   g.Control,
	}
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    8,
		MaxResponseHeaderBytes: 1 << 20,
	}
}

// NewHTTPClient makes a plain client over rt for callers that handle statuses
// themselves. It does not follow redirects: the answer that asks for one is
// returned, so that no target can send a call, and its body, elsewhere.
func NewHTTPClient(rt http.RoundTripper, timeout time.Duration) *http.Client {
	return &http.Client{
		Transport: rt,
		Timeout:   timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}
