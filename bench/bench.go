package main

import (
	"context"
	"fmt"
	"maps"
	"os"

	"github.com/drover-fleet/drover/internal/store/storetest"
)

// bench is one run.
type bench struct {
	settings
	places   []*place
	postgres *storetest.Server
	baseline *process
	table    table
	// pgbench is the best rate of pgbench -S so far.
	pgbench best
	// few are the rates of the summaries with few trips, by place and operation.
	few map[string]float64
}

// targets of the figures that have one.
const (
	readTarget    = 0.5
	summaryTarget = 1.5
	startTarget   = 1.0 // seconds
	memoryTarget  = 64 << 20
	binaryTarget  = 40 << 20
)

func (b *bench) measure(ctx context.Context) error {
	b.few = map[string]float64{}
	for _, p := range b.places {
		b.progress("fill " + p.name)
		if err := p.fill(ctx); err != nil {
			return fmt.Errorf("fill %s: %w", p.name, err)
		}
		if err := p.start(ctx); err != nil {
			return err
		}
		if err := b.footprint(p); err != nil {
			return err
		}
	}
	if err := b.startBaseline(ctx); err != nil {
		return err
	}
	for _, o := range operations() {
		b.progress(o.name)
		if err := b.compare(ctx, o); err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
	}
	if err := b.grow(ctx); err != nil {
		return err
	}
	if err := b.collection(ctx); err != nil {
		return err
	}
	if err := b.deliveries(ctx); err != nil {
		return err
	}
	return b.size()
}

// progress tells whoever waits.
func (b *bench) progress(doing string) { fmt.Fprintln(os.Stderr, "bench:", doing) }

// footprint is what the service needs before it has done anything.
func (b *bench) footprint(p *place) error {
	memory, err := p.server.resident()
	if err != nil {
		return err
	}
	b.table.atMost("start to ready, "+p.name, p.server.started.Seconds(), startTarget, seconds)
	b.table.atMost("idle memory, "+p.name, memory, memoryTarget, mebibytes)
	return nil
}

func (b *bench) size() error {
	info, err := os.Stat(b.places[0].binary)
	if err != nil {
		return fmt.Errorf("look at the program: %w", err)
	}
	b.table.atMost("size of the program", float64(info.Size()), binaryTarget, mebibytes)
	return nil
}

// startBaseline gives the bare handler the answers of both installations.
func (b *bench) startBaseline(ctx context.Context) error {
	answers := map[string]canned{}
	for _, p := range b.places {
		for _, o := range operations() {
			captured, err := capture(ctx, p.server.address, o.requests(p))
			if err != nil {
				return err
			}
			maps.Copy(answers, captured)
		}
	}
	var err error
	b.baseline, err = startBaseline(ctx, answers)
	return err
}

// best measures several times and takes the best: what disturbs a measurement
// makes it worse, never better.
type best float64

func (r *best) take(rate float64) { *r = max(*r, best(rate)) }

// compare measures an operation beside its baselines, in turns, so that all of
// them see the same state of the machine.
func (b *bench) compare(ctx context.Context, o operation) error {
	var bare best
	served := make([]best, len(b.places))
	for range b.rounds {
		r, err := rate(ctx, b.baseline.address, b.settings, o.requests(b.places[0]))
		if err != nil {
			return err
		}
		bare.take(r)
		for i, p := range b.places {
			if r, err = rate(ctx, p.server.address, b.settings, o.requests(p)); err != nil {
				return err
			}
			served[i].take(r)
		}
		if o.byID { // the others are beside the rate that was measured with these
			if r, err = pgbenchRate(ctx, b.postgres, b.settings); err != nil {
				return err
			}
			b.pgbench.take(r)
		}
	}
	target := 0.0
	if o.byID {
		target = readTarget
	}
	b.table.atLeast(o.name+", embedded", float64(served[0]), "bare net/http", float64(bare), target)
	b.table.atLeast(o.name+", PostgreSQL", float64(served[1]), "pgbench -S", float64(b.pgbench), target)
	b.table.atLeast(o.name+", PostgreSQL", float64(served[1]), "bare net/http", float64(bare), 0)
	if o.summary {
		for i, p := range b.places {
			b.few[p.name+o.name] = float64(served[i])
		}
	}
	return nil
}

// grow adds trips and measures the summaries again.
func (b *bench) grow(ctx context.Context) error {
	for _, p := range b.places {
		p.stop()
		b.progress("fill " + p.name + " up to " + thousands(float64(b.trips)) + " trips")
		if err := p.addTrips(ctx, fewTrips, b.trips); err != nil {
			return fmt.Errorf("fill %s: %w", p.name, err)
		}
		if err := p.start(ctx); err != nil {
			return err
		}
		for _, o := range operations() {
			if !o.summary {
				continue
			}
			var many best
			for range b.rounds {
				r, err := rate(ctx, p.server.address, b.settings, o.requests(p))
				if err != nil {
					return err
				}
				many.take(r)
			}
			name := fmt.Sprintf("%s, %s, %s trips", o.name, p.name, thousands(float64(b.trips)))
			b.table.slower(name, float64(many), thousands(fewTrips)+" trips", b.few[p.name+o.name], summaryTarget)
		}
	}
	return nil
}

func (b *bench) close() {
	for _, p := range b.places {
		p.stop()
	}
	if b.baseline != nil {
		b.baseline.stop()
	}
}
