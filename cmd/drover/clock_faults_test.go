//go:build faults

package main

import (
	"testing"
	"time"
)

// TestStepped holds that a step moves the time of day and no duration.
func TestStepped(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, seconds := range []int64{0, 1, 3600, -3600} {
		later := stepped(now, seconds)
		if got := later.Round(0).Sub(now.Round(0)); got != time.Duration(seconds)*time.Second {
			t.Errorf("the time of day moved by %s, want %d s", got, seconds)
		}
		if got := later.Sub(now); got != 0 {
			t.Errorf("a duration of %s passed by a step of %d s", got, seconds)
		}
	}
}
