package middle

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/drover-fleet/drover"
)

// LimiterConfig says how much each tenant may ask for.
type LimiterConfig struct {
	PerSecond  float64 // requests that a tenant earns per second; zero turns the limiter off
	Burst      int     // requests that it may save up, at least one
	MaxTenants int     // tenants remembered; the one unseen for longest is forgotten first
	Now        func() time.Time
}

// Limiter keeps a token bucket per tenant. It is safe for concurrent use.
type Limiter struct {
	config LimiterConfig

	mu      sync.Mutex
	buckets *simplelru.LRU[string, *bucket]
}

type bucket struct {
	tokens float64
	at     time.Time // when tokens was right
}

// NewLimiter returns a Limiter that has seen no one.
func NewLimiter(c LimiterConfig) *Limiter {
	c.Burst = max(1, c.Burst)
	c.MaxTenants = max(1, c.MaxTenants)
	buckets, err := simplelru.NewLRU[string, *bucket](c.MaxTenants, nil)
	if err != nil {
		panic(err) // the size is at least one
	}
	return &Limiter{config: c, buckets: buckets}
}

// Decision is a Limiter's answer to one request.
type Decision struct {
	Allowed    bool
	Limit      int           // requests a tenant may make at once; zero where there is no limit
	Remaining  int           // how many of them are left
	Reset      time.Duration // until all of them are back
	RetryAfter time.Duration // until a refused request would pass
}

// rate is what a tenant may ask for.
type rate struct {
	perSecond float64
	burst     int
}

// Allow counts a request of tenant. PerMinute is a rate of its own, which it may also make
// at once; zero leaves it to that of all.
func (l *Limiter) Allow(tenant string, perMinute int64) Decision {
	r := rate{l.config.PerSecond, l.config.Burst}
	if perMinute > 0 {
		r = rate{float64(perMinute) / time.Minute.Seconds(), int(perMinute)}
	}
	if r.perSecond <= 0 {
		return Decision{Allowed: true}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bucketOf(tenant, r)
	d := Decision{Limit: r.burst, Allowed: b.tokens >= 1}
	if d.Allowed {
		b.tokens--
	} else {
		d.RetryAfter = r.earn(1 - b.tokens)
	}
	d.Remaining = int(b.tokens)
	d.Reset = r.earn(float64(r.burst) - b.tokens)
	return d
}

// bucketOf returns the tenant's bucket, filled up to the present.
func (l *Limiter) bucketOf(tenant string, r rate) *bucket {
	now := l.config.Now()
	b, ok := l.buckets.Get(tenant)
	if !ok {
		b = &bucket{tokens: float64(r.burst), at: now}
		l.buckets.Add(tenant, b)
		return b
	}
	earned := max(0, now.Sub(b.at).Seconds()) * r.perSecond
	b.tokens = min(float64(r.burst), b.tokens+earned)
	b.at = now
	return b
}

// earn returns how long it takes to earn tokens.
func (r rate) earn(tokens float64) time.Duration {
	return time.Duration(math.Ceil(tokens / r.perSecond * float64(time.Second)))
}

// Headers tells the caller where it stands. Without a limit it says nothing.
func (d Decision) Headers(h http.Header) {
	if d.Limit == 0 {
		return
	}
	h.Set("RateLimit-Limit", strconv.Itoa(d.Limit))
	h.Set("RateLimit-Remaining", strconv.Itoa(d.Remaining))
	h.Set("RateLimit-Reset", strconv.Itoa(wholeSeconds(d.Reset)))
}

// Err is the refusal, nil where the request is allowed.
func (d Decision) Err() error {
	if d.Allowed {
		return nil
	}
	return &drover.Error{
		Kind:       drover.KindRateLimited,
		Message:    "Too many requests, try again later",
		RetryAfter: d.RetryAfter,
	}
}
