package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestCacheChangesNothing does the same things, in an order that chance decides, to
// a store with a cache and to one without: every answer is the same.
func TestCacheChangesNothing(t *testing.T) {
	t.Parallel()
	cached, plain := storetest.Options(t, "sqlite"), storetest.Options(t, "sqlite")
	plain.NoCache = true
	stores := [2]fixture{newFixture(t, storetest.Open(t, cached)), newFixture(t, storetest.Open(t, plain))}
	// Ids must be the same in both, so the second has the first's.
	const seed, steps = 9, 400
	random := rand.New(rand.NewPCG(seed, seed))
	devices := make([]string, 5)
	for i := range devices {
		devices[i] = store.NewID()
		for _, f := range stores {
			d := drover.Device{ID: devices[i], ConnectionID: f.connection, SystemDeviceID: fmt.Sprint(i), Active: true, Tags: []string{}}
			f.update(func(tx *store.Tx) error { return tx.Fleet.AddDevice(t.Context(), f.own, d, noon) })
		}
	}
	for step := range steps {
		id, fails := devices[random.IntN(len(devices))], random.IntN(3) == 0
		if random.IntN(3) == 0 {
			for _, f := range stores {
				f.rename(id, fmt.Sprint(step), fails)
			}
		}
		asker := random.IntN(2)
		var answers [2]string
		for i, f := range stores {
			d, err := f.Fleet.Device(t.Context(), []string{f.own, f.other}[asker], id)
			answers[i] = fmt.Sprint(d.ID, text(d.Description), d.Shared, err)
		}
		if answers[0] != answers[1] {
			t.Fatalf("step %d: with a cache %s, without %s", step, answers[0], answers[1])
		}
		if step == steps/2 {
			stores[0].share()
			stores[1].share()
		}
	}
}

// rename changes a device's description, in a transaction that fails where asked.
func (f fixture) rename(id, name string, fails bool) {
	f.t.Helper()
	err := f.Update(f.t.Context(), func(tx *store.Tx) error {
		d, err := tx.Fleet.DeviceForUpdate(f.t.Context(), f.own, id)
		if err != nil {
			return err
		}
		d.Description = &name
		if err := tx.Fleet.SetDevice(f.t.Context(), d, noon); err != nil || !fails {
			return err
		}
		return errStopped
	})
	if err != nil && !fails {
		f.t.Fatal(err)
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
