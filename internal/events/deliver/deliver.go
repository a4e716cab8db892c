// Package deliver sends events to webhooks and to milestones' own webhooks.
//
// A delivery is a row that was stored with its event. One process at a time serves a target, under
// a lease: it reads the rows that are due, sends them, and commits the results in batches. A
// delivery whose result was not committed is sent again, by the process that takes over the target
// if this one has died. So a receiver may get a delivery twice, but never misses one.
//
// Targets are isolated by a key, the tenant and the origin of the URL: a limited number of
// attempts run at once for a key, fewer while it is slow, none while its circuit breaker is open
// because the origin cannot be reached. An answer of a target affects only that target: its own
// breaker, and the wait that it asks for. Deliveries about the same device are sent in order.
//
// One goroutine, the loop, owns all state. Other goroutines read, send and commit, and report to
// it; it never blocks on them.
package deliver

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/events/deliver/signing"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/quota"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
	"github.com/drover-fleet/drover/internal/trace"
)

// Options are what a Deliverer works with. The zero value of a field below the
// line means its default.
type Options struct {
	Store  *store.Store
	Vault  signing.Vault
	Now    func() time.Time
	Logger *slog.Logger
	// Transport sends; it must guard the addresses that it dials.
	Transport http.RoundTripper
	UserAgent string
	// Tracer follows attempts; nil follows none.
	Tracer *trace.Tracer
	// Usage counts the calls that are made for tenants; nil counts none.
	Usage *quota.Meter
	// Internal reports whether an address is one that only the operator has opened:
	// what is there answers to the operator, and is not shown to tenants. Without it
	// none is.
	Internal func(netip.Addr) bool
	// Owner names this process in leases.
	Owner string

	// Timeout bounds an attempt, to the end of the answer; 15 s.
	Timeout time.Duration
	// Poll is how often it looks for what it was not notified of; 200 ms, and half a
	// second where there is no other process.
	Poll time.Duration
	// Grace is how long attempts under way may take when the work stops; 5 s.
	Grace time.Duration
	// Rand draws from [0, 1) for jitter.
	Rand func() float64
}

func (o *Options) setDefaults() {
	if o.Timeout == 0 {
		o.Timeout = 15 * time.Second
	}
	if o.Poll == 0 {
		o.Poll = 200 * time.Millisecond
		if o.Store.Database() == "sqlite" {
			o.Poll = 500 * time.Millisecond
		}
	}
	if o.Grace == 0 {
		o.Grace = 5 * time.Second
	}
	if o.Internal == nil {
		o.Internal = func(netip.Addr) bool { return false }
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
}

// Deliverer sends deliveries. It is background work.
type Deliverer struct {
	Options
	background.Work
	client  *http.Client
	metrics *metrics
	own     ownConnections
	bodies  bodies
	pings   chan struct{}

	mu      sync.Mutex
	inboxes map[string]*inbox // of the loops, by place
}

// inbox is what a loop was notified of and has not looked at yet.
type inbox struct {
	mu      sync.Mutex
	added   []work.Added
	targets map[drover.Target]bool
	tenants map[string]bool
	wake    chan struct{}
}

func newInbox() *inbox {
	return &inbox{targets: map[drover.Target]bool{}, tenants: map[string]bool{}, wake: make(chan struct{}, 1)}
}

// New makes a Deliverer.
func New(o Options) *Deliverer {
	o.setDefaults()
	d := &Deliverer{
		Options: o, client: outbound.NewHTTPClient(o.Transport, o.Timeout), metrics: newMetrics(), bodies: newBodies(),
		pings: make(chan struct{}), inboxes: map[string]*inbox{},
	}
	d.Run = d.run
	return d
}

func (d *Deliverer) now() drover.Time { return drover.At(d.Now()) }

// leaseUntil is when a lease that is taken now runs out: after any attempt that
// is begun under it, with time to commit its result.
func (d *Deliverer) leaseUntil() drover.Time { return drover.At(d.Now().Add(d.Timeout + leaseSlack)) }

const leaseSlack = 15 * time.Second

// maxNotices bounds the notices that are kept: what they were about is read.
const maxNotices = 1024

func (d *Deliverer) hear(added []work.Added, targets []drover.Target) {
	for _, a := range added {
		d.tell(a.TenantID, func(in *inbox) {
			if len(in.added) < maxNotices {
				in.added = append(in.added, a)
				return
			}
			for _, one := range a.Deliveries {
				in.targets[one.Target] = true
			}
		})
	}
	for _, t := range targets {
		d.tell(t.TenantID, func(in *inbox) { in.targets[t] = true })
	}
}

func (d *Deliverer) wakeTenant(tenantID string) {
	d.tell(tenantID, func(in *inbox) { in.tenants[tenantID] = true })
}

// tell notifies the loop of a tenant's place. Where there is none, the next look finds it.
func (d *Deliverer) tell(tenantID string, note func(in *inbox)) {
	d.mu.Lock()
	in := d.inboxes[d.Store.PlaceOf(tenantID)]
	d.mu.Unlock()
	if in == nil {
		return
	}
	in.mu.Lock()
	note(in)
	in.mu.Unlock()
	select {
	case in.wake <- struct{}{}:
	default:
	}
}

// notices takes what has arrived since the last time.
func (in *inbox) notices() (added []work.Added, targets map[drover.Target]bool, tenants map[string]bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	added, targets, tenants = in.added, in.targets, in.tenants
	in.added, in.targets, in.tenants = nil, map[drover.Target]bool{}, map[string]bool{}
	return added, targets, tenants
}

// Check reports whether the loop is alive.
func (d *Deliverer) Check(ctx context.Context) error {
	select {
	case d.pings <- struct{}{}:
		return nil
	case <-ctx.Done():
		return errors.New("webhook delivery does not answer")
	}
}

// run serves targets until ctx is done.
func (d *Deliverer) run(ctx context.Context) {
	if d.Store.Database() == "sqlite" {
		if err := d.Store.Update(ctx, func(tx *store.Tx) error { return tx.Feed.FreeTargets(ctx) }); err != nil {
			d.Logger.ErrorContext(ctx, "free targets", "err", err)
		}
	}
	d.Store.Feed.OnDeliveries(d.hear)
	defer d.Store.Feed.OnDeliveries(func([]work.Added, []drover.Target) {})
	var beside sync.WaitGroup
	defer beside.Wait()
	beside.Go(func() { d.listen(ctx) })
	beside.Go(func() { d.Store.EachPlace(ctx, d.sweep) })
	// Until the loop has given its targets back, it lives.
	life, die := context.WithCancel(context.WithoutCancel(ctx))
	defer die()
	shown := make(chan struct{})
	beside.Go(func() { d.live(life, shown) })
	owner := d.Owner
	select {
	case <-shown:
		owner = watchedPrefix + d.Owner
	case <-time.After(showWait):
		d.Logger.WarnContext(ctx, "other processes cannot see that this one lives; they take its targets over when its leases run out")
	case <-ctx.Done():
	}
	d.Store.EachPlace(ctx, func(ctx context.Context) { d.serve(ctx, owner) })
}

// serve serves the targets of a place until ctx is done. Its owner is another than that of the
// process at other places: a tenant may move.
func (d *Deliverer) serve(ctx context.Context, owner string) {
	place := store.AtPlace(ctx)
	l := newLoop(ctx, d)
	l.owner = owner
	if place != "" {
		l.owner += atPlace + place
	}
	d.mu.Lock()
	d.inboxes[place] = l.inbox
	d.mu.Unlock()
	l.run(ctx)
	d.mu.Lock()
	delete(d.inboxes, place)
	d.mu.Unlock()
}

const (
	// atPlace parts the name of a process from that of the place whose targets it serves.
	atPlace = " at "
	// watchedPrefix marks owners who show that they live.
	watchedPrefix = "watched "
	showWait      = 5 * time.Second
	showAgain     = 500 * time.Millisecond
	// deadAfter is how long an owner must not have been seen to count as dead: it
	// may be about to show itself again.
	deadAfter = 3 * time.Second
)

// live shows other processes that this one lives.
func (d *Deliverer) live(ctx context.Context, shown chan struct{}) {
	var once sync.Once
	for ctx.Err() == nil {
		err := d.Store.Jobs.HoldOwner(ctx, watchedPrefix+d.Owner, func() { once.Do(func() { close(shown) }) })
		if err != nil && ctx.Err() == nil {
			d.Logger.WarnContext(ctx, "show other processes that this one lives", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(showAgain):
		}
	}
}

// listen hears of what other processes have stored.
func (d *Deliverer) listen(ctx context.Context) {
	for ctx.Err() == nil {
		if err := d.Store.Jobs.ListenEvents(ctx, d.wakeTenant); err != nil && ctx.Err() == nil {
			d.Logger.WarnContext(ctx, "hear of events", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}
