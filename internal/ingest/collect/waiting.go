package collect

import (
	"iter"
	"sync"
	"time"
)

// waiting are the connections of which someone in this process wants a turn
// besides their collection: a check or a consent, with a person in front of a
// screen. The zero value is ready for use.
type waiting struct {
	mu    sync.Mutex
	rooms map[string]*room
}

// room is where those wait who want one connection.
type room struct {
	waiters int
	free    chan struct{} // closed when the connection has been given back
}

// join waits for a connection, until leave.
func (w *waiting) join(connectionID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.rooms == nil {
		w.rooms = map[string]*room{}
	}
	if w.rooms[connectionID] == nil {
		w.rooms[connectionID] = &room{free: make(chan struct{})}
	}
	w.rooms[connectionID].waiters++
}

func (w *waiting) leave(connectionID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.rooms[connectionID]
	if r.waiters--; r.waiters == 0 {
		delete(w.rooms, connectionID)
	}
}

// freed returns a channel that is closed the next time that the connection is
// given back. The caller has joined.
func (w *waiting) freed(connectionID string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rooms[connectionID].free
}

// awaited reports whether anyone waits for a connection.
func (w *waiting) awaited(connectionID string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rooms[connectionID] != nil
}

// free lets those know who wait that a connection has been given back.
func (w *waiting) free(connectionID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.rooms[connectionID]; r != nil {
		close(r.free)
		r.free = make(chan struct{})
	}
}

// Another process does not tell when it gives a connection back, so it is asked
// for again: soon at first, for most turns are short, and then ever more seldom.
const (
	firstLook = 10 * time.Millisecond
	lastLook  = 500 * time.Millisecond
)

// looks are the pauses between two tries to take a connection.
func looks() iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for wait := firstLook; yield(wait); wait = min(2*wait, lastLook) {
		}
	}
}
