package collect_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
)

// TestHistoryCorrectsWhatWasReported fills in history before a trip that was reported: that
// it began earlier is reported, and the other trips of that time are not.
func TestHistoryCorrectsWhatWasReported(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("s", noon.Add(-5*time.Hour), []string{"a"})
		r.run()
		s.next(driven(noon, 0, 11)...)
		r.pass(30 * time.Minute)
		if n := len(r.events(drover.EventTripCompleted)); n != 1 {
			t.Fatalf("%d trips were reported, want one", n)
		}
		s.fillIn(r, conn, append(parked(moved(driven(noon, -120, -99), 90)), driven(noon, -10, 0)...))
		stored := r.trips(drover.TripFilter{ConnectionID: conn.ID})
		if len(stored) != 2 || !stored[1].StartTime.Equal(noon.Add(-10*time.Minute)) {
			t.Fatalf("the trips are %v, want two, the second from ten to noon", stored)
		}
		reported := r.events(drover.EventTripCompleted, drover.EventTripUpdated)
		for _, e := range reported {
			if got := decode[drover.Trip](t, e); got.ID != stored[1].ID {
				t.Errorf("%s was reported of the trip at %v", e.Type, got.StartTime)
			}
		}
		last := reported[len(reported)-1]
		if diff := cmp.Diff(stored[1], decode[drover.Trip](t, last)); last.Type != drover.EventTripUpdated || diff != "" {
			t.Errorf("%s came last (-stored +reported):\n%s", last.Type, diff)
		}
	})
}

// TestHistoryDissolvesWhatWasReported fills in what lies between two trips that were
// reported: they were one, and the other is reported a last time.
func TestHistoryDissolvesWhatWasReported(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("s", noon.Add(-5*time.Hour), []string{"a"})
		r.run()
		begin := noon.Add(-2 * time.Hour)
		s.next(append(parked(driven(begin, 0, 11)), moved(driven(begin, 30, 41), -20)...)...)
		r.pass(5 * time.Minute)
		before := r.trips(drover.TripFilter{ConnectionID: conn.ID})
		if n := len(r.events(drover.EventTripCompleted)); n != 2 || len(before) != 2 {
			t.Fatalf("%d trips were reported and %d stored, want two", n, len(before))
		}
		s.fillIn(r, conn, outAndBack(begin, 10, 30))
		after := r.trips(drover.TripFilter{ConnectionID: conn.ID})
		if len(after) != 1 {
			t.Fatalf("the trips are %v, want one", after)
		}
		last := map[string]drover.Trip{}
		for _, e := range r.events(drover.EventTripCompleted, drover.EventTripUpdated) {
			reported := decode[drover.Trip](t, e)
			last[reported.ID] = reported
		}
		for _, was := range before {
			if got, kept := last[was.ID], was.ID == after[0].ID; got.IsValid != kept {
				t.Errorf("of the trip at %v, which is kept: %t, was reported last that it is valid: %t", was.StartTime, kept, got.IsValid)
			}
		}
		if diff := cmp.Diff(after[0], last[after[0].ID]); diff != "" {
			t.Errorf("what was reported differs (-stored +reported):\n%s", diff)
		}
	})
}

// parked switches the engine off at the last of some positions.
func parked(positions []provider.Position) []provider.Position {
	last := &positions[len(positions)-1]
	last.SpeedKPH, last.Ignition = new(0.0), new(false)
	return positions
}

// fillIn has the last four hours read as history, in which the vendor has records.
func (s *stub) fillIn(r *rig, conn drover.Connection, records []provider.Position) {
	r.t.Helper()
	s.positions = func(_ context.Context, q provider.Query) (provider.Page[provider.Position], error) {
		page := provider.Page[provider.Position]{Cursor: "x"}
		for _, p := range records {
			if !q.Live() && !p.Time.Before(q.From) && p.Time.Before(q.To) {
				page.Records = append(page.Records, p)
			}
		}
		return page, nil
	}
	in := drover.SyncInput{From: new(drover.At(noon.Add(-4 * time.Hour))), To: new(drover.At(noon))}
	if _, err := r.fleet.Connections.Sync(r.t.Context(), r.principal, conn.ID, in); err != nil {
		r.t.Fatal(err)
	}
	r.pass(5 * time.Minute)
}
