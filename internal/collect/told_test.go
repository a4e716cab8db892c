package collect_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

// TestHistoryCorrectsWhatWasTold fills in history before a trip that was told: that
// it began earlier is told, and the other trips of that time are not.
func TestHistoryCorrectsWhatWasTold(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("s", noon.Add(-5*time.Hour), []string{"a"})
		r.run()
		drive := func(from, to int) (positions []provider.Position) {
			for n := from; n <= to; n++ {
				positions = append(positions, at("a", noon.Add(time.Duration(n)*time.Minute), -37, 145+float64(n)/100))
			}
			return positions
		}
		s.next(drive(0, 10)...)
		r.pass(30 * time.Minute)
		if n := len(r.events(drover.EventTripCompleted)); n != 1 {
			t.Fatalf("%d trips were told, want one", n)
		}
		history := append(drive(-120, -100), drive(-10, -1)...)
		s.positions = func(_ context.Context, q provider.Query) (provider.Page[provider.Position], error) {
			page := provider.Page[provider.Position]{Cursor: "x"}
			for _, p := range history {
				if !q.Live() && !p.Time.Before(q.From) && p.Time.Before(q.To) {
					page.Records = append(page.Records, p)
				}
			}
			return page, nil
		}
		in := drover.SyncInput{From: new(drover.At(noon.Add(-4 * time.Hour))), To: new(drover.At(noon))}
		if _, err := r.fleet.Sync(t.Context(), r.principal, conn.ID, in); err != nil {
			t.Fatal(err)
		}
		r.pass(5 * time.Minute)
		stored := r.trips(store.TripFilter{ConnectionID: conn.ID})
		if len(stored) != 2 || !stored[1].StartTime.Equal(noon.Add(-10*time.Minute)) {
			t.Fatalf("the trips are %v, want two, the second from ten to noon", stored)
		}
		told := r.events(drover.EventTripCompleted, drover.EventTripUpdated)
		for _, e := range told {
			if got := decode[drover.Trip](t, e); got.ID != stored[1].ID {
				t.Errorf("%s was told of the trip at %v", e.Type, got.StartTime)
			}
		}
		last := told[len(told)-1]
		if diff := cmp.Diff(stored[1], decode[drover.Trip](t, last)); last.Type != drover.EventTripUpdated || diff != "" {
			t.Errorf("%s came last (-stored +told):\n%s", last.Type, diff)
		}
	})
}
