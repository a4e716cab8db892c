package collect_test

import (
	"testing"
	"time"
)

// TestClockSteps puts the clock ahead and back while connections are read: polling
// goes on at its pace, whichever way it went.
func TestClockSteps(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, _ := r.stub("stepped", noon, []string{"a"})
		s.next()
		r.run()
		r.pass(5 * time.Minute)
		for _, step := range []time.Duration{-time.Hour, time.Hour, -time.Hour, 24 * time.Hour, -10 * 365 * 24 * time.Hour} {
			r.clock.Advance(step)
			before := len(s.queries())
			r.pass(10 * time.Minute)
			if polls := len(s.queries()) - before; polls < 9 || polls > 12 {
				t.Errorf("after a step of %s it was asked %d times in ten minutes, want 10", step, polls)
			}
		}
	})
}
