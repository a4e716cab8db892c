package middle_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/api/middle"
)

// answer is a handler that writes status and text.
func answer(status int, text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	})
}

// ok answers 200 with a text that no refusal has.
func ok() http.Handler { return answer(http.StatusOK, "served") }

// send serves one request without a network. Headers come as name and value in
// turn.
func send(t *testing.T, h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, target, reader)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// wantError checks that w is an error in the envelope.
func wantError(t *testing.T, w *httptest.ResponseRecorder, status int, message string) {
	t.Helper()
	if w.Code != status {
		t.Errorf("status %d, want %d", w.Code, status)
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type %q, want application/json", got)
	}
	var got any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("body %q: %v", w.Body, err)
	}
	want := any(map[string]any{"error": map[string]any{"code": float64(status), "message": message}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

// clock returns a Now that is one millisecond later each time.
func clock() func() time.Time {
	now := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Millisecond)
		return now
	}
}

func TestChainOrder(t *testing.T) {
	t.Parallel()
	var order []string
	step := func(name string) middle.Middleware {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				order = append(order, name)
				next.ServeHTTP(w, r)
			})
		}
	}
	send(t, middle.Chain(ok(), step("outer"), step("inner")), http.MethodGet, "/", "")
	if diff := cmp.Diff([]string{"outer", "inner"}, order); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
