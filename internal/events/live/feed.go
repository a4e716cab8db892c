package live

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store/work"
)

// feed reads what is new of one tenant and fans it out.
type feed struct {
	hub      *Hub
	tenantID string
	users    int // guarded by the hub
	ctx      context.Context
	stop     context.CancelFunc
	kick     chan struct{}
	// head is the sequence up to which everything was handed to subs.
	head atomic.Int64

	// starting is held by the one who finds where the feed ends, and guards started. It
	// is a channel, so that anyone who waits for it can give up.
	starting chan struct{}
	started  bool

	// mu is never held while the database is asked.
	mu     sync.Mutex
	subs   map[*Subscription]struct{}
	growth chan struct{} // closed when head moves
}

func newFeed(h *Hub, tenantID string) *feed {
	f := &feed{
		hub: h, tenantID: tenantID, kick: make(chan struct{}, 1), starting: make(chan struct{}, 1),
		subs: map[*Subscription]struct{}{}, growth: make(chan struct{}),
	}
	f.ctx, f.stop = context.WithCancel(h.ctx)
	return f
}

// start finds where the feed ends, the first time, and begins to follow it.
func (f *feed) start(ctx context.Context) error {
	select {
	case f.starting <- struct{}{}:
		defer func() { <-f.starting }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if f.started {
		return nil
	}
	last, err := f.hub.Store.Feed.LastEvent(ctx, f.tenantID)
	if err != nil {
		return err
	}
	f.head.Store(last)
	f.started = true
	go f.run()
	// A signal between the reading and now has found no one.
	f.wake()
	return nil
}

func (f *feed) wake() {
	select {
	case f.kick <- struct{}{}:
	default:
	}
}

// grown returns a channel that is closed when the feed next grows.
func (f *feed) grown() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.growth
}

func (f *feed) run() {
	for {
		select {
		case <-f.ctx.Done():
			f.end()
			return
		case <-f.kick:
		}
		for more := true; more; {
			var err error
			if more, err = f.read(); err != nil && f.ctx.Err() == nil {
				// The next look finds that the feed is behind, and wakes it.
				f.hub.Logger.ErrorContext(f.ctx, "read events", "tenant", f.tenantID, "err", err)
			}
		}
	}
}

// end tells those who still wait that nothing will come.
func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.subs {
		s.cut(ErrClosed)
	}
	clear(f.subs)
}

// read hands out one page and reports whether there may be more.
func (f *feed) read() (more bool, err error) {
	if f.unwatched() {
		return false, f.skip()
	}
	head := f.head.Load()
	events, err := f.hub.Store.Feed.Events(f.ctx, f.tenantID, drover.EventFilter{},
		work.EventRange{After: head, To: endOfFeed, Limit: pageSize})
	if err != nil || len(events) == 0 {
		return false, err
	}
	more, last := len(events) == pageSize, events[len(events)-1].Sequence
	events, foreign, err := journal.Screen(f.ctx, f.hub.Store.Shares, f.tenantID, events)
	if err != nil {
		return false, err
	}
	return more, f.handOut(events, foreign, last)
}

// handOut offers events to all who have joined. What their filters ask beyond the
// events is read before, for all events: others may join meanwhile. Last is how far
// the feed is read.
func (f *feed) handOut(events []drover.Event, foreign bool, last int64) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var l labels
	if len(events) > 0 && f.asksLabels() {
		f.mu.Unlock()
		l, err = readLabels(f.ctx, f.hub.Store, f.tenantID, events)
		f.mu.Lock()
		if err != nil {
			return err
		}
	}
	for i := range events {
		m := newMessage(events[i])
		if foreign {
			m.screened = time.Now() //nolint:forbidigo // how long it waits is by the real clock
		}
		f.offer(m, l)
	}
	f.advance(last)
	return nil
}

// asksLabels reports whether any filter asks for more than events say.
func (f *feed) asksLabels() bool {
	for s := range f.subs {
		if s.filter.asksLabels() {
			return true
		}
	}
	return false
}

func (f *feed) unwatched() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.subs) == 0
}

// skip moves on without reading: those who only await need no events.
func (f *feed) skip() error {
	last, err := f.hub.Store.Feed.LastEvent(f.ctx, f.tenantID)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case len(f.subs) > 0: // one has joined meanwhile, and must not miss them
		f.wake()
	case last > f.head.Load():
		f.advance(last)
	}
	return nil
}

func (f *feed) offer(m *Message, l labels) {
	for s := range f.subs {
		wanted := s.filter.apply(m, l)
		if wanted == nil {
			continue
		}
		select {
		case s.queue <- wanted:
		default:
			s.cut(ErrSlow)
			delete(f.subs, s)
		}
	}
}

// advance is called with mu held.
func (f *feed) advance(head int64) {
	f.head.Store(head)
	for s := range f.subs {
		s.offered.Store(head)
	}
	close(f.growth)
	f.growth = make(chan struct{})
}

// join adds a subscription, which is handed everything beyond the sequence
// returned.
func (f *feed) join(s *Subscription) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	head := f.head.Load()
	s.offered.Store(head)
	if f.ctx.Err() != nil {
		s.cut(ErrClosed)
		return head
	}
	f.subs[s] = struct{}{}
	return head
}

func (f *feed) leave(s *Subscription) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.subs, s)
}
