package collect

import (
	"context"
	"errors"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// page is what a vendor answered. It stores itself, and all that follows from it,
// in a transaction that may run more than once.
type page interface {
	save(ctx context.Context, tx *store.Tx) error
}

// fetched is one page from the vendor, not yet stored, and where its stream
// stands after it.
type fetched struct {
	cursor  string
	more    bool
	records int
	page    page
	// notice is what a person should know of the page though it was stored.
	notice string
}

// read asks for one page of a stream and commits it with all that follows from
// it. What goes wrong becomes part of the stream's health; the error is for what
// could not even be noted there.
func (v *visit) read(ctx context.Context, s *store.Stream) error {
	reading, end := v.c.opts.Budget.WithReading(ctx, v.claim.TenantID)
	defer end() // what was read is in memory until it is stored
	f, err := v.fetch(reading, s)
	if err == nil {
		err = v.commit(ctx, s, f)
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, work.ErrLeaseLost):
		return err
	case paced(err):
		return v.postpone(ctx, s, provider.RetryAt(err))
	default:
		return v.failed(ctx, s, err)
	}
}

// commit stores a page, what follows from it, and how far the stream has come.
func (v *visit) commit(ctx context.Context, s *store.Stream, f fetched) error {
	v.adapter.storing.Lock()
	defer v.adapter.storing.Unlock()
	before := *s
	v.advance(s, f)
	if s.Kind == store.StreamPositions && !s.History {
		s.Records += v.adapter.feed.counted
	}
	var health drover.ConnectionState
	state, forms := s.State, v.changedForms()
	err := v.c.opts.Store.UpdateBulk(ctx, func(tx *store.Tx) error {
		if err := tx.Jobs.HoldLease(ctx, v.claim, v.c.leaseEnd()); err != nil {
			return err
		}
		if err := f.page.save(ctx, tx); err != nil {
			return err
		}
		health = v.judgeState() // a page may have something to say of its stream
		var err error
		if state, err = tx.Fleet.SetStream(ctx, *s); err != nil {
			return err
		}
		if err := v.storeMet(ctx, tx, forms); err != nil {
			return err
		}
		if err := tx.Fleet.AddRun(ctx, store.Run{Stream: *s, At: v.c.now(), Records: f.records}); err != nil {
			return err
		}
		return v.storeState(ctx, tx, health)
	})
	if err != nil {
		*s = before
		return internal(err)
	}
	s.State, v.conn.Configuration.Health = state, health
	if s.Kind == store.StreamPositions && !s.History {
		v.adapter.feed.counted = 0
	}
	v.conn.Configuration.PollIntervalSeconds = v.pollSeconds()
	v.observe(s, f)
	if forms != nil {
		v.conn.Configuration.Forms = forms
	}
	v.c.metrics.pages.WithLabelValues(string(v.conn.IntegrationName), string(s.Kind), "ok").Inc()
	v.c.metrics.records.WithLabelValues(string(v.conn.IntegrationName), string(s.Kind)).Add(float64(f.records))
	return nil
}

// internalError is a failure of ours. Its text is for the log; users read that
// there was one.
type internalError struct{ error }

func (e internalError) Unwrap() error { return e.error }

func internal(err error) error { return internalError{err} }

// paced reports whether a call was not made because it would break the limit that
// the adapter declares for its vendor. That is no failure: it is made later.
func paced(err error) bool {
	_, answered := errors.AsType[*provider.StatusError](err)
	return provider.KindOf(err) == provider.KindRateLimited && !answered && !provider.RetryAt(err).IsZero()
}

// postpone leaves a stream as it is until the vendor's limit has room again.
func (v *visit) postpone(ctx context.Context, s *store.Stream, until time.Time) error {
	// By how long it is left, not by the time of day: the clock may have been set since
	// the limit's calls were counted.
	now := v.c.opts.Now()
	s.DueAt = drover.At(now.Add(until.Sub(now)))
	return v.c.opts.Store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Jobs.HoldLease(ctx, v.claim, v.c.leaseEnd()); err != nil {
			return err
		}
		_, err := tx.Fleet.SetStream(ctx, *s)
		return err
	})
}

func (v *visit) fetch(ctx context.Context, s *store.Stream) (fetched, error) {
	a, err := v.c.adapter(ctx, v.conn)
	if err != nil {
		return fetched{}, err
	}
	v.use(a)
	if _, underWay := a.rounds[s.ID]; !underWay && s.Kind == store.StreamPositions && !s.History {
		a.rounds[s.ID] = v.c.now()
	}
	if s.Kind == store.StreamDevices {
		return v.fetchDevices(ctx, s)
	}
	q := provider.Query{Cursor: s.Position, From: s.WindowFrom.Time}
	if s.History {
		q.To = s.RemainingTo.Time
		q.From = v.chunkStart(s).Time
	}
	if q.Devices, err = v.c.opts.Store.Fleet.SystemDeviceIDs(ctx, v.claim.TenantID, v.claim.ConnectionID); err != nil {
		return fetched{}, internal(err)
	}
	if s.Kind == store.StreamTracks {
		return v.fetchTrack(ctx, s, q.Devices)
	}
	q = v.readAs().ask(q)
	if s.Kind == store.StreamTrips {
		answer, err := a.Trips(ctx, q)
		if err != nil {
			return fetched{}, err
		}
		cleanTrips(answer.Records)
		v.readAs().trips(answer.Records)
		return fetched{cursor: answer.Cursor, more: answer.More, records: len(answer.Records), page: &tripPage{v, s, answer.Records}}, nil
	}
	answer, err := a.Positions(ctx, q)
	if err != nil {
		return fetched{}, err
	}
	cleanPositions(answer.Records)
	v.readAs().positions(answer.Records)
	return fetched{
		cursor: answer.Cursor, more: answer.More, records: len(answer.Records), page: &positionPage{visit: v, stream: s, records: answer.Records},
		notice: a.impossible.count(answer.Records, v.c.now()),
	}, nil
}

// use makes an adapter the visit's. Its stream may ask whose claim it is, so that this
// is written once.
func (v *visit) use(a *adapter) {
	if v.adapter = a; a.claim != v.claim {
		a.claim = v.claim
	}
}

// chunkStart is the beginning of the piece of history that is read now: the
// newest that remains, no longer than the vendor's window.
func (v *visit) chunkStart(s *store.Stream) drover.Time {
	length := v.c.opts.Providers[v.conn.IntegrationName].Poll.Window
	if length <= 0 {
		length = 24 * time.Hour
	}
	start := s.RemainingTo.Add(-length)
	if start.Before(s.WindowFrom.Time) {
		return s.WindowFrom
	}
	return drover.At(start)
}

// advance moves a stream on by a page that was read.
func (v *visit) advance(s *store.Stream, f fetched) {
	now := v.c.now()
	s.LastRunAt, s.LastSuccessAt = &now, &now
	s.ConsecutiveErrors = 0
	v.note(s, f.notice)
	s.Records += int64(f.records)
	s.Position = f.cursor
	s.DueAt = now
	if f.more {
		return
	}
	if !s.History {
		s.DueAt = v.nextRound(s, now)
		if v.ended(now) && s.Kind != store.StreamDevices {
			s.State = store.StreamDone
		}
		return
	}
	start := v.chunkStart(s)
	s.Position, s.RemainingTo = "", &start
	if !start.After(s.WindowFrom.Time) {
		s.State = store.StreamDone
	}
}

// leastRest is the part of its interval that a stream rests after each round, however
// long that took: other streams want their turn.
const leastRest = 6

// nextRound is when a live stream is read again. Positions are read once in an
// interval by the begin of their rounds, so that how long a round takes, where each
// vehicle needs a call, does not make them older.
func (v *visit) nextRound(s *store.Stream, now drover.Time) drover.Time {
	begun, known := v.adapter.rounds[s.ID]
	delete(v.adapter.rounds, s.ID)
	interval := v.interval(s.Kind)
	if !known || begun.After(now.Time) {
		begun = now
	}
	return drover.At(begun.Add(max(interval, now.Sub(begun.Time)+interval/leastRest)))
}

// ended reports whether nothing from within the collection window can come any
// more.
func (v *visit) ended(now drover.Time) bool {
	end := v.conn.CollectionEndTime
	return end != nil && !now.Before(end.Add(settled))
}

// interval is how often a live stream is read.
func (v *visit) interval(kind store.StreamKind) time.Duration {
	if v.c.opts.PollInterval > 0 && kind != store.StreamTracks {
		return v.c.opts.PollInterval
	}
	poll := v.c.opts.Providers[v.conn.IntegrationName].Poll
	switch kind {
	case store.StreamDevices:
		return poll.Devices
	case store.StreamTrips:
		return poll.Trips
	case store.StreamTracks:
		return trackInterval
	case store.StreamPositions:
		if info := v.c.opts.Providers[v.conn.IntegrationName]; v.beside && info.Stream != nil {
			return info.Stream.Poll
		}
	}
	return poll.Positions
}
