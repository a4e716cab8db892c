package work_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

// TestDriverReplacedWhileGrouped replaces a driver in events after they were read to be put
// into a block: the block does not bring it back.
func TestDriverReplacedWhileGrouped(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			o := storetest.Options(t, kind)
			var seen atomic.Pointer[func(database.Statement)]
			o.Trace = func(s database.Statement) {
				if f := seen.Load(); f != nil {
					(*f)(s)
				}
			}
			f := newFixture(t, storetest.Open(t, o))
			ctx, device := t.Context(), f.addDevice()
			position := drover.Position{Time: noon, DriverID: new("D-17")}
			batch := drover.PositionBatch{
				ConnectionID: f.connection,
				Positions:    []drover.DevicePosition{{DeviceID: device.ID, CurrentPosition: *position.View()}},
			}
			events := make([]drover.Event, 40) // more than are read with one statement
			for i := range events {
				events[i] = must[drover.Event](t)(drover.NewEvent(drover.EventPositionUpdated, noon, batch))
			}
			f.update(func(tx *store.Tx) error { return journal.Append(ctx, tx, f.own, events) })
			rename := work.NewRename("D-17", "erased-x")
			reads := 0
			hook := func(s database.Statement) {
				if !strings.Contains(s.Query, "block IS NULL ORDER BY sequence") || strings.Contains(s.Query, "LIMIT") {
					return
				}
				if reads++; reads != 2 {
					return
				}
				seen.Store(nil)
				f.update(func(tx *store.Tx) error {
					n, err := tx.Jobs.RenameInEvents(ctx, f.own, 0, 100, nil, rename)
					if n != int64(len(events)) {
						t.Errorf("replaced in %d events", n)
					}
					return err
				})
			}
			seen.Store(&hook)
			before := drover.At(noon.Add(24 * time.Hour))
			if _, err := f.Feed.GroupEvents(ctx, f.own, before, 0); err != nil {
				t.Fatal(err)
			}
			if reads < 2 {
				t.Fatalf("events were read %d times: nothing was replaced meanwhile", reads)
			}
			for _, e := range must[[]drover.Event](t)(f.Feed.Events(ctx, f.own, drover.EventFilter{}, work.EventRange{To: 100, Limit: 100})) {
				if strings.Contains(string(e.Data), "D-17") {
					t.Fatalf("event %d names the driver again", e.Sequence)
				}
			}
		})
	}
}
