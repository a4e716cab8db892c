package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// limitStreams lets the tenant have so many streams.
func (s *service) limitStreams(most int64) {
	s.t.Helper()
	err := s.app.Store.Update(s.t.Context(), func(tx *store.Tx) error {
		return tx.Accounts.SetLimit(s.t.Context(), s.tenant, drover.QuotaStreams, most)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// TestStreamLimit opens as many streams and long polls as the tenant may have: one
// more is refused, a plain read of the feed is not, and what ends makes room.
func TestStreamLimit(t *testing.T) {
	t.Parallel()
	s := run(t, "sqlite")
	s.limitStreams(2)
	first := s.get("/stream", "Accept", "text/event-stream")
	polled := make(chan struct{})
	go func() {
		defer close(polled)
		s.feed("?wait=30")
	}()
	s.awaitUsed(2)
	for _, path := range []string{"/stream", "/event?wait=1"} {
		resp := s.get(path)
		body, err := io.ReadAll(resp.Body)
		if want := "Limit of 2 live streams and long polls reached"; err != nil || resp.StatusCode != http.StatusForbidden ||
			!strings.Contains(string(body), want) {
			t.Errorf("%s: status %d, %v: %s", path, resp.StatusCode, err, body)
		}
	}
	s.feed("")
	_ = first.Body.Close() // the client leaves
	s.awaitUsed(1)
	if resp := s.get("/stream", "Accept", "text/event-stream"); resp.StatusCode != http.StatusOK {
		t.Errorf("a stream in the place of one that has ended: status %d", resp.StatusCode)
	}
	s.append(1)
	<-polled
}

// awaitUsed waits until so many streams of the tenant are open.
func (s *service) awaitUsed(want int64) {
	s.t.Helper()
	for s.t.Context().Err() == nil {
		var answer struct{ Data []drover.AccountLimit }
		if err := json.NewDecoder(s.get("/account/limits").Body).Decode(&answer); err != nil {
			s.t.Fatal(err)
		}
		for _, l := range answer.Data {
			if l.Name == drover.QuotaStreams && l.Used == want {
				return
			}
		}
	}
}

// feed is a reading of GET /event.
func (s *service) feed(query string) (got []int64, cursor string) {
	s.t.Helper()
	resp := s.get("/event" + query)
	var answer struct{ Data []drover.Event }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("GET /event%s: %d, %v", query, resp.StatusCode, err)
	}
	for _, e := range answer.Data {
		got = append(got, e.Sequence)
	}
	return got, resp.Header.Get("X-Next-Cursor")
}

func TestEventFeed(t *testing.T) {
	t.Parallel()
	onBoth(t, func(s *service) {
		got, cursor := s.feed("")
		check(s.t, got, nil)
		s.append(5)
		got, cursor = s.feed("?limit=2&cursor=" + cursor)
		check(s.t, got, span(1, 2))
		got, cursor = s.feed("?cursor=" + cursor)
		check(s.t, got, span(3, 5))
		_, other := s.feed("?type=trip.completed&type=trip.updated")
		if other != cursor {
			s.t.Errorf("a filter that nothing passes ends at %s, the feed at %s", other, cursor)
		}
		polled := make(chan []int64)
		go func() {
			got, _ := s.feed("?wait=30&type=device.updated&cursor=" + cursor)
			polled <- got
		}()
		s.append(1)
		check(s.t, <-polled, []int64{6})
		if resp := s.get("/event?wait=31"); resp.StatusCode != http.StatusUnprocessableEntity {
			s.t.Errorf("wait=31: %d", resp.StatusCode)
		}
	})
}
