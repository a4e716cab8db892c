package collect

import (
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// earlyShare is the part of its interval that trips rest at least, however many have
// ended: a vendor is asked for them at most so many times as often as otherwise, and
// never beyond its limits, which hold for every call.
const earlyShare = 3

// endings are the ends of trips that positions have shown: when a vendor that reports
// its own trips may know of the first and of the last of them. They are of this process
// alone. What is forgotten with it comes with the next regular reading.
type endings struct {
	mu          sync.Mutex
	first, last time.Time
}

func (e *endings) note(at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.first.IsZero() {
		e.first = at
	}
	if at.After(e.last) {
		e.last = at
	}
}

// asked says that the vendor is asked for trips now. Each end is asked for once.
func (e *endings) asked(now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.first = time.Time{}
	if e.last.After(now) {
		e.first = e.last
	}
}

func (e *endings) wanted() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.first
}

// hasten makes trips due that positions say have ended. A job that fails keeps its
// pause.
func (v *run) hasten() {
	v.c.adapters.mu.Lock()
	a := v.c.adapters.open[v.claim.ConnectionID]
	v.c.adapters.mu.Unlock()
	if a == nil || a.ended.wanted().IsZero() {
		return
	}
	for i := range v.jobs {
		s := &v.jobs[i]
		if s.Kind != store.JobTrips || s.Backfill || s.ConsecutiveErrors > 0 || s.LastRunAt == nil {
			continue
		}
		at := a.ended.wanted()
		if rested := s.LastRunAt.Add(v.interval(s.Kind) / earlyShare); at.Before(rested) {
			at = rested
		}
		if at.Before(s.DueAt.Time) {
			s.DueAt = drover.At(at)
		}
	}
}
