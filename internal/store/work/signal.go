package work

import (
	"context"
	"sync"
)

// signals tells this process of feeds that have grown.
type signals struct {
	mu        sync.RWMutex
	listeners map[int]func(tenantID string)
	next      int
}

func (s *signals) send(tenantIDs []string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, f := range s.listeners {
		for _, id := range tenantIDs {
			f(id)
		}
	}
}

// OnEvents calls f with the tenant of every transaction of this process that has
// made a feed grow, once it is committed, until cancel is called. F is called
// while the writer waits: it must not block.
func (q Jobs) OnEvents(f func(tenantID string)) (cancel func()) {
	q.signals.mu.Lock()
	defer q.signals.mu.Unlock()
	if q.signals.listeners == nil {
		q.signals.listeners = map[int]func(string){}
	}
	id := q.signals.next
	q.signals.next++
	q.signals.listeners[id] = f
	return func() {
		q.signals.mu.Lock()
		defer q.signals.mu.Unlock()
		delete(q.signals.listeners, id)
	}
}

// ListenEvents calls f with each tenant for which another process has made a
// feed grow, until ctx is done or the line is lost. A signal can be lost: anyone who
// must not miss an event also looks from time to time. An embedded database has
// no other process, and so no signals.
func (q Jobs) ListenEvents(ctx context.Context, f func(tenantID string)) error {
	return q.database.Listen(ctx, f)
}
