package app

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drover-fleet/drover"
)

// TestProbe asks again and again whether a write is possible.
func TestProbe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var writes atomic.Int64
		var outcome error
		release := make(chan struct{})
		close(release)
		p := &probe{now: time.Now, write: func(context.Context, drover.Time) error {
			writes.Add(1)
			<-release
			return outcome
		}}
		for range 3 {
			if err := p.check(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if writes.Load() != 1 {
			t.Errorf("%d writes within a second, want 1", writes.Load())
		}
		outcome = errors.New("full")
		time.Sleep(probeRest)
		if err := p.check(t.Context()); !errors.Is(err, outcome) {
			t.Errorf("a disk that is full: %v", err)
		}
		time.Sleep(probeRest)
		release, outcome = make(chan struct{}), nil
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if err := p.check(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a write that is held up: %v", err)
			}
			cancel()
		}
		if writes.Load() != 3 {
			t.Errorf("%d writes, want 3: one waits", writes.Load())
		}
		close(release)
		synctest.Wait()
		if err := p.check(t.Context()); err != nil {
			t.Errorf("a write that went through: %v", err)
		}
	})
}
