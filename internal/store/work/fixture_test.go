package work_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.PlannedMain(m) }

var noon = drover.At(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))

// fixture is a store with two tenants and one connection of the first.
type fixture struct {
	*store.Store
	t          *testing.T
	own, other string
	connection string
}

func onBoth(t *testing.T, f func(f fixture)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		f(newFixture(t, s))
	})
}

func newFixture(t *testing.T, s *store.Store) fixture {
	t.Helper()
	f := fixture{Store: s, t: t}
	f.own, f.other, f.connection = storetest.TwoTenants(t, s, noon)
	return f
}

func (f fixture) update(change func(tx *store.Tx) error) {
	f.t.Helper()
	if err := f.Update(f.t.Context(), change); err != nil {
		f.t.Fatal(err)
	}
}

func (f fixture) addDevice(tags ...string) drover.Device {
	f.t.Helper()
	d := drover.Device{
		ID: store.NewID(), ConnectionID: f.connection, SystemDeviceID: store.NewID(), Active: true,
		Tags: append([]string{}, tags...),
	}
	f.update(func(tx *store.Tx) error { return tx.Fleet.AddDevice(f.t.Context(), f.own, d, noon) })
	return d
}

func check[T any](t *testing.T, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
}

func must[T any](t *testing.T) func(v T, err error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
