package outbound

import (
	"context"
	"strings"
	"sync"
	"time"
)

// Limit is a rate that the other side declares, or that we keep out of caution.
type Limit struct {
	// Path selects the requests by a prefix of their path, or of the name given
	// with WithOperation; empty means all.
	Path     string
	Requests int
	Per      time.Duration
	// Concurrent bounds the calls under way at once; zero does not.
	Concurrent int
}

// pacer keeps calls within the limits that it is given. Each limit has a
// log of the calls of its last period, so that no window of that length, wherever
// it starts, sees more calls than declared.
type pacer struct {
	now     func() time.Time
	wait    func(context.Context, time.Duration) error
	maxWait time.Duration
	lanes   []*lane

	mu sync.Mutex // guards the logs of all lanes: a call enters all of its lanes or none
}

// lane is one limit and the calls that count against it.
type lane struct {
	limit Limit
	sent  []time.Time   // within the last period, oldest first
	slots chan struct{} // nil where concurrency is not bounded
}

func newPacer(limits []Limit) *pacer {
	p := &pacer{}
	for _, l := range limits {
		ln := &lane{limit: l}
		if l.Concurrent > 0 {
			ln.slots = make(chan struct{}, l.Concurrent)
		}
		p.lanes = append(p.lanes, ln)
	}
	return p
}

// enter returns when a call may go out, with a func to be called once when it is
// over. It gives KindRateLimited where the wait is longer than maxWait, and
// ctx's error where ctx ends first.
func (p *pacer) enter(ctx context.Context, path, operation string) (leave func(), err error) {
	lanes := p.match(path, operation)
	leave, err = takeSlots(ctx, lanes)
	if err != nil {
		return nil, err
	}
	if err := p.awaitTurn(ctx, lanes); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

func (p *pacer) match(path, operation string) []*lane {
	var lanes []*lane
	for _, ln := range p.lanes {
		prefix := ln.limit.Path
		if strings.HasPrefix(path, prefix) || (operation != "" && strings.HasPrefix(operation, prefix)) {
			lanes = append(lanes, ln)
		}
	}
	return lanes
}

// takeSlots takes a slot of each lane that bounds concurrency. Every call takes
// them in the same order, so two calls never wait for each other. The wait needs
// no bound but ctx: calls under way end by their own timeouts.
func takeSlots(ctx context.Context, lanes []*lane) (release func(), err error) {
	var taken []chan struct{}
	release = func() {
		for _, s := range taken {
			<-s
		}
	}
	for _, ln := range lanes {
		if ln.slots == nil {
			continue
		}
		select {
		case ln.slots <- struct{}{}:
			taken = append(taken, ln.slots)
		case <-ctx.Done():
			release()
			return nil, ctx.Err()
		}
	}
	return release, nil
}

func (p *pacer) awaitTurn(ctx context.Context, lanes []*lane) error {
	last := p.now().Add(p.maxWait)
	for {
		now := p.now()
		at := p.reserve(lanes, now)
		if !at.After(now) {
			return nil
		}
		if at.After(last) {
			return &Error{
				Kind:  KindRateLimited,
				Until: at,
				Err:   worded{text: "the provider's limit of calls is used up for now"},
			}
		}
		if err := p.wait(ctx, at.Sub(now)); err != nil {
			return err
		}
	}
}

// reserve counts a call at now in all lanes and returns now, or counts none and
// returns when to ask again.
func (p *pacer) reserve(lanes []*lane, now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := now
	for _, ln := range lanes {
		if free := ln.free(now); free.After(at) {
			at = free
		}
	}
	if at.After(now) {
		return at
	}
	for _, ln := range lanes {
		if ln.paced() {
			ln.sent = append(ln.sent, now)
		}
	}
	return now
}

func (ln *lane) paced() bool { return ln.limit.Requests > 0 && ln.limit.Per > 0 }

// free returns the first instant, from now on, at which the lane has room.
func (ln *lane) free(now time.Time) time.Time {
	if !ln.paced() {
		return now
	}
	for i, at := range ln.sent {
		if at.After(now) { // the clock was put back: it was no later than now
			ln.sent[i] = now
		}
	}
	gone := 0
	for gone < len(ln.sent) && now.Sub(ln.sent[gone]) >= ln.limit.Per {
		gone++
	}
	ln.sent = ln.sent[gone:]
	if len(ln.sent) < ln.limit.Requests {
		return now
	}
	return ln.sent[0].Add(ln.limit.Per)
}
