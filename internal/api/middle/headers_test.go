package middle_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/api/middle"
)

func TestCORS(t *testing.T) {
	t.Parallel()
	const origin = "https://app.example.com"
	tests := []struct {
		name    string
		origins []string
		method  string
		sent    []string
		status  int
		want    map[string]string
	}{
		{"OffPreflight", nil, http.MethodOptions, []string{"Origin", origin, "Access-Control-Request-Method", "PATCH"}, 200, map[string]string{}},
		{"NoOrigin", []string{origin}, http.MethodGet, nil, 200, map[string]string{"Vary": "Origin"}},
		{
			"Simple",
			[]string{"https://other", origin},
			http.MethodGet,
			[]string{"Origin", origin},
			200,
			map[string]string{"Vary": "Origin", "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": "set"},
		},
		{"Stranger", []string{origin}, http.MethodGet, []string{"Origin", "https://evil"}, 200, map[string]string{"Vary": "Origin"}},
		{
			"AnyOrigin",
			[]string{"*"},
			http.MethodGet,
			[]string{"Origin", "https://any"},
			200,
			map[string]string{"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "set"},
		},
		{
			"Preflight",
			[]string{origin},
			http.MethodOptions,
			[]string{"Origin", origin, "Access-Control-Request-Method", "PATCH"},
			204,
			map[string]string{
				"Vary": "Origin", "Access-Control-Allow-Origin": origin,
				"Access-Control-Allow-Methods": "set", "Access-Control-Allow-Headers": "set", "Access-Control-Max-Age": "set",
			},
		},
		{
			"StrangersPreflight",
			[]string{origin},
			http.MethodOptions,
			[]string{"Origin", "https://evil", "Access-Control-Request-Method", "PATCH"},
			204,
			map[string]string{"Vary": "Origin"},
		},
		{
			"PlainOptions",
			[]string{origin},
			http.MethodOptions,
			[]string{"Origin", origin},
			200,
			map[string]string{"Vary": "Origin", "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": "set"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			silent := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
			w := send(t, middle.CORS(tt.origins)(silent), tt.method, "/", "", tt.sent...)
			if w.Code != tt.status {
				t.Errorf("status %d, want %d", w.Code, tt.status)
			}
			got := map[string]string{}
			for name := range w.Header() {
				got[name] = w.Header().Get(name)
				if tt.want[name] == "set" && got[name] != "" {
					got[name] = "set"
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	get := func(t *testing.T, h http.Handler) http.Header {
		t.Helper()
		server := httptest.NewServer(middle.SecurityHeaders(false)(h))
		defer server.Close()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		return response.Header
	}
	h := get(t, ok())
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Server": ""} {
		if got := h.Get(name); got != want {
			t.Errorf("%s %q, want %q", name, got, want)
		}
	}
	h = get(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Cache-Control", "max-age=60") }))
	if got := h.Get("Cache-Control"); got != "max-age=60" {
		t.Errorf("the handler's Cache-Control became %q", got)
	}
}

// TestOnlyTLS holds that a browser which came by TLS is asked to come by nothing else, and
// one that did not is asked for nothing, unless a proxy serves TLS.
func TestOnlyTLS(t *testing.T) {
	t.Parallel()
	const year = "max-age=31536000"
	for _, c := range []struct {
		address string
		behind  bool
		want    string
	}{{"https://drover.example/", false, year}, {"http://drover.example/", false, ""}, {"http://drover.example/", true, year}} {
		w := httptest.NewRecorder()
		middle.SecurityHeaders(c.behind)(http.NotFoundHandler()).ServeHTTP(w,
			httptest.NewRequestWithContext(t.Context(), http.MethodGet, c.address, http.NoBody))
		if got := w.Header().Get("Strict-Transport-Security"); got != c.want {
			t.Errorf("%s, behind a proxy %t: %q", c.address, c.behind, got)
		}
	}
}
