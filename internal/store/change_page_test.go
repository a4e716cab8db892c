package store_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// onBothWatched runs f on both databases, and watch before each statement that reads deletions.
func onBothWatched(t *testing.T, f func(f fixture, watch *atomic.Pointer[func(database.Statement)])) {
	t.Helper()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			watch := &atomic.Pointer[func(database.Statement)]{}
			o := storetest.Options(t, name)
			o.Trace = func(s database.Statement) {
				if w := watch.Load(); w != nil && strings.Contains(s.Query, "FROM deleted_record r") {
					(*w)(s)
				}
			}
			f(newFixture(t, storetest.Open(t, o)), watch)
		})
	}
}

// TestChangesAreReadForOnePage has a page that is full after the first of its tables: of the
// others only what comes before its end is read.
func TestChangesAreReadForOnePage(t *testing.T) {
	t.Parallel()
	onBothWatched(t, func(f fixture, watch *atomic.Pointer[func(database.Statement)]) {
		for range 5 {
			f.addDevice()
		}
		var bound any
		watch.Store(new(func(s database.Statement) { bound = s.Args[3] }))
		diff := settled(f.t, func() string {
			list := must[drover.ChangeList](f.t)(f.Fleet.Changes(f.t.Context(), f.own, drover.ChangedDevices, nil, nil, 2))
			if len(list.Changes) < 2 {
				return "the devices do not show yet"
			}
			if bound != list.Next.Number+1 {
				f.t.Errorf("a page that ends with the change %d reads deletions below %v", list.Next.Number, bound)
			}
			return ""
		})
		if diff != "" {
			f.t.Error(diff)
		}
	})
}

// TestDeletionsForgottenMeanwhile has deletions forgotten between the look at how far they are
// known and their being read: the page must not pass for one without deletions.
func TestDeletionsForgottenMeanwhile(t *testing.T) {
	t.Parallel()
	onBothWatched(t, func(f fixture, watch *atomic.Pointer[func(database.Statement)]) {
		mark := func(at time.Time) {
			f.update(func(tx *store.Tx) error {
				_, err := tx.Fleet.MarkChanges(f.t.Context(), drover.At(at), time.Hour)
				return err
			})
		}
		read := func(at *drover.ChangeCursor) (drover.ChangeList, error) {
			return f.Fleet.Changes(f.t.Context(), f.own, drover.ChangedDevices, at, nil, 10)
		}
		d := f.addDevice()
		mark(noon.Time)
		place := must[drover.ChangeList](f.t)(read(nil)).Next
		f.update(func(tx *store.Tx) error { return tx.Fleet.EraseDevice(f.t.Context(), f.own, d.ID) })
		diff := settled(f.t, func() string {
			for _, c := range must[drover.ChangeList](f.t)(read(&place)).Changes {
				if c.DeletedAt != nil {
					return ""
				}
			}
			return "the deletion does not show"
		})
		if diff != "" {
			f.t.Fatal(diff)
		}
		mark(noon.Add(time.Hour))
		watch.Store(new(func(database.Statement) {
			watch.Store(nil)
			mark(noon.Add(3 * time.Hour))
		}))
		if list, err := read(&place); !errors.Is(err, store.ErrTooOld) {
			f.t.Errorf("read %d changes: %v", len(list.Changes), err)
		}
		if watch.Load() != nil {
			f.t.Error("nothing was forgotten meanwhile")
		}
	})
}
