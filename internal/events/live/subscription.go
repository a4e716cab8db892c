package live

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/quota"
	"github.com/drover-fleet/drover/internal/store/work"
)

// Subscription is one receiver of a tenant's events. It belongs to one goroutine.
type Subscription struct {
	hub    *Hub
	feed   *feed
	filter Filter
	queue  chan *Message
	// position is the sequence up to which the receiver has seen everything.
	position int64
	// behind is the sequence up to which it reads for itself; beyond it the feed
	// hands over. It is not known before the receiver has joined.
	behind int64
	joined bool
	// offered is the sequence up to which the feed has handed over.
	offered atomic.Int64

	// page is the memory of what was last read to catch up; nil where it is none.
	page *quota.Place

	once   sync.Once
	ended  chan struct{}
	reason error
}

// Subscribe follows a tenant's feed from the event after the given one on, or
// from now on where after is nil. Close it.
func (h *Hub) Subscribe(ctx context.Context, tenantID string, filter Filter, after *int64) (*Subscription, error) {
	f, err := h.acquire(ctx, tenantID)
	if err != nil {
		return nil, err
	}
	s := &Subscription{hub: h, feed: f, filter: filter, queue: make(chan *Message, queueSize), ended: make(chan struct{})}
	if after == nil {
		s.join()
		s.position = s.behind
		return s, nil
	}
	s.position = *after
	if *after > f.head.Load() {
		// Another process may have shown more than this one has read. Beyond what
		// is stored there is nothing to resume from: it then begins at the end.
		last, err := h.Store.Feed.LastEvent(ctx, tenantID)
		if err != nil {
			s.Close()
			return nil, err
		}
		s.position = min(*after, last)
	}
	return s, nil
}

func (s *Subscription) join() {
	s.behind = s.feed.join(s)
	s.joined = true
}

// Close ends the subscription. It is safe twice.
func (s *Subscription) Close() {
	if s.feed == nil {
		return
	}
	s.free()
	s.feed.leave(s)
	s.hub.release(s.feed)
	s.feed = nil
}

// cut ends the subscription from the feed's side.
func (s *Subscription) cut(reason error) {
	s.once.Do(func() {
		s.reason = reason
		close(s.ended)
	})
}

// Position is the sequence up to which all events were returned by Next, or did
// not pass the filter.
func (s *Subscription) Position() int64 { return s.position }

// Next waits for events and returns all that are there. After ErrSlow or
// ErrClosed nothing more comes; with ctx done it can be called again.
func (s *Subscription) Next(ctx context.Context) ([]*Message, error) {
	for !s.joined || s.position < s.behind {
		messages, err := s.catchUp(ctx)
		if errors.Is(err, quota.ErrFull) {
			select {
			case <-time.After(lookInterval):
				continue
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		if err != nil || len(messages) > 0 {
			return messages, err
		}
	}
	// What the feed had offered before the queue is found empty has been seen.
	s.free()
	offered := s.offered.Load()
	if messages := s.queued(nil); len(messages) > 0 {
		return s.readable(ctx, messages)
	}
	s.position = max(s.position, offered)
	select {
	case m := <-s.queue:
		return s.readable(ctx, s.queued(s.take(nil, m)))
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.ended:
		return nil, s.reason
	}
}

// readable leaves of messages what the receiver may read, where one has waited for
// so long that a share may have ended since it was handed over.
func (s *Subscription) readable(ctx context.Context, messages []*Message) ([]*Message, error) {
	if !slices.ContainsFunc(messages, func(m *Message) bool { return !m.screened.IsZero() && time.Since(m.screened) >= s.hub.Stale }) {
		return messages, nil
	}
	events := make([]drover.Event, len(messages))
	for i, m := range messages {
		events[i] = m.Event
	}
	// They have left the queue: a caller who only looks in must not lose them.
	kept, err := journal.Readable(context.WithoutCancel(ctx), s.hub.Store.Shares, s.feed.tenantID, events)
	if err != nil {
		return nil, err
	}
	out := make([]*Message, len(kept))
	for i := range kept {
		out[i] = newMessage(kept[i])
	}
	return out, nil
}

// free gives the memory of the last page back: it has been sent.
func (s *Subscription) free() {
	if s.page != nil {
		s.page.Return()
		s.page = nil
	}
}

// catchUp reads a page of what was missed, and joins the feed at its end.
func (s *Subscription) catchUp(ctx context.Context) ([]*Message, error) {
	s.free()
	if memory := s.hub.Memory; memory != nil {
		var err error
		if s.page, err = memory.Take(ctx, s.feed.tenantID, catchUpMemory); err != nil {
			return nil, err
		}
	}
	r := work.EventRange{After: s.position, To: endOfFeed, Limit: catchUpSize}
	if s.joined {
		r.To = s.behind
	}
	events, err := s.hub.Store.Feed.Events(ctx, s.feed.tenantID, drover.EventFilter{}, r)
	if err != nil {
		return nil, err
	}
	full, last := len(events) == catchUpSize, s.position
	if len(events) > 0 {
		last = events[len(events)-1].Sequence
	}
	if events, err = journal.Readable(ctx, s.hub.Store.Shares, s.feed.tenantID, events); err != nil {
		return nil, err
	}
	var l labels
	if s.filter.asksLabels() && len(events) > 0 {
		if l, err = readLabels(ctx, s.hub.Store, s.feed.tenantID, events); err != nil {
			return nil, err
		}
	}
	var messages []*Message
	for i := range events {
		if m := s.filter.apply(newMessage(events[i]), l); m != nil {
			messages = append(messages, m)
		}
	}
	s.position = last
	switch {
	case full:
	case s.joined:
		s.position = s.behind
	default:
		s.join()
	}
	return messages, nil
}

// queued takes what waits in the queue.
func (s *Subscription) queued(messages []*Message) []*Message {
	for {
		select {
		case m := <-s.queue:
			messages = s.take(messages, m)
		default:
			return messages
		}
	}
}

// take appends a message that the receiver has not read for itself.
func (s *Subscription) take(messages []*Message, m *Message) []*Message {
	if m.Event.Sequence <= s.position {
		return messages
	}
	s.position = m.Event.Sequence
	return append(messages, m)
}
