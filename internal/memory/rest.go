package memory

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// RestInterval is how often Rest looks.
const RestInterval = 2 * time.Second

const (
	// restless is what a process that rests allocates at most between two looks, and
	// worthwhile what it must have allocated before that, so that giving it back pays.
	restless   = 1 * mib
	worthwhile = 8 * mib
)

// Rest gives memory back to the system once a process rests. The runtime keeps what a
// burst took: starting, a login, a long list. It lets the heap grow to several times of
// what is live before it collects, which is right under load.
type Rest struct {
	allocated func() uint64
	giveBack  func()
	last      uint64 // allocated at the last look
	given     uint64 // allocated when memory was last given back
}

// NewRest watches this process.
func NewRest() *Rest {
	return &Rest{giveBack: debug.FreeOSMemory, allocated: func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}}
}

// Look gives memory back where the process has come to rest since the last look.
func (r *Rest) Look(context.Context) {
	now := r.allocated()
	if now-r.last <= restless && now-r.given >= worthwhile {
		r.giveBack()
		r.given = now
	}
	r.last = now
}
