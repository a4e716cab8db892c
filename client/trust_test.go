package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drover-fleet/drover/client"
)

// TestListGoesOnPastEmptyPages: a filter that finds nothing in a stretch of the feed says
// nothing about the rest.
func TestListGoesOnPastEmptyPages(t *testing.T) {
	t.Parallel()
	var asked []string
	pages := map[string]struct{ next, records string }{
		"kept": {"a", `[]`},
		"a":    {"b", `[{"sequence":7}]`},
		"b":    {"c", `[]`},
		"c":    {"d", `[{"sequence":9}]`},
		"d":    {"d", `[]`},
	}
	base := serve(t, map[string]http.HandlerFunc{"GET /event": func(w http.ResponseWriter, r *http.Request) {
		cursor := r.URL.Query().Get("cursor")
		asked = append(asked, cursor)
		w.Header().Set("X-Next-Cursor", pages[cursor].next)
		if cursor != pages[cursor].next {
			w.Header().Set("Link", `</event>; rel="next"`)
		}
		_, _ = fmt.Fprintf(w, `{"data":%s}`, pages[cursor].records)
	}})
	var header http.Header
	var seen []int64
	for e, err := range client.New(base).ListEvents(t.Context(), client.ListEventsQuery{Cursor: "kept"}, client.ReadHeader(&header)) {
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, e.Sequence)
	}
	if !slices.Equal(seen, []int64{7, 9}) || !slices.Equal(asked, []string{"kept", "a", "b", "c", "d"}) {
		t.Errorf("saw %v at %v", seen, asked)
	}
	if header.Get("X-Next-Cursor") != "d" {
		t.Errorf("the feed goes on at %q", header.Get("X-Next-Cursor"))
	}
}

// TestListEndsWhereAFeedGrows: events that the filter leaves out move the end of the feed
// while it is read, which must not be followed for ever.
func TestListEndsWhereAFeedGrows(t *testing.T) {
	t.Parallel()
	n := 0
	base := serve(t, map[string]http.HandlerFunc{"GET /event": func(w http.ResponseWriter, _ *http.Request) {
		n++
		w.Header().Set("X-Next-Cursor", fmt.Sprint(n))
		_, _ = fmt.Fprint(w, `{"data":[]}`)
	}})
	for range client.New(base).ListEvents(t.Context(), client.ListEventsQuery{}) {
		t.Error("an event of an empty feed")
	}
	if n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestPatchIsRepeatedWhereNothingWasDone(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{http.StatusTooManyRequests: 2, http.StatusServiceUnavailable: 1} {
		n := 0
		base := serve(t, map[string]http.HandlerFunc{"PATCH /device/1": func(w http.ResponseWriter, _ *http.Request) {
			if n++; n == 1 {
				w.Header().Set("Retry-After", "0")
				refuse(w, status, "not now")
				return
			}
			_, _ = fmt.Fprint(w, `{"data":{"id":"1"}}`)
		}})
		_, err := client.New(base).PatchDevice(t.Context(), "1", client.DeviceUpdate{})
		if n != want || (want == 2) != (err == nil) {
			t.Errorf("after %d it is called %d times: %v", status, n, err)
		}
	}
}

func TestErrorNamesTheRequest(t *testing.T) {
	t.Parallel()
	base := serve(t, map[string]http.HandlerFunc{"GET /device/1": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "r1")
		w.Header().Set("X-Required-Scope", "drivers")
		refuse(w, 403, "Not allowed")
	}})
	_, err := client.New(base).GetDevice(t.Context(), "1")
	if refused, ok := errors.AsType[*client.Error](err); !ok || refused.RequestID != "r1" || refused.RequiredScope != "drivers" {
		t.Errorf("the error is %#v", err)
	}
}

func TestUserAgent(t *testing.T) {
	t.Parallel()
	var agents []string
	base := serve(t, map[string]http.HandlerFunc{"GET /device/1": func(w http.ResponseWriter, r *http.Request) {
		agents = append(agents, r.UserAgent())
		_, _ = fmt.Fprint(w, `{"data":{"id":"1"}}`)
	}})
	for _, options := range [][]client.CallOption{nil, {client.WithHeader("User-Agent", "fleet-report/1")}} {
		if _, err := client.New(base).GetDevice(t.Context(), "1", options...); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(agents, []string{"drover-go/" + client.Version, "fleet-report/1"}) {
		t.Errorf("the agents are %q", agents)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// TestSilentService: without a bound of their own, calls must not hang for ever.
func TestSilentService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		silent := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})}
		for want, options := range map[time.Duration][]client.Option{
			time.Minute:     {client.WithHTTP(silent)},
			5 * time.Second: {client.WithHTTP(silent), client.WithTimeout(5 * time.Second)},
		} {
			start := time.Now()
			_, err := client.New("http://x", options...).PatchDevice(t.Context(), "1", client.DeviceUpdate{})
			if took := time.Since(start); !errors.Is(err, client.ErrTimeout) || took != want {
				t.Errorf("after %s: %v, want %s", took, err, want)
			}
		}
	})
}

// TestSilentBody: an answer that stops halfway is bounded too.
func TestSilentBody(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, `{"data":`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer s.Close()
	_, err := client.New(s.URL, client.WithTimeout(100*time.Millisecond)).GetDevice(t.Context(), "1")
	if !errors.Is(err, client.ErrTimeout) {
		t.Errorf("the error is %v", err)
	}
}

// TestWaitsAreSpread: clients that failed together do not come back together.
func TestWaitsAreSpread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := map[time.Duration]bool{}
		for range 20 {
			var at []time.Time
			down := &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
				at = append(at, time.Now())
				return nil, errors.New("refused")
			})}
			if _, err := client.New("http://x", client.WithHTTP(down)).GetDevice(t.Context(), "1"); err == nil ||
				!strings.Contains(err.Error(), "refused") {
				t.Fatalf("the error is %v", err)
			}
			for i := range len(at) - 1 {
				wait, least := at[i+1].Sub(at[i]), 200*time.Millisecond<<i
				if wait < least || wait > least+least/2 {
					t.Errorf("wait %d is %s, want %s and up to half as much more", i, wait, least)
				}
			}
			first[at[1].Sub(at[0])] = true
		}
		if len(first) < 2 {
			t.Errorf("all clients wait for %v", first)
		}
	})
}
