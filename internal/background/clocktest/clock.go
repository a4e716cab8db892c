// Package clocktest is a clock for tests. It moves only when a test moves it.
package clocktest

import (
	"sync"
	"time"
)

// Clock is a present that only moves when a test moves it. It is safe for concurrent
// use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// New returns a clock that shows t.
func New(t time.Time) *Clock { return &Clock{now: t} }

// Now returns the present.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the present by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Set moves the present to t.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}
