package background_test

import (
	"context"
	"errors"
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

func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		pace := background.Rest(3).Begin()
		for _, worked := range []time.Duration{time.Second, 2 * time.Second} {
			time.Sleep(worked)
			if err := pace.Pause(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := time.Since(begun), 12*time.Second; got != want {
			t.Errorf("three seconds of work took %s, want %s", got, want)
		}
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
		defer stop()
		time.Sleep(time.Second)
		if err := pace.Pause(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != 14*time.Second {
			t.Errorf("a pause that is broken off ends with %v after %s", err, time.Since(begun))
		}
		hurried := background.Rest(0).Begin()
		time.Sleep(time.Second)
		if err := hurried.Pause(t.Context()); err != nil || time.Since(begun) != 15*time.Second {
			t.Errorf("work without rest goes on with %v after %s", err, time.Since(begun))
		}
	})
}

// Anyone who starts and stops, and in whatever order: the work runs at most once at a
// time, Stop comes back only when it has ended, and in the end nothing is left.
func TestStartAndStopFromEverywhere(t *testing.T) {
	t.Parallel()
	var running, runs atomic.Int64
	w := &background.Work{Run: func(ctx context.Context) {
		if running.Add(1) > 1 {
			t.Error("the work runs twice at once")
		}
		runs.Add(1)
		<-ctx.Done()
		running.Add(-1)
	}}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 500 {
				if (i+j)%2 == 0 {
					w.Start(ctx)
				} else {
					w.Stop()
				}
			}
		})
	}
	wg.Wait()
	w.Start(ctx)
	cancel() // the work ends by itself; Stop still has to come back
	w.Stop()
	if running.Load() != 0 {
		t.Error("Stop returned before the work had ended")
	}
	if runs.Load() < 2 {
		t.Errorf("the work ran %d times", runs.Load())
	}
}
