package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	journalDevices = 5000
	journalRounds  = 5
	journalBound   = 0.1 // seconds
)

// appends measures how long the counter of a tenant is locked by the events of a
// first list of devices, with a webhook for all of them, beside another writer.
func (b *bench) appends(ctx context.Context) error {
	for _, database := range b.databases() {
		b.progress("events of new devices, " + database)
		c, err := b.newCourier(ctx, database)
		if err != nil {
			return fmt.Errorf("prepare the journal: %w", err)
		}
		took, err := c.appendDevices(ctx)
		if err := errors.Join(err, c.close()); err != nil {
			return fmt.Errorf("events of new devices, %s: %w", database, err)
		}
		b.table.AtMost(fmt.Sprintf("events of %d new devices, %s", journalDevices, database), took.Seconds(), journalBound,
			func(v float64) string { return fmt.Sprintf("%.0f ms", v*1000) })
	}
	return nil
}

// appendDevices returns the best of several rounds.
func (c *courier) appendDevices(ctx context.Context) (time.Duration, error) {
	if _, err := c.addWebhook(ctx, "https://hooks.example/"); err != nil {
		return 0, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	other, err := c.otherWriter(ctx)
	if err != nil {
		return 0, err
	}
	var rounds []time.Duration
	for range journalRounds {
		events := make([]drover.Event, journalDevices)
		for i := range events {
			d := drover.Device{ID: store.NewID(), ConnectionID: c.conn, SystemDeviceID: fmt.Sprint(i), Tags: []string{}}
			if events[i], err = drover.NewEvent(drover.EventDeviceCreated, drover.At(time.Now()), d); err != nil {
				return 0, err
			}
		}
		var took time.Duration
		err := c.store.Update(ctx, func(tx *store.Tx) error {
			begun := time.Now()
			defer func() { took = time.Since(begun) }()
			return journal.Append(ctx, tx, c.tenant, events)
		})
		if err != nil {
			return 0, err
		}
		rounds = append(rounds, took)
	}
	stop()
	return slices.Min(rounds), other()
}

// otherWriter appends to another tenant until ctx is done.
func (c *courier) otherWriter(ctx context.Context) (wait func() error, err error) {
	tenant := store.NewID()
	err = c.store.Update(ctx, func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(ctx, drover.Tenant{ID: tenant, Name: "other", CreatedAt: drover.At(time.Now())})
	})
	var failed error
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil && failed == nil {
			e, err := drover.NewEvent(drover.EventDeviceUpdated, drover.At(time.Now()),
				drover.Device{ID: store.NewID(), ConnectionID: c.conn, Tags: []string{}})
			if err == nil {
				err = c.store.Update(ctx, func(tx *store.Tx) error { return journal.Append(ctx, tx, tenant, []drover.Event{e}) })
			}
			if err != nil && ctx.Err() == nil {
				failed = err
			}
		}
	})
	return func() error { wg.Wait(); return failed }, err
}
