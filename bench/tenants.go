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

// tenants measures that reads by id are as fast with many small tenants as with a
// large one: those that are asked for at the same moment share a query, whichever tenants
// they are of.
func (b *bench) tenants(ctx context.Context) error {
	for _, database := range b.databases() {
		b.progress("reads by id of many tenants, " + database)
		one, many, err := b.readTenants(ctx, database)
		if err != nil {
			return fmt.Errorf("reads of many tenants, %s: %w", database, err)
		}
		b.table.AtLeast(fmt.Sprintf("devices by id of %s tenants, %s", table.Thousands(manyTenants), database), many, "one tenant", one, tenantsTarget)
	}
	return nil
}

// readTenants returns the rates at which the devices of one large tenant and of many
// small ones are read from one database, in turns.
func (b *bench) readTenants(ctx context.Context, database string) (one, many float64, err error) {
	options, remove, err := b.newStore(ctx, database)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	options.NoCache = true // what is measured is the reading
	s, err := store.Open(ctx, options)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := s.Migrate(ctx); err != nil {
		return 0, 0, err
	}
	var large, small []record
	if large, err = addTenants(ctx, s, 1); err != nil {
		return 0, 0, err
	}
	if small, err = addTenants(ctx, s, manyTenants); err != nil {
		return 0, 0, err
	}
	for range b.rounds {
		for _, turn := range []struct {
			records []record
			rate    *float64
		}{{large, &one}, {small, &many}} {
			rate, err := b.readRecords(ctx, s, turn.records)
			if err != nil {
				return 0, 0, err
			}
			*turn.rate = max(*turn.rate, rate)
		}
	}
	return one, many, nil
}

// record names a device and whose it is.
type record struct{ tenant, device string }

// addTenants adds n tenants, and the devices among them.
func addTenants(ctx context.Context, s *store.Store, n int) (all []record, err error) {
	now := drover.At(time.Now())
	for range n {
		tenant := drover.Tenant{ID: store.NewID(), Name: store.NewID(), CreatedAt: now}
		conn := drover.Connection{ID: store.NewID(), TenantID: tenant.ID, IntegrationName: drover.Traccar, BusinessName: "b", Active: true, CollectionStartTime: now}
		devices := make([]drover.Device, tenantDevices/n)
		for i := range devices {
			devices[i] = drover.Device{ID: store.NewID(), ConnectionID: conn.ID, SystemDeviceID: fmt.Sprint(i), Active: true, Tags: []string{}}
			all = append(all, record{tenant.ID, devices[i].ID})
		}
		err := s.Update(ctx, func(tx *store.Tx) error {
			return errors.Join(tx.AddTenant(ctx, tenant), tx.AddConnection(ctx, conn, []byte("sealed"), now), tx.AddDevices(ctx, tenant.ID, devices, now))
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// readRecords reads records by id from several clients, each from a place of its own
// and with steps that lead from tenant to tenant, and returns how many a second.
func (b *bench) readRecords(ctx context.Context, s *store.Store, records []record) (float64, error) {
	const step = 7919 // a prime: every record comes
	var count atomic.Int64
	failures := make([]error, b.clients)
	end := time.Now().Add(b.span)
	var clients sync.WaitGroup
	for i := range b.clients {
		clients.Go(func() {
			for at := i * len(records) / b.clients; time.Now().Before(end) && failures[i] == nil; at += step {
				r := records[at%len(records)]
				_, failures[i] = s.Device(ctx, r.tenant, r.device)
				count.Add(1)
			}
		})
	}
	clients.Wait()
	return float64(count.Load()) / b.span.Seconds(), errors.Join(failures...)
}
