// Package background starts and stops work that goes on beside requests.
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
