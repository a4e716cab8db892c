package collect_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

// TestOwnWebhookHearsTheArrival lets the positions of an arrival come together with
// those before it. All of them are reported to the milestone's own webhook, and then
// that it has ended.
func TestOwnWebhookHearsTheArrival(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("s", noon.Add(-time.Hour), []string{"a"})
		r.run()
		url := "https://hooks.example/journey"
		m := store.Milestone{
			Milestone: drover.Milestone{
				ID: store.NewID(), TenantID: r.principal.TenantID, DeviceID: r.devices(conn)["a"].ID, Status: drover.TripNotStarted,
				StartTime: drover.At(noon.Add(-time.Hour)), StartPoint: drover.Coordinate{Latitude: -37, Longitude: 145},
				EndPoint:   drover.Coordinate{Latitude: -36.96, Longitude: 145},
				WebhookURL: &url, WebhookEnabled: true,
			},
			DeviceTenantID: r.principal.TenantID, State: []byte(`{}`),
		}
		r.update(func(ctx context.Context, tx *store.Tx) error { return tx.Trips.AddMilestone(ctx, m) })
		for _, minutes := range [][2]int{{0, 1}, {1, 3}, {3, 6}, {6, 7}} {
			page := driven(noon.Add(-30*time.Minute), minutes[0], minutes[1])
			if minutes[0] == 3 {
				page[2].SpeedKPH = new(0.0) // at the end
			}
			s.next(page...)
			r.pass(time.Minute)
		}
		reported, err := r.store.Feed.DueDeliveries(t.Context(), drover.Target{TenantID: m.TenantID, ID: m.ID}, drover.At(r.clock.Now()), nil,
			100)
		if err != nil {
			t.Fatal(err)
		}
		var types []drover.EventType
		for _, d := range reported {
			types = append(types, d.Type)
		}
		want := []drover.EventType{
			drover.EventPositionUpdated, drover.EventPositionUpdated, drover.EventMilestoneStarted, drover.EventPositionUpdated,
			drover.EventMilestoneEntered, drover.EventMilestoneEnded,
		}
		if diff := cmp.Diff(want, types); diff != "" {
			t.Errorf("what was reported differs (-want +got):\n%s", diff)
		}
	})
}
