package api

import (
	"context"
	"sync"
	"time"
)

// lateDeadline bounds what is done in it from the moment on that someone waits. Most
// requests are answered from memory and wait for nothing: they need no timer.
type lateDeadline struct {
	context.Context // of the request
	limit           time.Duration

	mu     sync.Mutex
	armed  context.Context //nolint:containedctx // it is what this type is for
	cancel context.CancelFunc
}

// arm starts the time, at the first call.
func (c *lateDeadline) arm() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.armed == nil {
		c.armed, c.cancel = context.WithTimeout(c.Context, c.limit)
	}
	return c.armed
}

// current is the context that holds now, without starting the time.
func (c *lateDeadline) current() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.armed == nil {
		return c.Context
	}
	return c.armed
}

// end gives the timer back.
func (c *lateDeadline) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil {
		c.cancel()
	}
}

// Done is what those who wait listen to.
func (c *lateDeadline) Done() <-chan struct{} { return c.arm().Done() }

// Deadline starts the time too: anyone who asks is about to wait.
func (c *lateDeadline) Deadline() (time.Time, bool) { return c.arm().Deadline() }

// Err says whether it has ended.
func (c *lateDeadline) Err() error { return c.current().Err() }

// Value lets contexts that are made from this one end with it.
func (c *lateDeadline) Value(key any) any { return c.current().Value(key) }
