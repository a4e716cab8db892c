package main

import (
	"context"
	"fmt"

	"github.com/drover-fleet/drover/bench/fill"
	"github.com/drover-fleet/drover/bench/load"
	"github.com/drover-fleet/drover/bench/service"
	"github.com/drover-fleet/drover/bench/table"
)

// reads, writes and summaries measure the operations of the API.

func (b *bench) reads(ctx context.Context) error  { return b.compareAll(ctx, service.KindRead) }
func (b *bench) writes(ctx context.Context) error { return b.compareAll(ctx, service.KindWrite) }

func (b *bench) compareAll(ctx context.Context, k service.Kind) error {
	if err := b.installBaseline(ctx); err != nil {
		return err
	}
	for _, o := range service.Operations() {
		if o.Kind != k {
			continue
		}
		if _, err := b.compare(ctx, o); err != nil {
			return fmt.Errorf("%s: %w", o.Name, err)
		}
	}
	return nil
}

// compare measures an operation beside its baselines, in turns, so that all of
// them see the same state of the machine. It returns the rates of the places.
func (b *bench) compare(ctx context.Context, o service.Operation) ([]best, error) {
	b.progress(o.Name)
	var bare best
	served := make([]best, len(b.places))
	for range b.rounds {
		r, err := load.Rate(ctx, b.clients, b.span, load.Target{Address: b.baseline.Address, Requests: o.Requests(b.places[0])})
		if err != nil {
			return nil, err
		}
		bare.take(r)
		for i, p := range b.places {
			if r, err = load.Rate(ctx, b.clients, b.span, p.Target(o)); err != nil {
				return nil, err
			}
			served[i].take(r)
		}
		if o.ByID || b.pgbench == 0 { // the others are beside the rate that was measured with these
			if r, err = pgbenchRate(ctx, b.postgres, b.settings); err != nil {
				return nil, err
			}
			b.pgbench.take(r)
		}
	}
	b.table.AtLeast(o.Name+", embedded", float64(served[0]), "bare net/http", float64(bare), o.Embedded)
	b.table.AtLeast(o.Name+", PostgreSQL", float64(served[1]), "pgbench -S", float64(b.pgbench), o.Postgres)
	b.table.AtLeast(o.Name+", PostgreSQL", float64(served[1]), "bare net/http", float64(bare), 0)
	return served, nil
}

// summaries are measured with few trips and with many.
func (b *bench) summaries(ctx context.Context) error {
	if err := b.installBaseline(ctx); err != nil {
		return err
	}
	few := map[string][]best{}
	for _, o := range service.Operations() {
		if o.Kind != service.KindSummary {
			continue
		}
		rates, err := b.compare(ctx, o)
		if err != nil {
			return fmt.Errorf("%s: %w", o.Name, err)
		}
		few[o.Name] = rates
	}
	for i, p := range b.places {
		if err := b.grow(ctx, p); err != nil {
			return err
		}
		for _, o := range service.Operations() {
			if o.Kind != service.KindSummary {
				continue
			}
			var many best
			for range b.rounds {
				r, err := load.Rate(ctx, b.clients, b.span, p.Target(o))
				if err != nil {
					return err
				}
				many.take(r)
			}
			name := fmt.Sprintf("%s, %s, %s trips", o.Name, p.Name, table.Thousands(float64(b.trips)))
			b.table.Slower(name, float64(many), table.Thousands(service.FewTrips)+" trips", float64(few[o.Name][i]), summaryTarget)
		}
	}
	return nil
}

// grow adds trips to a place.
func (b *bench) grow(ctx context.Context, p *service.Place) error {
	p.Stop()
	b.progress("fill " + p.Name + " up to " + table.Thousands(float64(b.trips)) + " trips")
	if err := fill.Trips(ctx, p.Options(), p.World, service.FewTrips, b.trips); err != nil {
		return fmt.Errorf("fill %s: %w", p.Name, err)
	}
	p.Grown = true
	return p.Start(ctx)
}
