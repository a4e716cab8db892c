package main

import (
	"context"
	"fmt"
)

// reads, writes and summaries measure the operations of the API.

func (b *bench) reads(ctx context.Context) error  { return b.compareAll(ctx, kindRead) }
func (b *bench) writes(ctx context.Context) error { return b.compareAll(ctx, kindWrite) }

func (b *bench) compareAll(ctx context.Context, k kind) error {
	if err := b.installBaseline(ctx); err != nil {
		return err
	}
	for _, o := range operations() {
		if o.kind != k {
			continue
		}
		if _, err := b.compare(ctx, o); err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
	}
	return nil
}

// compare measures an operation beside its baselines, in turns, so that all of
// them see the same state of the machine. It returns the rates of the places.
func (b *bench) compare(ctx context.Context, o operation) ([]best, error) {
	b.progress(o.name)
	var bare best
	served := make([]best, len(b.places))
	for range b.rounds {
		r, err := rate(ctx, b.settings, target{b.baseline.address, o.requests(b.places[0])})
		if err != nil {
			return nil, err
		}
		bare.take(r)
		for i, p := range b.places {
			if r, err = rate(ctx, b.settings, p.target(o)); err != nil {
				return nil, err
			}
			served[i].take(r)
		}
		if o.byID || b.pgbench == 0 { // the others are beside the rate that was measured with these
			if r, err = pgbenchRate(ctx, b.postgres, b.settings); err != nil {
				return nil, err
			}
			b.pgbench.take(r)
		}
	}
	b.table.atLeast(o.name+", embedded", float64(served[0]), "bare net/http", float64(bare), o.embedded)
	b.table.atLeast(o.name+", PostgreSQL", float64(served[1]), "pgbench -S", float64(b.pgbench), o.postgres)
	b.table.atLeast(o.name+", PostgreSQL", float64(served[1]), "bare net/http", float64(bare), 0)
	return served, nil
}

// summaries are measured with few trips and with many.
func (b *bench) summaries(ctx context.Context) error {
	if err := b.installBaseline(ctx); err != nil {
		return err
	}
	few := map[string][]best{}
	for _, o := range operations() {
		if o.kind != kindSummary {
			continue
		}
		rates, err := b.compare(ctx, o)
		if err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
		few[o.name] = rates
	}
	for i, p := range b.places {
		if err := b.grow(ctx, p); err != nil {
			return err
		}
		for _, o := range operations() {
			if o.kind != kindSummary {
				continue
			}
			var many best
			for range b.rounds {
				r, err := rate(ctx, b.settings, p.target(o))
				if err != nil {
					return err
				}
				many.take(r)
			}
			name := fmt.Sprintf("%s, %s, %s trips", o.name, p.name, thousands(float64(b.trips)))
			b.table.slower(name, float64(many), thousands(fewTrips)+" trips", float64(few[o.name][i]), summaryTarget)
		}
	}
	return nil
}

// grow adds trips to a place.
func (b *bench) grow(ctx context.Context, p *place) error {
	p.stop()
	b.progress("fill " + p.name + " up to " + thousands(float64(b.trips)) + " trips")
	if err := p.addTrips(ctx, fewTrips, b.trips); err != nil {
		return fmt.Errorf("fill %s: %w", p.name, err)
	}
	p.grown = true
	return p.start(ctx)
}
