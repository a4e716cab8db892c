package simulate

import (
	"math/rand/v2"
	"time"
)

// kind is a kind of fault.
type kind int

const (
	crash       kind = iota // the process dies between two statements
	restart                 // it is stopped in order, and started again
	clockStep               // its clock is set, and put right some time later
	freeze                  // it stands still for a while
	badDisk                 // some writes fail
	fullDisk                // the database cannot grow
	badVendor               // vendors answer late, wrong, half or not at all
	emptyLists              // a vendor forgets its devices for a moment
	badReceiver             // and so do receivers
	badClients              // requests and answers of clients get lost
	suspension              // tenants are suspended for a while
	kinds
)

// plan is what goes wrong in a world. Most worlds have some of the kinds only: where
// everything fails all the time, little gets far enough to fail in a new way.
type plan struct {
	enabled   [kinds]bool
	every     time.Duration // between two faults of the process, on average
	vendors   float64       // share of the calls that go wrong
	receivers float64
	length    time.Duration
}

func newPlan(r *rand.Rand) plan {
	p := plan{
		every:   time.Duration(10+r.IntN(60)) * time.Second,
		vendors: 0.02 + 0.2*r.Float64(), receivers: 0.02 + 0.3*r.Float64(),
		length: time.Duration(5+r.IntN(8)) * time.Minute,
	}
	for k := range p.enabled {
		p.enabled[k] = r.IntN(2) == 0
	}
	return p
}

func (p *plan) has(k kind) bool { return p.enabled[k] }

// processFaults are those that befall the process from outside.
func (p *plan) processFaults() []kind {
	var out []kind
	for _, k := range []kind{crash, restart, clockStep, freeze, badDisk, fullDisk} {
		if p.has(k) {
			out = append(out, k)
		}
	}
	return out
}
