package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/client"
	"github.com/drover-fleet/drover/internal/deliver/signing"
)

// serve answers with handlers by method and path, and fails for others.
func serve(t *testing.T, handlers map[string]http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, ok := handlers[r.Method+" "+r.URL.Path]
		if !ok {
			t.Errorf("nobody expects %s %s", r.Method, r.URL)
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
	d, err := client.Get[drover.Device](t.Context(), c, "/device/1")
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
	for d, err := range client.List[drover.Device](t.Context(), client.New(base, client.APIKey("drv_key")), "/device", url.Values{"tag": {"cold"}}) {
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
	if _, err := client.New(base).Do(t.Context(), "POST", "/webhook", nil, map[string]string{"url": "x"}, nil); err != nil {
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
	_, err := client.New(base).Do(t.Context(), "PATCH", "/device/1", nil, map[string]any{}, nil)
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
	for e, err := range client.New(base).Events(t.Context(), 4, nil) {
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
	for _, err := range client.New(base).Events(t.Context(), -1, nil) {
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
	if n, err := client.New(base).Download(t.Context(), "/export/1/file", &out); err != nil || n != 10000 || out.String() != content {
		t.Errorf("%d bytes: %v", n, err)
	}
	if !slices.Equal(parts, []string{"", "bytes=4000-"}) {
		t.Errorf("the parts are %q", parts)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	now, body := time.Date(2024, 5, 2, 10, 15, 30, 0, time.UTC), []byte(`{"type":"trip.completed"}`)
	h := http.Header{}
	if err := signing.Sign(h, "id", now, body, secret); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		secret string
		body   []byte
		now    time.Time
		want   error
	}{
		"Good":        {secret, body, now.Add(5 * time.Minute), nil},
		"TooOld":      {secret, body, now.Add(5*time.Minute + time.Second), client.ErrTimestamp},
		"Changed":     {secret, append([]byte(" "), body...), now, client.ErrSignature},
		"OtherSecret": {"whsec_YWJj", body, now, client.ErrSignature},
		"NoSecret":    {"whsec_", body, now, client.ErrSecret},
	} {
		if err := client.Verify(c.secret, h, c.body, c.now); !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// The example of the README.
func ExampleList() {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"data":[{"id":"1","distance_metres":15230.4}]}`)
	}))
	defer s.Close()
	c := client.New(s.URL, client.APIKey("drv_…"))
	for trip, err := range client.List[drover.Trip](context.Background(), c, "/trip", url.Values{"is_valid": {"true"}}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(trip.ID, *trip.DistanceMetres)
	}
	// Output: 1 15230.4
}
