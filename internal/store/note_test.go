package store_test

import (
	"errors"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
)

// TestNotes writes notes about two devices: each lists its own, newest first, and they go one by
// one, with what is old, and with the device.
func TestNotes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, d, e, trip := f.t.Context(), f.addDevice(), f.addDevice(), store.NewID()
		write := func(of drover.Device, text string, trip *string, at drover.Time) drover.Note {
			n := drover.Note{ID: store.NewID(), DeviceID: of.ID, TripID: trip, Author: "ann", AuthorID: store.NewID(), CreatedAt: at, Text: text}
			f.update(func(tx *store.Tx) error { return tx.Vehicles.AddNote(ctx, f.own, n) })
			return n
		}
		first, second, other := write(d, "old", nil, noon), write(d, "new", &trip, after(30)), write(e, "other", nil, after(30))
		list := func(tenant, device, trip, after string, limit int) []drover.Note {
			return must[[]drover.Note](f.t)(f.Vehicles.Notes(ctx, tenant, device, trip, after, limit))
		}
		check(f.t, list(f.own, d.ID, "", "", 10), []drover.Note{second, first})
		check(f.t, list(f.own, d.ID, "", "", 1), []drover.Note{second})
		check(f.t, list(f.own, d.ID, "", second.ID, 10), []drover.Note{first})
		check(f.t, list(f.own, d.ID, trip, "", 10), []drover.Note{second})
		check(f.t, len(list(f.other, d.ID, "", "", 10)), 0)
		check(f.t, must[int](f.t)(f.Vehicles.CountNotes(ctx, f.own, d.ID)), 2)
		check(f.t, must[drover.Note](f.t)(f.Vehicles.Note(ctx, f.own, d.ID, first.ID)), first)
		for _, of := range [][3]string{{f.own, e.ID, first.ID}, {f.other, d.ID, first.ID}, {f.own, d.ID, "x"}} {
			if _, err := f.Vehicles.Note(ctx, of[0], of[1], of[2]); !errors.Is(err, store.ErrNotFound) {
				f.t.Errorf("%v: %v", of, err)
			}
		}
		check(f.t, must[int64](f.t)(f.ForgetNotes(ctx, []history.Cut{{TenantID: f.own, Before: new(after(1))}})), 1)
		check(f.t, list(f.own, d.ID, "", "", 10), []drover.Note{second})
		f.update(func(tx *store.Tx) error { return tx.Vehicles.DeleteNote(ctx, f.own, second.ID) })
		check(f.t, len(list(f.own, d.ID, "", "", 10)), 0)
		check(f.t, list(f.own, e.ID, "", "", 10), []drover.Note{other})
		f.update(func(tx *store.Tx) error {
			_, err := tx.Vehicles.EraseNotes(ctx, f.own, e.ID)
			return err
		})
		check(f.t, len(list(f.own, e.ID, "", "", 10)), 0)
	})
}
