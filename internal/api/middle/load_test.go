package middle_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/middle"
)

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
		if diff := cmp.Diff(s.want, l.Allow(s.tenant, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.name, diff)
		}
	}
}

func TestLimiterForgetsTheLongestUnseen(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	l := middle.NewLimiter(middle.LimiterConfig{PerSecond: 1, Burst: 1, MaxTenants: 2, Now: func() time.Time { return now }})
	for _, tenant := range []string{"a", "b", "a", "c"} { // c takes the place of b
		l.Allow(tenant, 0)
	}
	if l.Allow("a", 0).Allowed {
		t.Error("a was forgotten")
	}
	if !l.Allow("b", 0).Allowed {
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
		d := l.Allow(strconv.Itoa(i%2), 0)
		h := http.Header{}
		if d.Headers(h); !d.Allowed || d.Err() != nil || len(h) != 0 {
			t.Fatalf("got %+v with %v", d, h)
		}
	}
}
