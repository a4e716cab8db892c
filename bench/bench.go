package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/drover-fleet/drover/bench/attack"
	"github.com/drover-fleet/drover/bench/service"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/memory"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// bench is one run. What several parts use is made when the first one asks.
type bench struct {
	settings
	dir      string
	places   []*service.Place // the embedded one and the one on PostgreSQL
	postgres *storetest.Server
	cluster  *storetest.Cluster // nil before it is asked for
	baseline *service.Process
	table    table.Table
}

// targets of the figures that have one.
const (
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

// progress tells anyone who waits.
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

func (b *bench) arena() *attack.Arena {
	return &attack.Arena{Dir: b.dir, Databases: b.databases(), Server: b.server, Table: &b.table, Progress: b.progress, Like: b.like}
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
	if err := service.Build(ctx, binary); err != nil {
		return err
	}
	b.places = []*service.Place{
		{Name: "embedded", Binary: binary, Data: filepath.Join(b.dir, "embedded")},
		{Name: "PostgreSQL", Binary: binary, Data: filepath.Join(b.dir, "postgres"), URL: database.URL(databaseName)},
	}
	for _, p := range b.places {
		b.progress("fill " + p.Name)
		if err := p.Fill(ctx); err != nil {
			return fmt.Errorf("fill %s: %w", p.Name, err)
		}
		if err := p.Start(ctx); err != nil {
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
		used, err := p.Server.Resident()
		if err != nil {
			return err
		}
		b.table.AtMost("start to ready, "+p.Name, p.Server.Started.Seconds(), startTarget, table.Seconds)
		b.table.AtMost("idle memory, "+p.Name, used, memoryTarget, table.Mebibytes)
	}
	info, err := os.Stat(b.places[0].Binary)
	if err != nil {
		return fmt.Errorf("look at the program: %w", err)
	}
	b.table.AtMost("size of the program", float64(info.Size()), binaryTarget, table.Mebibytes)
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
		for _, o := range service.Operations() {
			captured, err := capture(ctx, p.Server.Address, o.Requests(p))
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
		p.Stop()
	}
	if b.baseline != nil {
		b.baseline.Stop()
	}
	var err error
	if b.postgres != nil {
		err = b.postgres.Stop()
	}
	if b.cluster != nil {
		err = errors.Join(err, b.cluster.Stop())
	}
	return errors.Join(err, os.RemoveAll(b.dir))
}
