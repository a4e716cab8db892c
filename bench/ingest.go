package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/fill"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/collect"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/history"
	"github.com/drover-fleet/drover/internal/milestone"
	"github.com/drover-fleet/drover/internal/secret"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/track"
	"github.com/drover-fleet/drover/internal/vault"
)

const (
	ingestTarget      = 30_000
	ingestKept        = 0.95 // of the rate at few positions
	besideKept        = 0.9  // of it while others are packed
	besideRows        = 4_000_000
	ingestConnections = 20
	ingestVehicles    = 500 // of each connection
	ingestMilestones  = 10_000
	ingestCount       = 600_000 // positions that are measured
	ingestStep        = 5 * time.Minute
	ingestWorkers     = 4 // connections that are read at once
	fewPositions      = 1_000_000
	fullPositions     = 20_000_000
)

// ingest measures the way of positions from an adapter into the store, with trips
// and milestones, into a short history, into a long one, into one of which most is
// packed, and while others are packed.
func (b *bench) ingest(ctx context.Context) error {
	for _, database := range b.databases() {
		first, firstEach := 0.0, time.Duration(0)
		for _, h := range []held{{rows: fewPositions}, {rows: b.positions}, {rows: fewPositions, packed: b.packed}, {rows: besideRows, beside: true}} {
			if h.rows < fewPositions || first > 0 && h == (held{rows: fewPositions}) {
				continue
			}
			rate, each, err := b.ingestAt(ctx, database, h)
			if err != nil {
				return fmt.Errorf("ingest, %s: %w", database, err)
			}
			name := fmt.Sprintf("positions in, %s, %s", database, h)
			if !h.beside {
				b.table.AtLeast(name, rate, "target", ingestTarget, 1)
			}
			switch {
			case first == 0:
				first, firstEach = rate, each
			case h.beside: // the time of both is one
				b.table.AtLeast(name, rate, table.Thousands(fewPositions)+" stored", first, besideKept)
			default:
				b.table.AtLeast(name, rate, table.Thousands(fewPositions)+" stored", first, 0)
				b.table.AtLeast(name+", of a core", 1/each.Seconds(), table.Thousands(fewPositions)+" stored", 1/firstEach.Seconds(), ingestKept)
			}
			if database == "embedded" && !h.beside {
				b.table.AtMost("processor time of a "+strings.Replace(name, "positions", "position", 1), each.Seconds(), 1.0/ingestTarget, inMicroseconds)
			}
		}
	}
	return nil
}

// held is what a history has before it is added to.
type held struct {
	rows, packed int
	beside       bool // the rows are packed meanwhile
}

func (h held) String() string {
	switch {
	case h.beside:
		return "while " + table.Thousands(float64(h.rows)) + " are packed"
	case h.packed > 0:
		return table.Thousands(float64(h.packed)) + " packed"
	}
	return table.Thousands(float64(h.rows)) + " stored"
}

// inMicroseconds prints seconds.
func inMicroseconds(v float64) string { return fmt.Sprintf("%.1f µs", v*1e6) }

// ingestAt returns the best rate of several rounds, and the least processor time that
// each position took.
func (b *bench) ingestAt(ctx context.Context, database string, h held) (rate float64, each time.Duration, err error) {
	options, remove, err := b.newStore(ctx, database)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	i := newIntake(options, b.spent(database), ingestConnections, ingestVehicles)
	b.progress(fmt.Sprintf("store what is there: %s, %s", h, database))
	if err := i.prepare(ctx, h); err != nil {
		return 0, 0, errors.Join(err, i.close())
	}
	b.progress("ingest, " + database)
	if h.beside {
		rate, packed, err := i.measureBeside(ctx)
		b.table.Add("packing beside it, "+database, table.PerSecond(packed), "", "", "", "", "")
		return rate, 0, errors.Join(err, i.close())
	}
	for range b.rounds {
		r, used, err := i.measure(ctx)
		if err != nil {
			return 0, 0, errors.Join(err, i.close())
		}
		rate = max(rate, r)
		if each == 0 || used < each {
			each = used
		}
	}
	return rate, each, i.close()
}

// newStore names a fresh database, and returns what removes it.
func (b *bench) newStore(ctx context.Context, database string) (store.Options, func() error, error) {
	if database == "embedded" {
		dir, err := os.MkdirTemp("", "drover-bench-")
		return store.Options{Path: filepath.Join(dir, "drover.db")}, func() error { return os.RemoveAll(dir) }, err
	}
	server, err := b.server(ctx)
	if err != nil {
		return store.Options{}, nil, err
	}
	name := "bench_" + strings.ReplaceAll(store.NewID(), "-", "")
	err = server.Create(ctx, name, "")
	return store.Options{URL: server.URL(name)}, func() error { return server.Drop(context.WithoutCancel(ctx), name) }, err
}

// intake is a collector in a store of its own, with a clock that it moves itself.
type intake struct {
	options store.Options
	spent   spent
	present time.Time
	feeds   []*feed

	store     *store.Store
	collector *collect.Collector
	fleet     *fleet.Service
}

func newIntake(o store.Options, used spent, connections, vehicles int) *intake {
	begin := time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)
	return &intake{options: o, spent: used, present: begin, feeds: newFeeds(begin, connections, vehicles)}
}

func (i *intake) now() time.Time { return i.present }

// prepare makes a fleet with open journeys and what it did before, and reads it
// once, so that each device has its state.
func (i *intake) prepare(ctx context.Context, has held) error {
	if err := i.open(ctx); err != nil {
		return err
	}
	tenant, err := i.makeFleet(ctx)
	if err != nil {
		return err
	}
	devices, err := i.store.Devices(ctx, tenant, drover.DeviceFilter{}, "", ingestConnections*ingestVehicles)
	if err != nil {
		return err
	}
	if err := i.addMilestones(ctx, tenant, devices); err != nil {
		return err
	}
	h := fill.Past{Tenant: tenant, Devices: len(devices), Each: has.rows / len(devices), Span: fill.HistorySpan, End: i.present}
	if has.beside { // days that may be packed
		h.Span, h.End = 48*time.Hour, i.present.AddDate(0, 0, -1)
	}
	if err := h.MakeRoom(ctx, i.store, devices[0].ID); err != nil {
		return err
	}
	packedEnd, lastTrip := i.present.AddDate(0, -1, 0), i.present.Add(-time.Hour)
	if has.packed > 0 {
		lastTrip = packedEnd
	}
	if err := i.addTrips(ctx, tenant, devices, lastTrip); err != nil {
		return err
	}
	if err := i.close(); err != nil {
		return err
	}
	if err := h.Fill(ctx, i.options); err != nil {
		return err
	}
	if has.packed > 0 {
		p := packedPast{tenant: tenant, device: devices[0].ID, days: max(1, has.packed/len(devices)/perDay), end: packedEnd, border: i.present.AddDate(0, 0, -1)}
		if _, err := p.fill(ctx, i.options); err != nil {
			return err
		}
	}
	if err := i.open(ctx); err != nil {
		return err
	}
	_, _, _, err = i.step(ctx, ingestStep)
	return err
}

func (i *intake) open(ctx context.Context) (err error) {
	if i.store, err = store.Open(ctx, i.options); err != nil {
		return err
	}
	if _, err := i.store.Migrate(ctx); err != nil {
		return err
	}
	master, err := secret.ParseMaster(strings.Repeat("ab", 32))
	if err != nil {
		return err
	}
	keys, err := vault.Open(ctx, vault.Options{Store: i.store, Master: master, Now: i.now, Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		i.use(keys)
	}
	return err
}

// use puts the collector together.
func (i *intake) use(keys *vault.Vault) {
	tracker := &track.Tracker{Config: milestone.DefaultConfig(), Now: i.now}
	i.fleet = fleet.New(fleet.Options{
		Store: i.store, Vault: keys, Providers: i.providers(), Tracker: tracker, Now: i.now,
		CheckURL: func(context.Context, string) error { return nil },
	})
	i.collector = collect.New(collect.Options{
		Store: i.store, Vault: keys, Providers: i.providers(), Tracker: tracker, Now: i.now, Logger: slog.New(slog.DiscardHandler),
		Owner: "bench", Transport: http.DefaultTransport,
	})
}

func (i *intake) close() error {
	if i.store == nil {
		return nil
	}
	err := i.store.Close()
	i.store = nil
	return err
}

// makeFleet makes a tenant and its connections, reads their devices and returns
// the tenant's id.
func (i *intake) makeFleet(ctx context.Context) (string, error) {
	p := drover.Principal{TenantID: store.NewID(), UserID: store.NewID(), Role: drover.RoleAdmin}
	begin := drover.At(i.present)
	err := i.store.Update(ctx, func(tx *store.Tx) error {
		return tx.AddTenant(ctx, drover.Tenant{ID: p.TenantID, Name: "bench", CreatedAt: begin})
	})
	if err != nil {
		return "", err
	}
	for n := range i.feeds {
		_, err := i.fleet.CreateConnection(ctx, p, drover.ConnectionInput{
			IntegrationName: drover.Traccar, BusinessName: "bench", CollectionStartTime: &begin, Credentials: map[string]string{connectionField: fmt.Sprint(n)},
		})
		if err != nil {
			return "", err
		}
	}
	return p.TenantID, i.collector.RunDue(ctx)
}

// addTrips gives each device a trip in its past: the stand of a vehicle that never had one
// reaches back through all of its positions, which are read once, when its first trip ends.
func (i *intake) addTrips(ctx context.Context, tenant string, devices []drover.Device, end time.Time) error {
	return i.store.Update(ctx, func(tx *store.Tx) error {
		for _, d := range devices {
			err := tx.AddTrip(ctx, store.Trip{ConnectionID: d.ConnectionID, Access: store.Access{TenantID: tenant}, Trip: drover.Trip{
				ID: store.NewID(), DeviceID: d.ID, SystemTripID: d.ID, StartTime: drover.At(end.Add(-time.Hour)), EndTime: drover.At(end), DurationSeconds: time.Hour.Seconds(),
				StartLatitude: new(-37.0), StartLongitude: new(144.0), EndLatitude: new(-37.1), EndLongitude: new(144.1), IsValid: true,
			}})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// addMilestones opens journeys that never end.
func (i *intake) addMilestones(ctx context.Context, tenant string, devices []drover.Device) error {
	return i.store.Update(ctx, func(tx *store.Tx) error {
		for n := range ingestMilestones {
			err := tx.AddMilestone(ctx, store.Milestone{
				Milestone: drover.Milestone{
					ID: store.NewID(), TenantID: tenant, DeviceID: devices[n%len(devices)].ID, Status: drover.TripNotStarted, StartTime: drover.At(i.present),
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
}

// measure returns how many positions a second are stored, and the processor time that
// each of them takes, which other work on the machine disturbs less.
func (i *intake) measure(ctx context.Context) (rate float64, each time.Duration, err error) {
	total, spent := 0, time.Duration(0)
	for total < ingestCount {
		n, took, used, err := i.step(ctx, ingestStep)
		if err != nil {
			return 0, 0, err
		}
		total, spent, each = total+n, spent+took, each+used
	}
	return float64(total) / spent.Seconds(), each / time.Duration(total), nil
}

// measureBeside returns how many positions a second are stored while others are packed,
// and how many of those are.
func (i *intake) measureBeside(ctx context.Context) (in, packed float64, err error) {
	if _, err := i.store.Pack(ctx, i.present, i.present.AddDate(0, 0, -1)); err != nil { // decides what may be packed
		return 0, 0, err
	}
	bounded, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan history.Packed, 1)
	later := i.present.Add(time.Hour)
	begun := time.Now()
	go func() {
		done, _ := i.store.Pack(bounded, later, later.AddDate(0, 0, -1)) // it is stopped in the middle
		ended <- done
	}()
	total, spent := 0, time.Duration(0)
	for total < ingestCount && len(ended) == 0 {
		n, took, _, err := i.step(ctx, ingestStep)
		if err != nil {
			return 0, 0, err
		}
		total, spent = total+n, spent+took
	}
	stop()
	done := <-ended
	return float64(total) / spent.Seconds(), float64(done.Positions) / time.Since(begun).Seconds(), nil
}

// step lets some time pass and reads all connections, several at once as in the
// service. It returns how many positions there were, how long they took, and the
// processor time of it.
func (i *intake) step(ctx context.Context, passed time.Duration) (n int, took, used time.Duration, err error) {
	i.present = i.present.Add(passed)
	for _, f := range i.feeds {
		n += f.tell(i.present)
	}
	var workers errgroup.Group
	before, err := i.spent()
	if err != nil {
		return 0, 0, 0, err
	}
	begin := time.Now()
	for range ingestWorkers {
		workers.Go(func() error { return i.collector.RunDue(ctx) })
	}
	err = workers.Wait()
	took = time.Since(begin)
	after, failed := i.spent()
	return n, took, after - before, errors.Join(err, failed)
}
