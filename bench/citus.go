package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

const (
	onCitus = "Citus"

	citusWorkers = 2
	citusShards  = 32
	citusPairs   = 4
	citusRead    = time.Second // a slice of reads
	// What a part is to reach of what one PostgreSQL does on the same processors, and the most that
	// the coordinator may take of the servers' time.
	citusReads       = 0.35
	citusWrites      = 0.5
	citusClaimed     = 0.4
	citusCoordinator = 0.15
)

// citus measures the service on a Citus, all of whose servers share the machine, beside one PostgreSQL
// in turn. It is the price of several servers, not the gain.
func (b *bench) citus(ctx context.Context) (err error) {
	few := held{rows: fewPositions / 10}
	plain, remove, err := b.newIntakeAt(ctx, "PostgreSQL", few)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	apart, removeApart, err := b.newIntakeAt(ctx, onCitus, few)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeApart()) }()
	devices, err := plain.store.Fleet.Devices(ctx, plain.tenant, drover.DeviceFilter{}, "", 1000)
	if err != nil {
		return err
	}
	there, err := apart.store.Fleet.Devices(ctx, apart.tenant, drover.DeviceFilter{}, "", 1000)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name  string
		least float64
		of    func(i *intake, devices []drover.Device) func() (slice, error)
	}{
		{"a device by its id, 1 reader", citusReads, readingDevice(ctx, 1)},
		{"a device by its id, 32 readers", citusReads, readingDevice(ctx, 32)},
		{"a list of 50 devices, 4 readers", citusReads, listingDevices(ctx)},
		{"positions stored", citusWrites, func(i *intake, _ []drover.Device) func() (slice, error) {
			return func() (slice, error) { return i.slice(ctx) }
		}},
	} {
		before, err := b.serverTimes()
		if err != nil {
			return err
		}
		of, to, err := inTurn(citusPairs, c.of(apart, there), c.of(plain, devices))
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		after, err := b.serverTimes()
		if err != nil {
			return err
		}
		b.table.Paired(c.name+", Citus", median(of.rates), "one PostgreSQL, in turn", median(to.rates), ratio(of.rates, to.rates), c.least)
		b.coordinator(c.name, before, after)
	}
	return errors.Join(b.citusDeliveries(ctx), b.citusClaims(ctx))
}

// onBothInTurn makes something on each of the two databases, and measures what it does.
func onBothInTurn[T interface{ close() error }](
	b *bench, name string, least float64, make func(database string) (T, error), do func(T) (slice, error),
) (err error) {
	var made []T
	defer func() {
		for _, one := range made {
			err = errors.Join(err, one.close())
		}
	}()
	for _, database := range []string{onCitus, "PostgreSQL"} {
		one, err := make(database)
		if err != nil {
			return fmt.Errorf("prepare %s, %s: %w", name, database, err)
		}
		made = append(made, one)
	}
	var before, after []time.Duration
	of, to, err := inTurn(citusPairs, func() (s slice, err error) {
		begun, err := b.serverTimes()
		if err != nil {
			return s, err
		}
		if s, err = do(made[0]); err != nil {
			return s, err
		}
		ended, err := b.serverTimes()
		before, after = plus(before, begun), plus(after, ended)
		return s, err
	}, func() (slice, error) { return do(made[1]) })
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	b.table.Paired(name+", Citus", median(of.rates), "one PostgreSQL, in turn", median(to.rates), ratio(of.rates, to.rates), least)
	b.coordinator(name, before, after)
	return nil
}

func plus(sum, more []time.Duration) []time.Duration {
	if sum == nil {
		return slices.Clone(more)
	}
	for i := range more {
		sum[i] += more[i]
	}
	return sum
}

// citusDeliveries delivers on both.
func (b *bench) citusDeliveries(ctx context.Context) error {
	return onBothInTurn(b, "deliveries", citusWrites, func(database string) (*courier, error) {
		c, err := b.newCourier(ctx, database)
		if err != nil {
			return nil, err
		}
		awaitPlaces(c.store, c.tenant)
		return c, c.addTargets(ctx, false)
	}, func(c *courier) (slice, error) {
		if err := c.tellBacklog(ctx); err != nil {
			return slice{}, err
		}
		return c.deliverBacklog(ctx)
	})
}

// awaitPlaces waits until it is known where tenants are, which is in a moment.
func awaitPlaces(s *store.Store, tenants ...string) {
	for s.Distributed() && slices.ContainsFunc(tenants, func(id string) bool { return s.PlaceOf(id) == "" }) {
		time.Sleep(100 * time.Millisecond)
	}
}

// coordinator prints its part of the processor time of the servers of the Citus.
func (b *bench) coordinator(what string, before, after []time.Duration) {
	var all time.Duration
	for i := range after {
		all += after[i] - before[i]
	}
	b.table.AtMost("coordinator's part of the servers' time, "+what, float64(after[0]-before[0])/float64(max(all, 1)), citusCoordinator,
		func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) })
}

// serverTimes are the processor times of the servers, the coordinator's first.
func (b *bench) serverTimes() (times []time.Duration, err error) {
	for _, s := range b.cluster.Servers() {
		used, failed := s.ProcessorTime()
		times, err = append(times, used), errors.Join(err, failed)
	}
	return times, err
}

// onCluster names a fresh distributed database, and returns what removes it.
func (b *bench) onCluster(ctx context.Context) (o store.Options, remove func() error, err error) {
	if b.cluster == nil {
		if b.cluster, err = storetest.StartCluster(ctx, citusWorkers, asOperated()...); err != nil {
			return o, nil, fmt.Errorf("start Citus, whose programs %s names: %w", storetest.CitusVariable, err)
		}
	}
	name := fmt.Sprintf("bench_%d_%d", os.Getpid(), time.Now().UnixNano())
	if err := b.cluster.Create(ctx, name, ""); err != nil {
		return o, nil, err
	}
	o = store.Options{URL: b.cluster.URL(name)}
	s, err := store.Open(ctx, o)
	if err != nil {
		return o, nil, err
	}
	if _, err = s.Migrate(ctx); err == nil {
		_, err = s.Distribute(ctx, citusShards)
	}
	return o, func() error { return b.cluster.Drop(context.WithoutCancel(ctx), name) }, errors.Join(err, s.Close())
}

// readingDevice reads devices by their ids with some readers for a while.
func readingDevice(ctx context.Context, readers int) func(*intake, []drover.Device) func() (slice, error) {
	return func(i *intake, devices []drover.Device) func() (slice, error) {
		return reading(readers, func(n int) error {
			_, err := i.store.Fleet.Device(ctx, i.tenant, devices[n%len(devices)].ID)
			return err
		})
	}
}

// listingDevices lists devices, page after page.
func listingDevices(ctx context.Context) func(*intake, []drover.Device) func() (slice, error) {
	return func(i *intake, devices []drover.Device) func() (slice, error) {
		return reading(4, func(n int) error {
			_, err := i.store.Fleet.Devices(ctx, i.tenant, drover.DeviceFilter{}, devices[n*50%len(devices)].ID, 50)
			return err
		})
	}
}

func reading(readers int, read func(n int) error) func() (slice, error) {
	return func() (slice, error) {
		counts, failures := make([]int, readers), make([]error, readers)
		begun := time.Now()
		var all sync.WaitGroup
		for r := range readers {
			all.Go(func() {
				for ; failures[r] == nil && time.Since(begun) < citusRead; counts[r]++ {
					failures[r] = read(r*31 + counts[r])
				}
			})
		}
		all.Wait()
		total := 0
		for _, n := range counts {
			total += n
		}
		took := time.Since(begun)
		return slice{count: total, took: took, used: took}, errors.Join(failures...)
	}
}
