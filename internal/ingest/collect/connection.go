package collect

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// visit is one turn with a claimed connection.
type visit struct {
	c       *Collector
	claim   work.Claim
	conn    drover.Connection
	streams []store.Stream
	adapter *adapter
	// beside says that a stream of the vendor is open, and yielded that somebody wants
	// the connection who gets it before it is collected again.
	beside, yielded bool
	pages           int // that were chosen
}

// turnOfAll is how often the stream that has waited the longest goes first, whatever its
// rank: where polls are due again before all of them were made, the others would never
// have a turn.
const turnOfAll = 10

// courtesy is how long a connection is left alone by its collection after somebody
// has asked for it.
const courtesy = time.Second

// restTime is how long a connection rests that is not to be read now.
const restTime = time.Hour

// Collect reads a claimed connection until nothing of it is due, or its turn is
// over, and gives it back.
func (c *Collector) Collect(ctx context.Context, claim work.Claim) { c.collect(ctx, claim, nil) }

// collect is Collect, and follows the vendor's stream where unoccupied is there to be
// called then.
func (c *Collector) collect(ctx context.Context, claim work.Claim, unoccupied func()) {
	v := &visit{c: c, claim: claim}
	var due drover.Time
	err := v.hold(ctx, func(ctx context.Context) (err error) {
		if due, err = v.run(ctx); err == nil && unoccupied != nil {
			due, err = v.follow(ctx, unoccupied)
		}
		return err
	})
	if err != nil && ctx.Err() == nil && !errors.Is(err, work.ErrLeaseLost) {
		c.opts.Logger.ErrorContext(ctx, "collect", "connection", claim.ConnectionID, "tenant", claim.TenantID, "err", err)
	}
	// Also where the process is asked to stop: another can go on at once.
	ctx = context.WithoutCancel(ctx)
	if soon := drover.At(c.opts.Now().Add(courtesy)); c.waiting.awaited(claim.ConnectionID) && due.Before(soon.Time) {
		due = soon
	}
	err = c.opts.Store.Update(ctx, func(tx *store.Tx) error {
		if v.yielded {
			return tx.Jobs.YieldLease(ctx, claim, due)
		}
		return tx.Jobs.ReleaseLease(ctx, claim, due)
	})
	c.waiting.free(claim.ConnectionID)
	if err != nil && !errors.Is(err, work.ErrLeaseLost) {
		c.opts.Logger.ErrorContext(ctx, "release", "connection", claim.ConnectionID, "err", err)
	}
}

// hold does the work of a visit and renews its lease meanwhile: a page may take
// many calls, and a call many tries. Where the lease is lost it ends at once, for
// another process is calling the vendor now.
func (v *visit) hold(ctx context.Context, do func(context.Context) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	var renewal sync.WaitGroup
	defer renewal.Wait()
	defer end(nil) // before the wait
	renewal.Go(func() {
		background.Every(ctx, v.c.opts.Lease/3, func(ctx context.Context) {
			err := v.c.opts.Store.Update(ctx, func(tx *store.Tx) error { return tx.Jobs.HoldLease(ctx, v.claim, v.c.leaseEnd()) })
			if errors.Is(err, work.ErrLeaseLost) {
				end(err)
			}
		})
	})
	err := do(ctx)
	if errors.Is(context.Cause(ctx), work.ErrLeaseLost) {
		return work.ErrLeaseLost
	}
	return err
}

// run returns when the connection is due again. An error is the store's, and
// worth a pause.
func (v *visit) run(ctx context.Context) (drover.Time, error) {
	pause := drover.At(v.c.opts.Now().Add(firstRetry))
	if err := v.load(ctx); err != nil {
		return pause, err
	}
	if !v.open() {
		return drover.At(v.c.opts.Now().Add(restTime)), v.setState(ctx, drover.ConnectionDisabled)
	}
	ends := v.c.opts.Now().Add(turn)
	for ctx.Err() == nil && v.c.opts.Now().Before(ends) && !v.c.waiting.awaited(v.claim.ConnectionID) {
		s := v.next()
		if s == nil {
			break
		}
		if err := v.read(ctx, s); err != nil {
			return pause, err
		}
	}
	if err := v.judgeData(ctx); err != nil {
		return pause, err
	}
	if !v.open() {
		return v.due(), v.setState(ctx, drover.ConnectionDisabled)
	}
	return v.due(), nil
}

// load reads the connection and its streams, and makes the streams on the first
// turn.
func (v *visit) load(ctx context.Context) error {
	conn, err := v.c.opts.Store.Fleet.Connection(ctx, v.claim.TenantID, v.claim.ConnectionID)
	if err != nil {
		return err
	}
	v.conn = conn.Connection
	if v.streams, err = v.c.opts.Store.Fleet.Streams(ctx, v.claim.TenantID, v.claim.ConnectionID); err != nil {
		return err
	}
	if err := v.chooseTrips(ctx); err != nil {
		return err
	}
	for i := range v.streams {
		v.mendDue(&v.streams[i])
	}
	if len(v.streams) == 0 && v.conn.Active {
		if err := v.begin(ctx); err != nil {
			return err
		}
	}
	return nil
}

// chooseTrips leaves the vendor's trips alone where trips are derived, and begins to
// read them where they were derived until now.
func (v *visit) chooseTrips(ctx context.Context) error {
	if !v.nativeTrips() {
		v.streams = slices.DeleteFunc(v.streams, func(s store.Stream) bool { return s.Kind == store.StreamTrips })
		return nil
	}
	live := func(kind store.StreamKind) bool {
		return slices.ContainsFunc(v.streams, func(s store.Stream) bool { return s.Kind == kind && !s.History })
	}
	if !live(store.StreamPositions) || live(store.StreamTrips) {
		return nil
	}
	from := drover.At(v.c.opts.Now().Add(-settled))
	if v.conn.CollectionStartTime.After(from.Time) {
		from = v.conn.CollectionStartTime
	}
	s := v.newStream(store.StreamTrips, from, nil)
	v.streams = append(v.streams, s)
	return v.c.opts.Store.Update(ctx, func(tx *store.Tx) error { return tx.Fleet.AddStream(ctx, s) })
}

// mendDue makes a stream due that was last read, or made, in the future: by a clock
// that was put back since. It would rest for as long as the clock was wrong
// otherwise. Where processes differ a little, it is read once too often.
func (v *visit) mendDue(s *store.Stream) {
	last := s.CreatedAt
	if s.LastRunAt != nil {
		last = *s.LastRunAt
	}
	now, interval := v.c.now(), v.interval(s.Kind)
	if last.After(now.Time) && s.DueAt.After(now.Add(interval)) {
		s.DueAt = now
	}
	// Beside a stream they are read seldom. Where it is not open any more, that is over.
	streams := v.c.opts.Providers[v.conn.IntegrationName].Stream != nil && s.Kind == store.StreamPositions && !s.History && s.ConsecutiveErrors == 0
	if usual := last.Add(interval); streams && s.DueAt.After(usual) {
		s.DueAt = drover.At(usual)
	}
}

// open reports whether the connection is to be read: an inactive one is not, nor
// one past its end of which everything before the end has been read.
func (v *visit) open() bool {
	if !v.conn.Active {
		return false
	}
	unfinished := func(s store.Stream) bool { return s.Kind != store.StreamDevices && s.State == store.StreamActive }
	return v.conn.CollectionEndTime == nil || slices.ContainsFunc(v.streams, unfinished)
}

// settled is how long after its time a record may still reach a vendor. The live
// streams begin that long ago: history is read once, and a record that came to
// the vendor just after that would be lost between the two.
const settled = time.Hour

// begin makes the streams of a new connection. What has settled is history; the
// live streams begin after it, or at a start that is later. A connection whose end
// has settled has history alone.
func (v *visit) begin(ctx context.Context) error {
	info := v.c.opts.Providers[v.conn.IntegrationName]
	from := drover.At(v.c.opts.Now().Add(-settled))
	if v.conn.CollectionStartTime.After(from.Time) {
		from = v.conn.CollectionStartTime
	}
	kinds := []store.StreamKind{store.StreamDevices}
	if end := v.conn.CollectionEndTime; end != nil && end.Before(from.Time) {
		from = *end
	} else {
		kinds = append(kinds, store.StreamPositions)
		if hasTracks(info) {
			kinds = append(kinds, store.StreamTracks)
		}
		if v.nativeTrips() {
			kinds = append(kinds, store.StreamTrips)
		}
	}
	for _, kind := range kinds {
		v.streams = append(v.streams, v.newStream(kind, from, nil))
	}
	if v.conn.CollectionStartTime.Before(from.Time) {
		oldest, err := v.oldest(ctx, v.c.opts.Store.Accounts)
		if err != nil {
			return err
		}
		v.streams = append(v.streams, v.history(info, v.conn.CollectionStartTime, from, oldest)...)
	}
	return v.c.opts.Store.Update(ctx, func(tx *store.Tx) error {
		for _, s := range v.streams {
			if err := tx.Fleet.AddStream(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
}

func (v *visit) nativeTrips() bool { return v.conn.Configuration.Trips == drover.TripsNative }

// history makes the jobs that fill a window in, positions from oldest on.
func (v *visit) history(info provider.Info, from, to drover.Time, oldest time.Time) []store.Stream {
	var jobs []store.Stream
	if info.Features.History {
		positions := from
		if positions.Before(oldest) {
			positions = drover.At(oldest)
		}
		jobs = append(jobs, v.newStream(store.StreamPositions, positions, &to))
	}
	if v.nativeTrips() {
		jobs = append(jobs, v.newStream(store.StreamTrips, from, &to))
	}
	return jobs
}

func (v *visit) newStream(kind store.StreamKind, from drover.Time, to *drover.Time) store.Stream {
	return store.Stream{
		TenantID: v.claim.TenantID, ConnectionID: v.claim.ConnectionID, ID: store.NewID(), Kind: kind, State: store.StreamActive,
		History: to != nil, WindowFrom: from, WindowTo: to, RemainingTo: to, DueAt: v.c.now(), CreatedAt: v.c.now(),
	}
}

// rank orders streams: live before history, devices before what belongs to them.
func rank(s *store.Stream) int {
	r := map[store.StreamKind]int{store.StreamDevices: 0, store.StreamPositions: 1, store.StreamTracks: 3, store.StreamTrips: 2}[s.Kind]
	if s.History {
		r += 10
	}
	return r
}

// next picks the stream to read now, nil where none is due. Positions and trips
// wait for the first list of devices.
func (v *visit) next() *store.Stream {
	var due []*store.Stream
	for i := range v.streams {
		s := &v.streams[i]
		if s.State == store.StreamActive && !s.DueAt.After(v.c.opts.Now()) && (s.Kind == store.StreamDevices || v.knowsDevices()) {
			due = append(due, s)
		}
	}
	if len(due) == 0 {
		return nil
	}
	v.pages++
	longest := v.pages%turnOfAll == 0
	return slices.MinFunc(due, func(a, b *store.Stream) int {
		byRank, byTime := cmp.Compare(rank(a), rank(b)), a.DueAt.Compare(b.DueAt.Time)
		if longest {
			return cmp.Or(byTime, byRank)
		}
		return cmp.Or(byRank, byTime)
	})
}

func (v *visit) knowsDevices() bool {
	return slices.ContainsFunc(v.streams, func(s store.Stream) bool {
		return s.Kind == store.StreamDevices && s.LastSuccessAt != nil
	})
}

// due tells when the connection wants its next turn.
func (v *visit) due() drover.Time {
	due := drover.At(v.c.opts.Now().Add(restTime))
	for _, s := range v.streams {
		if s.State == store.StreamActive && (s.Kind == store.StreamDevices || v.knowsDevices()) && s.DueAt.Before(due.Time) {
			due = s.DueAt
		}
	}
	if v.adapter != nil && v.adapter.feed.retryAt.After(v.c.opts.Now()) && v.adapter.feed.retryAt.Before(due.Time) {
		due = drover.At(v.adapter.feed.retryAt)
	}
	return due
}
