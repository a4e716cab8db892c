package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/demo/sandbox"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/keys/secret"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/all"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/work"
)

const (
	lagVehicles = 6
	lagHours    = 8
	lagStep     = 10 * time.Second
)

// tripLag is how long after its end a trip is reported, for each provider: by the fakes,
// in hours that pass in seconds, with the intervals and the limits of each.
func (b *bench) tripLag(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(all.Providers())) {
		b.progress("the lag of trips, " + string(name))
		if err := b.tripLagOf(ctx, name); err != nil {
			return fmt.Errorf("the lag of trips of %s: %w", name, err)
		}
	}
	return nil
}

// inside answers every call within the process.
type inside struct{ handler http.Handler }

func (i inside) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	i.handler.ServeHTTP(w, r)
	answer := w.Result()
	answer.Request = r
	return answer, nil
}

func (b *bench) tripLagOf(ctx context.Context, name drover.ProviderName) (err error) {
	begin := time.Date(2026, 5, 4, 6, 0, 0, 0, time.UTC)
	now := begin
	clock := func() time.Time { return now }
	s, err := store.Open(ctx, store.Options{Path: filepath.Join(b.dir, "lag-"+string(name)+".db")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := s.Migrate(ctx); err != nil {
		return err
	}
	fake, err := sandbox.New(sandbox.Options{Provider: name, Vehicles: lagVehicles, Seed: 11, Now: clock})
	if err != nil {
		return err
	}
	calls := 0
	served := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		fake.ServeHTTP(w, r)
	})
	tenant, conn, c, err := lagCollector(ctx, s, clock, served, name, fake.Credentials("https://vendor.test"), func(d time.Duration) { now = now.Add(d) })
	if err != nil {
		return err
	}
	for now.Before(begin.Add(lagHours * time.Hour)) {
		next := now.Add(lagStep)
		if err := c.RunDue(ctx); err != nil {
			return err
		}
		if now.Before(next) {
			now = next
		}
	}
	events, err := s.Feed.Events(ctx, tenant, drover.EventFilter{Types: []drover.EventType{drover.EventTripCompleted}},
		work.EventRange{To: 1 << 40, Limit: 100_000})
	if err != nil {
		return err
	}
	var lags []float64
	for _, e := range events {
		var t drover.Trip
		if err := json.Unmarshal(e.Data, &t); err != nil {
			return err
		}
		if t.EndTime.After(begin.Add(time.Hour)) { // after the first round
			lags = append(lags, e.Timestamp.Sub(t.EndTime.Time).Minutes())
		}
	}
	if len(lags) == 0 {
		return errors.New("no trip has ended")
	}
	slices.Sort(lags)
	at := func(share float64) string { return fmt.Sprintf("%.1f min", lags[int(share*float64(len(lags)-1))]) }
	b.table.Add(fmt.Sprintf("lag of trips, %s, %s", name, conn.Configuration.Trips),
		fmt.Sprintf("median %s, 90 %% %s, most %s of %d trips; %d calls in %d h", at(0.5), at(0.9), at(1), len(lags), calls, lagHours), "", "", "")
	return nil
}

// lagCollector is a collector of one connection. Pauses between calls pass by the clock
// that it is given.
func lagCollector(
	ctx context.Context,
	s *store.Store,
	clock func() time.Time,
	served http.Handler,
	name drover.ProviderName,
	credentials map[string]string,
	wait func(time.Duration),
) (tenant string, conn drover.Connection, c *collect.Collector, err error) {
	master, err := secret.ParseMaster(strings.Repeat("ab", 32))
	if err != nil {
		return "", conn, nil, err
	}
	logger := slog.New(slog.DiscardHandler)
	keys, err := vault.Open(ctx, vault.Options{Store: s, Master: master, Now: clock, Logger: logger})
	if err != nil {
		return "", conn, nil, err
	}
	tracker := &track.Tracker{Config: milestone.DefaultConfig(), Now: clock}
	f := fleet.New(fleet.Options{
		Store: s, Vault: keys, Providers: all.Providers(), Tracker: tracker, Now: clock, Wake: func() {},
		CheckURL: func(context.Context, string) error { return nil },
		Accept:   func(context.Context, string, string, []provider.Position) error { return nil },
	})
	p := drover.Principal{TenantID: store.NewID(), UserID: store.NewID(), Role: drover.RoleAdmin}
	if err := s.Update(ctx, func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(ctx, drover.Tenant{ID: p.TenantID, Name: "lag", CreatedAt: drover.At(clock())})
	}); err != nil {
		return "", conn, nil, err
	}
	conn, err = f.Connections.CreateConnection(ctx, p, drover.ConnectionInput{
		IntegrationName: name, BusinessName: "lag", CollectionStartTime: new(drover.At(clock())), Credentials: credentials,
	})
	if err != nil {
		return "", conn, nil, err
	}
	c = collect.New(collect.Options{
		Store: s, Vault: keys, Providers: all.Providers(), Tracker: tracker, Transport: inside{served}, Now: clock, Logger: logger, Owner: "lag",
		Wait: func(ctx context.Context, d time.Duration) error { wait(d); return ctx.Err() },
	})
	return p.TenantID, conn, c, nil
}
