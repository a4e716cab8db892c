package auth

import (
	"runtime"
	"testing"
)

// TestSpare is about all of the process: nothing runs beside it. While passwords are hashed, there are twice as many
// processors; afterwards as many as GOMAXPROCS has set at the start or, where it is not set, as the machine has by then.
func TestSpare(t *testing.T) {
	was := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(was)
	runtime.SetDefaultGOMAXPROCS()
	machine := runtime.GOMAXPROCS(0)
	is := func(when string, want int) {
		t.Helper()
		if got := runtime.GOMAXPROCS(0); got != want {
			t.Errorf("%s there are %d processors, want %d", when, got, want)
		}
	}
	s := spare{processors: machine + 1}
	for limit, afterwards := range map[string]int{"": machine, "set": s.processors} {
		t.Setenv("GOMAXPROCS", limit)
		runtime.GOMAXPROCS(s.processors)
		s.begin()
		is("during a hash", 2*s.processors)
		s.begin()
		is("during two", 2*s.processors)
		s.end()
		is("until both are made", 2*s.processors)
		s.end()
		is("afterwards", afterwards)
	}
	runtime.GOMAXPROCS(machine)
	s.begin()
	is("during a hash, where another number was chosen since the start,", machine)
	s.end()
	is("afterwards, where another number was chosen since the start,", machine)
}
