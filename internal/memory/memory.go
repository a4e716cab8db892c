// Package memory bounds the memory of a process. It has one budget for all data whose size callers
// and vendors decide: answers of vendors, bodies of requests, responses, and events that streams
// catch up with. When it is used up, work waits or is refused. Exports are written page by page,
// one at a time, and need none of it.
package memory

import (
	"math"
	"os"
	"runtime/debug"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/drover-fleet/drover/internal/quota"
)

// Budget are the parts of what a process may take, so that none can use up what
// another needs. Holders are tenants, or addresses before the login.
type Budget struct {
	// Answers is for what vendors answer.
	Answers int64
	// Requests is for bodies of requests, and of answers that wait to be taken.
	Requests *quota.Pool
	// Streams is for events that a stream catches up with.
	Streams *quota.Pool
}

const (
	mib = 1 << 20
	// least and most bound the budget, whatever the limit: below, nothing works, and
	// above nothing is gained.
	least, most = 64 * mib, 1024 * mib
	// patience is how long someone waits for memory.
	patience = 2 * time.Second
	queue    = 1024
)

// NewBudget divides half of a limit; the other half is for everything else: the
// program, the database's pages, and what is collected late.
func NewBudget(limit int64) *Budget {
	all := min(max(limit/2, least), most)
	part := func(size int64) *quota.Pool {
		return quota.New(quota.Config{Size: size, Queue: queue, Wait: patience})
	}
	// A pool keeps a quarter of its size in reserve, beyond it.
	return &Budget{Answers: all / 2, Requests: part(all / 5), Streams: part(all / 5)}
}

// Default is the limit of a process that is given none: that of its control group,
// or a quarter of the machine's memory, and at least a GiB of it.
func Default() int64 { return defaultOf(memlimit.FromCgroup, memlimit.FromSystem) }

func defaultOf(group, machine memlimit.Provider) int64 {
	if limit, err := group(); err == nil && limit <= math.MaxInt64 {
		return int64(limit)
	}
	all, err := machine()
	if err != nil { // it cannot be known here
		all = 0
	}
	return max(1024*mib, int64(min(all, math.MaxInt64))/4)
}

// Apply has the runtime keep to a limit. Embedded says that the pages of a database
// lie in the same process, which the runtime does not see. A limit that GOMEMLIMIT
// sets stays.
func Apply(limit int64, embedded bool) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	share := limit / 10 * 9
	if embedded {
		share = limit / 3 * 2
	}
	debug.SetMemoryLimit(share)
}
