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

// fetched is one page from the vendor, not yet stored, and where its job
// stands after it.
type fetched struct {
	cursor  string
	more    bool
	records int
	page    page
	// notice is what a person should know of the page though it was stored.
	notice string
}

// read asks for one page of a job and commits it with all that follows from
// it. What goes wrong becomes part of the job's health; the error is for what
// could not even be noted there.
func (v *run) read(ctx context.Context, s *store.Job) error {
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
	case s.Kind.Besides() && withheld(err):
		return v.withhold(ctx, s)
	default:
		return v.failed(ctx, s, err)
	}
}

// commit stores a page, what follows from it, and how far the job has come.
func (v *run) commit(ctx context.Context, s *store.Job, f fetched) error {
	v.adapter.storing.Lock()
	defer v.adapter.storing.Unlock()
	before := *s
	v.advance(s, f)
	if s.Kind == store.JobPositions && !s.Backfill {
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
		health = v.judgeState() // a page may have something to say of its job
		var err error
		if state, err = tx.Fleet.SetJob(ctx, *s); err != nil {
			return err
		}
		if err := v.storeMet(ctx, tx, forms); err != nil {
			return err
		}
		if err := tx.Fleet.AddRun(ctx, store.Run{Job: *s, At: v.c.now(), Records: f.records}); err != nil {
			return err
		}
		return v.storeState(ctx, tx, health)
	})
	if err != nil {
		*s = before
		return internal(err)
	}
	s.State, v.conn.Configuration.Health = state, health
	if before.ConsecutiveErrors > 0 && before.LastErrorKind != nil && *before.LastErrorKind == string(provider.KindCredentials) {
		v.adapter.feed = feed{counted: v.adapter.feed.counted} // what was refused with them may be opened at once
	}
	if s.Kind == store.JobPositions && !s.Backfill {
		v.adapter.feed.counted = 0
	}
	v.conn.Configuration.PollIntervalSeconds = v.pollSeconds()
	v.observe(s, f)
	v.give(s.Kind, f.records)
	v.keepForms(forms)
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

// postpone leaves a job as it is until the vendor's limit has room again.
func (v *run) postpone(ctx context.Context, s *store.Job, until time.Time) error {
	// By how long it is left, not by the time of day: the clock may have been set since
	// the limit's calls were counted.
	now := v.c.opts.Now()
	s.DueAt = drover.At(now.Add(until.Sub(now)))
	return v.c.opts.Store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Jobs.HoldLease(ctx, v.claim, v.c.leaseEnd()); err != nil {
			return err
		}
		_, err := tx.Fleet.SetJob(ctx, *s)
		return err
	})
}

func (v *run) fetch(ctx context.Context, s *store.Job) (fetched, error) {
	a, err := v.c.adapter(ctx, v.conn, v.info)
	if err != nil {
		return fetched{}, err
	}
	v.use(a)
	if _, underWay := a.rounds[s.ID]; !underWay && s.Kind == store.JobPositions && !s.Backfill {
		a.rounds[s.ID] = v.c.now()
	}
	if s.Kind == store.JobDevices {
		return v.fetchDevices(ctx, s)
	}
	if s.Kind == store.JobDrivers {
		return v.fetchDrivers(ctx, s)
	}
	q := provider.Query{Cursor: s.Cursor, From: s.WindowFrom.Time}
	if s.Backfill {
		q.To = s.RemainingTo.Time
		q.From = v.chunkStart(s).Time
	}
	if q.Devices, err = v.c.opts.Store.Fleet.SystemDeviceIDs(ctx, v.claim.TenantID, v.claim.ConnectionID); err != nil {
		return fetched{}, internal(err)
	}
	if s.Kind == store.JobTracks {
		return v.fetchTrack(ctx, s, q.Devices)
	}
	q = v.readAs().ask(q)
	if s.Kind == store.JobFaults {
		return v.fetchFaults(ctx, s, q)
	}
	if s.Kind == store.JobSafety {
		return v.fetchSafety(ctx, s, q)
	}
	if s.Kind == store.JobAssignments {
		return v.fetchAssignments(ctx, s, q)
	}
	if s.Kind == store.JobTrips {
		if !s.Backfill {
			a.ended.asked(v.c.opts.Now())
		}
		answer, err := a.Trips(ctx, q)
		if err != nil {
			return fetched{}, err
		}
		cleanTrips(answer.Records)
		v.readAs().trips(answer.Records)
		page := &tripPage{run: v, job: s, records: answer.Records}
		return fetched{cursor: answer.Cursor, more: answer.More, records: len(answer.Records), page: page}, nil
	}
	answer, err := a.Positions(ctx, q)
	if err != nil {
		return fetched{}, err
	}
	page := v.positions(s, answer)
	return fetched{
		cursor: answer.Cursor, more: answer.More, records: len(answer.Records), page: page,
		notice: a.impossible.count(answer.Records, v.c.now()),
	}, nil
}

// use makes an adapter the run's. Its job may ask whose claim it is, so that this
// is written once.
func (v *run) use(a *adapter) {
	if v.adapter = a; a.claim != v.claim {
		a.claim = v.claim
	}
}

// chunkStart is the beginning of the piece of history that is read now: the
// newest that remains, no longer than the vendor's window.
func (v *run) chunkStart(s *store.Job) drover.Time {
	length := v.info.Poll.Window
	if length <= 0 {
		length = 24 * time.Hour
	}
	start := s.RemainingTo.Add(-length)
	if start.Before(s.WindowFrom.Time) {
		return s.WindowFrom
	}
	return drover.At(start)
}

// advance moves a job on by a page that was read.
func (v *run) advance(s *store.Job, f fetched) {
	now := v.c.now()
	if s.LastRunAt = &now; !v.takesRecords() { // of which the last success is the last that came
		s.LastSuccessAt = &now
	}
	s.ConsecutiveErrors = 0
	v.note(s, f.notice)
	s.Records += int64(f.records)
	s.Cursor = f.cursor
	s.DueAt = now
	if f.more {
		return
	}
	if !s.Backfill {
		s.DueAt = v.nextRound(s, now)
		if v.ended(now) && s.Kind != store.JobDevices {
			s.State = store.JobDone
		}
		return
	}
	start := v.chunkStart(s)
	s.Cursor, s.RemainingTo = "", &start
	if !start.After(s.WindowFrom.Time) {
		s.State = store.JobDone
	}
}

// leastRest is the part of its interval that a job rests after each round, however
// long that took: other jobs want their turn.
const leastRest = 6

// nextRound is when a live job is read again. Positions are read once in an
// interval by the begin of their rounds, so that how long a round takes, where each
// vehicle needs a call, does not make them older.
func (v *run) nextRound(s *store.Job, now drover.Time) drover.Time {
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
func (v *run) ended(now drover.Time) bool {
	end := v.conn.CollectionEndTime
	return end != nil && !now.Before(end.Add(settled))
}

// interval is how often a live job is read.
func (v *run) interval(kind store.JobKind) time.Duration {
	if v.c.opts.PollInterval > 0 && kind != store.JobTracks {
		return v.c.opts.PollInterval
	}
	poll := v.info.Poll
	switch kind {
	case store.JobDevices:
		return poll.Devices
	case store.JobTrips:
		return poll.Trips
	case store.JobTracks:
		return trackInterval
	case store.JobFaults:
		return v.info.Faults.Every
	case store.JobDrivers:
		return driverInterval
	case store.JobSafety:
		return v.info.Safety.Every
	case store.JobAssignments:
		return v.info.Assignments.Every
	case store.JobPositions:
		if info := v.info; v.beside && info.Push != nil {
			return info.Push.Poll
		}
	}
	return poll.Positions
}
