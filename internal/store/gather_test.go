package store_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestReadsTogether has many ask at once, for records of all kinds: each gets its
// own answer, no matter who else is in the same query.
func TestReadsTogether(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		var devices []drover.Device
		for range 50 {
			devices = append(devices, f.addDevice())
		}
		f.share()
		gone, cancel := context.WithCancel(f.t.Context())
		cancel()
		var askers sync.WaitGroup
		for i := range 200 {
			d := devices[i%len(devices)]
			askers.Go(func() {
				got, err := f.Fleet.Device(f.t.Context(), f.own, d.ID)
				if err != nil || got.ID != d.ID || got.TenantID != f.own || got.Shared != 0 {
					f.t.Errorf("its own: %+v, %v", got, err)
				}
			})
			askers.Go(func() {
				got, err := f.Fleet.Device(f.t.Context(), f.other, d.ID)
				if err != nil || got.ID != d.ID || got.TenantID != f.own || got.Shared != drover.FullGrant {
					f.t.Errorf("another's that is shared: %+v, %v", got, err)
				}
			})
			askers.Go(func() {
				if got, err := f.Fleet.Device(f.t.Context(), f.own, store.NewID()); !errors.Is(err, store.ErrNotFound) {
					f.t.Errorf("one that is not there: %+v, %v", got, err)
				}
			})
			askers.Go(func() {
				if got, err := f.Fleet.Device(f.t.Context(), f.own, "rubbish"); !errors.Is(err, store.ErrNotFound) {
					f.t.Errorf("what is no id: %+v, %v", got, err)
				}
			})
			askers.Go(func() {
				if got, err := f.Fleet.Device(gone, f.own, d.ID); err == nil && got.ID != d.ID || err != nil && !errors.Is(err, context.Canceled) {
					f.t.Errorf("for one who has gone: %+v, %v", got, err)
				}
			})
		}
		askers.Wait()
	})
}

// TestReadsTogetherApart has many ask at once where tenants lie at two places, of which one then
// stops: each gets its own answer, and no one waits for another's place.
func TestReadsTogetherApart(t *testing.T) {
	t.Parallel()
	s, places := storetest.OpenApart(t)
	near, far, connection := storetest.TwoTenants(t, s, noon)
	places.Put(s, near, storetest.Near)
	places.Put(s, far, storetest.Far)
	var devices []string
	for n := range 20 {
		d := drover.Device{ID: store.NewID(), ConnectionID: connection, SystemDeviceID: strconv.Itoa(n), Tags: []string{}}
		if err := s.Update(t.Context(), func(tx *store.Tx) error { return tx.Fleet.AddDevice(t.Context(), near, d, noon) }); err != nil {
			t.Fatal(err)
		}
		devices = append(devices, d.ID)
	}
	for _, stopped := range []bool{false, true} {
		var askers sync.WaitGroup
		for n := range 200 {
			id := devices[n%len(devices)]
			askers.Go(func() {
				if got, err := s.Fleet.Device(t.Context(), near, id); err != nil || got.ID != id || got.Access != (store.Access{TenantID: near}) {
					t.Errorf("its own: %+v, %v", got, err)
				}
			})
			askers.Go(func() {
				_, err := s.Fleet.Device(t.Context(), far, id)
				if stopped && !store.Unavailable(err) || !stopped && !errors.Is(err, store.ErrNotFound) {
					t.Errorf("another's: %v, its own place being stopped: %v", err, stopped)
				}
			})
		}
		askers.Wait()
		places.Stop(storetest.Far)
	}
}

// TestReadsAfterTheirWrites has each writer read what it has just written.
func TestReadsAfterTheirWrites(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		var writers sync.WaitGroup
		for range 8 {
			d := f.addDevice()
			writers.Go(func() {
				for _, name := range []string{"a", "b", "c", "d", "e"} {
					if err := f.describe(d.ID, name); err != nil {
						f.t.Error(err)
						return
					}
					if got, err := f.Fleet.Device(f.t.Context(), f.own, d.ID); err != nil || *got.Description != name {
						f.t.Errorf("%v, %v, want %s", got.Description, err, name)
					}
				}
			})
		}
		writers.Wait()
	})
}

// TestReadsNeverGoBack reads a record again and again while it is counted up: who
// has seen a number, or been answered that it is stored, sees none before it.
func TestReadsNeverGoBack(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		d := f.addDevice()
		const last = 200
		var stored atomic.Int64
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				for seen := int64(0); seen < last; {
					least := max(seen, stored.Load())
					got, err := f.Fleet.Device(f.t.Context(), f.own, d.ID)
					if err != nil {
						f.t.Error(err)
						return
					}
					if seen = number(got); seen < least {
						f.t.Errorf("%d was read after %d", seen, least)
						return
					}
				}
			})
		}
		for n := int64(1); n <= last; n++ {
			if err := f.describe(d.ID, strconv.FormatInt(n, 10)); err != nil {
				f.t.Error(err)
			}
			stored.Store(n)
		}
		readers.Wait()
	})
}

func number(d store.Device) int64 {
	if d.Description == nil {
		return 0
	}
	n, _ := strconv.ParseInt(*d.Description, 10, 64)
	return n
}

// TestReadsWhatOthersWrote changes a record that is remembered from another
// process, as a command is beside the service.
func TestReadsWhatOthersWrote(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			o := storetest.Options(t, database)
			f := newFixture(t, storetest.Open(t, o))
			d := f.addDevice()
			must[store.Device](t)(f.Fleet.Device(t.Context(), f.own, d.ID))
			other := fixture{Store: storetest.Open(t, o), t: t, own: f.own}
			if err := other.describe(d.ID, "changed"); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			for must[store.Device](t)(f.Fleet.Device(t.Context(), f.own, d.ID)).Description == nil {
				if ctx.Err() != nil {
					t.Fatal("what another process wrote is not seen")
				}
			}
		})
	}
}

func (f fixture) describe(id, text string) error {
	return f.Update(f.t.Context(), func(tx *store.Tx) error {
		d, err := tx.Fleet.DeviceForUpdate(f.t.Context(), f.own, id)
		if err != nil {
			return err
		}
		d.Description = &text
		return tx.Fleet.SetDevice(f.t.Context(), d, noon)
	})
}
