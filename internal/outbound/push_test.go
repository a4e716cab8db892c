package outbound

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
)

// answering is a transport that gives one answer to all.
type answering struct {
	status int
	media  string
	body   io.ReadCloser
	calls  int
}

func (a *answering) RoundTrip(req *http.Request) (*http.Response, error) {
	a.calls++
	context.AfterFunc(req.Context(), func() { _ = a.body.Close() })
	return &http.Response{StatusCode: a.status, Header: http.Header{"Content-Type": {a.media}}, Body: a.body, Request: req}, nil
}

func streamRequest(t *testing.T, address string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func events(text string) *answering {
	return &answering{status: http.StatusOK, media: "text/event-stream;charset=UTF-8", body: io.NopCloser(strings.NewReader(text))}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	c := New(Options{
		Transport: events(": hello\n\nid: 1\nevent: x\n\ndata: one\r\n\r\ndata:two\ndata: lines\nretry: 5\n\ndata: cut"),
		Now:       time.Now,
	})
	s, err := c.Events(streamRequest(t, "https://vendor.test/stream"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, want := range []string{"one", "two\nlines"} {
		if got, err := s.Next(); err != nil || string(got) != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	if got, err := s.Next(); err == nil || KindOf(err) != KindTemporary || err.Error() != "the provider's push was cut" {
		t.Errorf("%q, %v of kind %s", got, err, KindOf(err))
	}
}

// TestNoPush has answers that are no pushes.
func TestNoPush(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		media  string
		want   string
		kind   Kind
	}{
		"Page":     {http.StatusOK, "text/html", "the provider opened no push: it answered 200 with text/html", KindTemporary},
		"Redirect": {http.StatusFound, "", "the provider opened no push: it answered 302 with no type", KindTemporary},
		"Refused":  {http.StatusUnauthorized, "text/plain", "the provider refused the credentials", KindCredentials},
		"Absent":   {http.StatusNotFound, "text/plain", "the provider answered 404", KindPermanent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			origins := NewOrigins(4, time.Now)
			c := New(Options{
				Transport: &answering{status: test.status, media: test.media, body: io.NopCloser(strings.NewReader("no"))}, Now: time.Now,
				Origins: origins, Tenant: "t",
			})
			_, err := c.Events(streamRequest(t, "https://vendor.test/stream"), time.Minute)
			if err == nil || err.Error() != test.want || KindOf(err) != test.kind {
				t.Errorf("%v of kind %s, want %s of kind %s", err, KindOf(err), test.want, test.kind)
			}
			if n := origins.pushes.Held("https://vendor.test"); n != 0 {
				t.Errorf("%d places are held by a push that was not opened", n)
			}
		})
	}
}

// TestSilentPush has a push that says nothing any more: it is given up, and what
// it held is free.
func TestSilentPush(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		from, to := io.Pipe()
		origins := NewOrigins(4, time.Now)
		c := New(Options{
			Transport: &answering{status: http.StatusOK, media: "text/event-stream", body: from}, Now: time.Now, Origins: origins,
			Tenant: "t",
		})
		s, err := c.Events(streamRequest(t, "https://vendor.test/stream"), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		go func() {
			for range 5 { // comments are a sign of life
				time.Sleep(40 * time.Second)
				_, _ = io.WriteString(to, ":\n\n")
			}
		}()
		_, err = s.Next()
		if err == nil || err.Error() != "the provider's push said nothing for 60 s" || KindOf(err) != KindTemporary {
			t.Errorf("%v of kind %s", err, KindOf(err))
		}
		if lasted := time.Since(begun); lasted != 260*time.Second {
			t.Errorf("it was given up after %v, want 260 s", lasted)
		}
		if n := origins.pushes.Held("https://vendor.test"); n != 1 {
			t.Errorf("%d places are held while it is open", n)
		}
		s.Close()
		if n := origins.pushes.Held("https://vendor.test"); n != 0 {
			t.Errorf("%d places are held by a push that was closed", n)
		}
	})
}

// TestEndlessEvent has an event that would take all memory.
func TestEndlessEvent(t *testing.T) {
	t.Parallel()
	c := New(Options{Transport: events("data: " + strings.Repeat("x", 100_000) + "\n\n"), Now: time.Now, MaxBody: 50_000})
	s, err := c.Events(streamRequest(t, "https://vendor.test/stream"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Next(); err == nil || err.Error() != "the provider's answer is larger than 50000 bytes" {
		t.Errorf("%v", err)
	}
}

// TestPushMemory has a large message between small ones: it takes a place in the
// budget until the next one is read.
func TestPushMemory(t *testing.T) {
	t.Parallel()
	budget := NewBudget(256 << 20)
	c := New(Options{
		Transport: events("data: a\n\ndata: " + strings.Repeat("x", 2*smallReading) + "\n\ndata: b\n\n"), Now: time.Now,
		Budget: budget, Tenant: "t",
	})
	s, err := c.Events(streamRequest(t, "https://vendor.test/stream"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i, want := range []int64{0, 1, 0} {
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
		if n := budget.medium.Held("t"); n != want {
			t.Errorf("message %d holds %d places, want %d", i, n, want)
		}
	}
}

// TestPushesOfOneOrigin has an origin with more pushes than there are places: those
// of another still have theirs.
func TestPushesOfOneOrigin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		origins := NewOrigins(4, time.Now)
		c := New(Options{Transport: events(""), Now: time.Now, Origins: origins, Tenant: "t"})
		open := func(address string) error {
			s, err := c.Events(streamRequest(t, address), time.Hour)
			if err == nil {
				t.Cleanup(s.Close)
			}
			return err
		}
		for range MostPushes {
			if err := open("https://large.test/stream"); err != nil {
				t.Fatal(err)
			}
		}
		if err := open("https://large.test/stream"); err == nil || err.Error() != "too many pushes of the provider's server are open" {
			t.Errorf("one push too many: %v", err)
		}
		if err := open("https://small.test/stream"); err != nil {
			t.Errorf("another origin: %v", err)
		}
	})
}

// TestPushCountsOnce has a push and calls beside it: its opening is a call, and
// then it is none.
func TestPushCountsOnce(t *testing.T) {
	t.Parallel()
	transport := events("data: x\n\n")
	c := New(Options{Transport: transport, Now: time.Now, Limits: []Limit{{Requests: 2, Per: time.Hour, Concurrent: 1}}, MaxWait: -1})
	for range 2 {
		s, err := c.Events(streamRequest(t, "https://vendor.test/stream"), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
	}
	if _, err := c.Events(streamRequest(t, "https://vendor.test/stream"), time.Minute); KindOf(err) != KindRateLimited ||
		transport.calls != 2 {
		t.Errorf("the third push: %v after %d calls", err, transport.calls)
	}
}

// socketServer answers each message with itself, in capitals.
func socketServer(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie") != "s=1" {
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		for {
			kind, message, err := conn.Read(r.Context())
			if err != nil {
				return
			}
			if err := conn.Write(r.Context(), kind, []byte(strings.ToUpper(string(message)))); err != nil {
				return
			}
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestSocket(t *testing.T) {
	t.Parallel()
	server := socketServer(t)
	open := NewTransport(NewGuard([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}))
	c := New(Options{Transport: open, Now: time.Now, MaxBody: 100, Budget: NewBudget(64 << 20), Tenant: "t"})
	req := streamRequest(t, server.URL+"/socket")
	if _, err := c.Socket(req, time.Minute); KindOf(err) != KindCredentials {
		t.Errorf("without a cookie: %v of kind %s", err, KindOf(err))
	}
	req.Header.Set("Cookie", "s=1")
	s, err := c.Socket(req, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, word := range []string{"one", "two"} {
		if err := s.Write([]byte(word)); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Read(); err != nil || string(got) != strings.ToUpper(word) {
			t.Errorf("%q, %v", got, err)
		}
	}
	if err := s.Send([]byte(strings.Repeat("x", 101))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(); err == nil || err.Error() != "the provider's answer is larger than 100 bytes" {
		t.Errorf("a large message: %v", err)
	}
	s.Close() // again
}

// TestSocketIsGuarded dials an address of the operator's own network.
func TestSocketIsGuarded(t *testing.T) {
	t.Parallel()
	server := socketServer(t)
	c := New(Options{Transport: NewTransport(NewGuard(nil)), Now: time.Now})
	_, err := c.Socket(streamRequest(t, server.URL+"/socket"), time.Minute)
	if !errors.Is(err, ErrRefused) || KindOf(err) != KindPermanent {
		t.Errorf("%v of kind %s", err, KindOf(err))
	}
}

// TestNoSocket has a server that answers with a page.
func TestNoSocket(t *testing.T) {
	t.Parallel()
	origins := NewOrigins(4, time.Now)
	c := New(Options{
		Transport: &answering{status: http.StatusOK, media: "text/html", body: io.NopCloser(strings.NewReader("<html>"))},
		Now:       time.Now, Origins: origins, Tenant: "t",
	})
	_, err := c.Socket(streamRequest(t, "https://vendor.test/socket?token=s3cret"), time.Minute)
	if err == nil || KindOf(err) != KindTemporary || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v of kind %s", err, KindOf(err))
	}
	if n := origins.pushes.Held("https://vendor.test"); n != 0 {
		t.Errorf("%d places are held by a socket that was not opened", n)
	}
}
