package quota

import (
	"cmp"
	"sync"
	"time"

	"github.com/drover-fleet/drover/internal/order"
)

// Meter counts what tenants use, in memory: someone takes the counts from time to time
// and writes them down. It is safe for concurrent use, and a nil Meter counts nothing.
type Meter struct {
	now func() time.Time

	mu     sync.Mutex
	counts map[meterKey]Counts
}

type meterKey struct {
	tenant string
	day    int64
}

// Counts are what one tenant used.
type Counts struct{ Requests, Positions, Deliveries int64 }

// Metered is what one tenant used on a day since 1970 in UTC.
type Metered struct {
	Tenant string
	Day    int64
	Counts
}

// NewMeter makes a Meter.
func NewMeter(now func() time.Time) *Meter { return &Meter{now: now, counts: map[meterKey]Counts{}} }

// Add counts for a tenant, on the present day.
func (m *Meter) Add(tenant string, c Counts) {
	if m == nil || c == (Counts{}) {
		return
	}
	m.put(Metered{tenant, Day(m.now()), c})
}

func (m *Meter) put(u Metered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := meterKey{u.Tenant, u.Day}
	sum := m.counts[key]
	sum.Requests += u.Requests
	sum.Positions += u.Positions
	sum.Deliveries += u.Deliveries
	m.counts[key] = sum
}

// Take hands out what was counted since it was last asked, by tenant and day.
func (m *Meter) Take() []Metered {
	m.mu.Lock()
	taken := m.counts
	m.counts = make(map[meterKey]Counts, len(taken))
	m.mu.Unlock()
	out := make([]Metered, 0, len(taken))
	for key, c := range taken {
		out = append(out, Metered{key.tenant, key.day, c})
	}
	order.By(out, func(a, b Metered) int { return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Day, b.Day)) })
	return out
}

// Return takes back what could not be written down.
func (m *Meter) Return(counted []Metered) {
	for _, u := range counted {
		m.put(u)
	}
}

// Day is the number of a time's day since 1970 in UTC.
func Day(t time.Time) int64 {
	day := t.Unix() / 86_400
	if t.Unix()%86_400 < 0 {
		day--
	}
	return day
}
