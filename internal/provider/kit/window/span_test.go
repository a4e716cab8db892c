package window

import (
	"testing"
	"time"
)

func TestSpanIsNarrowedToAnEnd(t *testing.T) {
	t.Parallel()
	s, times := Span{Length: 8 * time.Hour, Margin: 8 * time.Hour}, 0
	for s.Narrow() {
		times++
	}
	if times != 4 || s.Length != 30*time.Minute || s.Margin != 30*time.Minute {
		t.Errorf("after %d times: %+v", times, s)
	}
}
