package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/drover-fleet/drover/bench/load"
	"github.com/drover-fleet/drover/bench/service"
)

// againstTarget is the least part of another program's reads that this one is to reach.
const againstTarget = 0.95

// readsAgainst measures reads of this program in turn with those of another, such as the one
// of an earlier commit, on the same data.
func (b *bench) readsAgainst(ctx context.Context) error {
	if b.against == "" {
		return errors.New("name the other program with --against")
	}
	if err := b.install(ctx); err != nil {
		return err
	}
	for _, p := range b.places {
		if err := b.readAgainst(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

func (b *bench) readAgainst(ctx context.Context, p *service.Place) error {
	other := *p // on PostgreSQL both serve one database
	other.Binary, other.Server = b.against, nil
	if p.URL == "" {
		other.Data = p.Data + "-other"
		p.Stop()
		if err := errors.Join(os.CopyFS(other.Data, os.DirFS(p.Data)), os.Chmod(filepath.Join(other.Data, "master.key"), 0o600)); err != nil {
			return fmt.Errorf("copy the installation: %w", err)
		}
		if err := p.Start(ctx); err != nil {
			return err
		}
	}
	if err := other.Start(ctx); err != nil {
		return fmt.Errorf("start the other program: %w", err)
	}
	defer other.Stop()
	for _, o := range service.Operations() {
		if o.Kind == service.KindWrite {
			continue
		}
		b.progress(o.Name + ", " + p.Name + ", against the other program")
		rates := map[*service.Place][]float64{}
		for n := range turns * b.rounds {
			both := []*service.Place{p, &other}
			if n%2 == 1 { // whatever changes the machine's speed does so for both
				slices.Reverse(both)
			}
			for _, place := range both {
				r, err := load.Rate(ctx, b.clients, b.span, place.Target(o))
				if err != nil {
					return fmt.Errorf("%s: %w", o.Name, err)
				}
				rates[place] = append(rates[place], r)
			}
		}
		own, others := rates[p], rates[&other]
		b.table.Paired(o.Name+", "+p.Name, median(own), "the other program", median(others), ratio(own, others), againstTarget)
	}
	return nil
}
