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
	// look is how often a visit that follows a stream looks whether anything is due,
	// and whether somebody wants the connection.
	look = time.Second
	// openTime is how long a stream may take to open.
	openTime = 15 * time.Second
	// gather is how long what a stream says is gathered, so that it is stored together,
	// and mostGathered how many positions: less memory than any answer may take.
	gather       = 500 * time.Millisecond
	mostGathered = 500
	// closeEvery is how often the trips of silent devices are looked at.
	closeEvery = 30 * time.Second
	// A stream that broke is opened again after a pause that grows from the first to
	// the last, unless it was open for as long as steady.
	firstReopen = 2 * time.Second
	lastReopen  = 5 * time.Minute
	steady      = time.Minute
)

// feed is what a process knows of a connection's stream between two visits.
type feed struct {
	failures int
	retryAt  time.Time // when it may be opened again
	counted  int64     // positions that it said, to be added to those of the polls
}

// Why a visit stops following a stream that is well.
var (
	errAsked   = errors.New("another tenant wants the place")
	errWanted  = errors.New("somebody wants the connection")
	errChanged = errors.New("the connection was changed")
)

// streamEnded is the end of a stream by itself.
type streamEnded struct{ error }

func (e streamEnded) Unwrap() error { return e.error }

// following is a visit that holds a stream of the vendor open. What the stream says is
// stored as pages that leave the cursor alone; the polls go on beside it, seldom, and
// their cursor says up to where everything is stored. So nothing that a stream leaves
// out is lost, and what both say is stored once.
type following struct {
	*visit // reads what is due

	adapter *adapter
	stream  provider.Streamer
	opened  chan struct{}
	once    sync.Once
	arrived chan []provider.Position

	// keeper stores what arrives, beside the reading: it has a copy of what changes.
	keeper visit
	page   store.Stream
	closed time.Time
	// polled says that since the stream is open the polls have read all that there was:
	// before that, a device of which nothing is known may not be silent.
	polled atomic.Bool
	// failure is what the stream ended with, where that was by itself.
	failure *string
}

// followed returns the connection's stream where there is one to be opened now.
func (v *visit) followed(ctx context.Context) (*following, error) {
	info := v.c.opts.Providers[v.conn.IntegrationName]
	i := slices.IndexFunc(v.streams, livePositions)
	if info.Stream == nil || i < 0 || !v.open() || !v.knowsDevices() || ctx.Err() != nil || v.c.waiting.awaited(v.claim.ConnectionID) {
		return nil, nil //nolint:nilerr // a visit that ends opens nothing, and says why elsewhere
	}
	a, err := v.c.adapter(ctx, v.conn)
	if err != nil {
		return nil, err
	}
	stream, ok := a.Provider.(provider.Streamer)
	if !ok || !info.Streams(a.credentials) || v.c.opts.Now().Before(a.feed.retryAt) {
		return nil, nil
	}
	v.use(a)
	return &following{
		visit: v, adapter: a, stream: stream, opened: make(chan struct{}), arrived: make(chan []provider.Position),
		keeper: visit{c: v.c, claim: v.claim, conn: v.conn, adapter: a}, page: v.streams[i],
	}, nil
}

func livePositions(s store.Stream) bool {
	return s.Kind == store.StreamPositions && !s.History && s.State == store.StreamActive
}

// follow holds the connection's stream open for as long as it is good, and returns when
// the connection is due again. Unoccupied is called when the stream is open and the visit
// no longer needs its worker: streams have places of their own.
func (v *visit) follow(ctx context.Context, unoccupied func()) (drover.Time, error) {
	f, err := v.followed(ctx)
	if f == nil || err != nil {
		return v.due(), err
	}
	place, err := v.c.streams.Take(ctx, v.claim.TenantID, 1)
	if errors.Is(err, quota.ErrFull) {
		f.adapter.feed.retryAt = v.c.opts.Now().Add(steady)
		return v.due(), f.noteEnd(ctx, new("All places for streams are taken."))
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
		cut(streamEnded{f.stream.Stream(inner, take)})
	})
	if f.awaitOpen(inner, cut); inner.Err() == nil {
		unoccupied()
		work.Go(func() { cut(f.storeAll(inner)) })
		cut(f.readOn(inner))
	}
	work.Wait()
	v.beside = false
	due, err := f.end(ctx, context.Cause(inner), begun)
	// Also where the process is asked to stop: nobody else says that it has ended.
	return due, errors.Join(err, f.noteEnd(context.WithoutCancel(ctx), f.failure))
}

// noteOpen lets everybody know that the stream is open.
func (f *following) noteOpen(ctx context.Context) error {
	return f.c.opts.Store.Update(ctx, func(tx *store.Tx) error { return tx.Jobs.StreamOpened(ctx, f.claim, f.c.now()) })
}

// noteEnd lets everybody know that the stream is not open, and what is wrong, if
// anything is.
func (f *following) noteEnd(ctx context.Context, message *string) error {
	return f.c.opts.Store.Update(ctx, func(tx *store.Tx) error { return tx.Jobs.StreamEnded(ctx, f.claim, f.c.now(), message) })
}

// awaitOpen waits until the stream is open, or was cut. What is due waits meanwhile, so
// that this takes no longer than a call.
func (f *following) awaitOpen(ctx context.Context, cut context.CancelCauseFunc) {
	timer := time.NewTimer(openTime)
	defer timer.Stop()
	select {
	case <-f.opened:
	case <-ctx.Done():
	case <-timer.C:
		cut(streamEnded{provider.Errorf(provider.KindTemporary, "the provider's stream did not open within %s", openTime)})
	}
}

// end notes why a stream is no longer followed.
func (f *following) end(ctx context.Context, why error, begun time.Time) (drover.Time, error) {
	v, now := f.visit, f.c.opts.Now()
	if ctx.Err() != nil {
		return v.due(), context.Cause(ctx)
	}
	ended, broke := errors.AsType[streamEnded](why)
	switch {
	case broke:
		f.failure = new(ended.Error())
		f.adapter.feed.broken(now, now.Sub(begun) >= steady, ended.error, v.c.opts.Rand())
		v.c.metrics.streams.WithLabelValues(string(v.conn.IntegrationName), string(provider.KindOf(ended.error))).Inc()
		level, text := streamEnd(provider.KindOf(ended.error))
		v.c.opts.Logger.Log(ctx, level, text, "connection", v.claim.ConnectionID, "tenant", v.claim.TenantID,
			"provider", v.conn.IntegrationName, "kind", provider.KindOf(ended.error), "err", ended.error)
	case errors.Is(why, errAsked):
		f.adapter.feed.retryAt = now.Add(lastReopen)
	case errors.Is(why, errWanted), errors.Is(why, errChanged):
		v.yielded = true
		return drover.At(now.Add(courtesy)), nil
	default:
		return drover.At(now.Add(firstRetry)), why
	}
	err := f.pollAtOnce(ctx, now)
	return v.due(), err
}

// pollAtOnce makes positions due where a stream was open: what it said last may be
// missing.
func (f *following) pollAtOnce(ctx context.Context, now time.Time) error {
	select {
	case <-f.opened:
	default:
		return nil
	}
	for i := range f.streams {
		if s := &f.streams[i]; s.ID == f.page.ID && s.State == store.StreamActive {
			return f.postpone(ctx, s, now)
		}
	}
	return nil
}

// broken says when a stream that broke is opened again. Lasted says that it had worked.
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

// streamEnd is how the end of a stream is logged. A server that has none, such as one
// behind a proxy that passes no sockets on, is in order: its positions are polled.
func streamEnd(kind provider.Kind) (slog.Level, string) {
	if kind == provider.KindPermanent {
		return slog.LevelInfo, "no stream, positions are polled"
	}
	return slog.LevelWarn, "stream ended"
}

// readOn reads what is due beside the stream, until it is cut or somebody wants the
// connection.
func (f *following) readOn(ctx context.Context) error {
	v := f.visit
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

// readDue reads one page of each stream in turn that is due.
func (f *following) readDue(ctx context.Context) error {
	v := f.visit
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

// rush makes positions due now that the stream is open: what the vendor has had by then
// is not said by it. From then on they are polled seldom.
func (f *following) rush() {
	f.beside = true
	for i := range f.streams {
		if s := &f.streams[i]; s.ID == f.page.ID {
			s.DueAt = f.c.now()
		}
	}
}

func (f *following) judge(ctx context.Context) error {
	f.adapter.storing.Lock()
	defer f.adapter.storing.Unlock()
	return f.judgeData(ctx)
}

// rest waits until it is time to look again.
func (f *following) rest(ctx context.Context) {
	timer := time.NewTimer(look)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// take is called with what the stream says. It waits while enough is being stored.
func (f *following) take(ctx context.Context, records []provider.Position) error {
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
func (f *following) storeAll(ctx context.Context) error {
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
func (f *following) gathered(ctx context.Context, records []provider.Position) []provider.Position {
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
func (f *following) commit(ctx context.Context, records []provider.Position) error {
	now := f.c.now()
	f.page.DueAt = drover.Time{} // trips stay open
	if f.polled.Load() && now.Sub(f.closed) >= closeEvery {
		f.page.DueAt, f.closed = drover.At(now.Add(closeEvery)), now.Time
	}
	return f.keeper.keep(ctx, &f.page, records)
}

// keep commits positions that a vendor sent by itself.
func (v *visit) keep(ctx context.Context, s *store.Stream, records []provider.Position) error {
	now := v.c.now()
	cleanPositions(records)
	v.readAs().positions(records)
	page := &positionPage{visit: v, stream: s, records: records}
	v.adapter.storing.Lock()
	defer v.adapter.storing.Unlock()
	err := v.c.opts.Store.UpdateBulk(ctx, func(tx *store.Tx) error {
		if err := tx.Jobs.HoldLease(ctx, v.claim, v.c.leaseEnd()); err != nil {
			return err
		}
		if err := page.save(ctx, tx); err != nil {
			return err
		}
		return tx.Fleet.AddRun(ctx, store.Run{Stream: *s, At: now, Records: len(records)})
	})
	if err != nil {
		return internal(err)
	}
	v.adapter.feed.counted += int64(len(records))
	v.observe(s, fetched{page: page})
	v.c.metrics.pages.WithLabelValues(string(v.conn.IntegrationName), "stream", "ok").Inc()
	v.c.metrics.records.WithLabelValues(string(v.conn.IntegrationName), "stream").Add(float64(len(records)))
	return nil
}
