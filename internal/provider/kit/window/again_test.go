package window_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/window"
)

// TestAgain begins each round a day before the last one did, and never before the job.
func TestAgain(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	var asked []string
	job := window.Again[int]{
		Now: func() time.Time { return now }, Overlap: 24 * time.Hour,
		Fetch: func(_ context.Context, from, to time.Time, cursor string, _ []string) ([]int, string, error) {
			asked = append(asked, from.Format("02T15")+" "+to.Format("02T15")+" "+cursor)
			if cursor == "" && len(asked) == 1 {
				return []int{1}, "2", nil
			}
			return []int{2}, "", nil
		},
	}
	q := provider.Query{From: now.Add(-48 * time.Hour)}
	for range 2 { // rounds
		for more := true; more; {
			page, err := job.Page(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			q.Cursor, more = page.Cursor, page.More
			now = now.Add(time.Hour)
		}
	}
	if want := []string{"08T12 10T12 ", "08T12 10T12 2", "09T12 10T14 "}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
	q.Cursor = "?"
	if _, err := job.Page(t.Context(), q); err == nil {
		t.Error("an unreadable cursor was read")
	}
}
