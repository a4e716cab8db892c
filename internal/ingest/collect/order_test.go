package collect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store"
)

// TestOrder is the property that all derivation rests on: in whatever order,
// repetition and portions positions come, which of them are jumps, trips, roll-ups,
// milestones and what was reported in the end are the same. Where the vendor reports the
// trips, the same holds for the rest.
func TestOrder(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		truth := sim.New(sim.Options{Seed: 29, Vehicles: 2, Interval: time.Minute, Heartbeat: 20 * time.Minute})
		want := map[string][]drover.Position{}
		var records []provider.Position
		for _, v := range truth.Vehicles() {
			for _, s := range truth.Positions(v, noon.Add(-6*time.Hour), noon) {
				want[v.ID] = append(want[v.ID], s.Position)
			}
			displace(want[v.ID])
			for _, p := range want[v.ID] {
				records = append(records, provider.Position{SystemDeviceID: v.ID, Position: p})
			}
		}
		start := noon.Add(-15 * time.Hour)
		ids := slices.Sorted(maps.Keys(want))
		for seed := range uint64(4) {
			random := rand.New(rand.NewPCG(seed, 7)) // the same numbers each time
			var with []func(*drover.ConnectionInput)
			if seed%4 == 3 {
				with = append(with, native)
			}
			s, conn := r.stub(fmt.Sprint("shuffled-", seed), start, ids, with...)
			r.run()
			for _, id := range ids {
				r.follow(r.devices(conn)[id].ID, want[id])
			}
			give := s.feed()
			for _, portion := range portions(random, records) {
				give(portion)
				r.clock.Advance(time.Minute)
				r.run()
			}
			r.clock.Advance(20 * time.Minute)
			r.run()
			for _, id := range ids {
				device := r.devices(conn)[id].ID
				r.checkPositions(device, want[id])
				r.checkJourneys(device, want[id])
				trips := r.trips(drover.TripFilter{DeviceID: device})
				if with != nil {
					continue
				}
				r.checkDerivedTrips(want[id], trips)
				r.checkStops(device, want[id], trips)
				r.checkStory(device, trips)
				if len(trips) < 2 {
					t.Errorf("%d trips prove little", len(trips))
				}
			}
			if t.Failed() {
				t.Fatalf("with seed %d", seed)
			}
		}
		r.checkRollups()
	})
}

// elsewhere is where a receiver that errs believes to be.
var elsewhere = drover.Coordinate{Latitude: -30, Longitude: 140}

// displace makes jumps of some positions, here and there of several in a row, which
// may confirm each other.
func displace(positions []drover.Position) {
	for i := 7; i+6 < len(positions); i += 23 {
		for k := range 1 + i%3*5/2 {
			p := &positions[i+k]
			p.Latitude, p.Longitude = elsewhere.Latitude, elsewhere.Longitude+float64(k)/1000
		}
	}
}

// follow adds two journeys that positions decide: to where the device ends up,
// and to where it only jumps to.
func (r *rig) follow(device string, positions []drover.Position) {
	r.t.Helper()
	for _, end := range []drover.Coordinate{positions[len(positions)-1].Point(), elsewhere} {
		m := store.Milestone{
			Milestone: drover.Milestone{
				ID: store.NewID(), TenantID: r.principal.TenantID, DeviceID: device, Status: drover.TripNotStarted,
				StartTime: positions[0].Time, StartPoint: positions[0].Point(), EndPoint: end,
			},
			DeviceTenantID: r.principal.TenantID, State: []byte(`{}`),
		}
		r.update(func(ctx context.Context, tx *store.Tx) error { return tx.Trips.AddMilestone(ctx, m) })
	}
}

// checkJourneys holds the milestones of a device against what its believed
// positions tell in one go.
func (r *rig) checkJourneys(device string, positions []drover.Position) {
	r.t.Helper()
	believed, _ := judge(positions)
	all, err := r.store.Trips.Milestones(r.t.Context(), r.principal.TenantID, drover.MilestoneFilter{DeviceID: device}, "", 100)
	if err != nil || len(all) != 2 {
		r.t.Fatalf("%d milestones: %v", len(all), err)
	}
	for _, m := range all {
		stored, err := r.store.Trips.Milestone(r.t.Context(), r.principal.TenantID, m.ID)
		if err != nil {
			r.t.Fatal(err)
		}
		var got milestone.State
		if err := json.Unmarshal(stored.State, &got); err != nil {
			r.t.Fatal(err)
		}
		want, _ := milestone.Judge(m, milestone.DefaultConfig(), milestone.Fresh(), believed)
		want.Judged = nil
		if diff := cmp.Diff(want, got); diff != "" || stored.Status != want.Status {
			r.t.Errorf("the journey to %v (-want +got):\n%s", m.EndPoint, diff)
		}
		r.checkReportedStatus(m.ID, want.Status)
	}
}

// checkReportedStatus holds that what was reported last of a milestone is how far it is.
func (r *rig) checkReportedStatus(id string, want drover.MilestoneStatus) {
	r.t.Helper()
	reported := drover.TripNotStarted
	for _, e := range r.events(drover.EventMilestoneStarted, drover.EventMilestoneEnded, drover.EventMilestoneUpdated) {
		if *e.MilestoneID == id {
			reported = decode[drover.Milestone](r.t, e).Status
		}
	}
	if reported != want {
		r.t.Errorf("of milestone %s was reported last that it is %s, want %s", id, reported, want)
	}
}

// portions shuffles records, repeats some and cuts all of it into pages. How far
// a record is moved differs: from nearly sorted to not at all.
func portions(random *rand.Rand, records []provider.Position) [][]provider.Position {
	type placed struct {
		provider.Position
		at float64
	}
	reach := []float64{0, 20, 300, 1e6}[random.IntN(4)]
	var all []placed
	for i, r := range records {
		for range 1 + random.IntN(8)/7 {
			all = append(all, placed{r, float64(i/2) + reach*random.Float64()})
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	most := len(all)/30 + random.IntN(len(all)/4)
	var out [][]provider.Position
	for len(all) > 0 {
		n := min(len(all), 1+random.IntN(most))
		page := make([]provider.Position, n)
		for i := range page {
			page[i] = all[i].Position
		}
		out, all = append(out, page), all[n:]
	}
	return out
}

// checkStory holds what the events reported of a device against its trips: each was
// completed once, and what was reported last is what is stored, or that it is gone.
func (r *rig) checkStory(device string, trips []drover.Trip) {
	r.t.Helper()
	completed, last := map[string]int{}, map[string]drover.Trip{}
	for _, e := range r.events(drover.EventTripCompleted, drover.EventTripUpdated) {
		if *e.DeviceID != device {
			continue
		}
		reported := decode[drover.Trip](r.t, e)
		if e.Type == drover.EventTripCompleted {
			completed[reported.ID]++
		} else if completed[reported.ID] == 0 {
			r.t.Errorf("trip %s was changed before it was completed", reported.ID)
		}
		last[reported.ID] = reported
	}
	stored := map[string]bool{}
	for _, t := range trips {
		stored[t.ID] = true
	}
	for id, t := range last {
		if !stored[id] && (t.IsValid || !strings.HasPrefix(deref(t.ValidationComments), "the trip was dissolved")) {
			r.t.Errorf("of trip %s, which is gone, was reported last: valid %v, %q", id, t.IsValid, deref(t.ValidationComments))
		}
	}
	for _, t := range trips {
		if completed[t.ID] != 1 {
			r.t.Errorf("trip %s was completed %d times", t.ID, completed[t.ID])
		}
		if diff := cmp.Diff(t, last[t.ID], cmpopts.EquateEmpty()); diff != "" {
			r.t.Errorf("trip %s (-stored +reported):\n%s", t.ID, diff)
		}
	}
}

// TestLate holds that what comes late revises a trip and leaves its id.
func TestLate(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("late", noon.Add(-time.Hour), []string{"a"})
		drive := func(from, to int) []provider.Position { return driven(noon.Add(-60*time.Minute), from, to) }
		s.next(slices.Concat(drive(0, 5), drive(8, 12))...)
		r.run()
		r.pass(2 * time.Minute)
		before := r.trips(drover.TripFilter{})
		if len(before) != 1 {
			t.Fatalf("%d trips, want 1", len(before))
		}
		s.next(drive(3, 20)...)
		r.pass(2 * time.Minute)
		after := r.trips(drover.TripFilter{})
		if len(after) != 1 || after[0].ID != before[0].ID || !after[0].EndTime.After(before[0].EndTime.Time) {
			t.Fatalf("the trips are %v, want %s with a later end", after, before[0].ID)
		}
		r.checkStory(r.devices(conn)["a"].ID, after)
		r.checkRollups()
	})
}

// driven are some of the minutes of a drive that began at a time.
func driven(begin time.Time, from, to int) (out []provider.Position) {
	for m := from; m < to; m++ {
		out = append(out, at("a", begin.Add(time.Duration(m)*time.Minute), -37+float64(m)*0.008, 145))
	}
	return out
}

// moved are positions further along the way, by what is driven in some minutes.
func moved(positions []provider.Position, minutes int) []provider.Position {
	for i := range positions {
		positions[i].Latitude += float64(minutes) * 0.008
	}
	return positions
}

// outAndBack are the minutes of a drive between two others: away from where it was at the
// minute first, and there again at the minute last.
func outAndBack(begin time.Time, first, last int) (out []provider.Position) {
	for m := first + 1; m < last; m++ {
		away := float64(first + min(m-first, last-m))
		out = append(out, at("a", begin.Add(time.Duration(m)*time.Minute), -37+away*0.008, 145))
	}
	return out
}

// TestDissolved holds that everyone is notified of trips that late positions make
// part of another, or of none.
func TestDissolved(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("dissolved", noon.Add(-3*time.Hour), []string{"a"})
		drive := func(from, to int) []provider.Position { return driven(noon.Add(-120*time.Minute), from, to) }
		s.next(slices.Concat(parked(drive(0, 10)), moved(drive(30, 50), -21))...)
		r.run()
		r.pass(2 * time.Minute)
		before := r.trips(drover.TripFilter{})
		if len(before) != 2 {
			t.Fatalf("%d trips, want 2", len(before))
		}
		s.next(outAndBack(noon.Add(-120*time.Minute), 9, 30)...)
		r.pass(2 * time.Minute)
		after := r.trips(drover.TripFilter{})
		if len(after) != 1 || after[0].ID != before[1].ID || !after[0].StartTime.Equal(before[0].StartTime.Time) {
			t.Fatalf("the trips are %v, want %s from the beginning", after, before[1].ID)
		}
		var reported []drover.Trip
		for _, e := range r.events(drover.EventTripUpdated) {
			reported = append(reported, decode[drover.Trip](t, e))
		}
		gone := before[0]
		gone.IsValid, gone.ValidationComments = false, new("the trip was dissolved: late positions show that it is part of the trip "+after[0].ID)
		if diff := cmp.Diff([]drover.Trip{after[0], gone}, reported); diff != "" {
			t.Errorf("the updates (-want +got):\n%s", diff)
		}
		if _, err := r.fleet.Trips.Trip(t.Context(), r.principal, gone.ID); err == nil {
			t.Error("the trip that was dissolved is still found")
		}
		r.checkStory(r.devices(conn)["a"].ID, after)
		r.checkRollups()
	})
}

// TestCorrected holds that a vendor's correction of a trip revises it under its
// id, and telling the same again does nothing.
func TestCorrected(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("corrected", noon.Add(-3*time.Hour), []string{"a"}, native)
		reported := provider.Trip{
			SystemDeviceID: "a", SystemTripID: "7", StartTime: drover.At(noon.Add(-2 * time.Hour)), EndTime: drover.At(noon.Add(-time.Hour)),
			DistanceMetres: new(50_000.0), DrivingSeconds: new(3000.0), IdlingSeconds: new(600.0),
		}
		s.trips = func(context.Context, provider.Query) (provider.Page[provider.Trip], error) {
			return provider.Page[provider.Trip]{Cursor: "x", Records: []provider.Trip{reported}}, nil
		}
		r.run()
		r.pass(3 * time.Minute)
		before := r.trips(drover.TripFilter{})
		if len(before) != 1 || len(r.events(drover.EventTripUpdated)) != 0 {
			t.Fatalf("the trips are %v, and %d were changed", before, len(r.events(drover.EventTripUpdated)))
		}
		reported.DistanceMetres = new(48_000.0)
		r.pass(3 * time.Minute)
		after := r.trips(drover.TripFilter{})
		if len(after) != 1 || after[0].ID != before[0].ID || *after[0].DistanceMetres != 48_000 {
			t.Fatalf("the trips are %v, want %s with 48 km", after, before[0].ID)
		}
		if n := len(r.events(drover.EventTripUpdated)); n != 1 {
			t.Errorf("%d changes were reported, want 1", n)
		}
		r.checkStory(r.devices(conn)["a"].ID, after)
		r.checkRollups()
	})
}
