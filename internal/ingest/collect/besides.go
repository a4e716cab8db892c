package collect

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// beside is a kind of jobs that read more than devices, positions and trips.
type beside struct {
	kind  store.JobKind
	of    *provider.Besides // how the vendor has it
	field string            // of the coverage
}

func besides(info provider.Info) []beside {
	return []beside{
		{store.JobFaults, info.Faults, drover.FieldFault},
		{store.JobSafety, info.Safety.Asked(), drover.FieldSafety},
		{store.JobAssignments, info.Assignments.Asked(), drover.FieldAssignment},
	}
}

// addBesides makes the jobs of what the vendor reports besides, where there are none yet.
func (v *run) addBesides(ctx context.Context) error {
	live := slices.IndexFunc(v.jobs, func(s store.Job) bool { return s.Kind == store.JobPositions && !s.Backfill })
	if live < 0 {
		return nil
	}
	var added []store.Job
	for _, b := range besides(v.info) {
		there := slices.ContainsFunc(v.jobs, func(s store.Job) bool { return s.Kind == b.kind })
		if b.of.Asked() && !there {
			added = append(added, v.newJob(b.kind, v.besidesFrom(b.kind, v.jobs[live].WindowFrom), nil))
		}
	}
	if len(added) == 0 {
		return nil
	}
	v.jobs = append(v.jobs, added...)
	return v.c.opts.Store.Update(ctx, func(tx *store.Tx) error {
		for _, s := range added {
			if err := tx.Fleet.AddJob(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
}

// besidesReach is how far back safety events and assignments are read when a connection begins.
const besidesReach = 30 * 24 * time.Hour

// besidesFrom is from when on a job reads. Safety events and assignments have no backfill: they are
// read from the beginning of the collection, as far as that is not long ago.
func (v *run) besidesFrom(kind store.JobKind, live drover.Time) drover.Time {
	if kind != store.JobSafety && kind != store.JobAssignments {
		return live
	}
	from := drover.At(v.c.opts.Now().Add(-besidesReach))
	if v.conn.CollectionStartTime.After(from.Time) {
		from = v.conn.CollectionStartTime
	}
	return from
}

// withheld reports whether a vendor refuses a call to this account. Where the credentials are
// wrong altogether, the jobs of devices and positions say so.
func withheld(err error) bool {
	status := provider.StatusOf(err)
	return status == http.StatusUnauthorized || status == http.StatusForbidden || provider.KindOf(err) == provider.KindPermanent
}

// allow notes whether the account may read what a job of these kinds reads.
func (v *run) allow(kind store.JobKind, allowed bool) {
	for _, b := range besides(v.adapter.info) {
		if b.kind != kind || b.of == nil {
			continue
		}
		need := b.of.Need
		if allowed {
			need = ""
		}
		v.adapter.observe(provider.WithheldForm+b.field, need)
	}
}

// withhold notes that the account may not read what a job reads. It is tried again now and then.
func (v *run) withhold(ctx context.Context, s *store.Job) error {
	v.allow(s.Kind, false)
	now := v.c.now()
	s.LastRunAt, s.ConsecutiveErrors, s.DueAt = &now, 0, drover.At(now.Add(provider.WithheldRetry))
	forms, health := v.changedForms(), v.judgeState()
	err := v.c.opts.Store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.Jobs.HoldLease(ctx, v.claim, v.c.leaseEnd()); err != nil {
			return err
		}
		if _, err := tx.Fleet.SetJob(ctx, *s); err != nil {
			return err
		}
		if err := v.storeMet(ctx, tx, forms); err != nil {
			return err
		}
		return v.storeState(ctx, tx, health)
	})
	if err != nil {
		return internal(err)
	}
	v.conn.Configuration.Health = health
	v.keepForms(forms)
	v.c.metrics.pages.WithLabelValues(string(v.conn.IntegrationName), string(s.Kind), "withheld").Inc()
	return nil
}
