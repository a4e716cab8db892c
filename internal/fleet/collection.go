package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/rules/quality"
	"github.com/drover-fleet/drover/internal/store"
)

// ConnectionHealth says how the collection of a connection goes, and how it went
// over the last day.
func (s Connections) ConnectionHealth(ctx context.Context, p drover.Principal, id string) (drover.ConnectionDiagnosis, error) {
	c, err := s.store.Fleet.Connection(ctx, p.TenantID, id)
	if err != nil {
		return drover.ConnectionDiagnosis{}, guard.OrNotFound(err, guard.UnknownConnection, id)
	}
	if err := guard.Readable(p, c.Access); err != nil {
		return drover.ConnectionDiagnosis{}, err
	}
	d := drover.ConnectionDiagnosis{}
	if d.ConnectionHealth, err = s.health(ctx, s.store.Fleet, c.Connection); err != nil {
		return d, err
	}
	d.ConnectionHealth = shownHealth(p, c.Connection, d.ConnectionHealth)
	if c.Connection.TenantID != p.TenantID {
		d.Runs = []drover.JobHour{}
		return d, nil
	}
	if d.Runs, err = s.store.Fleet.Runs(ctx, c.Connection.TenantID, c.ID, drover.At(s.clock().Add(-RunHistory))); err != nil {
		return d, err
	}
	if d.Inbound, err = s.inboundState(ctx, c.ID); err != nil {
		return d, err
	}
	if s.provider(c.IntegrationName).Push != nil {
		push, err := s.store.Jobs.Push(ctx, c.Connection.TenantID, c.ID, s.now())
		if err != nil {
			return d, err
		}
		d.Push = &push
	}
	d.Quality, err = s.quality(ctx, c.Connection)
	return d, err
}

// quality judges what was measured of a connection's data, nil where nothing was.
func (s *core) quality(ctx context.Context, c drover.Connection) (*drover.ConnectionQuality, error) {
	stored, err := s.store.Jobs.Quality(ctx, c.TenantID, c.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var facts quality.Facts
	if err := json.Unmarshal(stored.Facts, &facts); err != nil {
		return nil, fmt.Errorf("read facts: %w", err)
	}
	reading := s.provider(c.IntegrationName).Reading(c.Configuration.Units)
	if reading.Devices, reading.Brief, err = s.store.Fleet.DeviceTurnover(ctx, c.TenantID, c.ID, quality.BriefListing); err != nil {
		return nil, err
	}
	return new(quality.Judge(facts, reading)), nil
}

// shownHealth is the health as the caller may see it: how a connection is collected,
// and what the vendor says of it, is its owner's.
func shownHealth(p drover.Principal, c drover.Connection, h drover.ConnectionHealth) drover.ConnectionHealth {
	if c.TenantID != p.TenantID {
		h.Message, h.Jobs = nil, []drover.JobHealth{}
		h.Streams = h.Jobs
	}
	return h
}

func (s *core) health(ctx context.Context, from store.FleetReader, c drover.Connection) (drover.ConnectionHealth, error) {
	jobs, err := from.ConnectionJobs(ctx, c.TenantID, c.ID)
	if err != nil {
		return drover.ConnectionHealth{}, err
	}
	return s.healthOf(c, jobs), nil
}

// healthOf sums up a connection's jobs.
func (s *core) healthOf(c drover.Connection, jobs []store.Job) drover.ConnectionHealth {
	h := drover.ConnectionHealth{ConnectionID: c.ID, State: c.Configuration.Health, Jobs: []drover.JobHealth{}, Streams: []drover.JobHealth{}}
	if h.State == drover.ConnectionArchived { // nothing is read any more, so nothing is wrong
		for i := range jobs {
			h.LastSuccessAt = later(h.LastSuccessAt, jobs[i].LastSuccessAt)
		}
		return h
	}
	var newest *store.Job
	for i := range jobs {
		st := &jobs[i]
		if st.Kind == store.JobTrips && c.Configuration.Trips != drover.TripsNative {
			continue // it rests
		}
		view := s.jobHealth(st, jobs)
		h.Jobs = append(h.Jobs, view)
		h.LastSuccessAt = later(h.LastSuccessAt, st.LastSuccessAt)
		if view.NextRunAt != nil && (h.NextRunAt == nil || view.NextRunAt.Before(h.NextRunAt.Time)) {
			h.NextRunAt = view.NextRunAt
		}
		if worse(st, newest) {
			newest = st
		}
	}
	h.Streams = h.Jobs
	if newest != nil {
		h.Message = newest.LastError
	}
	s.stall(&h, c, jobs)
	h.Acts = actor(h.State, newest)
	s.hear(&h, c, jobs)
	return h
}

// worse reports whether what a push says is more to the point than what another
// does: failures go before notices, then the newest.
func worse(st, than *store.Job) bool {
	if st.LastErrorAt == nil || than == nil {
		return st.LastErrorAt != nil
	}
	if failing := st.ConsecutiveErrors > 0; failing != (than.ConsecutiveErrors > 0) {
		return failing
	}
	return st.LastErrorAt.After(than.LastErrorAt.Time)
}

func later(a, b *drover.Time) *drover.Time {
	if a == nil || b != nil && b.After(a.Time) {
		return b
	}
	return a
}

// nextRun says when a job is read next. Before the first list of devices the
// others wait for it, whenever they were due.
func nextRun(st *store.Job, all []store.Job) *drover.Time {
	next := st.DueAt
	for _, other := range all {
		if other.Kind == store.JobDevices && other.LastSuccessAt == nil && other.DueAt.After(next.Time) {
			next = other.DueAt
		}
	}
	return &next
}

func (s *core) jobHealth(st *store.Job, all []store.Job) drover.JobHealth {
	v := drover.JobHealth{
		ID: st.ID, Kind: string(st.Kind), State: string(st.State), LastRunAt: st.LastRunAt, LastSuccessAt: st.LastSuccessAt,
		Records: st.Records, ConsecutiveErrors: st.ConsecutiveErrors,
		LastError: st.LastError, LastErrorKind: st.LastErrorKind, LastErrorAt: st.LastErrorAt,
	}
	if st.State == store.JobActive {
		v.NextRunAt = nextRun(st, all)
	}
	if st.LastSuccessAt != nil && !st.Backfill {
		lag := math.Max(0, s.now().Sub(st.LastSuccessAt.Time).Seconds())
		v.LagSeconds = &lag
	}
	if st.Backfill {
		v.Backfill = &drover.BackfillState{
			From: st.WindowFrom, To: *st.WindowTo, StartedAt: st.CreatedAt, RemainingTo: *st.RemainingTo,
			DonePercent: 100,
		}
		if whole := st.WindowTo.Sub(st.WindowFrom.Time).Seconds(); whole > 0 {
			v.Backfill.DonePercent = math.Round(1000*st.WindowTo.Sub(st.RemainingTo.Time).Seconds()/whole) / 10
		}
	}
	v.History = v.Backfill
	return v
}

// Sync collects a connection now, or fills a window of the past in: the jobs are
// part of the health that it returns.
func (s Connections) Sync(ctx context.Context, p drover.Principal, id string, in drover.SyncInput) (drover.ConnectionHealth, error) {
	c, err := s.syncable(ctx, p, id)
	if err != nil {
		return drover.ConnectionHealth{}, err
	}
	from, to, err := s.syncWindow(c, in)
	if err != nil {
		return drover.ConnectionHealth{}, err
	}
	defer s.wake()
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.ConnectionHealth, error) {
		if from == nil {
			err = tx.Fleet.RushJobs(ctx, c.TenantID, c.ID, s.now())
		} else {
			err = s.addJobs(ctx, tx, c, *from, *to)
		}
		if err != nil {
			return drover.ConnectionHealth{}, err
		}
		if err := tx.Jobs.WakeCollection(ctx, c.TenantID, c.ID, s.now()); err != nil {
			return drover.ConnectionHealth{}, err
		}
		return s.health(ctx, tx.Fleet.FleetReader, c)
	})
}

// syncable finds a connection that the caller may have collected.
func (s *core) syncable(ctx context.Context, p drover.Principal, id string) (drover.Connection, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.Connection{}, err
	}
	c, err := s.store.Fleet.Connection(ctx, p.TenantID, id)
	if err != nil {
		return drover.Connection{}, guard.OrNotFound(err, guard.UnknownConnection, id)
	}
	return c.Connection, guard.Owned(p, c.Connection.TenantID)
}

// syncWindow checks the window that is asked for: both bounds or none, within
// what the connection collects. Without one, both are nil.
func (s *core) syncWindow(c drover.Connection, in drover.SyncInput) (from, to *drover.Time, err error) {
	switch {
	case in.From == nil && in.To == nil:
		return nil, nil, nil
	case in.From == nil:
		return nil, nil, drover.Invalid("missing", "Field required", "body", "from")
	case in.To == nil:
		return nil, nil, drover.Invalid("missing", "Field required", "body", "to")
	case !in.From.Before(in.To.Time):
		return nil, nil, drover.InvalidValue("to must be after from", "body", "to")
	case in.From.Before(c.CollectionStartTime.Time):
		return nil, nil, drover.InvalidValue("from must not be before the connection's collection_start_time", "body", "from")
	}
	end := s.now()
	if in.To.Before(end.Time) {
		end = *in.To
	}
	return in.From, &end, nil
}

// addJobs adds the backfill jobs of a window.
func (s *core) addJobs(ctx context.Context, tx *store.Tx, c drover.Connection, from, to drover.Time) error {
	info := s.provider(c.IntegrationName)
	var kinds []store.JobKind
	if info.Features.Backfill {
		kinds = append(kinds, store.JobPositions)
	}
	if c.Configuration.Trips == drover.TripsNative && !info.Records {
		kinds = append(kinds, store.JobTrips)
	}
	if len(kinds) == 0 {
		return drover.InvalidValue(info.Title+" keeps no history to read", "body", "from")
	}
	if err := guard.Within(ctx, tx, c.TenantID, drover.QuotaSyncJobs, int64(len(kinds))); err != nil {
		return err
	}
	for _, kind := range kinds {
		err := tx.Fleet.AddJob(ctx, store.Job{
			TenantID: c.TenantID, ConnectionID: c.ID, ID: store.NewID(), Kind: kind, State: store.JobActive, Backfill: true,
			WindowFrom: from, WindowTo: &to, RemainingTo: &to, DueAt: s.now(), CreatedAt: s.now(), Asked: true,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// CancelSync ends a backfill job. What it has read stays.
func (s Connections) CancelSync(ctx context.Context, p drover.Principal, id, job string) error {
	c, err := s.syncable(ctx, p, id)
	if err != nil {
		return err
	}
	return s.guard.Update(ctx, p, func(tx *store.Tx) error {
		return guard.OrNotFound(tx.Fleet.CancelJob(ctx, c.TenantID, c.ID, job), guard.UnknownJob, job)
	})
}
