package outbound_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/outbound"
)

// reply is one answer of a script; status 0 is a broken connection.
type reply struct {
	status     int
	retryAfter string
}

// script answers each call with the next of its replies, the last for good, and
// keeps the bodies that it got.
type script struct {
	replies []reply
	bodies  []string
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
		_ = req.Body.Close()
	}
	s.bodies = append(s.bodies, string(body))
	r := s.replies[min(len(s.bodies), len(s.replies))-1]
	if r.status == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return answer(r.status, "", "Retry-After", r.retryAfter), nil
}

func TestRetries(t *testing.T) {
	t.Parallel()
	broken := reply{}
	tests := []struct {
		name    string
		method  string
		marked  bool
		replies []reply
		calls   int
		kind    outbound.Kind // empty for success
		took    time.Duration
	}{
		{"success", "GET", false, []reply{{200, ""}}, 1, "", 0},
		{"outage then success", "GET", false, []reply{{500, ""}, broken, {200, ""}}, 3, "", 750 * time.Millisecond},
		{"outage", "GET", false, []reply{{503, ""}}, 3, outbound.KindTemporary, 750 * time.Millisecond},
		{"HEAD", "HEAD", false, []reply{broken}, 3, outbound.KindTemporary, 750 * time.Millisecond},
		{"POST", "POST", false, []reply{{500, ""}}, 1, outbound.KindTemporary, 0},
		{"marked POST", "POST", true, []reply{{500, ""}, {200, ""}}, 2, "", 250 * time.Millisecond},
		{"credentials", "GET", false, []reply{{401, ""}}, 1, outbound.KindCredentials, 0},
		{"permanent", "GET", false, []reply{{404, ""}}, 1, outbound.KindPermanent, 0},
		{"not offered", "GET", false, []reply{{501, ""}}, 1, outbound.KindPermanent, 0},
		{"short Retry-After", "GET", false, []reply{{429, "3"}, {200, ""}}, 2, "", 3 * time.Second},
		{"Retry-After of zero", "GET", false, []reply{{429, "0"}, {200, ""}}, 2, "", 0},
		{"short Retry-After twice", "GET", false, []reply{{429, "3"}}, 2, outbound.KindRateLimited, 3 * time.Second},
		{"Retry-After then outage", "GET", false, []reply{{503, "5"}, {500, ""}, {200, ""}}, 3, "", 5500 * time.Millisecond},
		{"long Retry-After", "GET", false, []reply{{429, "5.1"}}, 1, outbound.KindRateLimited, 0},
		{"no Retry-After", "GET", false, []reply{{429, ""}}, 1, outbound.KindRateLimited, 0},
		{"Retry-After of a POST", "POST", false, []reply{{429, "1"}}, 1, outbound.KindRateLimited, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &script{replies: tt.replies}
				c := outbound.New(outbound.Options{Transport: s, Now: time.Now, Rand: func() float64 { return 0.5 }})
				ctx := t.Context()
				if tt.marked {
					ctx = outbound.WithRetry(ctx)
				}
				start := time.Now()
				resp, err := c.Do(newRequest(t, tt.method, vendorURL, strings.NewReader("ask")).WithContext(ctx))
				if err == nil {
					_ = resp.Body.Close()
				}
				if (tt.kind == "") != (err == nil) || (err != nil && outbound.KindOf(err) != tt.kind) {
					t.Errorf("got %v, want kind %q", err, tt.kind)
				}
				if took := time.Since(start); took != tt.took {
					t.Errorf("took %s, want %s", took, tt.took)
				}
				want := strings.Split(strings.Repeat("ask ", tt.calls), " ")[:tt.calls]
				if diff := cmp.Diff(want, s.bodies); diff != "" {
					t.Errorf("bodies (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestBodyThatCannotBeReplayedIsSentOnce(t *testing.T) {
	t.Parallel()
	s := &script{replies: []reply{{500, ""}}}
	c := outbound.New(outbound.Options{Transport: s, Now: time.Now})
	req := newRequest(t, "POST", vendorURL, strings.NewReader("ask")).WithContext(outbound.WithRetry(t.Context()))
	req.GetBody = nil
	_, err := c.Do(req) //nolint:bodyclose // no response
	if outbound.KindOf(err) != outbound.KindTemporary || len(s.bodies) != 1 {
		t.Errorf("got %v after %d calls, want one", err, len(s.bodies))
	}
}

func TestBodyThatFailsToReplay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{replies: []reply{{500, ""}}}
		c := outbound.New(outbound.Options{Transport: s, Now: time.Now})
		req := newRequest(t, "POST", vendorURL, strings.NewReader("ask")).WithContext(outbound.WithRetry(t.Context()))
		req.GetBody = func() (io.ReadCloser, error) { return nil, errors.New("gone hunter2") }
		_, err := c.Do(req) //nolint:bodyclose // no response
		if err == nil || err.Error() != "the request could not be repeated" || len(s.bodies) != 1 {
			t.Errorf("got %v after %d calls", err, len(s.bodies))
		}
	})
}

func TestPausesGrowAndAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var sent []time.Duration
		start := time.Now()
		c := outbound.New(outbound.Options{
			Transport: tripper(func(*http.Request) (*http.Response, error) {
				sent = append(sent, time.Since(start))
				start = time.Now()
				return answer(500, ""), nil
			}),
			Now:      time.Now,
			Attempts: 8,
			Rand:     func() float64 { return 1 },
		})
		_, _ = c.Do(newRequest(t, "GET", vendorURL, nil)) //nolint:bodyclose // no response
		const s = time.Second
		if diff := cmp.Diff([]time.Duration{0, s / 2, s, 2 * s, 4 * s, 8 * s, 8 * s, 8 * s}, sent); diff != "" {
			t.Errorf("pauses (-want +got):\n%s", diff)
		}
	})
}

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	for value, want := range map[string]time.Duration{
		"0":                              0,
		"120":                            2 * time.Minute,
		" 7 ":                            7 * time.Second,
		"1.5":                            1500 * time.Millisecond,
		"0.25":                           250 * time.Millisecond,
		"-30":                            0,
		"86401":                          day,
		"99999999999999999999":           day,
		"Sun, 01 Mar 2026 12:00:30 GMT":  30 * time.Second,
		"Sunday, 01-Mar-26 12:00:30 GMT": 30 * time.Second,
		"Sun Mar  1 12:00:30 2026":       30 * time.Second,
		"Sun, 01 Mar 2026 11:00:00 GMT":  0,
		"Fri, 01 Mar 2126 12:00:00 GMT":  day,
	} {
		got, ok := outbound.ParseRetryAfter(value, now)
		if !ok || !got.Equal(now.Add(want)) {
			t.Errorf("%q: got %s, %t, want %s later", value, got, ok, want)
		}
	}
	for _, value := range []string{"", "soon", "NaN", "Inf", "-Inf", "1e999", "2026-03-01", "1 2"} {
		if got, ok := outbound.ParseRetryAfter(value, now); ok {
			t.Errorf("%q: got %s, want none", value, got)
		}
	}
}
