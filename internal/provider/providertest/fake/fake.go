// Package fake has what the fakes of vendors' APIs share: how they answer. What a
// fake says, and how it writes numbers and times, is its own: it is made after the
// vendor's documentation and must not agree with the adapter by sharing its code.
package fake

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Reply answers with JSON.
func Reply(w http.ResponseWriter, value any) { ReplyStatus(w, http.StatusOK, value) }

// ReplyStatus answers with JSON and a status. A type that the fake has set stays.
func ReplyStatus(w http.ResponseWriter, status int, value any) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // a client that has gone away needs no answer
}

// Inclusive turns the last instant of a window into its exclusive end.
func Inclusive(to time.Time) time.Time { return to.Add(time.Nanosecond) }

// Rate is a limit that a vendor keeps: so many calls in a span of time. It is safe
// for concurrent use.
type Rate struct {
	Calls int
	Per   time.Duration

	mu   sync.Mutex
	made []time.Time
}

// Allow counts a call, or reports that it is one too many.
func (r *Rate) Allow(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.made) > 0 && now.Sub(r.made[0]) >= r.Per {
		r.made = r.made[1:]
	}
	if len(r.made) >= r.Calls {
		return false
	}
	r.made = append(r.made, now)
	return true
}
