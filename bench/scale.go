package main

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"github.com/drover-fleet/drover/bench/load"
	"github.com/drover-fleet/drover/bench/service"
)

const (
	scaleTarget = 1.6
	// scaleCores are the cores from which on two processes are judged: one for
	// each of them, one for PostgreSQL, and one for the generator and the rest.
	scaleCores = 4
)

// scale measures two processes on one PostgreSQL against one. Each gets the same
// share of the cores, because one process alone would use all of them, and a
// second could add nothing: it stands for a second machine.
func (b *bench) scale(ctx context.Context) error {
	if err := b.install(ctx); err != nil {
		return err
	}
	b.progress("two processes on one PostgreSQL")
	share := max(1, runtime.NumCPU()/scaleCores)
	limit := append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", share))
	device := service.Operations()[0]
	targets := make([]load.Target, 2)
	for i := range targets {
		p := *b.places[1]
		p.Environment = limit
		if err := p.Start(ctx); err != nil {
			return err
		}
		defer p.Stop()
		targets[i] = p.Target(device)
	}
	var one, two best
	for range b.rounds {
		r, err := load.Rate(ctx, b.clients, b.span, targets[0])
		if err != nil {
			return err
		}
		one.take(r)
		if r, err = load.Rate(ctx, b.clients, b.span, targets...); err != nil {
			return err
		}
		two.take(r)
	}
	name := fmt.Sprintf("%s, two processes with %d of %d cores each", device.Name, share, runtime.NumCPU())
	least := scaleTarget
	if runtime.NumCPU() < scaleCores {
		least = 0
	}
	b.table.AtLeast(name, float64(two), "one process", float64(one), least)
	if least == 0 {
		b.table.Remark(fmt.Sprintf("not judged: %d cores", runtime.NumCPU()))
	}
	return nil
}
