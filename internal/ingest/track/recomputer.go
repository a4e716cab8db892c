package track

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

const (
	// recomputeEvery is how often jobs are looked for.
	recomputeEvery = time.Second
	// recomputeStep is how much of a device's history one transaction derives again.
	recomputeStep = 3 * 24 * time.Hour
	// sumStep is how much of a device's history one transaction sums up by days.
	sumStep = 60 * 24 * time.Hour
	// recomputeClaim is how long a process keeps a job to itself from step to step. A
	// step may take longer: it locks the job, and two that take turns do no harm. After a
	// crash the job waits for so long.
	recomputeClaim = 10 * time.Second
	// recomputeAttempts is how often a step is tried.
	recomputeAttempts = 5
)

// Recomputer derives the trips of chosen windows again: job by job, device by device,
// a few days in a transaction, which also notes how far it came. So a job goes on
// where it was when its process dies, and repeating a step changes nothing. It is
// background work, of any number of processes.
type Recomputer struct {
	background.Work
	Store   *store.Store
	Tracker *Tracker
	Logger  *slog.Logger
	// Oldest returns from when on a tenant's positions are kept; zero where all are.
	Oldest func(ctx context.Context, tx *store.Tx, tenantID string) (time.Time, error)
}

// NewRecomputer makes a Recomputer.
func NewRecomputer(
	s *store.Store,
	t *Tracker,
	oldest func(ctx context.Context, tx *store.Tx, tenantID string) (time.Time, error),
	logger *slog.Logger,
) *Recomputer {
	w := &Recomputer{Store: s, Tracker: t, Logger: logger, Oldest: oldest}
	w.Run = func(ctx context.Context) { s.EachPlace(ctx, w.run) }
	return w
}

func (w *Recomputer) run(ctx context.Context) {
	background.Every(ctx, recomputeEvery, func(ctx context.Context) {
		if err := w.RunDue(ctx); err != nil && ctx.Err() == nil && !store.Silent(err) {
			w.Logger.ErrorContext(ctx, "derive trips again", "err", err)
		}
	})
}

// RunDue works on every job that is due, to its end.
func (w *Recomputer) RunDue(ctx context.Context) error {
	for ctx.Err() == nil {
		now := w.Tracker.Now()
		job, err := w.Store.Jobs.ClaimRecompute(ctx, drover.At(now), drover.At(now.Add(recomputeClaim)))
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		for more := true; more && ctx.Err() == nil; {
			if more, err = w.Step(ctx, job.TenantID, job.ID); err != nil {
				w.Logger.ErrorContext(ctx, "derive trips again", "tenant", job.TenantID, "job", job.ID, "err", err)
				if err := w.failed(ctx, job.TenantID, job.ID); err != nil {
					return err
				}
				break
			}
		}
	}
	return ctx.Err()
}

// Step does the next part of a job, and reports whether there is more.
func (w *Recomputer) Step(ctx context.Context, tenantID, id string) (more bool, err error) {
	err = w.Store.UpdateBulk(ctx, func(tx *store.Tx) error {
		job, err := tx.Jobs.RecomputeForUpdate(ctx, tenantID, id)
		if err != nil || job.State != drover.JobQueued && job.State != drover.JobRunning {
			more = false
			return err
		}
		if more, err = w.step(ctx, tx, &job); err != nil {
			return err
		}
		now := drover.At(w.Tracker.Now())
		job.State, job.Attempts, job.DueAt = drover.JobRunning, 0, new(drover.At(now.Add(recomputeClaim)))
		if job.StartedAt == nil {
			job.StartedAt = &now
		}
		if !more {
			job.State, job.DueAt, job.FinishedAt = drover.JobDone, nil, &now
		}
		return tx.Jobs.SetRecompute(ctx, job)
	})
	return more && err == nil, err
}

// step derives the next days of the next device again.
func (w *Recomputer) step(ctx context.Context, tx *store.Tx, job *work.Recompute) (more bool, err error) {
	d, some, err := nextDevice(ctx, tx.Fleet, job)
	if err != nil || !some {
		return false, err
	}
	from, err := w.source(ctx, tx, job.TenantID, d.ConnectionID)
	if err != nil {
		return false, err
	}
	if job.Kind == work.RecomputeDays {
		return true, w.sumDays(ctx, tx, job, from, d.ID)
	}
	window := trip.Span{From: job.From, To: job.To}
	if job.Reached != nil {
		window.From = *job.Reached
	}
	if end := drover.At(window.From.Add(recomputeStep)); end.Before(job.To.Time) {
		window.To = end
	}
	out, err := w.Tracker.recompute(ctx, tx, from, d.ID, window, !job.Notify)
	if err != nil {
		return false, err
	}
	job.TripsAdded, job.TripsChanged, job.TripsRemoved = job.TripsAdded+out.Added, job.TripsChanged+out.Changed, job.TripsRemoved+out.Removed
	job.DeviceAfter, job.Reached = &d.ID, &out.Reached
	if !out.Reached.Before(job.To.Time) {
		job.DevicesDone++
	}
	return true, journal.Publish(ctx, tx, job.TenantID, d.ConnectionID, out.Events)
}

// sumDays sums up the next days of a device again.
func (w *Recomputer) sumDays(ctx context.Context, tx *store.Tx, job *work.Recompute, from Source, deviceID string) error {
	job.DeviceAfter = &deviceID
	if job.Reached == nil {
		if err := tx.Trips.ForgetDeviceDays(ctx, job.TenantID, deviceID); err != nil {
			return err
		}
		first, err := tx.Trips.FirstRecord(ctx, job.TenantID, deviceID)
		if errors.Is(err, store.ErrNotFound) {
			job.Reached = &job.To
			return nil
		}
		if err != nil {
			return err
		}
		job.Reached = &first
	}
	until, end := drover.At(job.Reached.Add(sumStep)), drover.At(w.Tracker.Now().Add(trip.FutureTolerance))
	err := w.Tracker.sumDays(ctx, tx, from, deviceID, trip.Span{From: *job.Reached, To: until})
	if until.After(end.Time) {
		until = job.To
	}
	job.Reached = &until
	return err
}

// nextDevice is the one that a job is at: the next after one that is done.
func nextDevice(ctx context.Context, tx store.FleetTx, job *work.Recompute) (d store.Device, some bool, err error) {
	under := job.DeviceAfter != nil && job.Reached != nil && job.Reached.Before(job.To.Time)
	if job.DeviceID != nil {
		if job.DeviceAfter != nil && !under {
			return d, false, nil
		}
		d, err = tx.Device(ctx, job.TenantID, *job.DeviceID)
		return d, err == nil, err
	}
	at := ""
	if job.DeviceAfter != nil {
		at = *job.DeviceAfter
	}
	devices, err := tx.DevicesFrom(ctx, job.TenantID, job.ConnectionID, at, 2)
	if err != nil {
		return d, false, err
	}
	for _, d := range devices {
		if d.ID != at {
			job.Reached = nil
		}
		if d.ID != at || under {
			return d, true, nil
		}
	}
	return d, false, nil
}

// source is a connection as the rules see it.
func (w *Recomputer) source(ctx context.Context, tx *store.Tx, tenantID, connectionID string) (Source, error) {
	c, err := tx.Fleet.Connection(ctx, tenantID, connectionID)
	if err != nil {
		return Source{}, err
	}
	return Source{
		TenantID: tenantID, ConnectionID: connectionID, Poll: c.Configuration.PollInterval(), TripRules: c.Configuration.TripRules,
		TimeZone:    c.Configuration.TimeZone,
		NativeTrips: c.Configuration.Trips == drover.TripsNative,
		Oldest:      func(ctx context.Context, tx *store.Tx) (time.Time, error) { return w.Oldest(ctx, tx, tenantID) },
	}, nil
}

// failed notes that a step went wrong. It is tried again, some times.
func (w *Recomputer) failed(ctx context.Context, tenantID, id string) error {
	return w.Store.Update(ctx, func(tx *store.Tx) error {
		job, err := tx.Jobs.RecomputeForUpdate(ctx, tenantID, id)
		if err != nil || job.DueAt == nil {
			return err
		}
		now := drover.At(w.Tracker.Now())
		job.Attempts++
		job.DueAt = new(drover.At(now.Add(time.Duration(math.Pow(2, float64(job.Attempts))) * time.Second)))
		if job.Attempts >= recomputeAttempts {
			job.State, job.DueAt, job.FinishedAt = drover.JobFailed, nil, &now
			job.Error = new("The work failed several times; the log of the service says why")
		}
		return tx.Jobs.SetRecompute(ctx, job)
	})
}
