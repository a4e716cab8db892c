// Package fake has what the fakes of vendors' APIs share: how they answer. What a
// fake says, and how it writes numbers and times, is its own: it is made after the
// vendor's documentation and must not agree with the adapter by sharing its code.
package fake

import (
	"encoding/json"
	"net/http"
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
