package middle

import (
	"net/http"
	"time"

	"github.com/drover-fleet/drover"
)

// ShedConfig bounds the work under way.
type ShedConfig struct {
	Limit int           // requests served at once; zero or less turns shedding off
	Queue int           // requests that may wait for one of those to end
	Wait  time.Duration // how long each of them may
}

// Shed answers 503 to what exceeds the bounds, so that an overload slows down
// nobody whose request is already taken.
func Shed(c ShedConfig) Middleware {
	if c.Limit <= 0 {
		return func(next http.Handler) http.Handler { return next }
	}
	running := make(chan struct{}, c.Limit)
	waiting := make(chan struct{}, max(0, c.Queue))
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !take(running) && !c.waitFor(running, waiting, r) {
				WriteErr(w, overloaded())
				return
			}
			defer func() { <-running }()
			next.ServeHTTP(w, r)
		})
	}
}

func overloaded() error {
	return &drover.Error{
		Kind:       drover.KindUnavailable,
		Message:    "Service is overloaded, try again later",
		RetryAfter: time.Second,
	}
}

// take takes a place where one is free.
func take(places chan struct{}) bool {
	select {
	case places <- struct{}{}:
		return true
	default:
		return false
	}
}

// waitFor waits for a place to run, where there is one to wait in.
func (c ShedConfig) waitFor(running, waiting chan struct{}, r *http.Request) bool {
	if !take(waiting) {
		return false
	}
	defer func() { <-waiting }()
	timer := time.NewTimer(c.Wait)
	defer timer.Stop()
	select {
	case running <- struct{}{}:
		return true
	case <-timer.C:
	case <-r.Context().Done():
	}
	return false
}
