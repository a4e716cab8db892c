package journal_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// TestPackedDataIsTheSame stores events of all sizes, most of which are packed, and
// reads the bytes of each as it was made: in the feed, alone, for a delivery and among
// the positions that wait for one.
func TestPackedDataIsTheSame(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		w := r.addWebhook(drover.WebhookFilters{})
		events, total := r.devices(3), 0
		for _, n := range []int{1, 2, 7, 40, 500} {
			events = append(events, r.moved(n))
		}
		r.update(func(tx *store.Tx) error { return journal.Append(r.Context(), tx, r.tenant, events) })
		data := map[string]string{}
		for _, e := range events {
			data[e.ID] = string(e.Data)
			total += len(e.Data)
		}
		used, err := r.Feed.EventStorage(r.Context(), r.tenant)
		if err != nil {
			r.Fatal(err)
		}
		if used.Bytes > int64(total/2) {
			r.Errorf("%d bytes are stored for %d: they are not packed", used.Bytes, total)
		}
		same := func(where, id string, got []byte) {
			r.Helper()
			if string(got) != data[id] {
				r.Errorf("%s: %.200q, want %.200q", where, got, data[id])
			}
		}
		feed, err := r.Feed.Events(r.Context(), r.tenant, drover.EventFilter{}, work.EventRange{To: 100, Limit: 100})
		if err != nil || len(feed) != len(events) {
			r.Fatalf("%d events are in the feed, want %d: %v", len(feed), len(events), err)
		}
		for _, e := range feed {
			same("the feed", e.ID, e.Data)
		}
		due := r.waiting(w)
		if len(due) != len(events) {
			r.Fatalf("%d deliveries wait, want %d", len(due), len(events))
		}
		whole := 0
		for _, d := range due {
			alone, err := r.Feed.EventData(r.Context(), r.tenant, d.Sequence)
			if err != nil {
				r.Fatal(err)
			}
			same("an event alone", d.EventID, alone)
			if d.Data != nil { // what is large is read when it is sent
				whole++
				same("a delivery", d.EventID, d.Data)
			}
		}
		if whole == 0 || whole == len(due) {
			r.Errorf("%d of %d deliveries have their data with them, want some", whole, len(due))
		}
		waiting, err := r.Feed.WaitingPositions(r.Context(), drover.Target{TenantID: r.tenant, ID: w.ID}, "", 100)
		if err != nil || len(waiting) != 5 {
			r.Fatalf("%d batches of positions wait, want 5: %v", len(waiting), err)
		}
		for _, b := range waiting {
			same("a batch that waits", b.EventID, b.Data)
		}
	})
}

// moved is an event of n positions.
func (r *rig) moved(n int) drover.Event {
	r.Helper()
	batch := drover.PositionBatch{ConnectionID: store.NewID()}
	for i := range n {
		p := drover.Position{
			Time: drover.At(noon.Add(time.Duration(i) * time.Second)), Latitude: 48 + float64(i)/7, Longitude: -11.5,
			SpeedKPH: new(float64(i)), DriverID: new("Jürgen <1>"),
		}
		batch.Positions = append(batch.Positions, drover.DevicePosition{
			DeviceID: store.NewID(), SystemDeviceID: fmt.Sprint(i),
			CurrentPosition: *p.View(),
		})
	}
	e, err := drover.NewEvent(drover.EventPositionUpdated, noon, batch)
	if err != nil {
		r.Fatal(err)
	}
	return e
}
