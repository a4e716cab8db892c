package collect_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// TestExplanation holds that a derived trip says why it began and ended, and what
// of it no one saw, also after late positions have changed that.
func TestExplanation(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		begin := noon.Add(-4 * time.Hour)
		s, conn := r.stub("why", begin.Add(-time.Hour), []string{"a"})
		s.next(append(driven(begin, 0, 10), append(driven(begin, 29, 31), idled(begin, 31, 50, false)...)...)...)
		r.run()
		r.pass(2 * time.Minute)
		explain := func() drover.TripExplanation {
			trips := r.trips(drover.TripFilter{ConnectionID: conn.ID})
			if len(trips) != 1 {
				t.Fatalf("the trips are %v, want one", trips)
			}
			why, err := r.fleet.Trips.TripExplanation(t.Context(), r.principal, trips[0].ID)
			if err != nil {
				t.Fatal(err)
			}
			return why
		}
		got := explain()
		if got.Trips != drover.TripsDerived || got.Start.Cause != "hole" || got.End.Cause != "stop" || *got.End.Value != 5 {
			t.Errorf("it is explained as %+v", got)
		}
		if n := len(got.End.Positions); n != 2 || got.End.Positions[1].Timestamp.Sub(got.End.Positions[0].Timestamp.Time) < 5*time.Minute {
			t.Errorf("the end was decided by %+v", got.End.Positions)
		}
		hole := got.Unseen
		if hole.Seconds != 20*60 || len(hole.Parts) != 1 || math.Abs(hole.Parts[0].DistanceMetres-hole.DistanceMetres) > 1 ||
			hole.DistanceMetres < 17_000 {
			t.Errorf("estimated are %+v", hole)
		}
		s.next(driven(begin, 10, 29)...)
		r.pass(2 * time.Minute)
		if got := explain(); got.Unseen.Seconds != 0 || len(got.Unseen.Parts) != 0 {
			t.Errorf("with all positions known, estimated are %+v", got.Unseen)
		}
	})
}

// TestExplanationOfAVendorsTrip holds that a provider's own trip has the holes that positions show
// of it: not a silence in one place, and none before or after it.
func TestExplanationOfAVendorsTrip(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		begin := noon.Add(-4 * time.Hour)
		minute := func(m int) drover.Time { return drover.At(begin.Add(time.Duration(m) * time.Minute)) }
		s, conn := r.stub("vendors", begin.Add(-time.Hour), []string{"a"}, native)
		s.trips = func(context.Context, provider.Query) (provider.Page[provider.Trip], error) {
			return provider.Page[provider.Trip]{Cursor: "x", Records: []provider.Trip{
				{SystemDeviceID: "a", SystemTripID: "1", StartTime: minute(0), EndTime: minute(61)},
			}}, nil
		}
		way := append(driven(begin, 0, 10), driven(begin, 29, 31)...)
		way = append(append(way, idled(begin, 31, 33, true)...), idled(begin, 59, 61, true)...)
		s.next(append(way, driven(begin, 90, 95)...)...)
		r.run()
		r.pass(2 * time.Minute)
		trips := r.trips(drover.TripFilter{ConnectionID: conn.ID})
		if len(trips) != 1 {
			t.Fatalf("the trips are %v, want one", trips)
		}
		why, err := r.fleet.Trips.TripExplanation(t.Context(), r.principal, trips[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		got := why.Unseen
		if why.Start.Cause != "vendor" || len(got.Parts) != 1 || got.Seconds != 20*60 || got.DistanceMetres < 17_000 ||
			got.DistanceMetres != got.Parts[0].DistanceMetres || got.Parts[0].KnownBy != drover.ByStraightLine {
			t.Errorf("it is explained as %+v", why)
		}
	})
}
