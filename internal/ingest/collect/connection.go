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
	"github.com/drover-fleet/drover/internal/trace"
)

// run is one turn with a claimed connection.
type run struct {
	c       *Collector
	claim   work.Claim
	conn    drover.Connection
	info    provider.Info // as the connection is read
	file    *work.File    // nil where no file describes the provider, or none was used yet
	gave    map[store.JobKind]int
	jobs    []store.Job
	adapter *adapter
	// beside says that a push of the vendor is open, and yielded that someone wants
	// the connection who gets it before it is collected again.
	beside, yielded bool
	pages           int // that were chosen
}

// turnOfAll is how often the job that has waited the longest goes first, whatever its
// rank: where polls are due again before all of them were made, the others would never
// have a turn.
const turnOfAll = 10

// pauseForOthers is how long a connection is left alone by its collection after someone
// has asked for it.
const pauseForOthers = time.Second

// restTime is how long a connection rests that is not to be read now.
const restTime = time.Hour

// Collect reads a claimed connection until nothing of it is due, or its turn is
// over, and gives it back.
func (c *Collector) Collect(ctx context.Context, claim work.Claim) { c.collect(ctx, claim, nil) }

// collect is Collect, and listens to the push where unoccupied is there to be
// called then.
func (c *Collector) collect(ctx context.Context, claim work.Claim, unoccupied func()) {
	v := &run{c: c, claim: claim}
	ctx, span := c.opts.Tracer.Begin(ctx, trace.Internal, "run", trace.Parent{})
	defer span.End()
	span.Text(trace.Tenant, claim.TenantID)
	span.Text(trace.Connection, claim.ConnectionID)
	var due drover.Time
	err := v.hold(ctx, func(ctx context.Context) (err error) {
		if due, err = v.readAll(ctx); err == nil && unoccupied != nil {
			due, err = v.listen(ctx, unoccupied)
		}
		return err
	})
	if err != nil && ctx.Err() == nil && !errors.Is(err, work.ErrLeaseLost) {
		c.opts.Logger.ErrorContext(ctx, "collect", "connection", claim.ConnectionID, "tenant", claim.TenantID, "err", err)
	}
	// Also where the process is asked to stop: another can go on at once.
	ctx = context.WithoutCancel(ctx)
	if soon := drover.At(c.opts.Now().Add(pauseForOthers)); c.waiting.awaited(claim.ConnectionID) && due.Before(soon.Time) {
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

// hold does the work of a run and renews its lease meanwhile: a page may take
// many calls, and a call many tries. Where the lease is lost it ends at once, for
// another process is calling the vendor now.
func (v *run) hold(ctx context.Context, do func(context.Context) error) error {
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

// readAll returns when the connection is due again. An error is the store's, and
// worth a pause.
func (v *run) readAll(ctx context.Context) (drover.Time, error) {
	pause := drover.At(v.c.opts.Now().Add(firstRetry))
	if err := v.load(ctx); err != nil {
		return pause, err
	}
	if !v.open() {
		return drover.At(v.c.opts.Now().Add(restTime)), v.setState(ctx, drover.ConnectionDisabled)
	}
	if err := v.renewFile(ctx); err != nil {
		return pause, err
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
	if err := errors.Join(v.judgeData(ctx), v.judgeCoverage(ctx), v.storeUse(ctx)); err != nil {
		return pause, err
	}
	if !v.open() {
		return v.due(), v.setState(ctx, drover.ConnectionDisabled)
	}
	return v.due(), nil
}

// load reads the connection and its jobs, and makes the jobs on the first
// turn.
func (v *run) load(ctx context.Context) error {
	conn, err := v.c.opts.Store.Fleet.Connection(ctx, v.claim.TenantID, v.claim.ConnectionID)
	if err != nil {
		return err
	}
	v.conn = conn.Connection
	if err := v.loadFile(ctx); err != nil {
		return err
	}
	trace.From(ctx).Text(trace.Provider, string(v.conn.IntegrationName))
	if v.jobs, err = v.c.opts.Store.Fleet.ConnectionJobs(ctx, v.claim.TenantID, v.claim.ConnectionID); err != nil {
		return err
	}
	if err := v.chooseTrips(ctx); err != nil {
		return err
	}
	for i := range v.jobs {
		v.mendDue(&v.jobs[i])
	}
	if len(v.jobs) == 0 && v.conn.Active {
		if err := v.begin(ctx); err != nil {
			return err
		}
	}
	if err := v.addBesides(ctx); err != nil {
		return err
	}
	return v.chooseDrivers(ctx)
}

// chooseTrips leaves the vendor's trips alone where trips are derived, and begins to
// read them where they were derived until now.
func (v *run) chooseTrips(ctx context.Context) error {
	if !v.nativeTrips() || v.takesRecords() {
		v.jobs = slices.DeleteFunc(v.jobs, func(s store.Job) bool { return s.Kind == store.JobTrips })
		return nil
	}
	live := func(kind store.JobKind) bool {
		return slices.ContainsFunc(v.jobs, func(s store.Job) bool { return s.Kind == kind && !s.Backfill })
	}
	if !live(store.JobPositions) || live(store.JobTrips) {
		return nil
	}
	from := drover.At(v.c.opts.Now().Add(-settled))
	if v.conn.CollectionStartTime.After(from.Time) {
		from = v.conn.CollectionStartTime
	}
	s := v.newJob(store.JobTrips, from, nil)
	v.jobs = append(v.jobs, s)
	return v.c.opts.Store.Update(ctx, func(tx *store.Tx) error { return tx.Fleet.AddJob(ctx, s) })
}

// mendDue makes a job due that was last read, or made, in the future: by a clock
// that was put back since. It would rest for as long as the clock was wrong
// otherwise. Where processes differ a little, it is read once too often.
func (v *run) mendDue(s *store.Job) {
	last := s.CreatedAt
	if s.LastRunAt != nil {
		last = *s.LastRunAt
	}
	now, interval := v.c.now(), v.interval(s.Kind)
	if last.After(now.Time) && s.DueAt.After(now.Add(interval)) {
		s.DueAt = now
	}
	// Beside a push they are read seldom. Where it is not open any more, that is over.
	pushes := v.info.Push != nil && s.Kind == store.JobPositions && !s.Backfill && s.ConsecutiveErrors == 0
	if usual := last.Add(interval); pushes && s.DueAt.After(usual) {
		s.DueAt = drover.At(usual)
	}
}

// open reports whether the connection is to be read: an inactive one is not, nor
// one past its end of which everything before the end has been read.
func (v *run) open() bool {
	if !v.conn.Active {
		return false
	}
	unfinished := func(s store.Job) bool {
		return s.Kind != store.JobDevices && s.Kind != store.JobDrivers && s.State == store.JobActive
	}
	return v.conn.CollectionEndTime == nil || slices.ContainsFunc(v.jobs, unfinished)
}

// settled is how long after its time a record may still reach a vendor. The live
// jobs begin that long ago: a backfill reads once, and a record that came to
// the vendor just after that would be lost between the two.
const settled = time.Hour

// begin makes the jobs of a new connection. What has settled is backfill; the
// live jobs begin after it, or at a start that is later. A connection whose end
// has settled has backfill alone.
func (v *run) begin(ctx context.Context) error {
	info := v.info
	from := drover.At(v.c.opts.Now().Add(-settled))
	if v.conn.CollectionStartTime.After(from.Time) {
		from = v.conn.CollectionStartTime
	}
	kinds := []store.JobKind{store.JobDevices}
	if end := v.conn.CollectionEndTime; v.takesRecords() {
		kinds = []store.JobKind{store.JobPositions} // which ends trips of devices that are silent
	} else if end != nil && end.Before(from.Time) {
		from = *end
	} else {
		kinds = append(kinds, store.JobPositions)
		if hasTracks(info) {
			kinds = append(kinds, store.JobTracks)
		}
		if v.nativeTrips() {
			kinds = append(kinds, store.JobTrips)
		}
	}
	for _, kind := range kinds {
		v.jobs = append(v.jobs, v.newJob(kind, from, nil))
	}
	if v.conn.CollectionStartTime.Before(from.Time) && !v.takesRecords() {
		oldest, err := v.oldest(ctx, v.c.opts.Store.Accounts)
		if err != nil {
			return err
		}
		v.jobs = append(v.jobs, v.backfills(info, v.conn.CollectionStartTime, from, oldest)...)
	}
	return v.c.opts.Store.Update(ctx, func(tx *store.Tx) error {
		for _, s := range v.jobs {
			if err := tx.Fleet.AddJob(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
}

// takesRecords reports whether there is no vendor to ask: records are sent.
func (v *run) takesRecords() bool { return v.info.Records }

func (v *run) nativeTrips() bool { return v.conn.Configuration.Trips == drover.TripsNative }

// backfills makes the jobs that fill a window in, positions from oldest on.
func (v *run) backfills(info provider.Info, from, to drover.Time, oldest time.Time) []store.Job {
	var jobs []store.Job
	if info.Features.Backfill {
		positions := from
		if positions.Before(oldest) {
			positions = drover.At(oldest)
		}
		jobs = append(jobs, v.newJob(store.JobPositions, positions, &to))
	}
	if v.nativeTrips() {
		jobs = append(jobs, v.newJob(store.JobTrips, from, &to))
	}
	return jobs
}

func (v *run) newJob(kind store.JobKind, from drover.Time, to *drover.Time) store.Job {
	return store.Job{
		TenantID: v.claim.TenantID, ConnectionID: v.claim.ConnectionID, ID: store.NewID(), Kind: kind, State: store.JobActive,
		Backfill: to != nil, WindowFrom: from, WindowTo: to, RemainingTo: to, DueAt: v.c.now(), CreatedAt: v.c.now(),
	}
}

// rank orders jobs: live before backfills, devices before what belongs to them.
// Backfills are all of one rank: inOrder says which comes first.
func rank(s *store.Job) int {
	if s.Backfill {
		return 10
	}
	return liveRank(s)
}

func liveRank(s *store.Job) int {
	return map[store.JobKind]int{
		store.JobDevices: 0, store.JobPositions: 1, store.JobTracks: 3, store.JobTrips: 2, store.JobFaults: 4, store.JobDrivers: 5,
		store.JobSafety: 6, store.JobAssignments: 7,
	}[s.Kind]
}

// inOrder keeps the backfills of trips and positions together: the newest that remains goes
// first, and of one time the trips. Stops are found between trips: positions of weeks without
// them would be read again with every page, as one stop that may have been.
func inOrder(a, b *store.Job) int {
	if !a.Backfill || !b.Backfill || a.RemainingTo == nil || b.RemainingTo == nil {
		return 0
	}
	return cmp.Or(b.RemainingTo.Compare(a.RemainingTo.Time), cmp.Compare(liveRank(b), liveRank(a)))
}

// next picks the job to read now, nil where none is due. Positions and trips
// wait for the first list of devices.
func (v *run) next() *store.Job {
	v.hasten()
	var due []*store.Job
	for i := range v.jobs {
		s := &v.jobs[i]
		if s.State == store.JobActive && !s.DueAt.After(v.c.opts.Now()) && (s.Kind == store.JobDevices || v.knowsDevices()) {
			due = append(due, s)
		}
	}
	if len(due) == 0 {
		return nil
	}
	v.pages++
	longest := v.pages%turnOfAll == 0
	return slices.MinFunc(due, func(a, b *store.Job) int {
		byRank, byTime := cmp.Or(cmp.Compare(rank(a), rank(b)), inOrder(a, b)), a.DueAt.Compare(b.DueAt.Time)
		if longest {
			return cmp.Or(byTime, byRank)
		}
		return cmp.Or(byRank, byTime)
	})
}

func (v *run) knowsDevices() bool {
	return v.takesRecords() || slices.ContainsFunc(v.jobs, func(s store.Job) bool {
		return s.Kind == store.JobDevices && s.LastSuccessAt != nil
	})
}

// due says when the connection wants its next turn.
func (v *run) due() drover.Time {
	v.hasten()
	due := drover.At(v.c.opts.Now().Add(restTime))
	for _, s := range v.jobs {
		if s.State == store.JobActive && (s.Kind == store.JobDevices || v.knowsDevices()) && s.DueAt.Before(due.Time) {
			due = s.DueAt
		}
	}
	if v.adapter != nil && v.adapter.feed.retryAt.After(v.c.opts.Now()) && v.adapter.feed.retryAt.Before(due.Time) {
		due = drover.At(v.adapter.feed.retryAt)
	}
	return due
}
