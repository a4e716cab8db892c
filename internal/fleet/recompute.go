package fleet

import (
	"context"
	"math"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// maxRecomputes bounds the jobs of a tenant that are not over.
const maxRecomputes = 20

// Recompute asks for the trips of a window to be derived again, in the background.
func (s Trips) Recompute(ctx context.Context, p drover.Principal, in drover.RecomputeInput) (drover.Recompute, error) {
	if err := guard.MayWrite(p); err != nil {
		return drover.Recompute{}, err
	}
	if !in.From.Before(in.To.Time) {
		return drover.Recompute{}, drover.InvalidValue("to must be after from", "body", "to")
	}
	if err := s.checkRecomputed(ctx, p, in); err != nil {
		return drover.Recompute{}, err
	}
	job := work.Recompute{TenantID: p.TenantID, DueAt: new(s.now()), Recompute: drover.Recompute{
		ID: store.NewID(), State: drover.JobQueued, From: in.From, To: in.To, ConnectionID: in.ConnectionID, DeviceID: in.DeviceID,
		Notify: in.Notify == nil || *in.Notify, DevicesTotal: 1, CreatedAt: s.now(),
	}}
	return guard.Change(ctx, s.guard, p, func(tx *store.Tx) (drover.Recompute, error) {
		open, err := tx.Jobs.OpenRecomputes(ctx, p.TenantID)
		if err != nil {
			return drover.Recompute{}, err
		}
		if open >= maxRecomputes {
			return drover.Recompute{}, drover.Errorf(drover.KindForbidden, "Limit of %d jobs under way reached", maxRecomputes)
		}
		if in.DeviceID == nil {
			if job.DevicesTotal, err = tx.Fleet.CountDevices(ctx, p.TenantID, in.ConnectionID); err != nil {
				return drover.Recompute{}, err
			}
		}
		return shownRecompute(job), tx.Jobs.AddRecompute(ctx, job)
	})
}

// checkRecomputed checks that what is named is the tenant's own.
func (s *core) checkRecomputed(ctx context.Context, p drover.Principal, in drover.RecomputeInput) error {
	if id := in.ConnectionID; id != nil {
		c, err := s.store.Fleet.Connection(ctx, p.TenantID, *id)
		if err != nil {
			return guard.OrUnknown(err, guard.UnknownConnection, *id, "connection_id")
		}
		if err := guard.Owned(p, c.Connection.TenantID); err != nil {
			return err
		}
	}
	if id := in.DeviceID; id != nil {
		d, err := s.store.Fleet.Device(ctx, p.TenantID, *id)
		if err != nil {
			return guard.OrUnknown(err, guard.UnknownDevice, *id, "device_id")
		}
		if err := guard.Owned(p, d.TenantID); err != nil {
			return err
		}
		if in.ConnectionID != nil && d.ConnectionID != *in.ConnectionID {
			return drover.InvalidValue("the device is of another connection", "body", "device_id")
		}
	}
	return nil
}

// Recomputes lists the tenant's jobs, oldest first, after the id given.
func (s Trips) Recomputes(ctx context.Context, p drover.Principal, after drover.IDCursor, limit int) ([]drover.Recompute, error) {
	jobs, err := s.store.Jobs.Recomputes(ctx, p.TenantID, string(after), limit)
	out := make([]drover.Recompute, len(jobs))
	for i, job := range jobs {
		out[i] = shownRecompute(job)
	}
	return out, err
}

// RecomputeJob reads one job.
func (s Trips) RecomputeJob(ctx context.Context, p drover.Principal, id string) (drover.Recompute, error) {
	job, err := s.store.Jobs.Recompute(ctx, p.TenantID, id)
	if err == nil {
		err = asked(job)
	}
	return shownRecompute(job), s.orForeign(ctx, p, err, id)
}

// asked hides the jobs that no one has asked for.
func asked(job work.Recompute) error {
	if job.Kind != work.RecomputeTrips {
		return store.ErrNotFound
	}
	return nil
}

// orForeign tells another tenant's job from one that is not there.
func (s *core) orForeign(ctx context.Context, p drover.Principal, err error, id string) error {
	if err == nil {
		return nil
	}
	if _, foreign := s.store.Jobs.RecomputeOwner(ctx, p.TenantID, id); foreign == nil {
		return drover.Forbidden()
	}
	return guard.OrNotFound(err, guard.UnknownRecompute, id)
}

// CancelRecompute ends a job. What it has done stays.
func (s Trips) CancelRecompute(ctx context.Context, p drover.Principal, id string) error {
	if err := guard.MayWrite(p); err != nil {
		return err
	}
	err := s.guard.Update(ctx, p, func(tx *store.Tx) error {
		job, err := tx.Jobs.RecomputeForUpdate(ctx, p.TenantID, id)
		if err == nil {
			err = asked(job)
		}
		if err != nil || job.DueAt == nil {
			return err
		}
		job.State, job.DueAt, job.FinishedAt = drover.JobCancelled, nil, new(s.now())
		return tx.Jobs.SetRecompute(ctx, job)
	})
	return s.orForeign(ctx, p, err, id)
}

// shownRecompute is a job as its tenant sees it, with how much of it is done.
func shownRecompute(job work.Recompute) drover.Recompute {
	r := job.Recompute
	switch {
	case r.State == drover.JobDone:
		r.DevicesDone, r.DonePercent = max(r.DevicesDone, r.DevicesTotal), 100
		r.DevicesTotal = r.DevicesDone
	case r.DevicesTotal > 0:
		done := float64(r.DevicesDone)
		if whole := r.To.Sub(r.From.Time).Seconds(); job.Reached != nil && job.Reached.Before(r.To.Time) && whole > 0 {
			done += job.Reached.Sub(r.From.Time).Seconds() / whole
		}
		r.DonePercent = min(100, math.Round(1000*done/float64(r.DevicesTotal))/10)
	}
	return r
}
