package auth

import (
	"os"
	"runtime"
	"sync"
)

// spare has processors to spare for requests while passwords are hashed.
//
// Go gives each of its processors to one goroutine for ten milliseconds, and looks for
// requests that have come in only when one of them is free: where all of them compute, a
// request waits for that at each of its steps. So while a password is hashed, Go has a
// processor more for each of the machine's, and the system shares the machine, which lets
// those go first who have waited.
type spare struct {
	processors int // as many as the program has while nothing is hashed

	mu    sync.Mutex
	n     int
	added bool
}

// begin says that a hash begins. Call end once it is made.
func (s *spare) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Where they were set to another number since the start, that number is wanted.
	if s.n++; s.n == 1 && runtime.GOMAXPROCS(0) == s.processors {
		runtime.GOMAXPROCS(2 * s.processors)
		s.added = true
	}
}

func (s *spare) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n--; s.n > 0 || !s.added {
		return
	}
	s.added = false
	if os.Getenv("GOMAXPROCS") != "" {
		runtime.GOMAXPROCS(s.processors)
		return
	}
	runtime.SetDefaultGOMAXPROCS() // it follows the limit of a container again
}
