// Package processors shares the machine between short work and work that keeps a processor
// busy for long.
package processors

import (
	"os"
	"runtime"
	"sync"
)

// count is taken before anything can have changed it.
var count = runtime.GOMAXPROCS(0)

// Count is how many processors the program has.
func Count() int { return count }

var long struct {
	mu    sync.Mutex
	n     int
	added bool
}

// Long says that work begins which keeps a processor busy without a pause, no more of it at
// once than there are processors, until done is called, once.
//
// Go gives each of its processors to one goroutine for ten milliseconds, and looks for
// requests that have come in only when one of them is free: where all of them compute, a
// request waits for that at each of its steps. So while there is such work, Go has a
// processor more for each of the machine's, and the system shares the machine, which lets
// whoever has waited go first.
func Long() (done func()) {
	long.mu.Lock()
	defer long.mu.Unlock()
	// Where they were set to another number since the start, whoever did so wants that many.
	if long.n++; long.n == 1 && runtime.GOMAXPROCS(0) == count {
		runtime.GOMAXPROCS(2 * count)
		long.added = true
	}
	return end
}

func end() {
	long.mu.Lock()
	defer long.mu.Unlock()
	if long.n--; long.n > 0 || !long.added {
		return
	}
	long.added = false
	if os.Getenv("GOMAXPROCS") != "" {
		runtime.GOMAXPROCS(count)
		return
	}
	runtime.SetDefaultGOMAXPROCS() // it follows the limit of a container again
}
