package collect_test

import (
	"math"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
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
			why, err := r.fleet.TripExplanation(t.Context(), r.principal, trips[0].ID)
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
