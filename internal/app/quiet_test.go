package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// lockedBuffer is written to by timers too.
type lockedBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}

// TestQuietLog logs thousands of faults of one kind, and some of others.
func TestQuietLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out lockedBuffer
		l := quiet(slog.New(slog.NewTextHandler(&out, nil)))
		down := fmt.Errorf("read: %w", context.DeadlineExceeded)
		for n := range 5000 {
			l.Error("request", "err", down, "request_id", n, "tenant", n%7)
			l.Error("request", "err", errors.New("a fault of ours"), "request_id", n)
			l.Warn("collection failed", "connection", n%2)
			l.Info("nothing is wrong")
		}
		lines := func(text string) int { return strings.Count(out.String(), text) }
		if lines("deadline") != 1 || lines("a fault of ours") != 1 || lines("collection failed") != 2 || lines("nothing is wrong") != 5000 {
			t.Errorf("%d, %d, %d and %d lines, want 1, 1, 2 and 5000", lines("deadline"), lines("a fault of ours"), lines("collection failed"),
				lines("nothing"))
		}
		time.Sleep(quietTime)
		synctest.Wait()
		if lines("repeated=4999") != 2 || lines("repeated=2499") != 2 {
			t.Errorf("it was not counted how often the faults came again: %d and %d", lines("repeated=4999"), lines("repeated=2499"))
		}
		if l.Error("request", "err", down); lines("deadline") != 3 {
			t.Errorf("%d lines after a while, want 3", lines("deadline"))
		}
		time.Sleep(quietTime)
		synctest.Wait()
		if lines("deadline") != 3 {
			t.Error("what was not repeated is reported again")
		}
	})
}
