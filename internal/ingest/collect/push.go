package collect

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/quota"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	// look is how often a run that listens to a push looks whether anything is due,
	// and whether someone wants the connection.
	look = time.Second
	// openTime is how long a push may take to open.
	openTime = 15 * time.Second
	// gather is how long what a push says is gathered, so that it is stored together,
	// and mostGathered how many positions: less memory than any answer may take.
	gather       = 500 * time.Millisecond
	mostGathered = 500
	// closeEvery is how often the trips of silent devices are looked at.
	closeEvery = 30 * time.Second
	// A push that broke is opened again after a pause that grows from the first to
	// the last, unless it was open for as long as steady.
	firstReopen = 2 * time.Second
	lastReopen  = 5 * time.Minute
	steady      = time.Minute
)

// feed is what a process knows of a connection's push between two runs.
type feed struct {
	failures int
	retryAt  time.Time // when it may be opened again
	counted  int64     // positions that it said, to be added to those of the polls
}

// Why a run stops listening to a push that is well.
var (
	errAsked   = errors.New("another tenant wants the place")
	errWanted  = errors.New("someone wants the connection")
	errChanged = errors.New("the connection was changed")
)

// pushEnded is the end of a push by itself.
type pushEnded struct{ error }

func (e pushEnded) Unwrap() error { return e.error }

// pushRun is a run that holds a push of the vendor open. What the push says is
// stored as pages that leave the cursor alone; the polls go on beside it, seldom, and
// their cursor says up to where everything is stored. So nothing that a push leaves
// out is lost, and what both say is stored once.
type pushRun struct {
	*run // reads what is due

	adapter *adapter
	push    provider.Pusher
	opened  chan struct{}
	once    sync.Once
	arrived chan []provider.Position

	// keeper stores what arrives, beside the reading: it has a copy of what changes.
	keeper run
	page   store.Job
	closed time.Time
	// polled says that since the push is open the polls have read all that there was:
	// before that, a device of which nothing is known may not be silent.
	polled atomic.Bool
	// failure is what the push ended with, where that was by itself.
	failure *string
}

// pushed returns the connection's push where there is one to be opened now.
func (v *run) pushed(ctx context.Context) (*pushRun, error) {
	info := v.info
	i := slices.IndexFunc(v.jobs, livePositions)
	if info.Push == nil || i < 0 || !v.open() || !v.knowsDevices() || ctx.Err() != nil || v.c.waiting.awaited(v.claim.ConnectionID) {
		return nil, nil //nolint:nilerr // a run that ends opens nothing, and says why elsewhere
	}
	a, err := v.c.adapter(ctx, v.conn, v.info)
	if err != nil {
		return nil, err
	}
	push, ok := a.Provider.(provider.Pusher)
	if !ok || !info.Pushes(a.credentials) || v.c.opts.Now().Before(a.feed.retryAt) {
		return nil, nil
	}
	v.use(a)
	return &pushRun{
		run: v, adapter: a, push: push, opened: make(chan struct{}), arrived: make(chan []provider.Position),
		keeper: run{c: v.c, claim: v.claim, conn: v.conn, adapter: a}, page: v.jobs[i],
	}, nil
}

func livePositions(s store.Job) bool {
	return s.Kind == store.JobPositions && !s.Backfill && s.State == store.JobActive
}

// listen holds the connection's push open for as long as it is good, and returns when
// the connection is due again. Unoccupied is called when the push is open and the run
// no longer needs its worker: pushes have places of their own.
func (v *run) listen(ctx context.Context, unoccupied func()) (drover.Time, error) {
	f, err := v.pushed(ctx)
	if f == nil || err != nil {
		return v.due(), err
	}
	place, err := v.c.pushes.Take(ctx, v.claim.TenantID, 1)
	if errors.Is(err, quota.ErrFull) {
		f.adapter.feed.retryAt = v.c.opts.Now().Add(steady)
		return v.due(), f.noteEnd(ctx, new("All places for pushes are taken."))
	}
	if err != nil {
		return v.due(), err
	}
	defer place.Return()
	inner, cut := context.WithCancelCause(ctx)
	place.WhenAsked(func() { cut(errAsked) })
	begun := v.c.opts.Now()
	var work sync.WaitGroup
	work.Go(func() {
		take := func(records []provider.Position) error { return f.take(inner, records) }
		cut(pushEnded{f.push.Push(inner, take)})
	})
	if f.awaitOpen(inner, cut); inner.Err() == nil {
		unoccupied()
		work.Go(func() { cut(f.storeAll(inner)) })
		cut(f.readOn(inner))
	}
	work.Wait()
	v.beside = false
	due, err := f.end(ctx, context.Cause(inner), begun)
	// Also where the process is asked to stop: no one else says that it has ended.
	return due, errors.Join(err, f.noteEnd(context.WithoutCancel(ctx), f.failure))
}

// noteOpen lets everyone know that the push is open.
func (f *pushRun) noteOpen(ctx context.Context) error {
	return f.c.opts.Store.Update(ctx, func(tx *store.Tx) error { return tx.Jobs.PushOpened(ctx, f.claim, f.c.now()) })
}

// noteEnd lets everyone know that the push is not open, and what is wrong, if
// anything is.
func (f *pushRun) noteEnd(ctx context.Context, message *string) error {
	return f.c.opts.Store.Update(ctx, func(tx *store.Tx) error { return tx.Jobs.PushEnded(ctx, f.claim, f.c.now(), message) })
}

// awaitOpen waits until the push is open, or was cut. What is due waits meanwhile, so
// that this takes no longer than a call.
func (f *pushRun) awaitOpen(ctx context.Context, cut context.CancelCauseFunc) {
	timer := time.NewTimer(openTime)
	defer timer.Stop()
	select {
	case <-f.opened:
	case <-ctx.Done():
	case <-timer.C:
		cut(pushEnded{provider.Errorf(provider.KindTemporary, "the provider's push did not open within %s", openTime)})
	}
}

// end notes why a push has ended.
func (f *pushRun) end(ctx context.Context, why error, begun time.Time) (drover.Time, error) {
	v, now := f.run, f.c.opts.Now()
	if ctx.Err() != nil {
		return v.due(), context.Cause(ctx)
	}
	ended, broke := errors.AsType[pushEnded](why)
	switch {
	case broke:
		f.failure = new(ended.Error())
		f.adapter.feed.broken(now, now.Sub(begun) >= steady, ended.error, v.c.opts.Rand())
		v.c.metrics.pushes.WithLabelValues(string(v.conn.IntegrationName), string(provider.KindOf(ended.error))).Inc()
		level, text := pushEnd(provider.KindOf(ended.error))
		v.c.opts.Logger.Log(ctx, level, text, "connection", v.claim.ConnectionID, "tenant", v.claim.TenantID,
			"provider", v.conn.IntegrationName, "kind", provider.KindOf(ended.error), "err", ended.error)
	case errors.Is(why, errAsked):
		f.adapter.feed.retryAt = now.Add(lastReopen)
	case errors.Is(why, errWanted), errors.Is(why, errChanged):
		v.yielded = true
		return drover.At(now.Add(pauseForOthers)), nil
	default:
		return drover.At(now.Add(firstRetry)), why
	}
	err := f.pollAtOnce(ctx, now)
	return v.due(), err
}

// pollAtOnce makes positions due where a push was open: what it said last may be
// missing.
func (f *pushRun) pollAtOnce(ctx context.Context, now time.Time) error {
	select {
	case <-f.opened:
	default:
		return nil
	}
	for i := range f.jobs {
		if s := &f.jobs[i]; s.ID == f.page.ID && s.State == store.JobActive {
			return f.postpone(ctx, s, now)
		}
	}
	return nil
}

// broken says when a push that broke is opened again. Lasted says that it had worked.
func (f *feed) broken(now time.Time, lasted bool, why error, jitter float64) {
	if lasted {
		f.failures = 0
	}
	f.failures++
	wait := min(firstReopen<<min(f.failures-1, 10), lastReopen)
	f.retryAt = now.Add(wait/2 + time.Duration(jitter*float64(wait/2)))
	switch kind := provider.KindOf(why); kind {
	case provider.KindCredentials, provider.KindPermanent, provider.KindRateLimited:
		f.retryAt = retryAt(now, kind, provider.RetryAt(why), f.failures, jitter)
	case provider.KindTemporary:
	}
}

// pushEnd is how the end of a push is logged. A server that has none, such as one
// behind a proxy that passes no sockets on, is in order: its positions are polled.
func pushEnd(kind provider.Kind) (slog.Level, string) {
	if kind == provider.KindPermanent {
		return slog.LevelInfo, "no push, positions are polled"
	}
	return slog.LevelWarn, "push ended"
}

// readOn reads what is due beside the push, until it is cut or someone wants the
// connection.
func (f *pushRun) readOn(ctx context.Context) error {
	v := f.run
	if err := f.noteOpen(ctx); err != nil {
		return err
	}
	f.rush()
	for ctx.Err() == nil {
		if v.c.waiting.awaited(v.claim.ConnectionID) {
			return errWanted
		}
		free, err := v.c.opts.Store.Jobs.Undisturbed(ctx, v.claim)
		if err != nil {
			return err
		}
		if !free {
			return errChanged
		}
		if err := f.readDue(ctx); err != nil {
			return err
		}
		if err := f.judge(ctx); err != nil {
			return err
		}
		f.rest(ctx)
	}
	return nil
}

// readDue reads one page of each push in turn that is due.
func (f *pushRun) readDue(ctx context.Context) error {
	v := f.run
	ends := v.c.opts.Now().Add(turn)
	for ctx.Err() == nil && v.c.opts.Now().Before(ends) && !v.c.waiting.awaited(v.claim.ConnectionID) {
		s := v.next()
		if s == nil {
			return nil
		}
		place, err := v.c.reads.Take(ctx, v.claim.TenantID, 1)
		if errors.Is(err, quota.ErrFull) {
			return nil
		}
		if err != nil {
			return err
		}
		err = v.read(ctx, s)
		place.Return()
		if err != nil {
			return err
		}
		if v.adapter != f.adapter || !v.open() {
			return errChanged
		}
		if _, underWay := f.adapter.rounds[s.ID]; s.ID == f.page.ID && !underWay && s.ConsecutiveErrors == 0 {
			f.polled.Store(true)
		}
	}
	return nil
}

// rush makes positions due now that the push is open: what the vendor has had by then
// is not said by it. From then on they are polled seldom.
func (f *pushRun) rush() {
	f.beside = true
	for i := range f.jobs {
		if s := &f.jobs[i]; s.ID == f.page.ID {
			s.DueAt = f.c.now()
		}
	}
}

func (f *pushRun) judge(ctx context.Context) error {
	f.adapter.storing.Lock()
	defer f.adapter.storing.Unlock()
	return f.judgeData(ctx)
}

// rest waits until it is time to look again.
func (f *pushRun) rest(ctx context.Context) {
	timer := time.NewTimer(look)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// take is called with what the push says. It waits while enough is being stored.
func (f *pushRun) take(ctx context.Context, records []provider.Position) error {
	f.once.Do(func() { close(f.opened) })
	for part := range slices.Chunk(records, mostGathered) {
		select {
		case f.arrived <- slices.Clone(part):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// storeAll stores what arrives.
func (f *pushRun) storeAll(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case records := <-f.arrived:
			if err := f.commit(ctx, f.gathered(ctx, records)); err != nil {
				return err
			}
		}
	}
}

// gathered adds what arrives in the next moment.
func (f *pushRun) gathered(ctx context.Context, records []provider.Position) []provider.Position {
	timer := time.NewTimer(gather)
	defer timer.Stop()
	for len(records) < mostGathered {
		select {
		case more := <-f.arrived:
			records = append(records, more...)
		case <-timer.C:
			return records
		case <-ctx.Done():
			return records
		}
	}
	return records
}

// commit stores what arrived as a page, with all that follows from it. The cursor of
// the polls stays where it is.
func (f *pushRun) commit(ctx context.Context, records []provider.Position) error {
	now := f.c.now()
	f.page.DueAt = drover.Time{} // trips stay open
	if f.polled.Load() && now.Sub(f.closed) >= closeEvery {
		f.page.DueAt, f.closed = drover.At(now.Add(closeEvery)), now.Time
	}
	return f.keeper.keep(ctx, &f.page, records)
}

// keep commits positions that a vendor sent by itself.
func (v *run) keep(ctx context.Context, s *store.Job, records []provider.Position) error {
	now := v.c.now()
	page := v.positions(s, provider.Page[provider.Position]{Records: records})
	v.adapter.storing.Lock()
	defer v.adapter.storing.Unlock()
	err := v.c.opts.Store.UpdateBulk(ctx, func(tx *store.Tx) error {
		if err := tx.Jobs.HoldLease(ctx, v.claim, v.c.leaseEnd()); err != nil {
			return err
		}
		if err := page.save(ctx, tx); err != nil {
			return err
		}
		return tx.Fleet.AddRun(ctx, store.Run{Job: *s, At: now, Records: len(records)})
	})
	if err != nil {
		return internal(err)
	}
	v.adapter.feed.counted += int64(len(records))
	v.observe(s, fetched{page: page})
	v.c.metrics.pages.WithLabelValues(string(v.conn.IntegrationName), "push", "ok").Inc()
	v.c.metrics.records.WithLabelValues(string(v.conn.IntegrationName), "push").Add(float64(len(records)))
	return nil
}
