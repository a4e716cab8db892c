package store

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
func (s *Store) OnEvents(f func(tenantID string)) (cancel func()) {
	s.signals.mu.Lock()
	defer s.signals.mu.Unlock()
	if s.signals.listeners == nil {
		s.signals.listeners = map[int]func(string){}
	}
	id := s.signals.next
	s.signals.next++
	s.signals.listeners[id] = f
	return func() {
		s.signals.mu.Lock()
		defer s.signals.mu.Unlock()
		delete(s.signals.listeners, id)
	}
}

// ListenEvents calls f with each tenant for which another process has made a
// feed grow, until ctx is done or the line is lost. A signal can be lost: whoever
// must not miss an event also looks from time to time. An embedded database has
// no other process, and so no signals.
func (s *Store) ListenEvents(ctx context.Context, f func(tenantID string)) error {
	return s.database.Listen(ctx, f)
}
