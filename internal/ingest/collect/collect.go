// Package collect reads devices, positions and trips from providers and writes them to the store,
// live and as backfills.
//
// A connection has jobs, each with a cursor and a due time. A process claims a due connection
// under a lease, asks the adapter for one page after another, and commits each page, everything
// derived from it, and the new cursor in one transaction. A crash repeats the page, and repeating
// a page changes nothing. Only the holder of the lease calls the vendor, so that the vendor never
// gets two calls of one account at once.
package collect

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/quota"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/trace"
)

// Options are what a Collector works with.
type Options struct {
	Store     *store.Store
	Vault     *vault.Vault
	Providers map[drover.ProviderName]provider.Info
	// Vendors are those that files describe; nil where there are no files.
	Vendors provider.Files
	Tracker *track.Tracker
	// Retention is how long positions are kept: older ones are not taken.
	Retention account.RetentionPolicy
	// Transport sends the calls of all adapters.
	Transport http.RoundTripper
	// Budget bounds the memory of their answers.
	Budget *outbound.Budget
	// Origins bound their calls to each origin; nil makes some for the workers.
	Origins   *outbound.Origins
	UserAgent string
	// Usage counts the positions of tenants; nil counts none.
	Usage *quota.Meter
	Now   func() time.Time
	// Wait pauses between two tries of a call; nil is a timer. Who steers Now
	// steers this as well.
	Wait func(ctx context.Context, d time.Duration) error
	// Rand draws from [0, 1) for the length of pauses; nil is any.
	Rand   func() float64
	Logger *slog.Logger
	// Tracer follows runs; nil follows none.
	Tracer *trace.Tracer
	// Workers bounds the connections that are read at once; zero chooses. A share more
	// is kept for tenants that are below their share.
	Workers int
	// Pushes bounds the vendors' pushes that are held open at once; zero chooses. A
	// share more is kept in the same way.
	Pushes int
	// Owner names this process in leases.
	Owner string
	// Lease is how long a connection stays with a process that has died; zero
	// chooses. A process that is alive renews it.
	Lease time.Duration
	// Inside reports whether a host is answered for within the process: it has no limits to
	// keep; nil says that none is.
	Inside func(host string) bool
	// PollInterval replaces the intervals of all providers; zero leaves them.
	PollInterval time.Duration
}

const (
	// defaultWorkers is generous, because most of them wait for an answer: vendors
	// that do not answer must not hold up those that do.
	defaultWorkers = 256
	defaultLease   = time.Minute
	// turn is how long a connection is read before others get their turn.
	turn = 30 * time.Second
	// idle is the longest wait for work: another process may add some.
	idle = time.Second
	// pushQueue is how many connections may wait for a place among the pushes: each
	// holds a worker.
	pushQueue = 16
)

// Collector reads all connections. It is background work.
type Collector struct {
	background.Work
	opts     Options
	adapters adapters
	wake     chan struct{}
	waiting  waiting
	runs     runs
	// pushes are the vendors' that are held open, and reads what is read beside them,
	// each with a share for every tenant.
	pushes, reads *quota.Pool
	metrics       *metrics
}

// New makes a Collector.
func New(o Options) *Collector {
	if o.Workers <= 0 {
		o.Workers = defaultWorkers
	}
	if o.Pushes <= 0 {
		o.Pushes = outbound.MostPushes
	}
	if o.Lease <= 0 {
		o.Lease = defaultLease
	}
	if o.Origins == nil {
		o.Origins = outbound.NewOrigins(o.Workers, o.Now)
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	c := &Collector{
		opts: o, wake: make(chan struct{}, 1), metrics: newMetrics(),
		pushes: quota.New(quota.Config{Size: int64(o.Pushes), Queue: pushQueue, Wait: idle, TakeBack: true}),
		reads:  quota.New(quota.Config{Size: int64(o.Workers), Queue: o.Pushes, Wait: idle}),
	}
	c.Run = c.run
	return c
}

func (c *Collector) now() drover.Time { return drover.At(c.opts.Now()) }

// Wake makes the collector look for work at once.
func (c *Collector) Wake() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// run claims connections and reads them, as many at once as there are workers.
func (c *Collector) run(ctx context.Context) {
	if c.opts.Store.Database() == "sqlite" {
		if err := c.opts.Store.Update(ctx, func(tx *store.Tx) error { return tx.Jobs.FreeLeases(ctx) }); err != nil {
			c.opts.Logger.ErrorContext(ctx, "free leases", "err", err)
		}
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	workers := c.opts.Workers + c.share()
	free := make(chan struct{}, workers)
	for range workers {
		free <- struct{}{}
	}
	c.opts.Store.EachPlace(ctx, func(ctx context.Context) { c.serve(ctx, free, &wg) })
}

// serve claims connections of a place and reads them.
func (c *Collector) serve(ctx context.Context, free chan struct{}, wg *sync.WaitGroup) {
	most := cap(free)
	place := store.AtPlace(ctx)
	if place != "" {
		most = c.share()
	}
	for ctx.Err() == nil {
		if place != "" && !c.waitForWork(ctx) { // a place that does not answer takes no worker
			continue
		}
		slots := c.waitForWorkers(ctx, free, most)
		claims, err := c.claim(ctx, slots, len(free))
		if err != nil && ctx.Err() == nil && !store.Silent(err) {
			c.opts.Logger.ErrorContext(ctx, "claim connections", "err", err)
		}
		for range slots - len(claims) {
			free <- struct{}{}
		}
		for _, claim := range claims {
			wg.Go(func() {
				unoccupied := sync.OnceFunc(func() {
					free <- struct{}{}
					c.leave(claim)
				})
				defer unoccupied()
				c.collect(ctx, claim, unoccupied)
			})
		}
		if len(claims) < slots && place == "" {
			c.waitForWork(ctx)
		}
	}
}

// waitForWorkers takes the workers that are free, at least one and not more than so many.
func (c *Collector) waitForWorkers(ctx context.Context, free chan struct{}, most int) int {
	select {
	case <-free:
	case <-ctx.Done():
		return 0
	}
	for n := 1; n < most; n++ {
		select {
		case <-free:
		default:
			return n
		}
	}
	return most
}

// waitForWork waits until the next connection is due that would get a worker, or
// someone wakes it. It reports whether it could look.
func (c *Collector) waitForWork(ctx context.Context) bool {
	wait := idle
	next, err := c.opts.Store.Jobs.NextCollection(ctx, c.heldBack()...)
	if err == nil {
		wait = min(idle, max(next.Sub(c.opts.Now()), 10*time.Millisecond))
	} else if !errors.Is(err, store.ErrNotFound) && ctx.Err() == nil && !store.Silent(err) {
		c.opts.Logger.ErrorContext(ctx, "look for work", "err", err)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.wake:
	case <-ctx.Done():
	}
	return err == nil || errors.Is(err, store.ErrNotFound)
}

// leaseEnd is until when a lease lasts that is taken or renewed now.
func (c *Collector) leaseEnd() drover.Time { return drover.At(c.opts.Now().Add(c.opts.Lease)) }

// RunDue reads every connection that is due now, one after the other, until none
// is. It is for tests, and for anyone who steers the clock.
func (c *Collector) RunDue(ctx context.Context) error {
	for {
		claims, err := c.claim(ctx, 1, 0)
		if err != nil || len(claims) == 0 {
			return err
		}
		c.Collect(ctx, claims[0])
		c.leave(claims[0])
	}
}
