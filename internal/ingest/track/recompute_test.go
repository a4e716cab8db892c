package track_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// week is a vehicle that drives to the site and back twice a day, and stands for 8
// minutes on the way.
func week(days int) (out []drover.Position) {
	for minute := 0; minute < days*24*60; minute += 2 {
		m := minute % 720
		metres, kph := 0.0, 0.0
		switch {
		case m < 20:
			metres, kph = 500*float64(m), 30
		case m < 28:
			metres = 10_000
		case m < 48:
			metres, kph = 10_000+500*float64(m-28), 30
		case m < 400:
			metres = 20_000
		case m < 440:
			metres, kph = 20_000-500*float64(m-400), 30
		}
		out = append(out, withSpeed(seen(float64(minute), metres), kph))
	}
	return out
}

func (r *rig) recomputer() *track.Recomputer {
	return track.NewRecomputer(r.store, r.tracker, func(context.Context, *store.Tx, string) (time.Time, error) { return time.Time{}, nil },
		slog.New(slog.DiscardHandler))
}

// ask adds a job for all devices.
func (r *rig) ask(from, to time.Time) string {
	r.t.Helper()
	job := work.Recompute{TenantID: r.m.TenantID, DueAt: new(drover.At(r.now)), Recompute: drover.Recompute{
		ID: store.NewID(), State: drover.JobQueued, From: drover.At(from), To: drover.At(to), Notify: true, DevicesTotal: 1,
		CreatedAt: drover.At(r.now),
	}}
	r.update(func(tx *store.Tx) error { return tx.Jobs.AddRecompute(r.t.Context(), job) })
	return job.ID
}

func (r *rig) set(rules drover.TripRules) {
	r.t.Helper()
	r.update(func(tx *store.Tx) error {
		return tx.Accounts.SetSettings(r.t.Context(), r.m.TenantID, r.m.DeviceID, drover.Settings{TripRules: rules})
	})
}

// sums is all that follows from a device's trips, without ids.
func (r *rig) sums() string {
	r.t.Helper()
	ctx, tenant := r.t.Context(), r.m.TenantID
	trips, err := r.store.Trips.Trips(ctx, tenant, drover.TripFilter{}, nil, 1000)
	if err != nil {
		r.t.Fatal(err)
	}
	stops, err := r.store.Trips.Stops(ctx, tenant, drover.StopFilter{}, nil, 1000)
	if err != nil {
		r.t.Fatal(err)
	}
	for i := range trips {
		trips[i].ID, trips[i].DeviceID = "", ""
	}
	for i := range stops {
		stops[i].ID, stops[i].DeviceID = "", ""
		if stops[i].EndTime == nil {
			stops[i].DurationSeconds = 0 // it counts until now
		}
	}
	activity, err := r.store.Fleet.ActivitySummary(ctx, tenant, 90, 100, true, drover.At(r.now))
	if err != nil {
		r.t.Fatal(err)
	}
	days, err := r.store.Trips.DeviceDays(ctx, tenant, r.m.DeviceID, 0, 1<<40)
	if err != nil {
		r.t.Fatal(err)
	}
	if len(days) == 0 && len(trips) > 0 {
		r.t.Error("there are trips and no days")
	}
	text, err := json.MarshalIndent([]any{days, trips, stops, activity.Totals.TripSums, activity.TripsByDay, activity.Stops}, "", " ")
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// tripEvents counts what was reported of trips.
func (r *rig) tripEvents() map[drover.EventType]int {
	r.t.Helper()
	events, err := r.store.Feed.Events(r.t.Context(), r.m.TenantID,
		drover.EventFilter{Types: []drover.EventType{drover.EventTripCompleted, drover.EventTripUpdated}},
		work.EventRange{To: 1 << 40, Limit: 1000})
	if err != nil {
		r.t.Fatal(err)
	}
	out := map[drover.EventType]int{}
	for _, e := range events {
		out[e.Type]++
	}
	return out
}

// TestRecompute derives by other rules than before, is ended in the middle at times,
// and comes to what deriving from scratch comes to, with what follows from it.
func TestRecompute(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		positions := week(9)
		r.now = epoch.AddDate(0, 0, 10)
		r.absorb(false, positions...)
		joined := drover.TripRules{StopSeconds: new(900)}
		before := r.tripEvents()
		r.set(joined)
		id := r.ask(epoch, epoch.AddDate(0, 0, 20))

		// A process that ends after two steps, and one that goes on.
		for range 2 {
			if more, err := r.recomputer().Step(r.t.Context(), r.m.TenantID, id); err != nil || !more {
				r.t.Fatalf("more is %t: %v", more, err)
			}
		}
		if job := r.job(id); job.State != drover.JobRunning || job.DevicesDone != 0 || job.Reached == nil {
			r.t.Errorf("after two steps: %+v", job)
		}
		// It waits for the claim of the first to end, and no longer.
		for _, wait := range []time.Duration{9 * time.Second, time.Second} {
			if job := r.job(id); job.State != drover.JobRunning {
				r.t.Errorf("before the claim ends the job is %+v", job)
			}
			r.now = r.now.Add(wait)
			if err := r.recomputer().RunDue(r.t.Context()); err != nil {
				r.t.Fatal(err)
			}
		}
		job := r.job(id)
		if job.State != drover.JobDone || job.TripsRemoved != 18 || job.TripsChanged != 18 || job.TripsAdded != 0 || job.DevicesDone != 1 ||
			job.FinishedAt == nil {
			r.t.Errorf("the job is %+v", job)
		}
		after := r.tripEvents()
		if after[drover.EventTripUpdated]-before[drover.EventTripUpdated] != 36 ||
			after[drover.EventTripCompleted] != before[drover.EventTripCompleted] {
			r.t.Errorf("events %v, before %v", after, before)
		}

		scratch := newRig(r.t, r.store, journey())
		scratch.now = r.now
		scratch.set(joined)
		scratch.absorb(false, positions...)
		if diff := cmp.Diff(scratch.sums(), r.sums()); diff != "" {
			r.t.Errorf("deriving again differs (-from scratch +again):\n%s", diff)
		}

		again := r.ask(epoch.AddDate(0, 0, 2), epoch.AddDate(0, 0, 5))
		if err := r.recomputer().RunDue(r.t.Context()); err != nil {
			r.t.Fatal(err)
		}
		if job := r.job(again); job.State != drover.JobDone || job.TripsAdded+job.TripsChanged+job.TripsRemoved != 0 {
			r.t.Errorf("again: %+v", job)
		}
		if diff := cmp.Diff(after, r.tripEvents()); diff != "" {
			r.t.Errorf("nothing changed, but was reported: %s", diff)
		}
	})
}

func (r *rig) job(id string) work.Recompute {
	r.t.Helper()
	job, err := r.store.Jobs.Recompute(r.t.Context(), r.m.TenantID, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return job
}

// TestRecomputeKeepsIDs expects trips that stay the same trip to keep their ids, and
// those of a time without positions to stay.
func TestRecomputeKeepsIDs(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		r.now = epoch.AddDate(0, 0, 3)
		r.absorb(false, week(2)...)
		ctx := r.t.Context()
		bare := store.Trip{ConnectionID: store.NewID(), Access: store.Access{TenantID: r.m.TenantID}, Trip: drover.Trip{
			ID: store.NewID(), DeviceID: r.m.DeviceID, SystemTripID: "vendor", StartTime: drover.At(epoch.AddDate(0, 0, -3)),
			EndTime: drover.At(epoch.AddDate(0, 0, -3).Add(time.Hour)), IsValid: true,
		}}
		r.update(func(tx *store.Tx) error { return tx.Trips.AddTrip(ctx, bare) })
		ids := func() (out []string) {
			trips, err := r.store.Trips.Trips(ctx, r.m.TenantID, drover.TripFilter{}, nil, 100)
			if err != nil {
				r.t.Fatal(err)
			}
			for _, t := range trips {
				out = append(out, t.ID+" "+fmt.Sprint(t.StartTime))
			}
			return out
		}
		before := ids()
		r.set(drover.TripRules{StopSeconds: new(420), MinDistanceMetres: new(20.0)})
		r.ask(epoch.AddDate(0, 0, -30), epoch.AddDate(0, 0, 20))
		if err := r.recomputer().RunDue(ctx); err != nil {
			r.t.Fatal(err)
		}
		if diff := cmp.Diff(before, ids()); diff != "" {
			r.t.Errorf("trips are others (-before +after):\n%s", diff)
		}
	})
}

// TestRecomputeAmidArrivals changes the rules while positions come late and in
// batches: the job puts all of it right.
func TestRecomputeAmidArrivals(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		random := rand.New(rand.NewPCG(5, 5))
		positions := week(4)
		r.now = epoch.AddDate(0, 0, 5)
		late := []drover.Position{}
		for len(positions) > 0 {
			n := min(len(positions), 50+random.IntN(300))
			batch := []drover.Position{}
			for _, p := range positions[:n] {
				if random.IntN(6) == 0 {
					late = append(late, p)
				} else {
					batch = append(batch, p)
				}
			}
			positions = positions[n:]
			r.set(drover.TripRules{StopSeconds: new(60 + 60*random.IntN(12)), RadiusMetres: new(float64(20 + random.IntN(200)))})
			r.absorb(false, batch...)
		}
		r.absorb(false, late...)
		rules := drover.TripRules{StopSeconds: new(600)}
		r.set(rules)
		r.ask(epoch, epoch.AddDate(0, 0, 20))
		if err := r.recomputer().RunDue(r.t.Context()); err != nil {
			r.t.Fatal(err)
		}
		scratch := newRig(r.t, r.store, journey())
		scratch.now = r.now
		scratch.set(rules)
		scratch.absorb(false, week(4)...)
		if diff := cmp.Diff(scratch.sums(), r.sums()); diff != "" {
			r.t.Errorf("deriving again differs (-from scratch +again):\n%s", diff)
		}
	})
}

func TestCancelledRecomputeStops(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		r.now = epoch.AddDate(0, 0, 10)
		r.absorb(true, week(9)...)
		r.set(drover.TripRules{StopSeconds: new(900)})
		id := r.ask(epoch, epoch.AddDate(0, 0, 20))
		if _, err := r.recomputer().Step(r.t.Context(), r.m.TenantID, id); err != nil {
			r.t.Fatal(err)
		}
		job := r.job(id)
		job.State, job.DueAt = drover.JobCancelled, nil
		r.update(func(tx *store.Tx) error { return tx.Jobs.SetRecompute(r.t.Context(), job) })
		if more, err := r.recomputer().Step(r.t.Context(), r.m.TenantID, id); more || err != nil {
			r.t.Errorf("a job that was cancelled goes on: %t, %v", more, err)
		}
		if got := r.job(id); got.State != drover.JobCancelled || got.TripsChanged != job.TripsChanged {
			r.t.Errorf("the job is %+v", got)
		}
	})
}
