package rfms

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/kit/wire"
)

// doer answers without a network.
type doer func(path string, query url.Values) (status int, body string)

func (d doer) Do(req *http.Request) (*http.Response, error) {
	status, body := d(strings.TrimPrefix(req.URL.Path, "/"), req.URL.Query())
	if status >= http.StatusBadRequest {
		kind := provider.KindPermanent
		if status >= http.StatusInternalServerError {
			kind = provider.KindTemporary
		}
		return nil, provider.Errorf(kind, "refused: %w", &provider.StatusError{Status: status})
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func newClient(d doer, change ...func(*Options)) *Client {
	opts := Options{
		HTTP: d, Base: "https://rfms.test", Accept: AcceptV21,
		Now: func() time.Time { return midnight.Add(12 * time.Hour) },
		Authorize: func(ctx context.Context, call func(context.Context, string) error) error {
			return call(ctx, "Basic x")
		},
	}
	for _, c := range change {
		c(&opts)
	}
	return New(opts)
}

func position(minute int) string {
	at := wire.ISO(midnight.Add(time.Duration(minute) * time.Minute))
	return fmt.Sprintf(`{"VIN":"V1","CreatedDateTime":%q,"ReceivedDateTime":%q,"GNSSPosition":{"Latitude":1,"Longitude":2}}`, at, at)
}

func positionsAnswer(more bool, items ...string) string {
	return fmt.Sprintf(`{"VehiclePosition":[%s],"MoreDataAvailable":%t,"RequestServerDateTime":"2024-05-02T11:59:58.500Z"}`,
		strings.Join(items, ","), more)
}

func TestPagesGoOnWithTheNewestSecond(t *testing.T) {
	t.Parallel()
	var starts []string
	c := newClient(func(path string, query url.Values) (int, string) {
		if path != positions {
			return http.StatusOK, `{"RequestServerDateTime":"2024-05-02T11:59:59Z"}`
		}
		if query.Get("datetype") == byCreated { // is the fleet as silent as it seems?
			return http.StatusOK, positionsAnswer(false)
		}
		starts = append(starts, query.Get("starttime")[11:19]+query.Get("stoptime"))
		switch len(starts) {
		case 1:
			return http.StatusOK, positionsAnswer(true, position(62), position(61))
		case 2:
			return http.StatusOK, positionsAnswer(true, position(62))
		default:
			return http.StatusOK, positionsAnswer(false)
		}
	})
	page, err := c.Positions(t.Context(), provider.Query{From: midnight.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"01:00:00", "01:02:00", "01:02:01"}, starts); diff != "" {
		t.Errorf("start times (-want +got):\n%s", diff)
	}
	if len(page.Records) != 2 || page.More || page.Cursor != "2024-05-02T11:59:58Z" {
		t.Errorf("%d records, more %t, cursor %s: want each position once and the server's own time", len(page.Records), page.More, page.Cursor)
	}
}

// TestMoreWithoutEnd holds that a maker who always says that there is more is given up, once
// what it did send was kept.
func TestMoreWithoutEnd(t *testing.T) {
	t.Parallel()
	calls := 0
	c := newClient(func(path string, query url.Values) (int, string) {
		switch calls++; {
		case calls > 1000:
			return http.StatusOK, positionsAnswer(false) // so that the test ends
		case path == positions && query.Get("starttime") <= "2024-05-02T01:00:00Z":
			return http.StatusOK, positionsAnswer(true, position(61))
		case path == statuses:
			return http.StatusOK, `{"MoreDataAvailable":false}`
		default:
			return http.StatusOK, positionsAnswer(true)
		}
	})
	q := provider.Query{From: midnight.Add(time.Hour)}
	page, err := c.Positions(t.Context(), q)
	if err != nil || len(page.Records) != 1 || !page.More || page.Cursor != "2024-05-02T01:01:00Z" || calls > 30 {
		t.Fatalf("%d records, more %t, cursor %s, %v, %d calls", len(page.Records), page.More, page.Cursor, err, calls)
	}
	q.Cursor = page.Cursor
	_, err = c.Positions(t.Context(), q)
	if err == nil || provider.KindOf(err) != provider.KindTemporary || !strings.Contains(err.Error(), "nothing new") || calls > 60 {
		t.Errorf("%v, %d calls", err, calls)
	}
}

func TestFailureKeepsWhatWasRead(t *testing.T) {
	t.Parallel()
	c := newClient(func(path string, query url.Values) (int, string) {
		switch {
		case path == statuses:
			return http.StatusOK, `{"MoreDataAvailable":false}`
		case query.Get("starttime") == "2024-05-02T01:00:00Z":
			return http.StatusOK, positionsAnswer(true, position(61))
		default:
			return http.StatusBadGateway, ""
		}
	})
	q := provider.Query{From: midnight.Add(time.Hour)}
	page, err := c.Positions(t.Context(), q)
	if err != nil || len(page.Records) != 1 || !page.More || page.Cursor != "2024-05-02T01:01:00Z" {
		t.Fatalf("%d records, more %t, cursor %s, %v", len(page.Records), page.More, page.Cursor, err)
	}
	q.Cursor = page.Cursor
	if _, err := c.Positions(t.Context(), q); provider.KindOf(err) != provider.KindTemporary || err == nil {
		t.Errorf("the failure lasts: %v", err)
	}
}

func TestLongSpansAreReadDayByDay(t *testing.T) {
	t.Parallel()
	c := newClient(func(_ string, query url.Values) (int, string) {
		if stop := query.Get("stoptime"); stop != "2024-04-30T00:00:00Z" {
			t.Errorf("stoptime %q", stop)
		}
		return http.StatusOK, `{"MoreDataAvailable":false}`
	})
	page, err := c.Positions(t.Context(), provider.Query{From: midnight.AddDate(0, 0, -3)})
	if err != nil || !page.More || page.Cursor != "2024-04-30T00:00:00Z" {
		t.Errorf("more %t, cursor %s, %v", page.More, page.Cursor, err)
	}
}

func TestNoData(t *testing.T) {
	t.Parallel()
	q := provider.Query{From: midnight}
	for _, status := range []int{http.StatusNoContent, http.StatusNotFound} {
		c := newClient(func(string, url.Values) (int, string) { return status, "" }, func(o *Options) { o.EmptyNotFound = true })
		page, err := c.Positions(t.Context(), q)
		// Without the server's time, a minute is left to it.
		if err != nil || page.More || page.Cursor != "2024-05-02T11:59:00Z" {
			t.Errorf("%d: more %t, cursor %s, %v", status, page.More, page.Cursor, err)
		}
	}
	missing := func(string, url.Values) (int, string) { return http.StatusNotFound, "" }
	if _, err := newClient(missing).Positions(t.Context(), q); provider.KindOf(err) != provider.KindPermanent {
		t.Errorf("404 of a maker that does not mean it so: %v", err)
	}
	c := newClient(missing, func(o *Options) { o.EmptyNotFound = true })
	if err := c.Check(t.Context()); provider.KindOf(err) != provider.KindPermanent {
		t.Errorf("404 of the vehicles: %v", err)
	}
}

func TestSamePageAgain(t *testing.T) {
	t.Parallel()
	c := newClient(func(string, url.Values) (int, string) {
		return http.StatusOK, `{"Vehicle":[{"VIN":"V1"}],"MoreDataAvailable":true}`
	})
	page, err := c.Devices(t.Context(), "")
	if err != nil || page.Cursor != "V1" || !page.More {
		t.Fatalf("cursor %s, more %t, %v", page.Cursor, page.More, err)
	}
	if _, err := c.Devices(t.Context(), page.Cursor); err == nil {
		t.Error("a maker that ignores lastVin is followed for ever")
	}
}

func TestUnreadableCursor(t *testing.T) {
	t.Parallel()
	c := newClient(func(string, url.Values) (int, string) { return http.StatusOK, `{}` })
	q := provider.Query{Cursor: "?", From: midnight}
	if _, err := c.Positions(t.Context(), q); err == nil {
		t.Error("positions with an unreadable cursor")
	}
	if _, err := c.Trips(t.Context(), q); err == nil {
		t.Error("trips with an unreadable cursor")
	}
}
