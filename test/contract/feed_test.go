package contract_test

import (
	"testing"

	"github.com/drover-fleet/drover"
)

// TestFeedBackwards walks a feed from its end: each event once, in falling order,
// and no cursor at its beginning.
func TestFeedBackwards(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		want, next := int64(4), ""
		for page := 0; page == 0 || next != ""; page++ {
			path := "/event?order=desc&limit=3"
			if next != "" {
				path += "&cursor=" + next
			}
			events, header := get[[]drover.Event](t, s, alice, path)
			for _, e := range events {
				if e.Sequence != want {
					t.Errorf("event %d comes, want %d", e.Sequence, want)
				}
				want--
			}
			if next = header.Get("X-Next-Cursor"); page > 2 {
				t.Fatal("the feed has no beginning")
			}
		}
		if want != 0 {
			t.Errorf("it begins after %d", want)
		}
	})
}
