package contract_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
)

// walkList reads alpha's records a page at a time and expects to see what one
// page shows. A feed says at its end where to go on later, and links no next page. Most is
// the largest page.
func walkList(t *testing.T, s *service, path, most string, feed bool) {
	t.Helper()
	names := &names{t: t, world: s.world, fresh: map[string]string{}}
	path = names.resolve(path)
	whole, header := get[[]any](t, s, readerOf(path), path)
	if len(whole) < 2 {
		t.Fatalf("alpha has %d records in %s: too few to see pages", len(whole), path)
	}
	if !feed && (header.Get("X-Next-Cursor") != "" || header.Get("Link") != "") {
		t.Errorf("the last page has x-next-cursor %q and Link %q", header.Get("X-Next-Cursor"), header.Get("Link"))
	}
	var walked []any
	next := withQuery(path, "limit=1")
	for i := range len(whole) {
		page, header := get[[]any](t, s, readerOf(path), next)
		if len(page) != 1 {
			t.Fatalf("%s has %d records, want 1", next, len(page))
		}
		walked = append(walked, page...)
		if feed && i == len(whole)-1 {
			if header.Get("X-Next-Cursor") == "" || header.Get("Link") != "" {
				t.Errorf("at its end the feed has x-next-cursor %q and Link %q", header.Get("X-Next-Cursor"), header.Get("Link"))
			}
			break
		}
		next = nextPage(t, header, path)
	}
	if (next != "") != feed {
		t.Errorf("after the last record the next page is %q", next)
	}
	if diff := cmp.Diff(whole, walked); diff != "" {
		t.Errorf("pages of one (-whole +walked):\n%s", diff)
	}
	checkPaging(t, s, path, most)
}

// nextPage is the address in the Link header, which must agree with the cursor.
func nextPage(t *testing.T, header http.Header, path string) string {
	t.Helper()
	cursor, link := header.Get("X-Next-Cursor"), header.Get("Link")
	if cursor == "" && link == "" {
		return ""
	}
	u, err := url.Parse(withQuery(path, "limit=1&cursor="+url.QueryEscape(cursor)))
	if err != nil {
		t.Fatal(err)
	}
	want := "<" + u.Path + "?" + u.Query().Encode() + `>; rel="next"`
	if link != want {
		t.Errorf("Link is %s, want %s", link, want)
	}
	return strings.TrimPrefix(strings.Split(link, ">")[0], "<")
}

func checkPaging(t *testing.T, s *service, path, most string) {
	t.Helper()
	badCursor := invalid("value_error", "Value error, cursor is not one that this list returned", "query", "cursor")
	refused := func(query, want string) {
		r := row{as: readerOf(path), method: "GET", path: withQuery(path, query), status: 422, want: want}
		r.run(t, s)
	}
	refused("limit=0", invalid("greater_than_equal", "Input should be greater than or equal to 1", "query", "limit"))
	refused("limit=1001", invalid("less_than_equal", "Input should be less than or equal to "+most, "query", "limit"))
	refused("limit=x", invalid("int_parsing", "Input should be a valid integer, unable to parse string as an integer", "query", "limit"))
	// Garbage, nothing, and JSON that is no place in any list.
	for _, cursor := range []string{
		"%21", "x", "", "bnVsbA", "e30", "InRleHQi", "W10", "dHJ1ZQ",
		"eyJ0IjoiMjAyNC0wNS0wMlQwMDowMDowMFoiLCJpIjoieCJ9",
	} {
		refused("cursor="+cursor, badCursor)
	}
	get[[]any](t, s, readerOf(path), withQuery(path, "limit="+most))
}

// withQuery adds parameters to a path that may have some.
func withQuery(path, parameters string) string {
	if strings.Contains(path, "?") {
		return path + "&" + parameters
	}
	return path + "?" + parameters
}

// TestCursorSurvivesInserts adds records while a list is walked: none that was
// there is left out or shown twice.
func TestCursorSurvivesInserts(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		var want, got []string
		for range 5 {
			want = append(want, s.fresh(t, "new_device")["new_device"])
		}
		next := "/device?limit=2"
		for next != "" {
			page, header := get[[]drover.Device](t, s, wanda, next)
			for _, d := range page {
				got = append(got, d.ID)
			}
			if len(got) < 5 {
				want = append(want, s.fresh(t, "new_device")["new_device"])
			}
			next = strings.TrimPrefix(strings.Split(header.Get("Link"), ">")[0], "<")
		}
		want = slices.Insert(want, 0, s.ids["work_device"])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("devices (-want +got):\n%s", diff)
		}
	})
}

// TestIdempotency asks twice and expects one record.
func TestIdempotency(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *service) {
		t.Helper()
		header := s.authorized(t, wanda)
		header["Idempotency-Key"] = "once"
		before, _ := get[[]drover.Connection](t, s, wanda, "/connection")
		ask := request{method: http.MethodPost, path: "/connection", header: header, body: input}
		first, second := s.send(t, ask), s.send(t, ask)
		if first.status != http.StatusOK || first.body != second.body || second.status != http.StatusOK {
			t.Errorf("answers differ:\n%d %s\n%d %s", first.status, first.body, second.status, second.body)
		}
		after, _ := get[[]drover.Connection](t, s, wanda, "/connection")
		if len(after) != len(before)+1 {
			t.Errorf("%d connections became %d, want one more", len(before), len(after))
		}
	})
}

// checkActivityWindow reads every window that may be asked for.
func checkActivityWindow(t *testing.T, s *service) {
	t.Helper()
	for query, days := range map[string]int{"7": 7, "14": 14, "30": 30, "90": 90} {
		got, _ := get[drover.ActivitySummary](t, s, alice, activity+"?days="+query)
		first := present.AddDate(0, 0, 1-days).Format("2006-01-02")
		if got.Days != days || len(got.TripsByDay) != days || got.TripsByDay[0].Day != first || got.TripsByDay[days-1].Day != "2024-05-02" {
			t.Errorf("days=%s: %d days from %s, want %d from %s", query, len(got.TripsByDay), got.TripsByDay[0].Day, days, first)
		}
	}
}
