package simulate

import (
	"context"
	"os"
	"time"

	"github.com/drover-fleet/drover/internal/store"
)

// chaos does to the process what the plan has for it.
func (w *world) chaos(ctx context.Context) {
	possible := w.plan.processFaults()
	if len(possible) == 0 {
		return
	}
	r := stream(w.seed, "chaos")
	for {
		if !sleep(ctx, time.Duration(float64(w.plan.every)*(0.2+1.6*r.Float64()))) {
			return
		}
		p := w.process()
		k, n, size := possible[r.IntN(len(possible))], r.IntN(1_000_000), time.Duration(r.Int64N(int64(90*time.Second)))
		if p == nil {
			continue
		}
		w.trace.add("chaos: %d", k)
		switch k {
		case crash:
			// Mostly in the midst of what goes on now: idle, a process runs a hundred
			// statements in ten seconds.
			p.with(func(p *process) { p.points = 1 + n%(10+n%400) })
		case restart:
			w.restart(p)
		case clockStep:
			w.step(p, n, size)
		case freeze:
			p.with(func(p *process) { p.frozen = time.Now().Add(size) })
			w.trouble(size)
		case badDisk:
			w.during(ctx, p, size, func(p *process, on bool) { p.failing = map[bool]float64{true: 0.05 + 0.4*float64(n%100)/100}[on] })
		case fullDisk:
			w.during(ctx, p, size, func(p *process, on bool) { p.full = on })
		case badVendor, emptyLists, badReceiver, badClients, suspension, kinds:
		}
	}
}

// during is a fault with an end.
func (w *world) during(ctx context.Context, p *process, size time.Duration, set func(p *process, on bool)) {
	w.trouble(size + settling)
	p.with(func(p *process) { set(p, true) })
	sleep(ctx, size)
	p.with(func(p *process) { set(p, false) })
}

// settling is how long it takes until results are committed that could not be.
const settling = 15 * time.Second

// step sets the clock of all processes: by seconds or hours, either way, or right
// again.
func (w *world) step(p *process, n int, size time.Duration) {
	ahead := time.Duration(0)
	switch n % 5 {
	case 0:
		ahead = size
	case 1:
		ahead = -size
	case 2:
		ahead = size * 100
	case 3:
		ahead = -size * 100
	}
	w.setClock(p, ahead)
}

// setClock sets the clock. A large step comes with the death of the process: what it
// measures by a clock that goes on evenly on a real machine, such as the pace of its
// calls, cannot be known from the time of day in a bubble.
func (w *world) setClock(p *process, ahead time.Duration) {
	w.trouble(settling)
	before := time.Duration(w.ahead.Swap(int64(ahead)))
	if p == nil {
		return // the next one starts with it
	}
	if (ahead - before).Abs() > 2*time.Minute {
		p.with(func(p *process) { p.points = 1 })
		return
	}
	p.ahead.Store(int64(ahead))
}

// restart stops a process in order. The supervisor starts the next.
func (w *world) restart(p *process) {
	w.trouble(settling)
	p.with(func(p *process) { p.points = 0 })
	if !p.dead.Load() {
		w.replace(p, p.folder)
	}
}

// replace takes a process out of service; the next starts on a folder.
func (w *world) replace(p *process, folder string) {
	w.mu.Lock()
	if w.running != p {
		w.mu.Unlock()
		return
	}
	w.running, w.next = nil, folder
	w.mu.Unlock()
	p.stop()
	w.stopped <- p
}

// supervise starts a process whenever there is none, as an operator's system does.
func (w *world) supervise(ctx context.Context, stop <-chan struct{}) {
	r := stream(w.seed, "supervisor")
	for {
		w.mu.Lock()
		p := w.running
		w.mu.Unlock()
		if p == nil {
			w.start(ctx, time.Duration(r.Int64N(int64(20*time.Second))))
			continue
		}
		select {
		case <-stop:
			return
		case <-w.stopped:
		case <-p.died:
			w.trouble(settling)
			w.bury(p)
		}
	}
}

// bury ends what is left of a process that died: none of it reaches anyone.
func (w *world) bury(p *process) {
	w.mu.Lock()
	w.next = w.nextFolder(p)
	if w.running == p {
		w.running = nil
	}
	w.mu.Unlock()
	w.graves.Go(func() {
		p.stop()
		_ = os.RemoveAll(p.folder) // the machine sweeps what is left
	})
}

// start starts the next process, and again where it dies in the middle of it.
func (w *world) start(ctx context.Context, after time.Duration) {
	time.Sleep(after)
	w.mu.Lock()
	folder := w.next
	w.mu.Unlock()
	p, err := w.boot(ctx, folder)
	switch {
	case err != nil && !p.dead.Load():
		w.fail("start: %v", err)
		time.Sleep(time.Minute) // not for ever at once
	case p.dead.Load():
		w.trouble(settling)
		w.bury(p)
	default:
		w.mu.Lock()
		w.running = p
		w.mu.Unlock()
	}
}

// operate suspends tenants for a while, as operators do.
func (w *world) operate(ctx context.Context) {
	if !w.plan.has(suspension) {
		return
	}
	r := stream(w.seed, "operator")
	for sleep(ctx, time.Duration(30+r.IntN(240))*time.Second) {
		t := w.tenants[r.IntN(len(w.tenants))]
		w.suspend(t, true)
		sleep(ctx, time.Duration(10+r.IntN(90))*time.Second)
		w.suspend(t, false)
	}
}

// suspend suspends a tenant or lets it in again, and does not give up.
func (w *world) suspend(t *tenant, suspended bool) {
	t.suspended.begin()
	for {
		if p := w.process(); p != nil {
			w.bus.wait("operator")
			ctx := context.Background()
			err := p.app.Store.Update(ctx, func(tx *store.Tx) error { return tx.Accounts.SuspendTenant(ctx, t.id, suspended) })
			if err == nil && !p.dead.Load() {
				break
			}
		}
		time.Sleep(time.Second)
	}
	w.trace.add("%s is suspended: %t", t.name, suspended)
	t.suspended.end(suspended)
}

// sleep waits, and reports whether it was not woken.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
