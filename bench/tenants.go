package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	manyTenants   = 1000
	tenantDevices = 10_000 // of all tenants together
	tenantsTarget = 0.8    // of the rate of one tenant with as many devices
)

// tenantReads are what is read of them.
var tenantReads = []struct {
	name string
	read func(ctx context.Context, s *store.Store, r record) error
}{
	{"devices by id", func(ctx context.Context, s *store.Store, r record) error {
		_, err := s.Fleet.Device(ctx, r.tenant, r.device)
		return err
	}},
	{"ten devices of a list", func(ctx context.Context, s *store.Store, r record) error {
		_, err := s.Fleet.Devices(ctx, r.tenant, drover.DeviceFilter{}, "", tenantDevices/manyTenants)
		return err
	}},
}

// tenants measures that reads are as fast with many small tenants as with a large one:
// those by id that are asked for at the same moment share a query, whichever tenants they
// are of, and a list reads the rows of its tenant alone.
func (b *bench) tenants(ctx context.Context) error {
	for _, database := range b.databases() {
		b.progress("reads of many tenants, " + database)
		if err := b.readTenants(ctx, database); err != nil {
			return fmt.Errorf("reads of many tenants, %s: %w", database, err)
		}
	}
	return nil
}

// readTenants measures how fast the devices of one large tenant and of many small ones
// are read from one database, in turns.
func (b *bench) readTenants(ctx context.Context, database string) (err error) {
	options, remove, err := b.newStore(ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	options.NoCache = true // what is measured is the reading
	s, err := store.Open(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := s.Migrate(ctx); err != nil {
		return err
	}
	var large, small []record
	if large, err = addTenants(ctx, s, 1); err != nil {
		return err
	}
	if small, err = addTenants(ctx, s, manyTenants); err != nil {
		return err
	}
	for _, kind := range tenantReads {
		var one, many float64
		for range b.rounds {
			for _, turn := range []struct {
				records []record
				rate    *float64
			}{{large, &one}, {small, &many}} {
				rate, err := b.readRecords(turn.records, func(r record) error { return kind.read(ctx, s, r) })
				if err != nil {
					return err
				}
				*turn.rate = max(*turn.rate, rate)
			}
		}
		b.table.AtLeast(fmt.Sprintf("%s of %s tenants, %s", kind.name, table.Thousands(manyTenants), database), many, "one tenant", one,
			tenantsTarget)
	}
	return nil
}

// record names a device and whose it is.
type record struct{ tenant, device string }

// addTenants adds n tenants, and the devices among them.
func addTenants(ctx context.Context, s *store.Store, n int) (all []record, err error) {
	now := drover.At(time.Now())
	for range n {
		tenant := drover.Tenant{ID: store.NewID(), Name: store.NewID(), CreatedAt: now}
		conn := drover.Connection{
			ID: store.NewID(), TenantID: tenant.ID, IntegrationName: drover.Traccar, BusinessName: "b", Active: true,
			CollectionStartTime: now,
		}
		devices := make([]drover.Device, tenantDevices/n)
		for i := range devices {
			devices[i] = drover.Device{ID: store.NewID(), ConnectionID: conn.ID, SystemDeviceID: fmt.Sprint(i), Active: true, Tags: []string{}}
			all = append(all, record{tenant.ID, devices[i].ID})
		}
		err := s.Update(ctx, func(tx *store.Tx) error {
			return errors.Join(tx.Accounts.AddTenant(ctx, tenant), tx.Fleet.AddConnection(ctx, conn, []byte("sealed"), now),
				tx.Fleet.AddDevices(ctx, tenant.ID, devices, now))
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// readRecords reads records from several clients, each from a place of its own
// and with steps that lead from tenant to tenant, and returns how many a second.
func (b *bench) readRecords(records []record, read func(record) error) (float64, error) {
	const step = 7919 // a prime: every record comes
	var count atomic.Int64
	failures := make([]error, b.clients)
	end := time.Now().Add(b.span)
	var clients sync.WaitGroup
	for i := range b.clients {
		clients.Go(func() {
			for at := i * len(records) / b.clients; time.Now().Before(end) && failures[i] == nil; at += step {
				failures[i] = read(records[at%len(records)])
				count.Add(1)
			}
		})
	}
	clients.Wait()
	return float64(count.Load()) / b.span.Seconds(), errors.Join(failures...)
}
