// Package background starts and stops background tasks.
package background

import (
	"context"
	"sync"
	"time"
)

// Work is background work: Run goes on until its context is done. The zero value
// with a Run is ready to start. Start and Stop are safe twice and from several
// goroutines, and Stop is safe before Start.
type Work struct {
	Run func(ctx context.Context)

	mu   sync.Mutex
	stop context.CancelFunc
	done chan struct{}
}

// Start begins the work and returns at once.
func (w *Work) Start(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop != nil {
		return
	}
	ctx, w.stop = context.WithCancel(ctx)
	done := make(chan struct{})
	w.done = done
	go func() {
		defer close(done)
		w.Run(ctx)
	}()
}

// Stop ends the work and returns when it has ended. It can be started again.
func (w *Work) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop == nil {
		return
	}
	w.stop()
	<-w.done
	w.stop = nil
}

// Rest is how many times as long as it has worked some work rests before it goes on, so that
// it takes little from others. Zero is not at all.
type Rest int

// Begin begins with work.
func (r Rest) Begin() *Pace {
	p := &Pace{rest: r}
	p.begin()
	return p
}

// Pace is that of work that rests in between.
type Pace struct {
	rest  Rest
	begun time.Time
}

// Pause rests from the work since the last time. It is an error where ctx is done before.
func (p *Pace) Pause(ctx context.Context) error {
	if p.rest > 0 {
		rested := time.NewTimer(time.Duration(p.rest) * time.Since(p.begun))
		defer rested.Stop()
		select {
		case <-ctx.Done():
		case <-rested.C:
		}
	}
	p.begin()
	return ctx.Err()
}

func (p *Pace) begin() {
	p.begun = time.Now() //nolint:forbidigo // the monotonic clock: how long the work takes
}

// Every calls f after each interval until ctx is done.
func Every(ctx context.Context, interval time.Duration, f func(ctx context.Context)) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			f(ctx)
		}
	}
}
