package deliver

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store/work"
)

// loop is the state of a running Deliverer. Only its own goroutine touches it.
type loop struct {
	*Deliverer
	*inbox
	owner   string               // as it stands in leases
	unseen  map[string]time.Time // owners that do not show that they live, since when
	targets map[drover.Target]*target
	next    map[string]int64 // the sequence after the last that it was notified of, by tenant
	keys    map[string]*key

	// What goes on beside the loop reports here.
	loaded   chan *load
	scanned  chan scan
	rested   chan struct{}
	settled  chan []*job
	renewed  chan renewal
	released chan []*target

	ticks     int
	scanning  bool
	scanAfter time.Time // when all tenants are looked at again
	scanBy    int       // the tick by which they are, however the clock is set
	renewing  bool
	renewAt   time.Time
	tenants   map[string]bool // to scan next

	results  chan *job // to the committer
	loads    chan struct{}
	sends    context.Context
	stopping bool
	beside   sync.WaitGroup
}

// maxLoads bounds how many targets are read at once.
const maxLoads = 8

func newLoop(ctx context.Context, d *Deliverer) *loop {
	return &loop{
		Deliverer: d, inbox: newInbox(), owner: d.Owner, unseen: map[string]time.Time{}, targets: map[drover.Target]*target{},
		next: map[string]int64{}, keys: map[string]*key{}, tenants: map[string]bool{},
		loaded: make(chan *load), scanned: make(chan scan), rested: make(chan struct{}), settled: make(chan []*job),
		renewed: make(chan renewal), released: make(chan []*target),
		results: make(chan *job, commitRows), loads: make(chan struct{}, maxLoads), sends: context.WithoutCancel(ctx),
		renewAt: d.Now().Add(renewEvery),
	}
}

// run goes on until ctx is done and nothing is under way any more.
func (l *loop) run(ctx context.Context) {
	var cut context.CancelFunc
	l.sends, cut = context.WithCancel(l.sends)
	defer cut()
	work := context.WithoutCancel(ctx)
	var committing sync.WaitGroup
	committing.Go(func() { l.commitAll(work) })
	ticker := time.NewTicker(l.Poll)
	defer ticker.Stop()
	l.tick(work)
	stop := ctx.Done()
	for !l.stopping || l.busy() {
		select {
		case <-stop:
			l.stopping, stop = true, nil
			defer time.AfterFunc(l.Grace, cut).Stop()
		case <-l.pings:
		case <-l.wake:
			l.look(work)
		case <-ticker.C:
			l.tick(work)
		case done := <-l.loaded:
			l.take(work, done)
		case found := <-l.scanned:
			l.found(work, found)
		case <-l.rested:
			l.rest(work)
		case jobs := <-l.settled:
			l.settle(work, jobs)
		case r := <-l.renewed:
			l.lost(work, r)
		case targets := <-l.released:
			l.forget(work, targets)
		}
	}
	l.beside.Wait()
	close(l.results)
	committing.Wait()
	l.leaveAll(work)
}

// busy reports whether anything will still report to the loop.
func (l *loop) busy() bool {
	if l.scanning || l.renewing {
		return true
	}
	for _, t := range l.targets {
		if t.loading || t.releasing || len(t.inFlight) > 0 {
			return true
		}
	}
	return false
}

// look takes on what it was notified of.
func (l *loop) look(ctx context.Context) {
	added, targets, tenants := l.notices()
	// Several commit at once, and do not tell of it in the order of their commits.
	order.By(added, func(a, b work.Added) int { return cmp.Compare(a.First, b.First) })
	keys := map[*key]bool{}
	for _, a := range added {
		l.push(a, keys, targets)
	}
	l.startAll(ctx, keys)
	for _, t := range slices.SortedFunc(maps.Keys(targets), byName) {
		l.ask(ctx, t)
	}
	for id := range tenants {
		l.tenants[id] = true
	}
	if len(l.tenants) > 0 {
		l.scan(ctx)
	}
}

// byName is an order of targets, so that work begins in the same one each time.
func byName(a, b drover.Target) int {
	return cmp.Or(cmp.Compare(a.TenantID, b.TenantID), cmp.Compare(a.ID, b.ID))
}

func inOrder(targets []*target) []*target {
	order.By(targets, func(a, b *target) int { return byName(a.Target, b.Target) })
	return targets
}

// push takes deliveries on without reading them, where all that comes before them
// is known. Targets whose deliveries have to be read are added to targets: what comes
// after those that have to be read is read too, or it would be sent before them.
func (l *loop) push(a work.Added, keys map[*key]bool, targets map[drover.Target]bool) {
	if l.next[a.TenantID] != a.First {
		for name := range l.targets {
			if name.TenantID == a.TenantID {
				targets[name] = true
			}
		}
	}
	l.next[a.TenantID] = max(l.next[a.TenantID], a.Last+1)
	for _, d := range a.Deliveries {
		if t := l.targets[d.Target]; t != nil && !targets[d.Target] && t.push(d, l.Now()) {
			keys[t.key] = true
		} else {
			targets[d.Target] = true
		}
	}
}

// tick does what comes with time.
func (l *loop) tick(ctx context.Context) {
	now := l.Now()
	if l.ticks++; l.ticks >= l.scanBy || !now.Before(l.scanAfter) {
		l.tenants[everyTenant] = true
	}
	if len(l.tenants) > 0 {
		l.scan(ctx)
	}
	if !l.renewing && !now.Before(l.renewAt) {
		l.renew(ctx)
	}
	var idle, again, old []*target
	for _, t := range l.targets {
		switch {
		case !t.held && t.idle() && t.again:
			again = append(again, t)
		case !t.held && t.idle() && now.After(t.foreign):
			l.drop(t)
		case t.held && t.idle() && !t.again && !l.stopping && now.Sub(t.idleSince) >= linger:
			t.releasing = true
			idle = append(idle, t)
		case t.held && !t.idle() && now.Sub(t.readAt) >= settingsAge:
			old = append(old, t)
		}
	}
	for _, t := range inOrder(again) {
		l.refill(ctx, t)
	}
	for _, t := range inOrder(old) {
		l.load(ctx, t, 0)
	}
	for name, k := range l.keys {
		if k.prune(now); len(k.targets) == 0 && k.inFlight == 0 && now.Sub(k.used) > forgetAfter {
			delete(l.keys, name)
		}
	}
	if len(idle) > 0 {
		l.release(ctx, inOrder(idle))
	}
}

// ask makes sure that a target's deliveries are read, now or when there is room.
func (l *loop) ask(ctx context.Context, name drover.Target) {
	if l.stopping {
		return
	}
	now := l.Now()
	t := l.targets[name]
	if t == nil {
		t = newTarget(name, now)
		l.targets[name] = t
	}
	t.again = true
	l.refill(ctx, t)
}

// refill reads more of a target's deliveries where there is room and reason.
func (l *loop) refill(ctx context.Context, t *target) {
	now := l.Now()
	switch {
	case l.stopping, !t.again, t.loading, t.releasing, len(t.queue) > refill, now.Before(t.foreign):
		return
	case t.key != nil && (t.key.open(now) || t.key.holds(t, now)):
		return // looking again finds it
	}
	t.again = false
	l.load(ctx, t, window-len(t.queue))
}

// start sends what may be sent of a key's targets, in turns.
func (l *loop) start(ctx context.Context, k *key) {
	for misses := 0; misses < len(k.targets) && k.free(l.Now()) && !l.stopping; {
		t := k.targets[k.next%len(k.targets)]
		k.next++
		if l.lapsed(t.leaseEnd) {
			l.lose(t)
		}
		if !k.ready(t, l.Now()) || len(t.queue) > 0 && !l.current(ctx, t) {
			misses++
			continue
		}
		j := t.take()
		if j == nil {
			misses++
			continue
		}
		misses = 0
		l.begin(t, j)
	}
	now := l.Now()
	for _, t := range k.targets {
		if k.open(now) || k.holds(t, now) {
			// Nothing is sent for a while: memory is for others.
			t.again = t.again || len(t.queue) > 0
			t.queue = nil
			continue
		}
		l.refill(ctx, t)
	}
}

// current reports whether what is known of a target is young enough to send by: its
// tenant may be suspended, or the target disabled. What is half as old is read again
// in good time, so that a target that is busy does not wait for it.
func (l *loop) current(ctx context.Context, t *target) bool {
	age := l.Now().Sub(t.readAt)
	if age >= settingsAge/2 {
		l.load(ctx, t, 0)
	}
	return age < settingsAge
}

// startAll does so for several keys, in the same order each time.
func (l *loop) startAll(ctx context.Context, keys map[*key]bool) {
	for _, k := range slices.SortedFunc(maps.Keys(keys), func(a, b *key) int { return cmp.Compare(a.name, b.name) }) {
		l.start(ctx, k)
	}
}

func (l *loop) begin(t *target, j *job) {
	j.target, j.key, j.ring, j.leaseEnd = t, t.key, t.ring, t.leaseEnd
	t.inFlight[j.EventID] = j
	t.lanes.add(j)
	j.key.inFlight++
	l.metrics.inFlight.Inc()
	l.beside.Go(func() {
		l.send(l.sends, j)
		l.results <- j
	})
}

// settle takes note of attempts whose results are committed.
func (l *loop) settle(ctx context.Context, jobs []*job) {
	now := l.Now()
	keys := map[*key]bool{}
	for _, j := range jobs {
		t := j.target
		delete(t.inFlight, j.EventID)
		t.lanes.remove(j)
		t.idleSince = now
		j.key.inFlight--
		l.metrics.inFlight.Dec()
		keys[j.key] = true
		t.wait(j.retryAfter)
		switch {
		case j.cut:
			t.again = true
		case j.disabled:
			t.queue, t.readAt = nil, time.Time{}
			fallthrough
		default:
			j.key.observe(now, j)
		}
	}
	l.startAll(ctx, keys)
}

func (l *loop) drop(t *target) {
	if t.key != nil {
		t.key.leave(t)
	}
	delete(l.targets, t.Target)
}
