package deliver

import (
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/deliver/signing"
	"github.com/drover-fleet/drover/internal/store/work"
)

const (
	// window bounds the deliveries of a target that wait in memory; more are read
	// when no more than refill are left.
	window = 128
	refill = window / 2
	// linger is how long an idle target stays held.
	linger = 5 * time.Second
	// settingsAge bounds how long it takes to notice a change of a target.
	settingsAge = time.Second
	// foreignFor is how long a target is left alone that another process holds.
	foreignFor = time.Second
)

// target is one that this process serves, or tries to.
type target struct {
	drover.Target
	key      *key
	settings work.TargetSettings
	ring     signing.Ring
	readAt   time.Time // when the reading of the settings began
	held     bool
	leaseEnd time.Time // while it is
	losses   int       // of the lease
	// waitUntil is the time until which the receiver has asked not to be called.
	waitUntil time.Time

	queue    []*job
	seen     int64           // the highest sequence that was read or came with a notice
	inFlight map[string]*job // by event id
	lanes    lanes

	loading   bool
	releasing bool
	again     bool // there may be more to read
	idleSince time.Time
	foreign   time.Time // until when another process is left to it
	dead      string    // who held it and does not live any more
}

func newTarget(t drover.Target, now time.Time) *target {
	return &target{Target: t, inFlight: map[string]*job{}, lanes: newLanes(), idleSince: now}
}

func (t *target) idle() bool {
	return len(t.queue) == 0 && len(t.inFlight) == 0 && !t.loading && !t.releasing
}

// push takes a delivery on that came with a notice, without reading it. It does not
// where there may be others to read before it. One that follows all that was read
// and is not newer was read itself: sequences become visible in their order.
func (t *target) push(d drover.Delivery, now time.Time) bool {
	if !t.held || t.again || t.loading || t.releasing || t.key == nil || t.key.open(now) || t.key.holds(t, now) || len(t.queue) >= window ||
		now.Sub(t.readAt) >= settingsAge || !t.settings.Enabled || t.settings.Suspended || t.settings.URL == "" {
		return false
	}
	if d.Sequence <= t.seen {
		return true // reading was faster than telling
	}
	t.seen, t.idleSince = d.Sequence, now
	t.queue = append(t.queue, &job{Delivery: d, url: t.settings.URL})
	return true
}

// wait keeps a target's deliveries back until the time that its receiver has asked for.
func (t *target) wait(until time.Time) {
	if until.After(t.waitUntil) {
		t.waitUntil = until
	}
}

// known are the deliveries that are in memory.
func (t *target) known() []string {
	ids := make([]string, 0, len(t.queue)+len(t.inFlight))
	for _, j := range t.queue {
		ids = append(ids, j.EventID)
	}
	for id := range t.inFlight {
		ids = append(ids, id)
	}
	return ids
}

// take removes and returns the first delivery that may be sent now: nothing
// before it, nor under way, is about the same device.
func (t *target) take() *job {
	waiting := lanes{}
	for i, j := range t.queue {
		if !t.lanes.blocks(j) && !waiting.blocks(j) {
			t.queue = slices.Delete(t.queue, i, i+1)
			return j
		}
		if waiting.all == nil {
			waiting = newLanes()
		}
		waiting.add(j)
	}
	return nil
}

// lanes are the deliveries, counted by what they are about, that others have to
// wait for. What is about a connection as a whole, such as a batch of positions,
// and what is about one of its devices wait for each other.
type lanes struct {
	all     map[string]int // by connection
	whole   map[string]int // of these, about the connection
	devices map[[2]string]int
}

func newLanes() lanes {
	return lanes{all: map[string]int{}, whole: map[string]int{}, devices: map[[2]string]int{}}
}

func (l lanes) blocks(j *job) bool {
	if j.DeviceID == "" {
		return l.all[j.ConnectionID] > 0
	}
	return l.whole[j.ConnectionID] > 0 || l.devices[[2]string{j.ConnectionID, j.DeviceID}] > 0
}

func (l lanes) add(j *job)    { l.count(j, 1) }
func (l lanes) remove(j *job) { l.count(j, -1) }

func (l lanes) count(j *job, by int) {
	bump(l.all, j.ConnectionID, by)
	if j.DeviceID == "" {
		bump(l.whole, j.ConnectionID, by)
		return
	}
	bump(l.devices, [2]string{j.ConnectionID, j.DeviceID}, by)
}

func bump[K comparable](counts map[K]int, k K, by int) {
	if counts[k] += by; counts[k] == 0 {
		delete(counts, k)
	}
}
