package sink_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/drover-fleet/drover/internal/upkeep/sink"
)

// TestHostileBucket has the store lead elsewhere, and answer without an end: no one else
// gets the file or the key, and both are errors.
func TestHostileBucket(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "key")
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err == nil && (len(body) > 0 || r.Header.Get("Authorization") != "") {
			elsewhere.Add(1)
		}
	}))
	t.Cleanup(other.Close)
	const endless = 64 << 20
	var written atomic.Int64
	for name, handler := range map[string]http.HandlerFunc{
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
		},
		"error without end": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(http.StatusForbidden)
			if r.Method == http.MethodHead {
				return // it has no body
			}
			part := strings.Repeat("<Error>", 1<<10)
			for written.Load() < endless {
				n, err := io.WriteString(w, part)
				if written.Add(int64(n)); err != nil {
					return
				}
			}
		},
	} {
		server := httptest.NewServer(handler)
		bucket, err := sink.OpenBucket("s3://fleet/history", server.URL, "us-east-1")
		if err != nil {
			t.Fatal(err)
		}
		err = bucket.Put(t.Context(), "a.parquet", "1", func(w io.Writer) error { _, err := io.WriteString(w, "positions"); return err })
		if err == nil {
			t.Errorf("%s: the file is taken for written", name)
		}
		if _, err := bucket.Version(t.Context(), "a.parquet"); err == nil {
			t.Errorf("%s: the version is known", name)
		}
		server.Close()
	}
	if n := elsewhere.Load(); n > 0 {
		t.Errorf("another host got the key or the file %d times", n)
	}
	if n := written.Load(); n >= endless {
		t.Errorf("%d bytes of an error were read", n)
	}
}
