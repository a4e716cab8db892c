package collect_test

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/collect"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/milestone"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/secret"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/vault"
)

// BenchmarkIngest measures positions through the whole path behind an adapter:
// one iteration is one position.
func BenchmarkIngest(b *testing.B) {
	for _, database := range []string{"sqlite", "postgres"} {
		b.Run(database, func(b *testing.B) { benchmarkIngest(b, database) })
	}
}

// feed is an adapter that hands out a simulated fleet without any wire format.
type feed struct {
	fleet *sim.Fleet
	at    time.Time
	now   func() time.Time
	left  *atomic.Int64
}

func (f *feed) Check(context.Context) error { return nil }

func (f *feed) Devices(context.Context, string) (provider.Page[provider.Device], error) {
	var page provider.Page[provider.Device]
	for _, v := range f.fleet.Vehicles() {
		page.Records = append(page.Records, provider.Device{SystemDeviceID: v.ID, Active: true})
	}
	return page, nil
}

func (f *feed) Positions(_ context.Context, q provider.Query) (provider.Page[provider.Position], error) {
	page := provider.Page[provider.Position]{Cursor: "x"}
	if !q.Live() || f.left.Load() <= 0 {
		return page, nil
	}
	to := f.now()
	for _, v := range f.fleet.Vehicles() {
		for _, s := range f.fleet.Positions(v, f.at, to) {
			page.Records = append(page.Records, provider.Position{SystemDeviceID: v.ID, Position: s.Position})
		}
	}
	f.at = to
	f.left.Add(-int64(len(page.Records)))
	return page, nil
}

func (f *feed) Trips(context.Context, provider.Query) (provider.Page[provider.Trip], error) {
	return provider.Page[provider.Trip]{}, nil
}

func benchmarkIngest(b *testing.B, database string) {
	b.Helper()
	ctx := b.Context()
	s := storetest.Open(b, storetest.Options(b, database))
	start := time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)
	present := start
	now := func() time.Time { return present }
	master, err := secret.ParseMaster(strings.Repeat("ab", 32))
	if err != nil {
		b.Fatal(err)
	}
	logger := slog.New(slog.DiscardHandler)
	keys, err := vault.Open(ctx, vault.Options{Store: s, Master: master, Now: now, Logger: logger})
	if err != nil {
		b.Fatal(err)
	}
	var left atomic.Int64
	made := uint64(0)
	providers := map[drover.ProviderName]provider.Info{drover.Traccar: {
		Name: drover.Traccar, Poll: provider.Poll{Devices: time.Hour, Positions: time.Minute},
		New: func(provider.Config) (provider.Provider, error) {
			made++
			return &feed{fleet: sim.New(sim.Options{Seed: made, Vehicles: 500, Interval: 30 * time.Second, Heartbeat: time.Minute}), at: start, now: now, left: &left}, nil
		},
	}}
	tracker := &milestone.Tracker{Config: milestone.DefaultConfig(), Now: now}
	f := fleet.New(fleet.Options{Store: s, Vault: keys, Providers: providers, Tracker: tracker, Now: now, Logger: logger, CheckURL: func(context.Context, string) error { return nil }})
	c := collect.New(collect.Options{Store: s, Vault: keys, Providers: providers, Tracker: tracker, Now: now, Logger: logger, Owner: "bench", Transport: http.DefaultTransport})
	p := drover.Principal{TenantID: store.NewID(), UserID: store.NewID(), Role: drover.RoleAdmin}
	if err := s.Update(ctx, func(tx *store.Tx) error {
		return tx.AddTenant(ctx, drover.Tenant{ID: p.TenantID, Name: "own", CreatedAt: drover.At(present)})
	}); err != nil {
		b.Fatal(err)
	}
	begin := drover.At(start)
	for range 20 {
		_, err = f.CreateConnection(ctx, p, drover.ConnectionInput{IntegrationName: drover.Traccar, BusinessName: "x", CollectionStartTime: &begin, Credentials: map[string]string{}})
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := c.RunDue(ctx); err != nil {
		b.Fatal(err)
	}
	devices, err := s.Devices(ctx, p.TenantID, store.DeviceFilter{}, "", 20_000)
	if err != nil {
		b.Fatal(err)
	}
	addMilestones(b, s, p.TenantID, devices, begin)
	preload(b, s, p.TenantID, devices, begin)
	left.Store(int64(b.N))
	b.ResetTimer()
	for left.Load() > 0 {
		present = present.Add(5 * time.Minute)
		// As in the service, several connections are read at once.
		var workers errgroup.Group
		for range 4 {
			workers.Go(func() error { return c.RunDue(ctx) })
		}
		if err := workers.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "positions/s")
}

// addMilestones opens 10,000 journeys that never end.
func addMilestones(b *testing.B, s *store.Store, tenant string, devices []drover.Device, begin drover.Time) {
	b.Helper()
	err := s.Update(b.Context(), func(tx *store.Tx) error {
		for i := range 10_000 {
			err := tx.AddMilestone(b.Context(), store.Milestone{
				Milestone: drover.Milestone{
					ID: store.NewID(), TenantID: tenant, DeviceID: devices[i%len(devices)].ID, Status: drover.TripNotStarted, StartTime: begin,
					StartPoint: drover.Coordinate{Latitude: -37, Longitude: 144}, EndPoint: drover.Coordinate{Latitude: 10, Longitude: 10},
				},
				DeviceTenantID: tenant, State: []byte(`{}`),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// preload stores what the devices did before, as many positions in all as the
// environment asks for.
func preload(b *testing.B, s *store.Store, tenant string, devices []drover.Device, before drover.Time) {
	b.Helper()
	wanted, _ := strconv.Atoi(os.Getenv("DROVER_BENCH_STORED")) // nothing by default
	const each = 50_000
	var batch []store.Position
	flush := func() {
		err := s.Update(b.Context(), func(tx *store.Tx) error {
			_, err := tx.AddPositions(b.Context(), tenant, batch)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		batch = batch[:0]
	}
	share := wanted / len(devices)
	speed, heading := 50.0, 90.0
	for _, d := range devices {
		for i := range share {
			batch = append(batch, store.Position{DeviceID: d.ID, Position: drover.Position{
				Time: drover.At(before.Add(-time.Duration(share-i) * 30 * time.Second)), Latitude: -37, Longitude: 144 + float64(i)/1e6, SpeedKPH: &speed, Heading: &heading,
			}})
		}
		if len(batch) >= each {
			flush()
		}
	}
	flush()
}
