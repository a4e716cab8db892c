package deliver

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/deliver/signing"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// load is the reading of a target: whether this process holds it, how to send to
// it, and what is due.
type load struct {
	target *target
	begun  time.Time
	want   int
	known  []string
	held   bool
	losses int
	owner  string       // this process
	dead   string       // who may be taken over from
	sealed []byte       // of the secrets that are known
	ring   signing.Ring // and the secrets

	settings work.TargetSettings
	leaseEnd time.Time // where it was claimed
	gone     bool
	due      []drover.Delivery
	err      error
}

// load reads a target beside the loop. Without a want it reads the settings.
func (l *loop) load(ctx context.Context, t *target, want int) {
	if t.loading || t.releasing || l.stopping {
		return
	}
	t.loading = true
	r := &load{
		target: t, begun: l.Now(), want: want, held: t.held, losses: t.losses, owner: l.owner, dead: t.dead,
		sealed: t.settings.Secrets, ring: t.ring,
	}
	if want > 0 {
		r.known = t.known()
	}
	l.beside.Go(func() {
		l.loads <- struct{}{}
		r.err = l.read(ctx, r)
		<-l.loads
		l.loaded <- r
	})
}

func (d *Deliverer) read(ctx context.Context, r *load) (err error) {
	name := r.target.Target
	if !r.held {
		r.leaseEnd = d.leaseEnd()
		if r.held, err = d.Store.Feed.ClaimTarget(ctx, name, r.owner, r.dead, d.now(), d.leaseUntil()); err != nil || !r.held {
			return err
		}
	}
	if err := d.readSettings(ctx, r, name); err != nil || r.want == 0 {
		return err
	}
	if r.due, err = d.Store.Feed.DueDeliveries(ctx, name, d.now(), r.known, r.want); err != nil || !r.gone {
		return err
	}
	if slices.ContainsFunc(r.due, func(j drover.Delivery) bool { return j.URL == nil }) {
		// A webhook was deleted while its events were stored.
		return d.Store.Update(ctx, func(tx *store.Tx) error { return tx.Feed.SkipDisabled(ctx, name) })
	}
	return nil
}

func (d *Deliverer) readSettings(ctx context.Context, r *load, name drover.Target) error {
	var err error
	r.settings, err = d.Store.Feed.TargetSettings(ctx, name, d.now())
	switch {
	case errors.Is(err, store.ErrNotFound):
		// A milestone that is gone still has its last events to tell.
		r.gone = true
		r.settings = work.TargetSettings{Kind: drover.TargetMilestone, Enabled: true}
	case err != nil:
		return err
	case !r.settings.Enabled:
		if err := d.Store.Update(ctx, func(tx *store.Tx) error { return tx.Feed.SkipDisabled(ctx, name) }); err != nil {
			return err
		}
	}
	if r.settings.Kind == drover.TargetMilestone {
		r.ring, err = signing.Account(ctx, d.Store, d.Vault, name.TenantID)
		return err
	}
	if r.ring == nil || !bytes.Equal(r.sealed, r.settings.Secrets) {
		r.ring, err = signing.Open(ctx, d.Vault, store.Sealed{TenantID: name.TenantID, ID: name.ID, Sealed: r.settings.Secrets})
	}
	return err
}

// take puts what was read of a target to work.
func (l *loop) take(ctx context.Context, r *load) {
	t, now := r.target, l.Now()
	t.loading = false
	switch {
	case r.losses != t.losses:
		// The lease was lost meanwhile: what was read may be another's by now.
		l.refill(ctx, t)
		return
	case r.err != nil:
		l.Logger.ErrorContext(ctx, "read deliveries", "tenant", t.TenantID, "target", t.ID, "err", r.err)
		t.again = true
		t.foreign = now.Add(foreignFor)
		t.held = t.held && r.held
		return
	case !r.held:
		// Another process holds it, and finds out by itself.
		t.held, t.again, t.foreign = false, false, now.Add(foreignFor)
		return
	}
	if !r.leaseEnd.IsZero() {
		t.leaseEnd = r.leaseEnd
	}
	t.held, t.readAt, t.settings, t.ring = true, r.begun, r.settings, r.ring
	if t.settings.Suspended {
		// Nothing is sent for the tenant. Looking again finds that it may be.
		t.queue, t.again, t.foreign = nil, true, now.Add(foreignFor)
		return
	}
	if !t.settings.Enabled {
		t.queue = slices.DeleteFunc(t.queue, func(j *job) bool { return j.Sequence > 0 })
	}
	url := t.settings.URL
	order.By(r.due, func(a, b drover.Delivery) int { return cmp.Compare(a.Sequence, b.Sequence) })
	for _, d := range r.due {
		t.seen = max(t.seen, d.Sequence)
		j := &job{Delivery: d, url: url}
		if r.gone && d.URL != nil {
			j.url = *d.URL
			url = *d.URL
		}
		if j.url != "" {
			t.queue = append(t.queue, j)
		}
	}
	for _, j := range t.queue {
		if t.settings.URL != "" {
			j.url = t.settings.URL
		}
	}
	if len(r.due) > 0 {
		t.idleSince = now
	}
	t.again = t.again || r.want > 0 && len(r.due) == r.want
	l.assign(t, url)
	if t.key != nil {
		t.wait(r.settings.WaitUntil.Time)
		l.start(ctx, t.key)
	}
}

// assign gives a target the key of its URL.
func (l *loop) assign(t *target, url string) {
	if url == "" {
		return
	}
	name := keyName(t.TenantID, url)
	if t.key != nil && t.key.name == name {
		return
	}
	if t.key != nil {
		t.key.leave(t)
	}
	k := l.keys[name]
	if k == nil {
		k = newKey(name, l.Now())
		l.keys[name] = k
	}
	k.join(t)
	t.key = k
}

// everyTenant stands for all tenants in a scan.
const everyTenant = ""

// scan is a look at the database for targets with something due.
type scan struct {
	due   []work.DueTarget
	dead  []string // owners that hold some of them and do not show that they live
	all   bool     // it was about all tenants
	took  time.Duration
	begun time.Time
	tick  int // at which it began
	err   error
}

const (
	// scanShare bounds the part of the time that looks at all tenants may take.
	scanShare = 10
	// scanRest is the pause after each, in which more notices come, which one look finds.
	scanRest = 20 * time.Millisecond
)

// scan looks for targets beside the loop, one look at a time.
func (l *loop) scan(ctx context.Context) {
	if l.scanning || l.stopping {
		return
	}
	l.scanning = true
	tenants := l.tenants
	l.tenants = map[string]bool{}
	if tenants[everyTenant] {
		tenants = map[string]bool{everyTenant: true}
	}
	s := scan{all: tenants[everyTenant], begun: l.Now(), tick: l.ticks}
	l.beside.Go(func() {
		for id := range tenants {
			due, err := l.Store.Feed.DueTargets(ctx, id, l.now())
			s.due, s.err = append(s.due, due...), errors.Join(s.err, err)
		}
		if s.all && s.err == nil {
			s.dead, s.err = l.deadOwners(ctx, s.due)
		}
		s.took = l.Now().Sub(s.begun)
		l.scanned <- s
		time.Sleep(scanRest)
		l.rested <- struct{}{}
	})
}

// rest ends the pause after a scan.
func (l *loop) rest(ctx context.Context) {
	l.scanning = false
	if len(l.tenants) > 0 {
		l.scan(ctx)
	}
}

// found asks for the targets that a scan has found, but for those that another
// process serves.
func (l *loop) found(ctx context.Context, s scan) {
	if s.err != nil && !store.Silent(s.err) {
		l.Logger.ErrorContext(ctx, "look for deliveries", "err", s.err)
	}
	now := l.now()
	age := time.Duration(0)
	for _, d := range s.due {
		age = max(age, now.Sub(d.DueAt.Time))
		if d.LeasedBy == l.owner || !d.LeasedUntil.After(now.Time) {
			l.ask(ctx, d.Target)
		} else if since, unseen := l.unseen[d.LeasedBy]; unseen && now.Sub(since) >= deadAfter {
			l.takeOver(ctx, d)
		}
	}
	if s.all {
		l.note(s.dead)
		l.metrics.age.Set(age.Seconds())
		l.scanAfter = s.begun.Add(scanShare * s.took)
		l.scanBy = s.tick + scanShare*(l.ticks-s.tick+1)
	}
}

// deadOwners asks which of those who hold targets do not show that they live.
func (l *loop) deadOwners(ctx context.Context, due []work.DueTarget) ([]string, error) {
	process := func(owner string) string {
		name, _, _ := strings.Cut(owner, atPlace)
		return name
	}
	var others, processes []string
	for _, d := range due {
		if process(d.LeasedBy) != process(l.owner) && strings.HasPrefix(d.LeasedBy, watchedPrefix) && !slices.Contains(others, d.LeasedBy) {
			others = append(others, d.LeasedBy)
			processes = append(processes, process(d.LeasedBy))
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	slices.Sort(processes)
	dead, err := l.Store.Jobs.DeadOwners(ctx, slices.Compact(processes))
	return slices.DeleteFunc(others, func(owner string) bool { return !slices.Contains(dead, process(owner)) }), err
}

// note remembers since when owners have not been seen.
func (l *loop) note(dead []string) {
	unseen := make(map[string]time.Time, len(dead))
	for _, owner := range dead {
		unseen[owner] = l.Now()
		if since, known := l.unseen[owner]; known {
			unseen[owner] = since
		}
	}
	l.unseen = unseen
}

// takeOver asks for a target whose owner is dead, before the lease runs out.
func (l *loop) takeOver(ctx context.Context, d work.DueTarget) {
	if t := l.targets[d.Target]; t != nil {
		t.foreign = time.Time{}
	} else {
		l.targets[d.Target] = newTarget(d.Target, l.Now())
	}
	l.targets[d.Target].dead = d.LeasedBy
	l.ask(ctx, d.Target)
}
