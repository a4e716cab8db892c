package outbound_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover/internal/background/clocktest"
	"github.com/drover-fleet/drover/internal/outbound"
)

// sendLog is a transport that keeps when each call went out.
type sendLog struct {
	mu   sync.Mutex
	sent []time.Time
}

func (l *sendLog) RoundTrip(*http.Request) (*http.Response, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent = append(l.sent, time.Now())
	return answer(200, "{}"), nil
}

// get sends one GET and reads the answer.
func get(ctx context.Context, c *outbound.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	return outbound.JSON(ctx, c, req, nil)
}

// checkWindows fails where any window of the limit's length saw too many calls.
func checkWindows(t *testing.T, sent []time.Time, limit outbound.Limit) {
	t.Helper()
	for i := limit.Requests; i < len(sent); i++ {
		if span := sent[i].Sub(sent[i-limit.Requests]); span < limit.Per {
			t.Fatalf("%d calls within %s, more than %d per %s", limit.Requests+1, span, limit.Requests, limit.Per)
		}
	}
}

func TestPacingHoldsOverADay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		second := outbound.Limit{Requests: 5, Per: time.Second}
		minute := outbound.Limit{Requests: 30, Per: time.Minute}
		hour := outbound.Limit{Requests: 600, Per: time.Hour}
		log := &sendLog{}
		c := outbound.New(outbound.Options{
			Transport: log,
			Now:       time.Now,
			Limits:    []outbound.Limit{hour, second, minute},
		})
		arrivals := rand.New(rand.NewPCG(1, 2))
		end := time.Now().Add(24 * time.Hour)
		for time.Now().Before(end) {
			err := get(t.Context(), c, vendorURL)
			if err == nil {
				time.Sleep(time.Duration(arrivals.Float64() * float64(time.Second)))
				continue
			}
			until := outbound.RetryAt(err)
			if outbound.KindOf(err) != outbound.KindRateLimited || time.Until(until) <= 5*time.Second {
				t.Fatalf("got %v until %s, want a wait beyond MaxWait", err, until)
			}
			// Some come back too early.
			time.Sleep(time.Duration((0.5 + arrivals.Float64()) * float64(time.Until(until))))
		}
		for _, limit := range []outbound.Limit{second, minute, hour} {
			checkWindows(t, log.sent, limit)
		}
		// A pacer that never sends keeps every limit: the day must be used too.
		if n := len(log.sent); n < 20*600 || n > 25*600 {
			t.Errorf("%d calls in a day at 600 an hour", n)
		}
	})
}

// TestPacingAfterAClockStep puts the clock back while a limit is used up: the wait is
// as long as the limit's period, not as long as the step.
func TestPacingAfterAClockStep(t *testing.T) {
	t.Parallel()
	clock := clocktest.New(time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC))
	c := outbound.New(outbound.Options{Transport: &sendLog{}, Now: clock.Now, Limits: []outbound.Limit{{Requests: 1, Per: time.Minute}}})
	if err := get(t.Context(), c, vendorURL); err != nil {
		t.Fatal(err)
	}
	clock.Advance(-time.Hour)
	until := outbound.RetryAt(get(t.Context(), c, vendorURL))
	if want := clock.Now().Add(time.Minute); !until.Equal(want) {
		t.Errorf("after the step the next call is at %s, want %s", until, want)
	}
	clock.Advance(time.Minute)
	if err := get(t.Context(), c, vendorURL); err != nil {
		t.Errorf("a period later: %v", err)
	}
}

func TestPacingHoldsAmongConcurrentCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limit := outbound.Limit{Requests: 3, Per: time.Second}
		log := &sendLog{}
		c := outbound.New(outbound.Options{
			Transport: log, Now: time.Now, Limits: []outbound.Limit{limit}, MaxWait: time.Minute,
		})
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if err := get(t.Context(), c, vendorURL); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if len(log.sent) != 50 {
			t.Errorf("%d calls, want 50", len(log.sent))
		}
		checkWindows(t, log.sent, limit)
	})
}

func TestRetriesArePaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var sent []time.Time
		c := outbound.New(outbound.Options{
			Transport: tripper(func(*http.Request) (*http.Response, error) {
				sent = append(sent, time.Now())
				return answer(500, ""), nil
			}),
			Now:    time.Now,
			Limits: []outbound.Limit{{Requests: 1, Per: 3 * time.Second}},
			Rand:   func() float64 { return 0 },
		})
		start := time.Now()
		if err := get(t.Context(), c, vendorURL); outbound.KindOf(err) != outbound.KindTemporary {
			t.Errorf("got %v", err)
		}
		want := []time.Time{start, start.Add(3 * time.Second), start.Add(6 * time.Second)}
		if diff := cmp.Diff(want, sent); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
	})
}

func TestLimitsSelectByPathOrOperation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := outbound.New(outbound.Options{
			Transport: &sendLog{},
			Now:       time.Now,
			Limits: []outbound.Limit{
				{Path: "/v1/trips", Requests: 1, Per: time.Hour},
				{Path: "GetFeed", Requests: 1, Per: time.Hour},
			},
		})
		feed := outbound.WithOperation(t.Context(), "GetFeed/LogRecord")
		other := outbound.WithOperation(t.Context(), "Get/Device")
		calls := []struct {
			ctx     context.Context
			path    string
			limited bool
		}{
			{t.Context(), "/v1/trips/7", false},
			{t.Context(), "/v1/trips", true},
			{t.Context(), "/v1/vehicles", false},
			{t.Context(), "/v1/vehicles", false},
			{feed, "/rpc", false},
			{feed, "/rpc", true},
			{other, "/rpc", false},
			{other, "/rpc", false},
		}
		for i, call := range calls {
			err := get(call.ctx, c, "https://vendor.example.com"+call.path)
			if limited := err != nil && outbound.KindOf(err) == outbound.KindRateLimited; limited != call.limited {
				t.Errorf("call %d to %s: got %v, limited should be %t", i, call.path, err, call.limited)
			}
		}
	})
}

func TestLongWaitIsGivenBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := outbound.New(outbound.Options{
			Transport: &sendLog{},
			Now:       time.Now,
			Limits:    []outbound.Limit{{Requests: 1, Per: time.Minute}},
		})
		start := time.Now()
		if err := get(t.Context(), c, vendorURL); err != nil {
			t.Fatal(err)
		}
		err := get(t.Context(), c, vendorURL)
		if outbound.KindOf(err) != outbound.KindRateLimited || !outbound.RetryAt(err).Equal(start.Add(time.Minute)) {
			t.Errorf("got %v until %s", err, outbound.RetryAt(err))
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("waited %s for a turn a minute away", took)
		}
		time.Sleep(55 * time.Second) // the rest is short enough to wait for
		if err := get(t.Context(), c, vendorURL); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != time.Minute {
			t.Errorf("the second call went out after %s, want 1m", took)
		}
	})
}

func TestConcurrencyIsBoundedToTheEndOfTheBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		under, most := 0, 0
		c := outbound.New(outbound.Options{
			Transport: tripper(func(*http.Request) (*http.Response, error) {
				mu.Lock()
				defer mu.Unlock()
				under++
				most = max(most, under)
				return answer(200, "{}"), nil
			}),
			Now:    time.Now,
			Limits: []outbound.Limit{{Concurrent: 2}, {Path: "/v1", Concurrent: 3}},
		})
		var wg sync.WaitGroup
		for range 9 {
			wg.Go(func() {
				resp, err := c.Do(newRequest(t, "GET", vendorURL, nil))
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Second)
				mu.Lock()
				under--
				mu.Unlock()
				_ = resp.Body.Close()
			})
		}
		wg.Wait()
		if most != 2 {
			t.Errorf("%d calls under way at once, want 2", most)
		}
	})
}

func TestUnclosedBodyGivesItsSlotBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := outbound.New(outbound.Options{
			Transport: &sendLog{}, Now: time.Now, Limits: []outbound.Limit{{Concurrent: 1}},
		})
		if _, err := c.Do(newRequest(t, "GET", vendorURL, nil)); err != nil { //nolint:bodyclose // the point of the test
			t.Fatal(err)
		}
		start := time.Now()
		if err := get(t.Context(), c, vendorURL); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != 30*time.Second {
			t.Errorf("the slot came free after %s, want 30s", took)
		}
	})
}

func TestCancelStopsEveryWait(t *testing.T) {
	t.Parallel()
	hang := tripper(func(req *http.Request) (*http.Response, error) {
		<-req.Context().Done()
		return nil, errors.New("connection closed")
	})
	fail := tripper(func(*http.Request) (*http.Response, error) { return answer(500, ""), nil })
	slow := tripper(func(*http.Request) (*http.Response, error) { return answer(429, "", "Retry-After", "4"), nil })
	stall := tripper(func(req *http.Request) (*http.Response, error) {
		resp := answer(200, "")
		resp.Body = blockingBody{req.Context()}
		return resp, nil
	})
	tests := map[string]outbound.Options{
		"answer":      {Transport: hang},
		"body":        {Transport: stall},
		"back-off":    {Transport: fail, Rand: func() float64 { return 0.99 }, Attempts: 100},
		"Retry-After": {Transport: slow},
		"turn":        {Transport: &sendLog{}, Limits: []outbound.Limit{{Requests: 1, Per: 4 * time.Second}}},
		"slot":        {Transport: hang, Limits: []outbound.Limit{{Concurrent: 1}}},
	}
	for name, opts := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				opts.Now = time.Now
				c := outbound.New(opts)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(2*time.Second, cancel)
				start := time.Now()
				var wg sync.WaitGroup
				wg.Go(func() { _ = get(ctx, c, vendorURL) })
				synctest.Wait()
				wg.Go(func() {
					if err := get(ctx, c, vendorURL); err != context.Canceled { //nolint:errorlint // nothing but ctx's error
						t.Errorf("got %v, want the context's own error", err)
					}
				})
				wg.Wait()
				if took := time.Since(start); took != 2*time.Second {
					t.Errorf("returned after %s, want 2s", took)
				}
			})
		})
	}
}

func TestEndedContextSendsNothing(t *testing.T) {
	t.Parallel()
	log := &sendLog{}
	c := outbound.New(outbound.Options{Transport: log, Now: time.Now})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	closed := false
	req := newRequest(t, "POST", vendorURL, nil).WithContext(ctx)
	req.Body = closer{strings.NewReader("x"), &closed}
	_, err := c.Do(req) //nolint:bodyclose // no response
	if !errors.Is(err, context.Canceled) || len(log.sent) != 0 || !closed {
		t.Errorf("got %v, %d calls, body closed %t", err, len(log.sent), closed)
	}
}

// closer notes that it was closed.
type closer struct {
	io.Reader
	closed *bool
}

func (c closer) Close() error {
	*c.closed = true
	return nil
}
