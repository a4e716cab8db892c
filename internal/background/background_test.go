package background_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drover-fleet/drover/internal/background"
)

func TestWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, ticks atomic.Int64
		w := &background.Work{Run: func(ctx context.Context) {
			if running.Add(1) > 1 {
				t.Error("the work runs twice at once")
			}
			defer running.Add(-1)
			background.Every(ctx, time.Second, func(context.Context) { ticks.Add(1) })
		}}
		w.Stop()
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { w.Start(t.Context()) })
		}
		wg.Wait()
		time.Sleep(3500 * time.Millisecond)
		if n := ticks.Load(); n != 3 {
			t.Errorf("%d ticks in 3.5 s, want 3", n)
		}
		w.Stop()
		if running.Load() != 0 {
			t.Error("Stop returned before the work had ended")
		}
		w.Stop()
		w.Start(t.Context())
		synctest.Wait()
		if running.Load() != 1 {
			t.Error("the work did not start again")
		}
		w.Stop()
	})
}
