package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover/client"
)

// serve answers with handlers by method and path, and fails for others.
func serve(t *testing.T, handlers map[string]http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, ok := handlers[r.Method+" "+r.URL.Path]
		if !ok {
			t.Errorf("no test expects %s %s", r.Method, r.URL)
			http.NotFound(w, r)
			return
		}
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"error":{"code":%d,"message":%q}}`, status, message)
}

func TestTokenIsRenewed(t *testing.T) {
	t.Parallel()
	var used []string
	base := serve(t, map[string]http.HandlerFunc{
		"POST /token": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, `{"data":{"access_token":"old","refresh_token":"r","sub":"s"}}`)
		},
		"POST /refresh": func(w http.ResponseWriter, r *http.Request) {
			var body map[string]string
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body["sub"] != "s" || body["refresh_token"] != "r" {
				t.Errorf("refreshed with %v: %v", body, err)
			}
			_, _ = fmt.Fprint(w, `{"data":{"access_token":"new","refresh_token":"r2"}}`)
		},
		"GET /device/1": func(w http.ResponseWriter, r *http.Request) {
			used = append(used, r.Header.Get("Authorization"))
			if len(used) == 1 {
				refuse(w, 401, "JWT has expired")
				return
			}
			_, _ = fmt.Fprint(w, `{"data":{"id":"1","tags":["cold"]}}`)
		},
	})
	c := client.New(base)
	if _, err := c.Login(t.Context(), "demo", "secret"); err != nil {
		t.Fatal(err)
	}
	d, err := c.GetDevice(t.Context(), "1")
	if err != nil || d.ID != "1" || !slices.Equal(used, []string{"Bearer old", "Bearer new"}) {
		t.Errorf("read %+v with %v: %v", d, used, err)
	}
	if got := c.Tokens(); got != (client.Token{Access: "new", Refresh: "r2", Subject: "s"}) {
		t.Errorf("the tokens are %+v", got)
	}
}

func TestListGoesThroughPages(t *testing.T) {
	t.Parallel()
	base := serve(t, map[string]http.HandlerFunc{"GET /device": func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("tag") != "cold" || r.Header.Get("Authorization") != "Bearer drv_key" {
			t.Errorf("asked %s with %s", r.URL, r.Header.Get("Authorization"))
		}
		if r.URL.Query().Get("cursor") == "" {
			w.Header().Set("X-Next-Cursor", "c")
			_, _ = fmt.Fprint(w, `{"data":[{"id":"1"},{"id":"2"}]}`)
			return
		}
		_, _ = fmt.Fprint(w, `{"data":[{"id":"3"}]}`)
	}})
	var ids []string
	for d, err := range client.New(base, client.WithAPIKey("drv_key")).ListDevices(t.Context(), client.ListDevicesQuery{Tag: "cold"}) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, d.ID)
	}
	if !slices.Equal(ids, []string{"1", "2", "3"}) {
		t.Errorf("listed %v", ids)
	}
}

func TestPostIsRepeatedUnderOneKey(t *testing.T) {
	t.Parallel()
	var keys []string
	base := serve(t, map[string]http.HandlerFunc{"POST /webhook": func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		if len(keys) == 1 {
			w.Header().Set("Retry-After", "0")
			refuse(w, 503, "Service is overloaded, try again later")
			return
		}
		_, _ = fmt.Fprint(w, `{"data":{}}`)
	}})
	if _, err := client.New(base).PostWebhook(t.Context(), client.WebhookInput{URL: "x"}); err != nil {
		t.Fatal(err)
	}
	if len(keys) != 2 || keys[0] == "" || keys[0] != keys[1] {
		t.Errorf("the keys are %q", keys)
	}
}

func TestRefusalIsAnError(t *testing.T) {
	t.Parallel()
	base := serve(t, map[string]http.HandlerFunc{"PATCH /device/1": func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(422)
		_, _ = fmt.Fprint(w, `{"error":{"code":422,"message":"Field required","loc":["body","tags",0],"msg":"Field required","type":"missing"}}`)
	}})
	_, err := client.New(base).PatchDevice(t.Context(), "1", client.DeviceUpdate{})
	refused, ok := errors.AsType[*client.Error](err)
	if !ok || refused.Status != 422 || refused.Type != "missing" || err.Error() != "body.tags.0: Field required" {
		t.Errorf("the error is %v", err)
	}
}

func TestStreamGoesOnWhereItWasCut(t *testing.T) {
	t.Parallel()
	var from []string
	base := serve(t, map[string]http.HandlerFunc{"GET /stream": func(w http.ResponseWriter, r *http.Request) {
		from = append(from, r.Header.Get("Last-Event-ID"))
		n := 4 + len(from)
		_, _ = fmt.Fprintf(w, ": hello\n\nid: %d\nevent: trip.completed\ndata: {\"sequence\":%d,\"type\":\"trip.completed\"}\n\n", n, n)
	}})
	var seen []int64
	for e, err := range client.New(base).GetStream(t.Context(), 4, client.GetStreamQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		if seen = append(seen, e.Sequence); len(seen) == 3 {
			break
		}
	}
	if !slices.Equal(seen, []int64{5, 6, 7}) || !slices.Equal(from, []string{"4", "5", "6"}) {
		t.Errorf("saw %v from %v", seen, from)
	}
}

func TestStreamEndsWithARefusal(t *testing.T) {
	t.Parallel()
	base := serve(t, map[string]http.HandlerFunc{"GET /stream": func(w http.ResponseWriter, _ *http.Request) { refuse(w, 401, "no") }})
	for _, err := range client.New(base).GetStream(t.Context(), client.FromNow, client.GetStreamQuery{}) {
		if refused, ok := errors.AsType[*client.Error](err); !ok || refused.Status != 401 {
			t.Errorf("the stream ends with %v", err)
		}
	}
}

func TestDownloadAsksForTheRest(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("0123456789", 1000)
	var parts []string
	base := serve(t, map[string]http.HandlerFunc{"GET /export/1/file": func(w http.ResponseWriter, r *http.Request) {
		parts = append(parts, r.Header.Get("Range"))
		if len(parts) == 1 {
			w.Header().Set("Content-Length", "10000")
			_, _ = fmt.Fprint(w, content[:4000]) // and the connection is cut
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
	}})
	var out bytes.Buffer
	if n, err := client.New(base).GetExportFile(t.Context(), "1", &out); err != nil || n != 10000 || out.String() != content {
		t.Errorf("%d bytes: %v", n, err)
	}
	if !slices.Equal(parts, []string{"", "bytes=4000-"}) {
		t.Errorf("the parts are %q", parts)
	}
}

func TestStreamOfALinkEndsWithIt(t *testing.T) {
	t.Parallel()
	base := serve(t, map[string]http.HandlerFunc{"GET /public/share/t/stream": func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, "event: update\ndata: {\"status\":\"trip_ended\"}\n\nevent: end\ndata: {}\n\n")
	}})
	var seen []client.MilestoneStatus
	for journey, err := range client.New(base).GetSharedJourneyStream(t.Context(), "t") {
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, journey.Status)
	}
	if !slices.Equal(seen, []client.MilestoneStatus{client.MilestoneStatusTripEnded}) {
		t.Errorf("saw %v", seen)
	}
}

func TestStreamEndsWithWhatIsNoEvent(t *testing.T) {
	t.Parallel()
	base := serve(t, map[string]http.HandlerFunc{"GET /stream": func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = fmt.Fprint(w, "id: 5\ndata: {\n\n")
	}})
	n := 0
	for _, err := range client.New(base).GetStream(t.Context(), 4, client.GetStreamQuery{}) {
		if n++; err == nil || !strings.Contains(err.Error(), "read an event") {
			t.Errorf("the stream goes on with %v", err)
		}
	}
	if n != 1 {
		t.Errorf("the stream has %d", n)
	}
}

func TestFieldsThatAreLeftOut(t *testing.T) {
	t.Parallel()
	var sent string
	base := serve(t, map[string]http.HandlerFunc{"PATCH /device/1": func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = string(body)
		_, _ = fmt.Fprint(w, `{"data":{"id":"1"}}`)
	}})
	if _, err := client.New(base).PatchDevice(t.Context(), "1",
		client.DeviceUpdate{Year: client.Some[int64](2020), Description: client.Null[string]()}); err != nil {
		t.Fatal(err)
	}
	if sent != `{"description":null,"year":2020}` {
		t.Errorf("sent %s", sent)
	}
}

func TestHeadersOfACall(t *testing.T) {
	t.Parallel()
	base := serve(t, map[string]http.HandlerFunc{"GET /device/1": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"a"`)
		if r.Header.Get("If-None-Match") == `"a"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = fmt.Fprint(w, `{"data":{"id":"1"}}`)
	}})
	c := client.New(base)
	var header http.Header
	if _, err := c.GetDevice(t.Context(), "1", client.ReadHeader(&header)); err != nil || header.Get("ETag") != `"a"` {
		t.Fatalf("the headers are %v: %v", header, err)
	}
	if _, err := c.GetDevice(t.Context(), "1", client.IfNoneMatch(header.Get("ETag"))); !errors.Is(err, client.ErrNotModified) {
		t.Errorf("read again: %v", err)
	}
}

func TestConditionsAndKeys(t *testing.T) {
	t.Parallel()
	base := serve(t, map[string]http.HandlerFunc{
		"PATCH /device/1": func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-Match") != `"new"` {
				refuse(w, http.StatusPreconditionFailed, "The record has changed since it was read")
				return
			}
			_, _ = fmt.Fprint(w, `{"data":{"id":"1","year":2020}}`)
		},
		"POST /webhook": func(w http.ResponseWriter, r *http.Request) {
			_, _ = fmt.Fprintf(w, `{"data":{"id":%q}}`, r.Header.Get("Idempotency-Key"))
		},
	})
	c := client.New(base)
	change := client.DeviceUpdate{Year: client.Some[int64](2020)}
	_, err := c.PatchDevice(t.Context(), "1", change, client.IfMatch(`"old"`))
	if refused, ok := errors.AsType[*client.Error](err); !ok || refused.Status != http.StatusPreconditionFailed {
		t.Errorf("changed a record that is another by now: %v", err)
	}
	if d, err := c.PatchDevice(t.Context(), "1", change, client.IfMatch(`"new"`)); err != nil || d.ID != "1" {
		t.Errorf("changed to %+v: %v", d, err)
	}
	if hook, err := c.PostWebhook(t.Context(), client.WebhookInput{URL: "https://x.example"}, client.IdempotencyKey("mine")); err != nil ||
		hook.ID != "mine" {
		t.Errorf("made under the key %q: %v", hook.ID, err)
	}
}

// counting is a RoundTripper that counts.
type counting struct{ calls atomic.Int32 }

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.calls.Add(1)
	return http.DefaultTransport.RoundTrip(r)
}

func TestOwnHTTPClient(t *testing.T) {
	t.Parallel()
	base := serve(t, map[string]http.HandlerFunc{"GET /device/1": func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"data":{"id":"1"}}`)
	}})
	var through counting
	if _, err := client.New(base, client.WithHTTP(&http.Client{Transport: &through})).GetDevice(t.Context(), "1"); err != nil ||
		through.calls.Load() != 1 {
		t.Errorf("%d calls went through the client that was given: %v", through.calls.Load(), err)
	}
}

func TestParametersOfAQuery(t *testing.T) {
	t.Parallel()
	var got string
	base := serve(t, map[string]http.HandlerFunc{"GET /trip": func(w http.ResponseWriter, r *http.Request) {
		got = r.URL.RawQuery
		_, _ = fmt.Fprint(w, `{"data":[]}`)
	}})
	from := time.Date(2024, 5, 1, 2, 0, 0, 0, time.FixedZone("", 7200))
	for range client.New(base).ListTrips(t.Context(), client.ListTripsQuery{IsValid: client.Some(false), From: from, Limit: 7}) {
		t.Error("a record of an empty list")
	}
	if got != "from=2024-05-01T00%3A00%3A00Z&is_valid=false&limit=7" {
		t.Errorf("asked for %s", got)
	}
}

func TestRoundTripperRenews(t *testing.T) {
	t.Parallel()
	var used []string
	base := serve(t, map[string]http.HandlerFunc{
		"POST /refresh": func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, `{"data":{"access_token":"new"}}`) },
		"POST /mcp": func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if used = append(used, r.Header.Get("Authorization")+" "+r.Header.Get("X-Drover-Tenant")+" "+string(body)); len(used) == 1 {
				refuse(w, 401, "JWT has expired")
			}
		},
	})
	c := client.New(base, client.WithToken(client.Token{Access: "old", Refresh: "r", Subject: "s"}), client.InTenant("t"))
	resp, err := (&http.Client{Transport: c.RoundTripper()}).Post(base+"/mcp", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if !slices.Equal(used, []string{"Bearer old t {}", "Bearer new t {}"}) {
		t.Errorf("used %v", used)
	}
}

// The example of the README.
func ExampleClient() {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"data":[{"id":"1","distance_metres":15230.4}]}`)
	}))
	defer s.Close()
	ctx, service := context.Background(), s.URL
	c := client.New(service, client.WithAPIKey("drv_YOUR_KEY"))
	for trip, err := range c.ListTrips(ctx, client.ListTripsQuery{IsValid: client.Some(true)}) {
		if err != nil {
			panic(err)
		}
		fmt.Println(trip.ID, *trip.DistanceMetres)
	}
	// Output: 1 15230.4
}

// TestReadme holds the example of the README to the one that is run.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("client_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(readme), "```go\n")
	code, _, _ = strings.Cut(code, "```")
	code = strings.Replace(code, `"https://drover.example"`, "service", 1)
	indented := "\t" + strings.ReplaceAll(strings.TrimSpace(code), "\n", "\n\t")
	if code == "" || !strings.Contains(string(source), indented) {
		t.Errorf("no test runs\n%s", indented)
	}
}
