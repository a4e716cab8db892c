package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
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
	for _, before := range []string{"", "old"} {
		trips := map[string]client.TripView{"stale": {}}
		cursor, err := copyTrips(t.Context(), c, trips, before)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"b"}, slices.Sorted(maps.Keys(trips))); diff != "" {
			t.Errorf("from cursor %q the copy (-want +got):\n%s", before, diff)
		}
		if cursor != "two" {
			t.Errorf("from cursor %q it goes on at %q", before, cursor)
		}
	}
}

// copyTrips is the example of the page on copies.
func copyTrips(ctx context.Context, c *client.Client, trips map[string]client.TripView, kept string) (cursor string, err error) {
	cursor = kept
	err = func() error {
		for page, err := range client.Changes[client.TripView](ctx, c, "/trip", cursor) {
			if err != nil {
				return err
			}
			if page.Restart {
				clear(trips)
			}
			for _, t := range page.Changed {
				trips[t.ID] = t
			}
			for _, id := range page.Deleted {
				delete(trips, id)
			}
			cursor = page.Cursor
		}
		return nil
	}()
	return cursor, err
}
