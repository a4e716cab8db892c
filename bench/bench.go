package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/drover-fleet/drover/internal/memory"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// bench is one run. What several parts use is made when the first one asks.
type bench struct {
	settings
	dir      string
	places   []*place // the embedded one and the one on PostgreSQL
	postgres *storetest.Server
	baseline *process
	table    table
	// pgbench is the best rate of pgbench -S so far.
	pgbench best
}

// targets of the figures that have one.
const (
	readTarget    = 0.5
	tripTarget    = 0.6
	summaryTarget = 1.5
	startTarget   = 1.0 // seconds
	memoryTarget  = 64 << 20
	binaryTarget  = 40 << 20
)

// idlePause is after what the service counts as idle: it gives memory back by then.
const idlePause = 3 * memory.RestInterval

func (b *bench) measure(ctx context.Context, chosen []part) error {
	for _, p := range chosen {
		if err := p.measure(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// progress tells whoever waits.
func (b *bench) progress(doing string) { fmt.Fprintln(os.Stderr, "bench:", doing) }

// server is the private PostgreSQL.
func (b *bench) server(ctx context.Context) (*storetest.Server, error) {
	if b.postgres == nil {
		s, err := startPostgres(ctx)
		if err != nil {
			return nil, err
		}
		b.postgres = s
	}
	return b.postgres, nil
}

// install builds the service, fills both installations and starts them.
func (b *bench) install(ctx context.Context) error {
	if b.places != nil {
		return nil
	}
	database, err := b.server(ctx)
	if err != nil {
		return err
	}
	b.progress("build")
	binary := filepath.Join(b.dir, "drover")
	if err := build(ctx, binary); err != nil {
		return err
	}
	b.places = []*place{
		{name: "embedded", binary: binary, data: filepath.Join(b.dir, "embedded")},
		{name: "PostgreSQL", binary: binary, data: filepath.Join(b.dir, "postgres"), url: database.URL(databaseName)},
	}
	for _, p := range b.places {
		b.progress("fill " + p.name)
		if err := p.fill(ctx); err != nil {
			return fmt.Errorf("fill %s: %w", p.name, err)
		}
		if err := p.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// start is what the service needs before it has done anything.
func (b *bench) start(ctx context.Context) error {
	if err := b.install(ctx); err != nil {
		return err
	}
	time.Sleep(idlePause)
	for _, p := range b.places {
		used, err := p.server.resident()
		if err != nil {
			return err
		}
		b.table.atMost("start to ready, "+p.name, p.server.started.Seconds(), startTarget, seconds)
		b.table.atMost("idle memory, "+p.name, used, memoryTarget, mebibytes)
	}
	info, err := os.Stat(b.places[0].binary)
	if err != nil {
		return fmt.Errorf("look at the program: %w", err)
	}
	b.table.atMost("size of the program", float64(info.Size()), binaryTarget, mebibytes)
	return nil
}

// installBaseline gives the bare handler the answers of both installations, and
// pgbench its tables.
func (b *bench) installBaseline(ctx context.Context) error {
	if err := b.install(ctx); err != nil || b.baseline != nil {
		return err
	}
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
	if err := preparePgbench(ctx, b.postgres); err != nil {
		return err
	}
	var err error
	b.baseline, err = startBaseline(ctx, answers)
	return err
}

// best measures several times and takes the best: what disturbs a measurement
// makes it worse, never better.
type best float64

func (r *best) take(rate float64) { *r = max(*r, best(rate)) }

func (b *bench) close() error {
	for _, p := range b.places {
		p.stop()
	}
	if b.baseline != nil {
		b.baseline.stop()
	}
	var err error
	if b.postgres != nil {
		err = b.postgres.Stop()
	}
	return errors.Join(err, os.RemoveAll(b.dir))
}
