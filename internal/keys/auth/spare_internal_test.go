package auth

import (
	"runtime"
	"testing"
)

// TestSpare is about all of the process: nothing runs beside it.
func TestSpare(t *testing.T) {
	s := spare{processors: runtime.GOMAXPROCS(0)}
	for _, limit := range []string{"", "1"} {
		t.Setenv("GOMAXPROCS", limit)
		is := func(when string, want int) {
			t.Helper()
			if got := runtime.GOMAXPROCS(0); got != want {
				t.Errorf("%s there are %d processors, want %d", when, got, want)
			}
		}
		s.begin()
		is("during a hash", 2*s.processors)
		s.begin()
		is("during two", 2*s.processors)
		s.end()
		is("until both are made", 2*s.processors)
		s.end()
		is("afterwards", s.processors)
	}
	chosen := s.processors + 1
	was := runtime.GOMAXPROCS(chosen)
	defer runtime.GOMAXPROCS(was)
	s.begin()
	during := runtime.GOMAXPROCS(0)
	s.end()
	if after := runtime.GOMAXPROCS(0); during != chosen || after != chosen {
		t.Errorf("where %d processors were chosen, there are %d during a hash and %d afterwards", chosen, during, after)
	}
}
