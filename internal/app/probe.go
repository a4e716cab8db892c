package app

import (
	"context"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
)

// probeRest is how long the outcome of a write holds: anyone may ask for it.
const probeRest = time.Second

// probe says whether the database takes writes. A write that the database holds
// up cannot be ended, so there is one at a time, and no one waits for longer than
// they wish.
type probe struct {
	write func(context.Context, drover.Time) error
	now   func() time.Time

	mu      sync.Mutex
	running chan struct{} // closed when the write under way has ended; nil without one
	last    time.Time
	err     error
}

func (p *probe) check(ctx context.Context) error {
	select {
	case <-p.begin():
	case <-ctx.Done():
		return ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// begin starts a write, unless one is under way or has just ended.
func (p *probe) begin() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running != nil {
		return p.running
	}
	ended := make(chan struct{})
	if since := p.now().Sub(p.last); !p.last.IsZero() && since >= 0 && since < probeRest {
		close(ended)
		return ended
	}
	p.running = ended
	go func() {
		defer close(ended)
		err := p.write(context.Background(), drover.At(p.now()))
		p.mu.Lock()
		defer p.mu.Unlock()
		p.running, p.last, p.err = nil, p.now(), err
	}()
	return ended
}
