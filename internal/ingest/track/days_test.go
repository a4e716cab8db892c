package track_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/rules/calendar"
	"github.com/drover-fleet/drover/internal/rules/geo"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// tehran is a zone whose midnight, 20:30 in UTC, finds the vehicle of week on its way.
const tehran = "Asia/Tehran"

func (r *rig) setZone(name string) {
	r.t.Helper()
	r.update(func(tx *store.Tx) error {
		return tx.Accounts.SetSettings(r.t.Context(), r.m.TenantID, r.m.TenantID, drover.Settings{TimeZone: name})
	})
}

func (r *rig) deviceDays() []store.DeviceDay {
	r.t.Helper()
	days, err := r.store.Trips.DeviceDays(r.t.Context(), r.m.TenantID, r.m.DeviceID, 0, 1<<40)
	if err != nil {
		r.t.Fatal(err)
	}
	return days
}

func milli(v *float64) int64 {
	if v == nil {
		return 0
	}
	return int64(*v*1000 + 0.5)
}

// checkDays expects the days to sum up to the trips and stops, and to be those that
// are found when they are summed up again.
func (r *rig) checkDays(zone string) {
	r.t.Helper()
	var want, got store.DeviceDay
	trips, err := r.store.Trips.Trips(r.t.Context(), r.m.TenantID, drover.TripFilter{}, nil, 10_000)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, t := range trips {
		want.Trips++
		if t.IsValid {
			want.ValidTrips++
			want.Distance, want.Driving = want.Distance+milli(t.DistanceMetres), want.Driving+milli(t.DrivingSeconds)
			want.Idling, want.Auxiliary = want.Idling+milli(t.IdlingSeconds), want.Auxiliary+milli(t.AuxiliarySeconds)
		}
	}
	stops, err := r.store.Trips.Stops(r.t.Context(), r.m.TenantID, drover.StopFilter{}, nil, 10_000)
	if err != nil {
		r.t.Fatal(err)
	}
	open, err := r.store.Trips.OpenStops(r.t.Context(), r.m.TenantID, []string{r.m.DeviceID})
	if err != nil {
		r.t.Fatal(err)
	}
	stops = slices.DeleteFunc(stops, func(s drover.Stop) bool { return s.ID == open[r.m.DeviceID].ID }) // it is not counted yet
	for _, s := range stops {
		want.Stops++
		want.Standing += milli(&s.DurationSeconds)
		want.StopEngine, want.StopAuxiliary = want.StopEngine+milli(s.EngineOnSeconds), want.StopAuxiliary+milli(s.AuxiliarySeconds)
	}
	days := r.deviceDays()
	for _, d := range days {
		got.Trips, got.ValidTrips, got.Stops = got.Trips+d.Trips, got.ValidTrips+d.ValidTrips, got.Stops+d.Stops
		got.Distance, got.Driving, got.Idling, got.Auxiliary = got.Distance+d.Distance, got.Driving+d.Driving, got.Idling+d.Idling,
			got.Auxiliary+d.Auxiliary
		got.Standing, got.StopEngine, got.StopAuxiliary = got.Standing+d.Standing, got.StopEngine+d.StopEngine, got.StopAuxiliary+d.StopAuxiliary
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("the days do not sum up to the parts (-parts +days):\n%s", diff)
	}
	z, err := calendar.Load(zone)
	if err != nil || len(days) == 0 {
		r.t.Fatalf("%d days, %v", len(days), err)
	}
	first, last := days[0].Day-2, days[len(days)-1].Day+2
	set, err := r.store.Accounts.Settings(r.t.Context(), r.m.TenantID, r.m.DeviceID)
	if err != nil {
		r.t.Fatal(err)
	}
	rules := trip.RulesOf(track.Effective(set, r.m.TenantID, nil, r.m.DeviceID))
	summed, err := track.Days(r.t.Context(), r.store, z, rules, r.m.TenantID, r.m.DeviceID, first, last)
	if err != nil {
		r.t.Fatal(err)
	}
	summed = slices.DeleteFunc(summed, func(d store.DeviceDay) bool { return d == store.DeviceDay{Day: d.Day} })
	if diff := cmp.Diff(summed, days, cmpopts.EquateEmpty()); diff != "" {
		r.t.Errorf("the days in %s (-summed up again +stored):\n%s", zone, diff)
	}
}

// TestDaysOfAnyArrival has positions come late and in batches, and the rules and the
// zone change between: the days are those of the trips and stops at all times.
func TestDaysOfAnyArrival(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		random := rand.New(rand.NewPCG(9, 9))
		r.now = epoch.AddDate(0, 0, 6)
		r.setZone(tehran)
		positions := week(5)
		for i := range positions {
			positions[i].Ignition = new(i%9 < 4)
		}
		random.Shuffle(len(positions)/2, func(i, k int) {
			if i/300 == k/300 {
				positions[i], positions[k] = positions[k], positions[i]
			}
		})
		for batch := range slices.Chunk(positions, 700) {
			batch = slices.Clone(batch)
			slices.SortFunc(batch, byTime)
			r.absorb(false, batch...)
			r.checkDays(tehran)
		}
		r.set(drover.TripRules{StopSeconds: new(900)})
		r.ask(epoch, epoch.AddDate(0, 0, 20))
		if err := r.recomputer().RunDue(r.t.Context()); err != nil {
			r.t.Fatal(err)
		}
		r.checkDays(tehran)

		r.setZone("Australia/Lord_Howe")
		job := work.Recompute{TenantID: r.m.TenantID, Kind: work.RecomputeDays, DueAt: new(drover.At(r.now)), Recompute: drover.Recompute{
			ID: store.NewID(), State: drover.JobQueued, From: drover.Milli(0), To: drover.Milli(1<<52 - 1), CreatedAt: drover.At(r.now),
		}}
		r.update(func(tx *store.Tx) error { return tx.Jobs.AddRecompute(r.t.Context(), job) })
		if err := r.recomputer().RunDue(r.t.Context()); err != nil {
			r.t.Fatal(err)
		}
		if got := r.job(job.ID); got.State != drover.JobDone {
			r.t.Errorf("the job is %+v", got)
		}
		r.checkDays("Australia/Lord_Howe")
	})
}

// TestTripOverMidnight drives 10 km before midnight, stands for ten minutes on it, and
// drives 5 km after it.
func TestTripOverMidnight(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		r.setZone(tehran)
		midnight := 750.0 // minutes after the epoch: 20:30 in UTC
		r.now = epoch.Add(20 * time.Hour)
		var positions []drover.Position
		add := func(minute, metres, kph float64) {
			p := withSpeed(seen(midnight+minute, metres), kph)
			p.Ignition = new(true)
			positions = append(positions, p)
		}
		for m := -40.0; m <= -20; m += 2 {
			p := withSpeed(seen(midnight+m, 0), 0)
			p.Ignition = new(false)
			positions = append(positions, p)
		}
		for m := -18.0; m <= -8; m++ {
			add(m, 1000*(m+18), 60)
		}
		for m := -7.0; m <= 3; m++ {
			add(m, 10_000, 0)
		}
		for m := 4.0; m <= 9; m++ {
			add(m, 10_000+1000*(m-4), 60)
		}
		for m := 10.0; m <= 60; m += 2 {
			p := withSpeed(seen(midnight+m, 15_000), 0)
			p.Ignition = new(false)
			positions = append(positions, p)
		}
		r.absorb(false, positions...)
		r.checkDays(tehran)
		days := r.deviceDays()
		if len(days) != 2 || days[0].Trips != 1 || days[1].Trips != 0 {
			r.t.Fatalf("the days are %+v", days)
		}
		near := func(got, want, within int64) bool { return max(got-want, want-got) <= within }
		a, b := days[0], days[1]
		if !near(a.Distance, 10_000_000, 60_000) || !near(b.Distance, 5_000_000, 60_000) {
			r.t.Errorf("%d and %d mm, want 10 and 5 km", a.Distance, b.Distance)
		}
		if !near(a.Idling, 546_000, 1000) || !near(b.Idling, 234_000, 1000) {
			r.t.Errorf("idled for %d and %d ms", a.Idling, b.Idling)
		}
		if a.FirstStart == nil || b.FirstStart != nil || a.LastEnd != nil || b.LastEnd == nil {
			r.t.Errorf("first starts %v and %v, last ends %v and %v", a.FirstStart, b.FirstStart, a.LastEnd, b.LastEnd)
		}
		if got := geo.DistanceMetres(depot, geo.Destination(depot, 90, 15_000)); !near(a.Distance+b.Distance, int64(got*1000), 20_000) {
			r.t.Errorf("together %d mm", a.Distance+b.Distance)
		}
	})
}

// TestWorkOverMidnight has a tractor that drives to a field before midnight and works there, at
// 3 km/h, from 55 minutes before it to 55 minutes after: each day has an hour of driving, and no
// more than the day has.
func TestWorkOverMidnight(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		r.setZone(tehran)
		midnight := 750.0
		r.now = epoch.Add(20 * time.Hour)
		var positions []drover.Position
		add := func(minute, metres, kph float64, ignition bool) {
			p := withSpeed(seen(midnight+minute, metres), kph)
			p.Ignition = &ignition
			positions = append(positions, p)
		}
		for m := -80.0; m <= -62; m += 2 {
			add(m, 0, 0, false)
		}
		for m := -60.0; m < -55; m++ {
			add(m, 400*(m+60), 24, true)
		}
		for m := -55.0; m <= 55; m++ {
			add(m, 2000+50*(m+55), 3, true)
		}
		for m := 56.0; m <= 80; m += 2 {
			add(m, 7500, 0, false)
		}
		r.absorb(false, positions...)
		r.checkDays(tehran)
		days := r.deviceDays()
		if len(days) != 2 || days[0].Trips != 1 || days[1].Trips != 0 {
			r.t.Fatalf("the days are %+v", days)
		}
		for i, want := range []int64{60, 55} {
			if got := days[i].Driving; got < (want-3)*60_000 || got > (want+2)*60_000 {
				r.t.Errorf("day %d: %.1f minutes of driving, want some %d", i, float64(got)/60_000, want)
			}
		}
	})
}
