package outbound

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/drover-fleet/drover/internal/quota"
)

const (
	// smallReading is what every reading may take of memory without asking, a medium
	// and a large one what they take then.
	smallReading  = 256 << 10
	mediumReading = 8 << 20
	largeReading  = 128 << 20
	// budgetQueue is how many may wait for memory, and budgetWait how long each.
	budgetQueue = 1024
	budgetWait  = 10 * time.Second
)

// Budget bounds the memory that the answers of all clients of a process take, raw and
// decoded: each reading may be small, or one of some that are medium, or one of a few
// that are large. A small packed answer can become a huge one, and many connections
// can have one at the same moment. Anyone who holds a place needs no second one of the
// same size, and a larger one only after a smaller: no one waits for a holder that
// waits for others. Each tenant has a share.
type Budget struct{ medium, large *quota.Pool }

// NewBudget makes a budget of so many bytes: a quarter of it for medium readings, the
// rest for large ones, of which there is at least one.
func NewBudget(size int64) *Budget {
	pool := func(places int64) *quota.Pool {
		return quota.New(quota.Config{Size: max(1, places), Queue: budgetQueue, Wait: budgetWait})
	}
	return &Budget{medium: pool(size / 4 / mediumReading), large: pool(size / 4 * 3 / largeReading)}
}

// errStarved says that there was no memory in time.
var errStarved = errors.New("no memory is left")

// reading is what belongs together in memory: the answers that make up a page, from
// their first byte until the page is stored.
type reading struct {
	budget *Budget
	tenant string

	mu     sync.Mutex
	used   int64
	room   int64
	places []*quota.Place
}

type readingKey struct{}

// WithReading lets the calls in a context count as one reading of a tenant, until end
// is called. Otherwise each answer is one by itself, until its body is closed.
func (b *Budget) WithReading(ctx context.Context, tenant string) (_ context.Context, end func()) {
	if b == nil {
		return ctx, func() {}
	}
	r := b.reading(tenant)
	return context.WithValue(ctx, readingKey{}, r), r.end
}

func (b *Budget) reading(tenant string) *reading {
	return &reading{budget: b, tenant: tenant, room: smallReading}
}

// readingOf returns the reading of a context, or a new one which is the caller's.
func (b *Budget) readingOf(ctx context.Context, tenant string) (r *reading, own bool) {
	if r, ok := ctx.Value(readingKey{}).(*reading); ok && r.budget == b {
		return r, false
	}
	return b.reading(tenant), true
}

// add takes n more, and waits for room where it has none. The error is errStarved,
// errHuge or that of ctx.
func (r *reading) add(ctx context.Context, n int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.used+n > r.room {
		pool, room := r.budget.medium, int64(mediumReading)
		if r.room >= mediumReading {
			pool, room = r.budget.large, largeReading
		}
		if r.room >= largeReading {
			return errHuge
		}
		place, err := pool.Take(ctx, r.tenant, 1)
		if errors.Is(err, quota.ErrFull) {
			return errStarved
		}
		if err != nil {
			return err
		}
		r.places, r.room = append(r.places, place), room
	}
	r.used += n
	return nil
}

// give returns what is garbage now; the places stay until the end.
func (r *reading) give(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= n
}

// end gives all places back. It is safe twice.
func (r *reading) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, place := range r.places {
		place.Return()
	}
	r.places, r.room = nil, smallReading
}
