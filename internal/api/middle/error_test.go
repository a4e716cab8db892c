package middle_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/middle"
)

func TestWriteErr(t *testing.T) {
	t.Parallel()
	of := func(kind drover.Kind) error { return drover.Errorf(kind, "words <&>") }
	after := func(kind drover.Kind, d time.Duration) error {
		return &drover.Error{Kind: kind, Message: "words", RetryAfter: d}
	}
	const words = `,"message":"words <&>"}}`
	tests := []struct {
		name         string
		err          error
		status       int
		body         string
		header, want string
	}{
		{"Malformed", of(drover.KindMalformed), 400, `{"error":{"code":400` + words, "", ""},
		{"Unauthenticated", of(drover.KindUnauthenticated), 401, `{"error":{"code":401` + words, "WWW-Authenticate", "Bearer"},
		{"Forbidden", of(drover.KindForbidden), 403, `{"error":{"code":403` + words, "WWW-Authenticate", ""},
		{"NotFound", of(drover.KindNotFound), 404, `{"error":{"code":404` + words, "Retry-After", ""},
		{"Conflict", of(drover.KindConflict), 409, `{"error":{"code":409` + words, "", ""},
		{"Gone", of(drover.KindGone), 410, `{"error":{"code":410` + words, "", ""},
		{"Changed", of(drover.KindChanged), 412, `{"error":{"code":412` + words, "", ""},
		{"TooLarge", of(drover.KindTooLarge), 413, `{"error":{"code":413` + words, "", ""},
		{"Wrapped", fmt.Errorf("doing: %w", of(drover.KindConflict)), 409, `{"error":{"code":409` + words, "", ""},
		{
			"Invalid", drover.Invalid("missing", "Field required", "body", "tags", 1), 422,
			`{"error":{"code":422,"message":"Field required","loc":["body","tags",1],"msg":"Field required","type":"missing"}}`, "", "",
		},
		{
			"InvalidNowhere", drover.Invalid("missing", "Field required"), 422,
			`{"error":{"code":422,"message":"Field required","loc":[],"msg":"Field required","type":"missing"}}`, "", "",
		},
		{
			"RateLimited", after(drover.KindRateLimited, 1500*time.Millisecond), 429, `{"error":{"code":429,"message":"words"}}`, "Retry-After",
			"2",
		},
		{"RateLimitedWhole", after(drover.KindRateLimited, 3*time.Second), 429, `{"error":{"code":429,"message":"words"}}`, "Retry-After", "3"},
		{"Unavailable", after(drover.KindUnavailable, 0), 503, `{"error":{"code":503,"message":"words"}}`, "Retry-After", "1"},
		{"Internal", of(drover.KindInternal), 500, `{"error":{"code":500,"message":"Internal error"}}`, "", ""},
		{"Foreign", errors.New("password=1"), 500, `{"error":{"code":500,"message":"Internal error"}}`, "", ""},
		{
			"MaxBytes", fmt.Errorf("read: %w", &http.MaxBytesError{Limit: 9}), 413,
			`{"error":{"code":413,"message":"Request body is larger than 9 bytes"}}`, "", "",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			middle.WriteErr(w, tt.err)
			if w.Code != tt.status {
				t.Errorf("status %d, want %d", w.Code, tt.status)
			}
			if diff := cmp.Diff(tt.body, w.Body.String()); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			if got := w.Header().Get(tt.header); got != tt.want {
				t.Errorf("%s %q, want %q", tt.header, got, tt.want)
			}
		})
	}
}

// Headers that were meant for another body would corrupt this one.
func TestWriteErrorDropsStaleHeaders(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	w.Header().Set("Content-Length", "1")
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("Content-Type", "text/csv")
	middle.WriteError(w, http.StatusTeapot, "short and stout")
	wantError(t, w, http.StatusTeapot, "short and stout")
	for _, name := range []string{"Content-Length", "Content-Encoding"} {
		if got := w.Header().Get(name); got != "" {
			t.Errorf("%s %q is still there", name, got)
		}
	}
}
