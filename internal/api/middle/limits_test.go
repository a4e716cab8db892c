package middle_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/middle"
)

// echo answers with the body, or with the error of reading it.
func echo() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := middle.ReadBody(r)
		if err != nil {
			middle.WriteErr(w, err)
			return
		}
		_, _ = w.Write(data)
	})
}

func TestMaxBody(t *testing.T) {
	t.Parallel()
	h := middle.MaxBody(4)(echo())
	t.Run("AtTheLimit", func(t *testing.T) {
		t.Parallel()
		if w := send(t, h, http.MethodPost, "/", "1234"); w.Code != http.StatusOK || w.Body.String() != "1234" {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	})
	t.Run("AnnouncedIsRefusedUnread", func(t *testing.T) {
		t.Parallel()
		h := middle.MaxBody(4)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("handler was called") }))
		wantError(t, send(t, h, http.MethodPost, "/", "12345"), http.StatusRequestEntityTooLarge, "Request body is larger than 4 bytes")
	})
	t.Run("ChunkedIsRefusedWhenRead", func(t *testing.T) {
		t.Parallel()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", io.MultiReader(strings.NewReader("12345")))
		if r.ContentLength != -1 {
			t.Fatalf("the request announces %d bytes", r.ContentLength)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		wantError(t, w, http.StatusRequestEntityTooLarge, "Request body is larger than 4 bytes")
	})
}

func TestReadBodyFailure(t *testing.T) {
	t.Parallel()
	cut := errors.New("connection reset")
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", iotest.ErrReader(cut))
	_, err := middle.ReadBody(r)
	if drover.ErrorKind(err) != drover.KindMalformed || !errors.Is(err, cut) {
		t.Errorf("got %v", err)
	}
	w := httptest.NewRecorder()
	middle.WriteErr(w, err)
	wantError(t, w, http.StatusBadRequest, "Request body could not be read")
}

func TestJSONBody(t *testing.T) {
	t.Parallel()
	const wrongType, wrongEncoding = "Content-Type must be application/json", "Content-Encoding of a request body is not supported"
	tests := []struct {
		name, body, contentType, encoding, refusal string
	}{
		{"JSON", "{}", "application/json", "", ""},
		{"Charset", "{}", "Application/JSON; charset=utf-8", "", ""},
		{"OddParameter", "{}", "application/json; charset", "", ""},
		{"MergePatch", "{}", "application/merge-patch+json", "", ""},
		{"Absent", "{}", "", "", ""},
		{"Identity", "{}", "", "identity", ""},
		{"NoBody", "", "text/plain", "gzip", ""},
		{"Form", "a=b", "application/x-www-form-urlencoded", "", wrongType},
		{"Text", "{}", "text/plain", "", wrongType},
		{"Suffix", "{}", "application/jsonx", "", wrongType},
		{"Nonsense", "{}", ";;", "", wrongType},
		{"Gzip", "{}", "application/json", "gzip", wrongEncoding},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := send(t, middle.JSONBody()(ok()), http.MethodPost, "/", tt.body, "Content-Type", tt.contentType, "Content-Encoding", tt.encoding)
			if tt.refusal != "" {
				wantError(t, w, http.StatusUnsupportedMediaType, tt.refusal)
			} else if w.Body.String() != "served" {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
		})
	}
}

func TestAcceptsJSON(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"":                                 true,
		"*/*":                              true,
		"application/*":                    true,
		"application/json":                 true,
		"Application/JSON;q=0.1":           true,
		"text/html, */*;q=0.8":             true,
		"text/html,application/json; v=1":  true,
		"application/json;q=oops":          true,
		"text/html":                        false,
		"text/*":                           false,
		"application/json;q=0":             false,
		"application/json;q=0, */*":        false,
		"application/*; q=0.0, */*;q=1":    false,
		"text/event-stream, text/plain":    false,
		"application/xml;q=1, image/*;q=1": false,
	}
	for accept, want := range tests {
		t.Run(accept, func(t *testing.T) {
			t.Parallel()
			if got := middle.AcceptsJSON(http.Header{"Accept": {accept}}); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}
