package client_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/client"
)

// TestChanges keeps a copy through a page, a deletion, and a cursor that is too old.
func TestChanges(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		cursor := q.URL.Query().Get("cursor")
		if q.URL.Query().Get("sort") != "updated_at" {
			t.Errorf("asked for %s", q.URL)
		}
		switch cursor {
		case "old":
			w.WriteHeader(http.StatusGone)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": 410, "message": "take a new snapshot"}})
		case "":
			w.Header().Set("X-Next-Cursor", "one")
			w.Header().Set("Link", `<more>; rel="next"`)
			_, _ = fmt.Fprint(w, `{"data":[{"id":"a"},{"id":"b"}]}`)
		default:
			w.Header().Set("X-Next-Cursor", "two")
			_, _ = fmt.Fprint(w, `{"data":[{"id":"a","deleted_at":"2024-05-02T10:15:30Z"}]}`)
		}
	}))
	t.Cleanup(service.Close)
	c := client.New(service.URL, client.WithAPIKey("key"))
	for _, cursor := range []string{"", "old"} {
		var pages []client.ChangePage[client.Device]
		copied := map[string]bool{"stale": true}
		for page, err := range client.Changes[client.Device](t.Context(), c, "/device", cursor) {
			if err != nil {
				t.Fatal(err)
			}
			if page.Restart {
				clear(copied)
			}
			for _, d := range page.Changed {
				copied[d.ID] = true
			}
			for _, id := range page.Deleted {
				delete(copied, id)
			}
			pages = append(pages, page)
		}
		if diff := cmp.Diff(map[string]bool{"b": true}, copied); diff != "" {
			t.Errorf("from cursor %q the copy (-want +got):\n%s", cursor, diff)
		}
		if len(pages) != 2 || pages[1].Cursor != "two" {
			t.Errorf("from cursor %q: %d pages", cursor, len(pages))
		}
	}
}
