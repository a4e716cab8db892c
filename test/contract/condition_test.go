package contract_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// TestThrottle fails to log in from one address until it is kept waiting.
func TestThrottle(t *testing.T) {
	t.Parallel()
	wait := refusal(429, "Too many failed attempts, try again later")
	for name, try := range map[string]struct{ path, wrong, right, refused, granted string }{
		"Token": {"/token", login("alice", "x"), login("alice", password), refusal(401, "Invalid username or password"), loggedIn},
		"Refresh": {
			"/refresh", refresh("$alice_sub", "x"), refresh("$alice_sub", "$alice_refresh"), refusal(401, "Invalid Refresh Token"),
			refreshed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, defaults(t.TempDir()))
			from := map[string]string{fromHeader: "192.0.2.7:1000"}
			ask := func(body string, after time.Duration, status int, want string, header map[string]string) {
				t.Helper()
				row{method: "POST", path: try.path, body: body, header: from, after: after, status: status, want: want, wantHeader: header}.run(t, s)
			}
			for range 5 {
				ask(try.wrong, 0, 401, try.refused, nil)
			}
			ask(try.wrong, 0, 429, wait, map[string]string{"Retry-After": "1"})
			ask(try.right, 999*time.Millisecond, 429, wait, map[string]string{"Retry-After": "1"})
			ask(try.wrong, time.Second, 401, try.refused, nil)
			ask(try.right, time.Second, 429, wait, map[string]string{"Retry-After": "2"})
			// Another address is not kept waiting, and waiting helps.
			from = map[string]string{fromHeader: "192.0.2.8:1000"}
			ask(try.right, time.Second, 200, try.granted, nil)
			from = map[string]string{fromHeader: "192.0.2.7:1001"}
			ask(try.right, 3*time.Second, 200, try.granted, nil)
		})
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	c := defaults(t.TempDir())
	c.RateLimit, c.RateBurst = 1, 2
	s := newService(t, c)
	ask := func(user string, after time.Duration, status int, want string, header map[string]string) {
		t.Helper()
		row{as: user, method: "GET", path: "/connection-tag", after: after, status: status, want: want, wantHeader: header}.run(t, s)
	}
	left := func(remaining, reset string) map[string]string {
		return map[string]string{"RateLimit-Limit": "2", "RateLimit-Remaining": remaining, "RateLimit-Reset": reset}
	}
	ask(carol, 0, 200, list(), left("1", "1"))
	ask(carol, 0, 200, list(), left("0", "2"))
	refused := left("0", "2")
	refused["Retry-After"] = "1"
	ask(carol, 0, 429, refusal(429, "Too many requests, try again later"), refused)
	ask(wanda, 0, 200, list(), left("1", "1"))
	ask(carol, time.Second, 200, list(), left("0", "2"))
}

// TestInternalError takes the database away: the answer says nothing of it.
func TestInternalError(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		get[[]any](t, s, carol, "/connection-tag")
		s.broken = true
		if err := s.app.Store.Close(); err != nil {
			t.Fatal(err)
		}
		row{as: carol, method: "GET", path: "/device/$device", status: 500, want: refusal(500, "Internal error")}.run(t, s)
	})
}

// TestOverload has a tenant keep the only place for a request taken and ask for
// another; a slow body and the trial of a connection take none. Another tenant has its
// share all the same.
func TestOverload(t *testing.T) {
	t.Parallel()
	c := defaults(t.TempDir())
	c.MaxInFlight = 1
	s := newService(t, c)
	tags := row{as: carol, method: "GET", path: "/connection-tag", status: 200, want: list()}
	reading, finish, done := make(chan struct{}), make(chan struct{}), make(chan error, 4)
	go func() {
		done <- s.holdPlace(t.Context(), s.server.URL+"/connection", s.token(t, carol), reading, finish)
	}()
	<-reading
	tags.run(t, s)
	go func() { done <- s.tryConnection(t.Context(), s.token(t, carol)) }()
	called := <-slowVendor
	tags.run(t, s)

	// A request that writes waits for the writer, in its place.
	held, release := make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() { close(held) })
	go func() {
		done <- s.app.Store.Update(t.Context(), func(*store.Tx) error {
			once()
			<-release
			return nil
		})
	}()
	<-held
	go func() { done <- s.makeExport(t.Context(), s.token(t, carol)) }()
	for s.status(t, carol, "/connection-tag") == http.StatusOK && t.Context().Err() == nil { // until it has its place
	}
	tags.status, tags.want, tags.wantHeader = 503, refusal(503, "Service is overloaded, try again later"),
		map[string]string{"Retry-After": "1"}
	tags.run(t, s)
	row{as: wanda, method: "GET", path: "/connection-tag", status: 200, want: list()}.run(t, s)
	close(called)
	close(release)
	close(finish)
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	row{as: carol, method: "GET", path: "/connection-tag", status: 200, want: list()}.run(t, s)
}

// makeExport asks for an export, which is a short request that writes.
func (s *service) makeExport(ctx context.Context, token string) error {
	return s.post(ctx, token, "/export", `{"kind":"device","format":"csv"}`)
}

// status asks for a path and returns the status of the answer.
func (s *service) status(t *testing.T, user, path string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.server.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token(t, user))
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// TestMemoryOfBodies has a tenant hold all memory for bodies: it is refused more, and
// another tenant's are read all the same.
func TestMemoryOfBodies(t *testing.T) {
	t.Parallel()
	c := defaults(t.TempDir())
	c.MemoryLimit = 128 << 20
	s := newService(t, c)
	notices, others := s.inbound(t, carol), s.inbound(t, wanda)
	finish := make(chan struct{})
	const bodies = 12 // of a fifth of 64 MiB, each may be of 1 MiB
	done := make(chan error, bodies)
	for range bodies {
		reading := make(chan struct{})
		go func() {
			done <- s.holdPlace(t.Context(), s.server.URL+"/connection", s.token(t, carol), reading, finish)
		}()
		<-reading
	}
	large := padded(1 << 20)
	row{
		as: carol, method: "POST", path: "/webhook", body: large, status: 503,
		want: refusal(503, "Service is overloaded, try again later"), wantHeader: map[string]string{"Retry-After": "1"},
	}.run(t, s)
	row{
		method: "POST", path: notices, body: large, status: 503,
		want: refusal(503, "Service is overloaded, try again later"), wantHeader: map[string]string{"Retry-After": "1"},
	}.run(t, s)
	row{method: "POST", path: others, body: large, status: 204}.run(t, s)
	missing := invalid("missing", "Field required", "body", "url")
	row{as: carol, method: "POST", path: "/webhook", body: "{}", status: 422, want: missing}.run(t, s)
	row{as: wanda, method: "POST", path: "/webhook", body: large, status: 422, want: missing}.run(t, s)
	close(finish)
	for range bodies {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	row{as: carol, method: "POST", path: "/webhook", body: large, status: 422, want: missing}.run(t, s)
}

// TestStreamsAreTakenBack has a tenant hold all streams of a process: another gets
// one from the reserve, and the next one that the first has borrowed.
func TestStreamsAreTakenBack(t *testing.T) {
	t.Parallel()
	c := defaults(t.TempDir())
	c.MaxStreams, c.StreamHeartbeat = 2, time.Minute
	s := newService(t, c)
	open := func(user string) io.Reader {
		t.Helper()
		req := s.newRequest(t, t.Context(), s.server.URL, request{method: http.MethodGet, path: "/stream", header: s.authorized(t, user)})
		resp, err := s.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() }) // it may have ended
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("a stream of %s: status %d", user, resp.StatusCode)
		}
		return resp.Body
	}
	open(alice)
	newest := open(alice)
	open(bob)
	open(carol)
	if _, err := io.Copy(io.Discard, newest); err != nil { // it ends, as a stream does
		t.Errorf("the stream that was taken back: %v", err)
	}
}

// slowVendor gets a channel with each call to slowHost, which is answered when that
// is closed.
var slowVendor = make(chan chan struct{})

const slowHost = "slow.vendor.example"

func answerSlowly(w http.ResponseWriter, r *http.Request) {
	answer := make(chan struct{})
	select {
	case slowVendor <- answer:
		<-answer
	case <-r.Context().Done():
	}
	w.WriteHeader(http.StatusUnauthorized)
}

// tryConnection takes a place until the vendor answers.
func (s *service) tryConnection(ctx context.Context, token string) error {
	return s.post(ctx, token, "/connection/test", `{"integration_name":"traccar","credentials":{"base_url":"https://`+slowHost+
		`","token":"x"}}`)
}

// post sends a body and fails unless it is answered 200.
func (s *service) post(ctx context.Context, token, path, body string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.server.URL+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s was answered %d", path, resp.StatusCode)
	}
	return nil
}

// TestSlowLogins sends the body of a login slowly, or more of a notice than is read of it
// before anything else: that takes no place, neither of those who are logged in nor of others
// who log in.
func TestSlowLogins(t *testing.T) {
	t.Parallel()
	for path, status := range map[string]int{"/token": 422, "/refresh": 422, "/session": 422, "/inbound": 204} {
		t.Run(path[1:], func(t *testing.T) {
			t.Parallel()
			c := defaults(t.TempDir())
			c.MaxInFlight = 1
			s := newService(t, c)
			held := heldRequest{status: status, reading: make(chan struct{}), finish: make(chan struct{})}
			handler := s.app.API
			if status == http.StatusNoContent {
				path, held.head = s.inbound(t, carol), padded(20<<10)
				handler = untilRead(len(held.head), held.reading, handler)
			}
			unhurried := httptest.NewServer(unhurried(handler))
			t.Cleanup(unhurried.Close)
			held.url = unhurried.URL + path
			done := make(chan error, 1)
			go func() { done <- held.send(t.Context()) }()
			<-held.reading
			row{as: carol, method: "GET", path: "/connection-tag", status: 200, want: list()}.run(t, s)
			row{method: "POST", path: "/token", body: login("alice", password), status: 200, want: loggedIn}.run(t, s)
			close(held.finish)
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

// inbound makes an address for the notices of a connection, as the admin of its tenant does.
func (s *service) inbound(t *testing.T, user string) string {
	t.Helper()
	var conn drover.Connection
	read(t, s.send(t, request{
		method: http.MethodPost, path: "/connection", header: s.authorized(t, user),
		body: `{"integration_name":"motive","business_name":"Hauler","credentials":{"api_key":"k"}}`,
	}), &conn)
	var made drover.InboundAddress
	read(t, s.send(t, request{method: http.MethodPost, path: "/connection/" + conn.ID + "/inbound", header: s.authorized(t, user)}), &made)
	return made.URL[strings.Index(made.URL, "/inbound/"):]
}

// untilRead closes read once n bytes of a body were read.
func untilRead(n int, read chan struct{}, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength < 0 { // it is the one that is held
			r.Body = &countedBody{r.Body, n, read}
		}
		next.ServeHTTP(w, r)
	})
}

type countedBody struct {
	io.ReadCloser
	left int
	read chan struct{}
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left == 0 && n > 0 {
		close(b.read)
	}
	return n, err
}

// unhurried lets bodies take as long as they do: what is tried meanwhile may take longer
// on a busy machine than a body may.
func unhurried(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(noDeadline{w}, r) })
}

type noDeadline struct{ http.ResponseWriter }

func (noDeadline) SetReadDeadline(time.Time) error { return nil }

// TestPublicBodiesEnd looks at the time limit that a body has which anyone may send: it
// is set before the body is read.
func TestPublicBodiesEnd(t *testing.T) {
	t.Parallel()
	s := newService(t, defaults(t.TempDir()))
	for _, path := range []string{"/token", "/refresh", "/session", "/inbound/01900000-0000-7000-8000-000000000000/x"} {
		w := &timedWriter{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, w)
		r.Header.Set("Content-Type", "application/json")
		s.app.API.ServeHTTP(w, r)
		if !w.read || w.unlimited {
			t.Errorf("POST %s: the body was read: %t, without a time limit: %t", path, w.read, w.unlimited)
		}
	}
}

// timedWriter takes the time limit of a body, and is the body.
type timedWriter struct {
	*httptest.ResponseRecorder
	limit           time.Time
	read, unlimited bool
}

func (w *timedWriter) SetReadDeadline(t time.Time) error {
	w.limit = t
	return nil
}

func (w *timedWriter) Read([]byte) (int, error) {
	left := time.Until(w.limit)
	w.read, w.unlimited = true, w.unlimited || left <= 0 || left > 10*time.Second
	return 0, io.EOF
}

// holdPlace sends a request whose body ends when finish is closed. It closes
// reading once the service waits for the body.
func (s *service) holdPlace(ctx context.Context, url, token string, reading, finish chan struct{}) error {
	return heldRequest{url: url, token: token, status: http.StatusUnprocessableEntity, reading: reading, finish: finish}.send(ctx)
}

// heldRequest has a body that begins with head and ends when finish is closed. Reading is closed,
// where there is no head, once the service waits for the body.
type heldRequest struct {
	url, token, head string
	status           int
	reading, finish  chan struct{}
}

func (h heldRequest) send(ctx context.Context) error {
	body, writer := io.Pipe()
	if h.head == "" {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{Got100Continue: func() { close(h.reading) }})
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, body)
	if err != nil {
		return err
	}
	req.Header.Set("Expect", "100-continue")
	if h.token != "" {
		req.Header.Set("Authorization", "Bearer "+h.token)
	}
	go func() {
		_, _ = io.WriteString(writer, h.head) // the answer says what became of it
		<-h.finish
		_ = writer.Close() // never fails
	}()
	client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != h.status {
		return fmt.Errorf("the held request was answered %d", resp.StatusCode)
	}
	return nil
}

// TestBrokenBody sends a body whose framing is broken.
func TestBrokenBody(t *testing.T) {
	t.Parallel()
	s := newService(t, defaults(t.TempDir()))
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", s.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // whatever was to be read has been
	const text = "POST /token HTTP/1.1\r\nHost: drover\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n"
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	checkAnswer(t, response{resp.StatusCode, resp.Header, string(body)})
	if diff := cmp.Diff(refusal(400, "Request body could not be read"), string(body)); diff != "" || resp.StatusCode != 400 {
		t.Errorf("status %d, body (-want +got):\n%s", resp.StatusCode, diff)
	}
}

// TestTokenLifetime lets the operator choose another lifetime.
func TestTokenLifetime(t *testing.T) {
	t.Parallel()
	c := defaults(t.TempDir())
	c.AccessTokenLifetime = 5 * time.Minute
	s := newService(t, c)
	resp := s.send(t, request{method: "POST", path: "/token", body: login(alice, password)})
	var answer struct {
		Data struct {
			ExpiresIn   int    `json:"expires_in"`
			AccessToken string `json:"access_token"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(resp.body), &answer); err != nil || answer.Data.ExpiresIn != 300 {
		t.Fatalf("POST /token: %v, body %s", err, resp.body)
	}
	header := map[string]string{"Authorization": "Bearer " + answer.Data.AccessToken}
	ask := row{
		method: "GET", path: "/device/$device", header: header, after: 5*time.Minute - time.Millisecond, status: 200,
		want: data(device),
	}
	ask.run(t, s)
	ask.after, ask.status, ask.want = 5*time.Minute, 401, expired
	ask.run(t, s)
}
