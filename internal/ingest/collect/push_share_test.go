package collect_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/drover-fleet/drover/internal/ingest/collect"
)

// counted is how many pushes of taps were opened and ended.
type counted struct{ opened, ended int }

// count adds up what taps have said since the last time.
func (c *counted) count(taps []*tap) int {
	for _, p := range taps {
		for len(p.opened) > 0 {
			<-p.opened
			c.opened++
		}
		for len(p.ended) > 0 {
			<-p.ended
			c.ended++
		}
	}
	return c.opened - c.ended
}

// TestPushesOfOneTenant has a tenant with more pushes than there are places: it may
// borrow all that no one wants, others get their share of places nevertheless, and a place
// that was borrowed is given back where the reserve is used up.
func TestPushesOfOneTenant(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		const places, share = 8, 2
		tenant := func(name string, n int) (taps []*tap) {
			for i := range n {
				p, _ := r.tap(fmt.Sprint(name, i))
				taps = append(taps, p)
			}
			return taps
		}
		var large, second, third counted
		many := tenant("large", places+4)
		r.anotherTenant()
		// No lease ends, however far the clock is moved below.
		c := r.collecting(func(o *collect.Options) { o.Pushes, o.Lease = places, 100_000*time.Hour })
		r.wakeUntil(c, "a tenant that is alone has all places", func() bool { return large.count(many) == places })
		few := tenant("second", share)
		r.wakeUntil(c, "another has its share", func() bool { return second.count(few) == share })
		if n := large.count(many); n != places {
			t.Errorf("the first has %d pushes while the reserve lasts, want %d", n, places)
		}
		r.anotherTenant()
		one := tenant("third", 1)
		r.wakeUntil(c, "a third has a push", func() bool {
			r.clock.Advance(time.Minute) // where it came too late
			return third.count(one) == 1
		})
		r.until("the first has given a place back", func() bool { return large.count(many) < places })
		if n := second.count(few); n != share {
			t.Errorf("the second, who was below its share, has %d pushes", n)
		}
		for _, p := range many {
			r.wakeUntil(c, "connections without a push are polled", func() bool { return p.livePolls() > 0 })
		}
	})
}
