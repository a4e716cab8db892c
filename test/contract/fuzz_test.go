package contract_test

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// patience is how long an answer may take before it counts as none.
const patience = 3 * time.Minute

// attack sends a request straight to the handler, as no client library would
// let it pass, and expects a proper answer: no fault of the service, and a body
// in one of the two envelopes.
func (s *service) attack(t *testing.T, o operation, q request) {
	t.Helper()
	path, query, _ := strings.Cut(q.path, "?")
	req := &http.Request{
		Method: q.method, URL: &url.URL{Path: path, RawQuery: query}, Host: "drover", Header: http.Header{}, Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1,
		Body:       io.NopCloser(strings.NewReader(q.body)), ContentLength: int64(len(q.body)), RemoteAddr: "192.0.2.1:1", RequestURI: q.path,
	}
	// What a caller who means well would send, unless it is under attack.
	req.Header.Set("Authorization", "Bearer "+s.token(t, attacker(o)))
	for name, value := range q.header {
		req.Header.Set(name, value)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	rec := httptest.NewRecorder()
	s.app.API.ServeHTTP(rec, req.WithContext(ctx))
	if ctx.Err() != nil {
		t.Fatalf("%s: no answer within %s", o, patience)
	}
	body := readAnswer(t, rec)
	if rec.Code >= http.StatusInternalServerError {
		t.Fatalf("%s: status %d, body %s", o, rec.Code, cut(body))
	}
	kind, _, _ := strings.Cut(rec.Header().Get("Content-Type"), ";")
	if _, file := o.Responses["200"].Content[kind]; rec.Code == http.StatusOK && kind != "application/json" &&
		(file || strings.Contains(q.path+q.header["Accept"], "g")) {
		return // a format that was asked for, or the file of an export
	}
	if err := answerFault(response{rec.Code, rec.Header(), body}); err != nil {
		t.Fatalf("%s: %v", o, err)
	}
}

// attacker is a user whose session no attack ends, except for the operation that
// ends it.
func attacker(o operation) string {
	if o.path == "/logout" {
		return mark
	}
	return readerOf(o.path)
}

func readAnswer(t *testing.T, rec *httptest.ResponseRecorder) string {
	t.Helper()
	var body io.Reader = rec.Body
	if rec.Header().Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(rec.Body)
		if err != nil {
			t.Fatal(err)
		}
		body = unzipped
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// An attack puts arbitrary text at one place of an operation's request. It
// returns false for what net/http refuses before the service sees it.
type attack func(t *testing.T, s *service, o operation, text string) (request, bool)

func attackBody(t *testing.T, s *service, o operation, text string) (request, bool) {
	t.Helper()
	return request{method: o.method, path: s.target(t, o), body: text}, o.RequestBody != nil
}

func attackQuery(t *testing.T, s *service, o operation, text string) (request, bool) {
	t.Helper()
	query := o.parameters("query")
	if slices.Contains(query, "wait") { // waiting is what it is for
		text = "wait=0&" + text
	}
	return request{method: o.method, path: s.target(t, o) + "?" + text, body: o.example()}, len(query) > 0
}

// attackParameter attacks each parameter of the query in turn.
func attackParameter(t *testing.T, s *service, o operation, text string) (request, bool) {
	t.Helper()
	values := url.Values{}
	for _, name := range o.parameters("query") {
		if name != "wait" { // waiting is what it is for
			values.Set(name, text)
		}
	}
	return request{method: o.method, path: s.target(t, o) + "?" + values.Encode()}, len(values) > 0
}

func attackPath(_ *testing.T, _ *service, o operation, text string) (request, bool) {
	path := o.path
	for _, name := range o.parameters("path") {
		path = strings.Replace(path, "{"+name+"}", text, 1)
	}
	return request{method: o.method, path: path, body: o.example()}, path != o.path && !strings.Contains(text, "?")
}

// attackedHeaders are those that the service looks at.
var attackedHeaders = []string{
	"Authorization", "X-Api-Version", "Accept", "Content-Type", "Content-Encoding", "Accept-Encoding", "Idempotency-Key", "X-Request-Id",
	"Origin", "If-Match",
}

func attackHeader(name string) attack {
	return func(t *testing.T, s *service, o operation, text string) (request, bool) {
		t.Helper()
		for _, b := range []byte(text) {
			if b < ' ' && b != '\t' || b == 0x7f {
				return request{}, false
			}
		}
		body := "{}" // cheap to refuse
		if name == "Idempotency-Key" {
			body = o.example()
		}
		return request{method: o.method, path: s.target(t, o), body: body, header: map[string]string{name: text}}, o.RequestBody != nil ||
			!bodyHeader(name)
	}
}

// bodyHeader reports whether a header says something of a body.
func bodyHeader(name string) bool {
	return strings.HasPrefix(name, "Content-") || name == "Idempotency-Key"
}

// target is an operation's path with alpha's records in it.
func (s *service) target(t *testing.T, o operation) string {
	t.Helper()
	names := &names{t: t, world: s.world, fresh: map[string]string{}}
	path, _, _ := strings.Cut(names.resolve(pathOf(t, o)), "?")
	return path
}

// on sends the attack to one operation.
func (a attack) on(t *testing.T, s *service, o operation, text string) {
	t.Helper()
	// What waits for someone outside takes its time; a worker of the fuzzer that does counts as hung.
	waits := o.method == http.MethodPost && strings.HasSuffix(o.path, "/test")
	if q, ok := a(t, s, o, text); ok && !o.streams() && !waits {
		s.attack(t, o, q)
	}
}

// seeds are texts that have broken services before.
var seeds = []string{
	"", " ", "null", "{}", "[]", `""`, "0", "-1", "1e999", "true", "{", `{"a":`, "\x00", "\xff\xfe", "\u202e", "é", "%", "%00", "%zz", "..",
	"../..", "a/b", "?", "#", ";",
	"'", `"; DROP TABLE device; --`, "${jndi:x}", "<script>", strings.Repeat("a", 5000), strings.Repeat("[", 10000),
	strings.Repeat(`{"a":`, 5000),
	"01900000-0000-7000-8000-000000000000", "{01900000-0000-7000-8000-000000000000}", "urn:uuid:01900000-0000-7000-8000-000000000000",
	"9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00Z", "2024-05-02T10:15:30+14:00", "9223372036854775807", "99999999999999999999",
	"limit=1&limit=x", "limit=%31", "cursor=bnVsbA", "cursor=e30", "days=7;limit=1", "from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z",
	"format=gpx&from=2024-01-01T00:00:00Z",
	`{"description":"\ud800"}`, `{"description":"\u0000"}`, `{"year":1e400}`, `{"year":9223372036854775807}`, `{"year":-9223372036854775808}`,
	`{"tags":[null]}`, `{"tags":["\u0130","\u0131","ſ"]}`, `{"start_point":{"latitude":1e400,"longitude":0}}`,
	`{"start_point":{"latitude":-0.0,"longitude":180}}`,
	`{"start_time":"0001-01-01T00:00:00Z","end_time":"9999-12-31T23:59:59.999Z"}`, `{"webhook_url":"http://[::1%25eth0]:99999/"}`,
	`{"webhook_url":"https://0x7f.1/"}`,
	`{"device_id":"01900000-0000-7000-8000-00000000000Z"}`, `{"username":"alice","password":""}`, `{"sub":"","refresh_token":"a.b.c"}`,
	`{"integration_name":"traccar","business_name":"x","credentials":{"base_url":"http://93.184.216.34","token":"` + "\u2028" +
		`"},"tags":["a","b"],"email":"a@b.example"}`,
	"Bearer", "Bearer a.b.c", "Bearer eyJhbGciOiJub25lIn0.e30.", "Basic YTpi", "gzip", "gzip;q=0, *", "application/json;q=0", "*/*;q=nan",
	"application/geo+json", "text/plain; charset=\"",
}

// fuzz lets attacks loose on a service of its own, one at a time on one
// operation: which chooses both.
func fuzz(f *testing.F, attacks ...attack) {
	f.Helper()
	s := newService(f, defaults(f.TempDir()))
	operations := s.doc().operations()
	for i, seed := range seeds {
		f.Add(uint(i), seed)
	}
	f.Fuzz(func(t *testing.T, which uint, text string) {
		o := operations[which%uint(len(operations))]
		attacks[which/uint(len(operations))%uint(len(attacks))].on(t, s, o, text)
	})
}

func FuzzBody(f *testing.F)   { fuzz(f, attackBody) }
func FuzzQuery(f *testing.F)  { fuzz(f, attackQuery, attackParameter) }
func FuzzPath(f *testing.F)   { fuzz(f, attackPath) }
func FuzzHeader(f *testing.F) { fuzz(f, attackHeaders()...) }

func attackHeaders() []attack {
	var attacks []attack
	for _, name := range attackedHeaders {
		attacks = append(attacks, attackHeader(name))
	}
	return attacks
}

// TestSeeds sends every seed to every place of every operation, on both
// databases: PostgreSQL is pickier about texts and numbers. Headers are read in
// the same way by all operations, so a few stand for all.
func TestSeeds(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		for _, o := range s.doc().operations() {
			attacks := []attack{attackBody, attackQuery, attackParameter, attackPath}
			if o.path == "/device/{device_id}" || o.path == "/connection" || o.path == "/refresh" {
				attacks = append(attacks, attackHeaders()...)
			}
			for _, text := range seeds {
				for _, a := range attacks {
					a.on(t, s, o, text)
				}
			}
		}
	})
}
