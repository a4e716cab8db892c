package main

import (
	"context"
	"fmt"
	"slices"

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

// turns is how often an operation and its baselines are measured in each round.
const turns = 3

// compare measures an operation in turn with its baselines: the machine's own speed changes
// within seconds, so that only the ratios of one turn say how they differ. It returns the
// best rates of the places.
func (b *bench) compare(ctx context.Context, o service.Operation) ([]best, error) {
	b.progress(o.Name)
	var bare, pgbench []float64
	served := make([][]float64, len(b.places))
	for range turns * b.rounds {
		r, err := load.Rate(ctx, b.clients, b.span, load.Target{Address: b.baseline.Address, Requests: o.Requests(b.places[0])})
		if err != nil {
			return nil, err
		}
		bare = append(bare, r)
		for i, p := range b.places {
			if r, err = load.Rate(ctx, b.clients, b.span, p.Target(o)); err != nil {
				return nil, err
			}
			served[i] = append(served[i], r)
		}
		if r, err = pgbenchRate(ctx, b.postgres, b.settings); err != nil {
			return nil, err
		}
		pgbench = append(pgbench, r)
	}
	embedded, postgres := served[0], served[1]
	b.table.Paired(o.Name+", embedded", median(embedded), "bare net/http", median(bare), ratio(embedded, bare), o.Embedded)
	b.table.Paired(o.Name+", PostgreSQL", median(postgres), "pgbench -S", median(pgbench), ratio(postgres, pgbench), o.Postgres)
	b.table.Paired(o.Name+", PostgreSQL", median(postgres), "bare net/http", median(bare), ratio(postgres, bare), 0)
	return []best{best(slices.Max(embedded)), best(slices.Max(postgres))}, nil
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
