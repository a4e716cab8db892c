package rfms

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/provider"
)

// TestSelectionThatStandsStill has an account at which the selection by receipt
// stands still at half past nine, though trucks report every minute until noon.
func TestSelectionThatStandsStill(t *testing.T) {
	t.Parallel()
	frozen := midnight.Add(9*time.Hour + 30*time.Minute)
	for name, more := range map[string]bool{"SaysThereIsMore": true, "SaysThatIsAll": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			c := newClient(func(path string, query url.Values) (int, string) {
				calls++
				if path != positions {
					return http.StatusOK, `{"MoreDataAvailable":false}`
				}
				from, _ := time.Parse(time.RFC3339, query.Get("starttime"))
				if query.Get("datetype") == byReceived {
					return http.StatusOK, positionsAnswer(more, every(frozen.Add(-10*time.Minute), frozen)...)
				}
				return http.StatusOK, positionsAnswer(false, every(from, midnight.Add(12*time.Hour))...)
			})
			q := provider.Query{From: midnight.Add(9 * time.Hour)}
			seen := map[time.Time]bool{}
			for poll := 0; poll < 3 || q.Cursor == ""; poll++ {
				page, err := c.Positions(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range page.Records {
					seen[p.Time.Time] = true
				}
				q.Cursor = page.Cursor
			}
			for _, minute := range []int{9 * 60, 9*60 + 29, 9*60 + 31, 10 * 60, 11*60 + 59} {
				if at := midnight.Add(time.Duration(minute) * time.Minute); !seen[at] {
					t.Errorf("the position of %s was lost", at)
				}
			}
			if calls > 20 {
				t.Errorf("%d calls for three polls", calls)
			}
		})
	}
}

func every(from, to time.Time) []string {
	var items []string
	for at := from; at.Before(to); at = at.Add(time.Minute) {
		items = append(items, position(int(at.Sub(midnight)/time.Minute)))
	}
	return items
}

// TestSilentFleet is asked once in a quarter of an hour whether it is silent, and
// is then read by receipt as before.
func TestSilentFleet(t *testing.T) {
	t.Parallel()
	asked := map[string]int{}
	c := newClient(func(path string, query url.Values) (int, string) {
		asked[path+" "+query.Get("datetype")]++
		return http.StatusOK, positionsAnswer(false)
	})
	q := provider.Query{From: midnight.Add(9 * time.Hour)}
	for range 5 {
		page, err := c.Positions(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		q.Cursor = page.Cursor
	}
	if asked[positions+" "+byCreated] != 1 || asked[positions+" "+byReceived] != 5 {
		t.Errorf("five polls asked %v", asked)
	}
}
