package deliver

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// renewEvery leaves several tries before a lease runs out.
const renewEvery = 5 * time.Second

// renewal is what was found to be held.
type renewal struct {
	held map[drover.Target]bool
	// asked are those that were held when it began, and end is when what is held
	// then runs out.
	asked []*target
	end   time.Time
	err   error
}

// renew extends all leases beside the loop.
func (l *loop) renew(ctx context.Context) {
	r := renewal{held: map[drover.Target]bool{}, end: l.leaseEnd()}
	for _, t := range l.targets {
		if t.held && !t.releasing {
			r.asked = append(r.asked, t)
		}
	}
	l.renewAt = l.Now().Add(renewEvery)
	if len(r.asked) == 0 {
		return
	}
	l.renewing = true
	l.beside.Go(func() {
		var held []drover.Target
		r.err = l.Store.Update(ctx, func(tx *store.Tx) (err error) {
			held, err = tx.Feed.RenewTargets(ctx, l.owner, l.now(), l.leaseUntil())
			return err
		})
		for _, t := range held {
			r.held[t] = true
		}
		l.renewed <- r
	})
}

// lost stops serving the targets whose lease was not kept: someone else may
// serve them by now.
func (l *loop) lost(ctx context.Context, r renewal) {
	l.renewing = false
	if r.err != nil {
		l.Logger.ErrorContext(ctx, "renew leases", "err", r.err)
		return
	}
	for _, t := range r.asked {
		switch {
		case t.releasing || l.targets[t.Target] != t:
		case r.held[t.Target]:
			t.leaseEnd = r.end
		default:
			l.lose(t)
			l.refill(ctx, t)
		}
	}
}

// lose takes note that a target is not held any more.
func (l *loop) lose(t *target) {
	t.held, t.queue, t.again = false, nil, true
	t.losses++
}

// leaseEnd is when a lease that is asked for now runs out at the earliest. The clock
// of the process tells it, which goes on evenly whatever the time of day is set to;
// so a process that was stopped for a while notices.
func (d *Deliverer) leaseEnd() time.Time { return d.Now().Add(d.Timeout + leaseSlack) }

// lapsed reports whether an attempt that begins now could last beyond a lease.
func (d *Deliverer) lapsed(end time.Time) bool { return !d.Now().Before(end.Add(-d.Timeout)) }

// release gives idle targets back, so that any process may take them.
func (l *loop) release(ctx context.Context, targets []*target) {
	l.beside.Go(func() {
		l.giveBack(ctx, targets)
		l.released <- targets
	})
}

func (l *loop) giveBack(ctx context.Context, targets []*target) {
	byTenant := map[string][]string{}
	for _, t := range targets {
		byTenant[t.TenantID] = append(byTenant[t.TenantID], t.ID)
	}
	for _, tenant := range slices.Sorted(maps.Keys(byTenant)) {
		err := l.Store.Update(ctx, func(tx *store.Tx) error { return tx.Feed.ReleaseTargets(ctx, l.owner, tenant, byTenant[tenant]) })
		if err != nil {
			l.Logger.ErrorContext(ctx, "release targets", "err", err)
		}
	}
}

// forget drops targets that were given back, and begins again with those that
// were asked for meanwhile.
func (l *loop) forget(ctx context.Context, targets []*target) {
	for _, t := range targets {
		t.releasing = false
		l.drop(t)
		if t.again {
			l.ask(ctx, t.Target)
		}
	}
}

// leaveAll gives everything back at the end.
func (l *loop) leaveAll(ctx context.Context) {
	var held []*target
	for _, t := range l.targets {
		if t.held {
			held = append(held, t)
		}
	}
	if len(held) > 0 {
		l.giveBack(ctx, held)
	}
}
