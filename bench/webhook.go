package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/events/deliver"
	"github.com/drover-fleet/drover/internal/keys/secret"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	lagOfVehicles = 20 // that one answer of a provider has
	lagAnswers    = 200
	lagEvery      = 100 * time.Millisecond
	lagMiddle     = 0.25 // seconds
	lagMost       = 1.0
)

// webhookLag is how long after positions came from a provider they are at the receiver of a
// webhook, at ten answers of a provider a second: read, judged, stored, and sent.
func (b *bench) webhookLag(ctx context.Context) error {
	for _, database := range b.databases() {
		b.progress("the lag of webhooks, " + database)
		waits, err := b.webhookLagOn(ctx, database)
		if err != nil {
			return fmt.Errorf("the lag of webhooks, %s: %w", database, err)
		}
		slices.Sort(waits)
		at := func(part float64) float64 { return waits[int(float64(len(waits)-1)*part)].Seconds() }
		b.table.AtMost("positions at a webhook's receiver p50, "+database, at(0.5), lagMiddle, table.Seconds)
		b.table.AtMost("positions at a webhook's receiver p99, "+database, at(0.99), lagMost, table.Seconds)
	}
	return nil
}

func (b *bench) webhookLagOn(ctx context.Context, database string) (waits []time.Duration, err error) {
	options, remove, err := b.newStore(ctx, database)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	i := newIntake(options, b.spent(database), 1, lagOfVehicles)
	defer func() { err = errors.Join(err, i.close()) }()
	if err := i.open(ctx); err != nil {
		return nil, err
	}
	c := &courier{store: i.store}
	if c.tenant, err = i.makeFleet(ctx, 0); err != nil {
		return nil, err
	}
	var clock atomic.Int64 // that of the provider, which goes on by a poll with each answer
	clock.Store(i.present.UnixMilli())
	now := func() time.Time { return time.UnixMilli(clock.Load()) }
	master, err := secret.ParseMaster(strings.Repeat("ab", 32))
	if err != nil {
		return nil, err
	}
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if c.vault, err = vault.Open(ctx, vault.Options{Store: i.store, Master: master, Now: now, Logger: logger}); err != nil {
		return nil, err
	}
	arrived := make(chan time.Time, 1<<16)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		at := time.Now()
		if body, err := io.ReadAll(r.Body); err == nil && strings.Contains(string(body), `"type":"position.updated"`) {
			arrived <- at
		}
	}))
	defer receiver.Close()
	if _, err := c.addWebhook(ctx, receiver.URL); err != nil {
		return nil, err
	}
	d := deliver.New(deliver.Options{
		Store: i.store, Vault: c.vault, Now: now, Logger: logger, UserAgent: "drover/bench", Owner: store.NewID(),
		Transport: outbound.NewTransport(outbound.NewGuard([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")})),
	})
	d.Start(ctx)
	defer d.Stop()
	ticker := time.NewTicker(lagEvery)
	defer ticker.Stop()
	for len(waits) < lagAnswers {
		<-ticker.C
		clock.Store(i.present.Add(livePoll).UnixMilli())
		begin := time.Now()
		n, _, _, err := i.step(ctx, livePoll)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			continue
		}
		select {
		case at := <-arrived:
			waits = append(waits, at.Sub(begin))
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Minute):
			return nil, errors.New("deliveries stopped to arrive")
		}
	}
	return waits, nil
}
