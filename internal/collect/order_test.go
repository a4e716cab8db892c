package collect_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store"
)

// TestOrder is the property that all derivation rests on: in whatever order,
// repetition and portions positions come, trips, roll-ups and what was told in the
// end are the same.
func TestOrder(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		truth := sim.New(sim.Options{Seed: 29, Vehicles: 2, Interval: time.Minute, Heartbeat: 20 * time.Minute})
		var records []provider.Position
		for _, v := range truth.Vehicles() {
			for _, s := range truth.Positions(v, noon.Add(-6*time.Hour), noon) {
				records = append(records, provider.Position{SystemDeviceID: v.ID, Position: s.Position})
			}
		}
		start := noon.Add(-15 * time.Hour)
		ids := []string{truth.Vehicles()[0].ID, truth.Vehicles()[1].ID}
		for seed := range uint64(6) {
			random := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // the same numbers each time
			s, conn := r.stub(fmt.Sprint("shuffled-", seed), start, ids)
			r.run()
			for _, portion := range portions(random, records) {
				s.next(portion...)
				r.clock.Advance(time.Minute)
				r.run()
			}
			r.clock.Advance(20 * time.Minute)
			r.run()
			for _, id := range ids {
				device := r.devices(conn)[id].ID
				want := slices.DeleteFunc(slices.Clone(records), func(p provider.Position) bool { return p.SystemDeviceID != id })
				positions := make([]drover.Position, len(want))
				for i, p := range want {
					positions[i] = p.Position
				}
				r.checkPositions(device, positions)
				trips := r.trips(store.TripFilter{DeviceID: device})
				r.checkDerivedTrips(positions, trips)
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

// checkStory holds what the events told of a device against its trips: each was
// completed once, and what was told last is what is stored.
func (r *rig) checkStory(device string, trips []drover.Trip) {
	r.t.Helper()
	completed, last := map[string]int{}, map[string]drover.Trip{}
	for _, e := range r.events(drover.EventTripCompleted, drover.EventTripUpdated) {
		if *e.DeviceID != device {
			continue
		}
		told := decode[drover.Trip](r.t, e)
		if e.Type == drover.EventTripCompleted {
			completed[told.ID]++
		} else if completed[told.ID] == 0 {
			r.t.Errorf("trip %s was changed before it was completed", told.ID)
		}
		last[told.ID] = told
	}
	for _, t := range trips {
		if completed[t.ID] != 1 {
			r.t.Errorf("trip %s was completed %d times", t.ID, completed[t.ID])
		}
		if diff := cmp.Diff(t, last[t.ID], cmpopts.EquateEmpty()); diff != "" {
			r.t.Errorf("trip %s (-stored +told):\n%s", t.ID, diff)
		}
	}
}

// TestLate holds that what comes late revises a trip and leaves its id.
func TestLate(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("late", noon.Add(-time.Hour), []string{"a"})
		drive := func(from, to int) (out []provider.Position) {
			for m := from; m < to; m++ {
				out = append(out, at("a", noon.Add(time.Duration(m-60)*time.Minute), -37+float64(m)*0.008, 145))
			}
			return out
		}
		s.next(slices.Concat(drive(0, 5), drive(8, 12))...)
		r.run()
		r.pass(2 * time.Minute)
		before := r.trips(store.TripFilter{})
		if len(before) != 1 {
			t.Fatalf("%d trips, want 1", len(before))
		}
		s.next(drive(3, 20)...)
		r.pass(2 * time.Minute)
		after := r.trips(store.TripFilter{})
		if len(after) != 1 || after[0].ID != before[0].ID || !after[0].EndTime.After(before[0].EndTime.Time) {
			t.Fatalf("the trips are %v, want %s with a later end", after, before[0].ID)
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
		told := provider.Trip{
			SystemDeviceID: "a", SystemTripID: "7", StartTime: drover.At(noon.Add(-2 * time.Hour)), EndTime: drover.At(noon.Add(-time.Hour)),
			DistanceMetres: new(50_000.0), DrivingSeconds: new(3000.0), IdlingSeconds: new(600.0),
		}
		s.trips = func(context.Context, provider.Query) (provider.Page[provider.Trip], error) {
			return provider.Page[provider.Trip]{Cursor: "x", Records: []provider.Trip{told}}, nil
		}
		r.run()
		r.pass(3 * time.Minute)
		before := r.trips(store.TripFilter{})
		if len(before) != 1 || len(r.events(drover.EventTripUpdated)) != 0 {
			t.Fatalf("the trips are %v, and %d were changed", before, len(r.events(drover.EventTripUpdated)))
		}
		told.DistanceMetres = new(48_000.0)
		r.pass(3 * time.Minute)
		after := r.trips(store.TripFilter{})
		if len(after) != 1 || after[0].ID != before[0].ID || *after[0].DistanceMetres != 48_000 {
			t.Fatalf("the trips are %v, want %s with 48 km", after, before[0].ID)
		}
		if n := len(r.events(drover.EventTripUpdated)); n != 1 {
			t.Errorf("%d changes were told, want 1", n)
		}
		r.checkStory(r.devices(conn)["a"].ID, after)
		r.checkRollups()
	})
}
