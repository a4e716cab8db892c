package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/drover-fleet/drover/bench/load"
	"github.com/drover-fleet/drover/bench/service"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// tracingTarget is the part of the requests in a second of the processor that is left with traces.
const tracingTarget = 0.98

// tracing measures what traces cost at the default ratio: the same requests at two services
// that differ in nothing else, in turn, by the processor time of each, which other work on the
// machine disturbs less than the time that passed. The collector takes what it gets and drops it.
func (b *bench) tracing(ctx context.Context) error {
	if err := b.install(ctx); err != nil {
		return err
	}
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // what is cut off is dropped as well
	}))
	defer collector.Close()
	for _, p := range b.places {
		b.progress("traces, " + p.Name)
		traced := *p
		traced.Server, traced.Environment = nil, append(os.Environ(), "DROVER_OTLP_ENDPOINT="+collector.URL)
		if p.URL == "" { // a folder is for one process
			traced.Data = filepath.Join(b.dir, "traced")
			if err := traced.Fill(ctx); err != nil {
				return err
			}
		}
		err := traced.Start(ctx)
		if err == nil {
			err = b.besideTraced(ctx, p, &traced)
		}
		traced.Stop()
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) besideTraced(ctx context.Context, plain, traced *service.Place) error {
	for _, o := range service.Operations() {
		if o.Kind != service.KindRead {
			continue
		}
		var with, without, ratios []float64
		for range 5 * b.rounds {
			one, err := b.processorRate(ctx, plain, o)
			if err != nil {
				return err
			}
			two, err := b.processorRate(ctx, traced, o)
			if err != nil {
				return err
			}
			with, without, ratios = append(with, two), append(without, one), append(ratios, two/one)
		}
		b.table.Paired(o.Name+", 1 % traced, "+plain.Name, median(with), "not traced", median(without), median(ratios), tracingTarget)
	}
	return nil
}

// processorRate is how many requests a service answers in a second of its processor time.
func (b *bench) processorRate(ctx context.Context, p *service.Place, o service.Operation) (float64, error) {
	var answered float64
	used, err := spent(func() (time.Duration, error) {
		return storetest.ProcessorTime(strconv.Itoa(p.Server.Command.Process.Pid), 2)
	}).during(func() error {
		rate, err := load.Rate(ctx, b.clients, b.span, p.Target(o))
		answered = rate * b.span.Seconds()
		return err
	})
	return answered / used.Seconds(), err
}
