package middle_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/middle"
)

const overloaded = "Service is overloaded, try again later"

// busy returns Shed around a handler that holds its place until release is
// closed, with one request already in it.
func busy(c middle.ShedConfig) (h http.Handler, release chan struct{}) {
	release = make(chan struct{})
	h = middle.Shed(c)(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	go h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/", nil))
	synctest.Wait()
	return h, release
}

func TestShed(t *testing.T) {
	t.Parallel()
	t.Run("WithoutAQueue", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			h, release := busy(middle.ShedConfig{Limit: 1, Wait: time.Hour})
			defer close(release)
			w := send(t, h, http.MethodGet, "/", "")
			wantError(t, w, http.StatusServiceUnavailable, overloaded)
			if got := w.Header().Get("Retry-After"); got != "1" {
				t.Errorf("Retry-After %q", got)
			}
		})
	})
	t.Run("WaitEnds", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			h, release := busy(middle.ShedConfig{Limit: 1, Queue: 1, Wait: 100 * time.Millisecond})
			defer close(release)
			start := time.Now()
			wantError(t, send(t, h, http.MethodGet, "/", ""), http.StatusServiceUnavailable, overloaded)
			if waited := time.Since(start); waited != 100*time.Millisecond {
				t.Errorf("waited %s", waited)
			}
		})
	})
	t.Run("PlaceIsFreed", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			h, release := busy(middle.ShedConfig{Limit: 1, Queue: 1, Wait: time.Second})
			time.AfterFunc(time.Millisecond, func() { close(release) })
			if w := send(t, h, http.MethodGet, "/", ""); w.Code != http.StatusOK {
				t.Errorf("status %d", w.Code)
			}
		})
	})
	t.Run("QueueIsFull", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			h, release := busy(middle.ShedConfig{Limit: 1, Queue: 1, Wait: time.Hour})
			go h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/", nil))
			synctest.Wait()
			start := time.Now()
			wantError(t, send(t, h, http.MethodGet, "/", ""), http.StatusServiceUnavailable, overloaded)
			if waited := time.Since(start); waited != 0 {
				t.Errorf("waited %s", waited)
			}
			close(release)
		})
	})
	t.Run("CallerLeaves", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			h, release := busy(middle.ShedConfig{Limit: 1, Queue: 1, Wait: time.Hour})
			defer close(release)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			start := time.Now()
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
			if waited := time.Since(start); waited != time.Second {
				t.Errorf("waited %s", waited)
			}
		})
	})
	t.Run("PanicFreesThePlace", func(t *testing.T) {
		t.Parallel()
		calls := 0
		h := middle.Shed(middle.ShedConfig{Limit: 1})(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			if calls++; calls == 1 {
				panic(http.ErrAbortHandler)
			}
		}))
		func() {
			defer func() { _ = recover() }()
			send(t, h, http.MethodGet, "/", "")
		}()
		if w := send(t, h, http.MethodGet, "/", ""); w.Code != http.StatusOK {
			t.Errorf("status %d", w.Code)
		}
	})
	t.Run("Off", func(t *testing.T) {
		t.Parallel()
		if w := send(t, middle.Shed(middle.ShedConfig{})(ok()), http.MethodGet, "/", ""); w.Body.String() != "served" {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	})
}

func TestLimiter(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	l := middle.NewLimiter(middle.LimiterConfig{PerSecond: 2, Burst: 3, MaxTenants: 10, Now: func() time.Time { return now }})
	steps := []struct {
		name   string
		pass   time.Duration
		tenant string
		want   middle.Decision
	}{
		{"First", 0, "a", middle.Decision{Allowed: true, Limit: 3, Remaining: 2, Reset: 500 * time.Millisecond}},
		{"Second", 0, "a", middle.Decision{Allowed: true, Limit: 3, Remaining: 1, Reset: time.Second}},
		{"Third", 0, "a", middle.Decision{Allowed: true, Limit: 3, Remaining: 0, Reset: 1500 * time.Millisecond}},
		{"Refused", 0, "a", middle.Decision{Limit: 3, Reset: 1500 * time.Millisecond, RetryAfter: 500 * time.Millisecond}},
		{"OtherTenant", 0, "b", middle.Decision{Allowed: true, Limit: 3, Remaining: 2, Reset: 500 * time.Millisecond}},
		{"TooEarly", 250 * time.Millisecond, "a", middle.Decision{Limit: 3, Reset: 1250 * time.Millisecond, RetryAfter: 250 * time.Millisecond}},
		{"Earned", 250 * time.Millisecond, "a", middle.Decision{Allowed: true, Limit: 3, Reset: 1500 * time.Millisecond}},
		{"NeverMoreThanBurst", time.Hour, "a", middle.Decision{Allowed: true, Limit: 3, Remaining: 2, Reset: 500 * time.Millisecond}},
		{"ClockBackwards", -time.Hour, "a", middle.Decision{Allowed: true, Limit: 3, Remaining: 1, Reset: time.Second}},
	}
	for _, s := range steps {
		now = now.Add(s.pass)
		if diff := cmp.Diff(s.want, l.Allow(s.tenant)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.name, diff)
		}
	}
}

func TestLimiterForgetsTheLongestUnseen(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	l := middle.NewLimiter(middle.LimiterConfig{PerSecond: 1, Burst: 1, MaxTenants: 2, Now: func() time.Time { return now }})
	for _, tenant := range []string{"a", "b", "a", "c"} { // c takes the place of b
		l.Allow(tenant)
	}
	if l.Allow("a").Allowed {
		t.Error("a was forgotten")
	}
	if !l.Allow("b").Allowed {
		t.Error("b was remembered")
	}
}

func TestDecision(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	refused := middle.Decision{Limit: 3, Reset: 1100 * time.Millisecond, RetryAfter: 500 * time.Millisecond}
	refused.Headers(h)
	want := http.Header{"Ratelimit-Limit": {"3"}, "Ratelimit-Remaining": {"0"}, "Ratelimit-Reset": {"2"}}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	wantErr := &drover.Error{Kind: drover.KindRateLimited, Message: "Too many requests, try again later", RetryAfter: 500 * time.Millisecond}
	if diff := cmp.Diff(error(wantErr), refused.Err()); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func TestLimiterOff(t *testing.T) {
	t.Parallel()
	l := middle.NewLimiter(middle.LimiterConfig{})
	for i := range 100 {
		d := l.Allow(strconv.Itoa(i % 2))
		h := http.Header{}
		if d.Headers(h); !d.Allowed || d.Err() != nil || len(h) != 0 {
			t.Fatalf("got %+v with %v", d, h)
		}
	}
}
