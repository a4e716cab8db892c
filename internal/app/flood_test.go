package app

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/config"
)

// overTLS serves a handler as the service does, by TLS, and returns a client of HTTP/2.
func overTLS(t *testing.T, handler http.Handler) (address string, client *http.Client) {
	t.Helper()
	borrowed := httptest.NewUnstartedServer(nil)
	borrowed.EnableHTTP2 = true
	borrowed.StartTLS()
	t.Cleanup(borrowed.Close)
	s, err := newServer(t.Context(), config.Serve{}, slog.New(slog.DiscardHandler), anyPort, handler)
	if err != nil {
		t.Fatal(err)
	}
	s.tls, s.http.TLSConfig = true, &tls.Config{Certificates: borrowed.TLS.Certificates, MinVersion: tls.VersionTLS12}
	served := make(chan error, 1)
	go func() { served <- s.serve() }()
	t.Cleanup(func() {
		_ = s.shutdown(time.Second) // requests may be under way
		<-served
	})
	return "https://" + s.listener.Addr().String(), borrowed.Client()
}

// TestHeaderFlood sends a header of 128 KiB by HTTP/2, an eighth of what Go lets through by itself: it
// is refused before anyone sees it.
func TestHeaderFlood(t *testing.T) {
	t.Parallel()
	var seen atomic.Int64
	address, client := overTLS(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { seen.Add(1) }))
	for range 3 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		for name := range strings.SplitSeq("abcdefghijklmnop", "") {
			req.Header.Set("X-"+name, strings.Repeat(name, 8<<10))
		}
		resp, err := client.Do(req)
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body) // it says that the header is too large
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
				t.Errorf("status %d", resp.StatusCode)
			}
		}
	}
	if n := seen.Load(); n > 0 {
		t.Errorf("%d requests were seen", n)
	}
}

// TestRapidResets sends a thousand requests by HTTP/2 and gives each up at once: of a
// connection no more are worked on at a time than it may have.
func TestRapidResets(t *testing.T) {
	t.Parallel()
	const most = 250 // of one connection
	var lock sync.Mutex
	now, peak := map[string]int{}, 0 // by connection
	release := make(chan struct{})
	address, client := overTLS(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("it came by %s", r.Proto)
		}
		lock.Lock()
		now[r.RemoteAddr]++
		peak = max(peak, now[r.RemoteAddr])
		lock.Unlock()
		<-release // it does not notice that it was given up
	}))
	var all sync.WaitGroup
	for range 1000 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: cancel})
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
			if err != nil {
				t.Error(err)
				return
			}
			if resp, err := client.Do(req); err == nil {
				_ = resp.Body.Close()
			}
		})
	}
	all.Wait()
	defer close(release)
	lock.Lock()
	defer lock.Unlock()
	if peak == 0 || peak > most {
		t.Errorf("%d requests of one connection were worked on at once", peak)
	}
}
