package processors

import (
	"runtime"
	"testing"
)

// TestLong is about all of the process: nothing runs beside it.
func TestLong(t *testing.T) {
	for _, limit := range []string{"", "1"} {
		t.Setenv("GOMAXPROCS", limit)
		is := func(when string, want int) {
			t.Helper()
			if got := runtime.GOMAXPROCS(0); got != want {
				t.Errorf("%s there are %d processors, want %d", when, got, want)
			}
		}
		first := Long()
		is("during long work", 2*Count())
		second := Long()
		is("during more of it", 2*Count())
		first()
		is("until all has ended", 2*Count())
		second()
		is("afterwards", Count())
	}
	was := runtime.GOMAXPROCS(Count() + 1)
	defer runtime.GOMAXPROCS(was)
	done := Long()
	during := runtime.GOMAXPROCS(0)
	done()
	if after := runtime.GOMAXPROCS(0); during != Count()+1 || after != during {
		t.Errorf("where somebody chose %d processors, there are %d during long work and %d afterwards", Count()+1, during, after)
	}
}
