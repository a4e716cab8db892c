package middle_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drover-fleet/drover/internal/api/middle"
)

// oneConn is a listener for one connection that is there already.
type oneConn struct {
	conn chan net.Conn
	done chan struct{}
}

func (l oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l oneConn) Close() error   { close(l.done); return nil }
func (l oneConn) Addr() net.Addr { return &net.TCPAddr{} }

// askSlowly sends text to a server with the handler, within a bubble, and
// returns the status and the body of the answer.
func askSlowly(t *testing.T, h http.Handler, text string) (int, string) {
	t.Helper()
	client, server := net.Pipe()
	l := oneConn{make(chan net.Conn, 1), make(chan struct{})}
	l.conn <- server
	s := &http.Server{Handler: h, ReadTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	defer func() {
		_ = client.Close() // a pipe's never fails
		_ = s.Close()      // nothing is under way
		<-served
	}()
	go func() { _, _ = io.WriteString(client, text) }() // the server may not want all of it
	resp, err := http.ReadResponse(bufio.NewReader(client), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

const headOfTen = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 10\r\n\r\n"

func TestEarlyBody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		size   int64
		sent   string
		status int
		want   string
		after  time.Duration
	}{
		"whole":                  {16, "0123456789", 200, "0123456789", 0},
		"exactly the early part": {10, "0123456789", 200, "0123456789", 0},
		"longer":                 {4, "0123456789", 200, "0123456789", 0},
		"never whole":            {16, "012", 400, "could not be read", 10 * time.Second},
		"longer, never whole":    {4, "0123456", 400, "could not be read", 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				status, body := askSlowly(t, middle.EarlyBody(c.size, 10*time.Second)(echo()), headOfTen+c.sent)
				if status != c.status || !strings.Contains(body, c.want) {
					t.Errorf("got %d %s", status, body)
				}
				if took := time.Since(begun); took != c.after {
					t.Errorf("it took %s, want %s", took, c.after)
				}
			})
		})
	}
}

// TestEarlyBodyComesBeforeTheHandler has a body that never ends: the handler, and
// with it a place, is not taken before its time is up.
func TestEarlyBodyComesBeforeTheHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var called time.Duration
		askSlowly(t, middle.EarlyBody(16, 10*time.Second)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			called = time.Since(begun)
		})), headOfTen+"012")
		if called != 10*time.Second {
			t.Errorf("the handler was called after %s, while the body was on its way", called)
		}
	})
}

// TestEarlyBodyLeavesTheHandlerItsTime has a handler that works for longer than
// the body may take.
func TestEarlyBodyLeavesTheHandlerItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(30 * time.Second):
				w.WriteHeader(http.StatusNoContent)
			case <-r.Context().Done():
				w.WriteHeader(http.StatusGone)
			}
		})
		if status, _ := askSlowly(t, middle.EarlyBody(16, 10*time.Second)(h), headOfTen+"0123456789"); status != http.StatusNoContent {
			t.Errorf("status %d", status)
		}
	})
}

// sender writes a whole body before it reads anything, as ordinary clients do.
func sendAll(t *testing.T, size int, chunked bool) (int, error) {
	t.Helper()
	s := httptest.NewServer(middle.MaxBody(1 << 20)(echo()))
	defer s.Close()
	var body io.Reader = strings.NewReader(strings.Repeat("x", size))
	if chunked {
		body = io.MultiReader(body) // whose length no one knows
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// TestRefusalReachesWhoIsStillSending sends bodies far beyond the bound: the client
// sees the 413 each time, and no connection that was reset.
func TestRefusalReachesWhoIsStillSending(t *testing.T) {
	t.Parallel()
	for range 10 {
		for _, chunked := range []bool{false, true} {
			if status, err := sendAll(t, 12<<20, chunked); err != nil || status != http.StatusRequestEntityTooLarge {
				t.Fatalf("chunked %t: status %d, %v", chunked, status, err)
			}
		}
	}
}
