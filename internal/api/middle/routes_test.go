package middle_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/drover-fleet/drover/internal/api/middle"
)

func TestRoutes(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	for _, pattern := range []string{"GET /device/{id}", "PATCH /device/{id}", "POST /token", "/any/{id}", "GET /docs/"} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, pattern+" "+r.PathValue("id"))
		})
	}
	routes := middle.Routes(mux)
	tests := []struct {
		name, method, target, route, body string
		status                            int
		allow                             string
	}{
		{"Found", "GET", "/device/7", "/device/{id}", "GET /device/{id} 7", 200, ""},
		{"Head", "HEAD", "/device/7", "/device/{id}", "GET /device/{id} 7", 200, ""},
		{"AnyMethod", "DELETE", "/any/7", "/any/{id}", "/any/{id} 7", 200, ""},
		{"EncodedSlash", "GET", "/device/a%2Fb", "/device/{id}", "GET /device/{id} a/b", 200, ""},
		{"EncodedDots", "GET", "/device/%2e%2e", "/device/{id}", "GET /device/{id} ..", 200, ""},
		{"EncodedPercent", "GET", "/device/100%25", "/device/{id}", "GET /device/{id} 100%", 200, ""},
		{"Letters", "GET", "/device/%C3%A9%20", "/device/{id}", "GET /device/{id} é ", 200, ""},
		{"Subtree", "GET", "/docs/a/b/", "/docs/", "GET /docs/ ", 200, ""},
		{"Unknown", "GET", "/nowhere", "", "", 404, ""},
		{"Root", "GET", "/", "", "", 404, ""},
		{"TrailingSlash", "GET", "/device/7/", "", "", 404, ""},
		{"NoID", "GET", "/device/", "", "", 404, ""},
		{"DoubleSlash", "GET", "//device/7", "", "", 404, ""},
		{"DoubleSlashInside", "GET", "/device//7", "", "", 404, ""},
		{"Dot", "GET", "/device/./7", "", "", 404, ""},
		{"DotDot", "GET", "/device/x/../7", "", "", 404, ""},
		{"DotDotAtTheEnd", "GET", "/device/..", "", "", 404, ""},
		{"NUL", "GET", "/device/%00", "", "", 404, ""},
		{"NotUTF8", "GET", "/device/%FF", "", "", 404, ""},
		{"Star", "OPTIONS", "*", "", "", 404, ""},
		{"WrongMethod", "DELETE", "/device/7", "", "", 405, "GET, HEAD, PATCH"},
		{"WrongMethodPost", "GET", "/token", "", "", 405, "POST"},
		{"Options", "OPTIONS", "/token", "", "", 405, "POST"},
		{"InventedMethod", "BREW", "/token", "", "", 405, "POST"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var route string
			h := middle.Chain(routes, middle.Identify, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					next.ServeHTTP(w, r)
					route = middle.InfoFrom(r.Context()).Route
				})
			})
			w := send(t, h, tt.method, tt.target, "")
			if route != tt.route {
				t.Errorf("route %q, want %q", route, tt.route)
			}
			if got := w.Header().Get("Allow"); got != tt.allow {
				t.Errorf("Allow %q, want %q", got, tt.allow)
			}
			if tt.status != http.StatusOK {
				wantError(t, w, tt.status, http.StatusText(tt.status))
			} else if w.Code != http.StatusOK || w.Body.String() != tt.body {
				t.Errorf("got %d %q, want %q", w.Code, w.Body, tt.body)
			}
		})
	}
}
