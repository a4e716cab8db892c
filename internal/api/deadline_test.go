package api

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestLateDeadline waits in a context that is bounded from the first wait on.
func TestLateDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &lateDeadline{Context: t.Context(), limit: time.Minute}
		defer c.end()
		time.Sleep(time.Hour)
		if err := c.Err(); err != nil {
			t.Fatalf("it ended before anyone waited: %v", err)
		}
		child, cancel := context.WithCancel(c)
		defer cancel()
		begun := time.Now()
		<-child.Done()
		if took := time.Since(begun); took != time.Minute {
			t.Errorf("it ended after %s", took)
		}
		if !errors.Is(c.Err(), context.DeadlineExceeded) || !errors.Is(child.Err(), context.DeadlineExceeded) {
			t.Errorf("it ended with %v, and what was made from it with %v", c.Err(), child.Err())
		}
	})
}

// TestLateDeadlineOfOneWhoHasGone ends with the request.
func TestLateDeadlineOfOneWhoHasGone(t *testing.T) {
	t.Parallel()
	request, leave := context.WithCancel(t.Context())
	c := &lateDeadline{Context: request, limit: time.Hour}
	defer c.end()
	leave()
	<-c.Done()
	if !errors.Is(c.Err(), context.Canceled) {
		t.Errorf("it ended with %v", c.Err())
	}
}
