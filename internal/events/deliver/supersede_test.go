package deliver_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/deliver"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
)

// moved stores an event about positions of devices.
func (r *rig) moved(devices ...string) {
	r.t.Helper()
	b := drover.PositionBatch{ConnectionID: r.conn}
	for _, id := range devices {
		b.Positions = append(b.Positions, drover.DevicePosition{DeviceID: id, SystemDeviceID: "1"})
	}
	e, err := drover.NewEvent(drover.EventPositionUpdated, r.now(), b)
	if err != nil {
		r.t.Fatal(err)
	}
	r.update(func(tx *store.Tx) error { return journal.Append(r.t.Context(), tx, r.tenant, []drover.Event{e}) })
}

// TestSupersededPositions holds that old positions give way where all of their
// devices have newer ones, over more than a page of them.
func TestSupersededPositions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		const many = 120
		a, b := store.NewID(), store.NewID()
		h := r.addWebhook("https://hooks.example/", nil)
		for range many {
			r.moved(a)
		}
		r.moved(a, b) // b has nothing newer
		r.tell(a)
		r.clock.Advance(deliver.SupersedeAfter + time.Second)
		r.moved(a)
		if err := r.deliver.Supersede(t.Context()); err != nil {
			t.Fatal(err)
		}
		var states []drover.DeliveryState
		for _, a := range r.log(h) {
			states = append(states, a.State)
		}
		want := []drover.DeliveryState{drover.DeliveryPending, drover.DeliveryPending, drover.DeliveryPending}
		for range many {
			want = append(want, drover.DeliverySuperseded)
		}
		if diff := cmp.Diff(want, states); diff != "" {
			t.Error(diff)
		}
	})
}
