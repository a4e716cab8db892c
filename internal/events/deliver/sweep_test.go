package deliver_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/deliver"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

// TestForget holds that what is too old, and what was for a webhook that is gone,
// is dropped, in more than one piece, also where no one ever sent to the target;
// and that nothing remains of targets without deliveries.
func TestForget(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		ctx := t.Context()
		off := r.addWebhook("https://hooks.example/off", func(w *drover.Webhook) { w.Enabled = false })
		gone := r.addWebhook("https://hooks.example/gone", nil)
		kept := r.addWebhook("https://hooks.example/kept", nil)
		events := make([]drover.Event, 1200)
		for i := range events {
			events[i] = drover.Event{Type: drover.EventDeviceUpdated, Timestamp: r.now(), Data: []byte(`{}`)}
		}
		r.update(func(tx *store.Tx) error { return journal.Append(ctx, tx, r.tenant, events) })
		for _, h := range []hook{gone, kept} {
			if ok, err := r.Feed.ClaimTarget(ctx, h.Target, "another", "", r.now(), drover.At(r.clock.Now().Add(time.Minute))); err != nil || !ok {
				t.Fatal(ok, err)
			}
		}
		r.update(func(tx *store.Tx) error { return tx.Feed.FreeTargets(ctx) })
		r.update(func(tx *store.Tx) error { return tx.Webhooks.DropWebhook(ctx, r.tenant, gone.ID) })
		forget := func() {
			t.Helper()
			if err := r.deliver.Forget(ctx); err != nil {
				t.Fatal(err)
			}
		}
		forget()
		r.holds(map[hook]int{off: 1000, gone: 0, kept: 1000}) // a page of the log
		r.clock.Advance(deliver.Keep + time.Hour)
		forget()
		r.holds(map[hook]int{off: 0, gone: 0, kept: 1000}) // what waits is no past
		r.update(func(tx *store.Tx) error {
			n, err := tx.Feed.DropIdleTargets(ctx, 10)
			if n != 0 {
				t.Errorf("%d targets without deliveries remained", n)
			}
			return err
		})
	})
}

// TestMend holds that what was made or tried by a clock that was ahead is due once that
// is put right, and that what waits for another reason goes on waiting.
func TestMend(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		ctx := t.Context()
		h := r.addWebhook("https://hooks.example/slow", nil)
		right := r.clock.Now()
		add := func() string {
			e := r.tell("")
			return e.ID
		}
		try := func(id string) {
			r.update(func(tx *store.Tx) error {
				return tx.Feed.AddAttempts(ctx, []work.Attempt{{
					Target: h.Target, EventID: id, Number: 1, Tries: 1, Time: r.now(), State: drover.DeliveryPending,
					DueAt: drover.At(r.clock.Now().Add(30 * time.Minute)),
				}})
			})
		}
		waits, tried := add(), add()
		try(waits)
		r.clock.Set(right.Add(2 * time.Hour))
		made := add()
		try(tried)
		r.clock.Set(right)
		due := func() []string {
			t.Helper()
			list, err := r.Feed.DueDeliveries(ctx, h.Target, r.now(), nil, 10)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, d := range list {
				ids = append(ids, d.EventID)
			}
			return ids
		}
		if got := due(); len(got) != 0 {
			t.Fatalf("%d deliveries are due before", len(got))
		}
		if err := r.deliver.Mend(ctx); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{tried, made}, due()); diff != "" {
			t.Errorf("due after (-want +got), %s waits:\n%s", waits, diff)
		}
	})
}

// holds checks the length of webhooks' logs.
func (r *rig) holds(want map[hook]int) {
	r.t.Helper()
	for h, n := range want {
		if got := len(r.log(h)); got != n {
			r.t.Errorf("%s has %d deliveries, want %d", h.ID, got, n)
		}
	}
}

// TestSweepGoesOn holds that a target that cannot be swept holds up no other.
func TestSweepGoesOn(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		device := store.NewID()
		broken := r.addWebhook("https://hooks.example/broken", nil)
		e := drover.Event{Type: drover.EventPositionUpdated, Timestamp: r.now(), ConnectionID: &r.conn, Data: []byte(`"no batch"`)}
		r.update(func(tx *store.Tx) error { return journal.Append(t.Context(), tx, r.tenant, []drover.Event{e}) })
		well := r.addWebhook("https://hooks.example/well", func(w *drover.Webhook) { w.Filters.ConnectionIDs = []string{r.conn} })
		if broken.ID > well.ID {
			t.Fatal("ids are made in the order of time")
		}
		r.moved(device)
		r.clock.Advance(deliver.SupersedeAfter + time.Second)
		r.moved(device)
		if err := r.deliver.Supersede(t.Context()); err == nil {
			t.Error("data that cannot be read is no error")
		}
		if got := r.log(well)[1].State; got != drover.DeliverySuperseded {
			t.Errorf("the old positions are %s", got)
		}
	})
}
