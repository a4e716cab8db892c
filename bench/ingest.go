package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/fill"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/keys/secret"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/upkeep/retain"
)

const (
	ingestTarget      = 30_000
	ingestKept        = 0.95 // of the rate at few positions
	besideKept        = 0.9  // of it while others are packed
	besideRows        = 4_000_000
	ingestConnections = 20
	ingestVehicles    = 500 // of each connection
	ingestMilestones  = 10_000
	ingestTrips       = 500             // that a transaction adds
	ingestAlone       = 5               // slices
	ingestPairs       = 12              // of slices
	besidePairs       = 24              // of slices with and without packing
	ingestStep        = 2 * time.Minute // of a slice
	ingestWorkers     = 4               // connections that are read at once
	fewPositions      = 1_000_000
	fullPositions     = 20_000_000
)

// ingest measures the way of positions from an adapter into the store, with trips
// and milestones, into a short history, and beside it into a long one, into one of which
// most is packed, and while others are packed.
func (b *bench) ingest(ctx context.Context) error {
	for _, database := range b.databases() {
		if err := b.ingestInto(ctx, database); err != nil {
			return fmt.Errorf("ingest, %s: %w", database, err)
		}
	}
	return nil
}

func (b *bench) ingestInto(ctx context.Context, database string) (err error) {
	short, remove, err := b.newIntakeAt(ctx, database, held{rows: fewPositions})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	var alone measured
	for range ingestAlone {
		if err := alone.add(short.slice(ctx)); err != nil {
			return err
		}
	}
	b.judgeIngest(ingestName(database, held{rows: fewPositions}), database, alone)
	for _, h := range []held{{rows: b.positions}, {rows: fewPositions, packed: b.packed}} {
		if h == (held{rows: fewPositions}) || h.rows < fewPositions {
			continue
		}
		if err := b.ingestBeside(ctx, database, short, h); err != nil {
			return err
		}
	}
	return b.ingestWhilePacking(ctx, database)
}

func ingestName(database string, h held) string {
	return fmt.Sprintf("positions in, %s, %s", database, h)
}

// judgeIngest adds the figures that have a bound of their own.
func (b *bench) judgeIngest(name, database string, m measured) {
	b.table.AtLeast(name, slices.Max(m.rates), "target", ingestTarget, 1)
	if database == "embedded" {
		b.table.AtMost("processor time of a "+strings.Replace(name, "positions", "position", 1), 1/slices.Max(m.ofCore), 1.0/ingestTarget,
			inMicroseconds)
	}
}

// ingestBeside compares a history with a short one.
func (b *bench) ingestBeside(ctx context.Context, database string, short *intake, h held) (err error) {
	long, remove, err := b.newIntakeAt(ctx, database, h)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	few, many, err := inTurn(ingestPairs, func() (slice, error) { return short.slice(ctx) }, func() (slice, error) { return long.slice(ctx) })
	if err != nil {
		return err
	}
	name := ingestName(database, h)
	b.judgeIngest(name, database, many)
	baseline := table.Thousands(fewPositions) + " stored, in turn"
	b.table.Paired(name, median(many.rates), baseline, median(few.rates), ratio(many.rates, few.rates), 0)
	b.table.Paired(name+", of a core", median(many.ofCore), baseline, median(few.ofCore), ratio(many.ofCore, few.ofCore), ingestKept)
	return nil
}

// ingestWhilePacking compares a history that is packed meanwhile with the same at rest. The
// processor time of both is one, so that it is judged by the time that passed.
func (b *bench) ingestWhilePacking(ctx context.Context, database string) (err error) {
	h := held{rows: besideRows, beside: true}
	i, remove, err := b.newIntakeAt(ctx, database, h)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if _, err := i.store.History.Pack(ctx, i.present, i.present.AddDate(0, 0, -1), 0); err != nil { // decides what may be packed
		return err
	}
	var packed int
	var packing time.Duration
	resting, beside, err := inTurn(besidePairs, func() (slice, error) { return i.slice(ctx) }, func() (slice, error) {
		begun := time.Now()
		s, n, err := i.sliceWhilePacking(ctx)
		packed, packing = packed+n, packing+time.Since(begun)
		return s, err
	})
	if err != nil {
		return err
	}
	b.table.Add("packing beside it, "+database, table.PerSecond(float64(packed)/packing.Seconds()), "", "", "", "", "")
	b.table.Paired(ingestName(database, h), median(beside.rates), "at rest, in turn", median(resting.rates),
		ratio(beside.rates, resting.rates), besideKept)
	return nil
}

// newIntakeAt makes an intake whose history has something, and returns what removes it.
func (b *bench) newIntakeAt(ctx context.Context, database string, h held) (i *intake, remove func() error, err error) {
	options, drop, err := b.newStore(ctx, database)
	if err != nil {
		return nil, nil, err
	}
	i = newIntake(options, b.spent(database), ingestConnections, ingestVehicles)
	remove = func() error { return errors.Join(i.close(), drop()) }
	b.progress(fmt.Sprintf("store what is there: %s, %s", h, database))
	if err := i.prepare(ctx, h); err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	b.progress("ingest, " + database)
	return i, remove, nil
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

// newStore names a fresh database, and returns what removes it.
func (b *bench) newStore(ctx context.Context, database string) (store.Options, func() error, error) {
	if database == "embedded" {
		dir, err := os.MkdirTemp("", "drover-bench-")
		return store.Options{Path: filepath.Join(dir, "drover.db")}, func() error { return os.RemoveAll(dir) }, err
	}
	if database == onCitus {
		return b.onCluster(ctx)
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
	tenant  string

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
	tenant, err := i.makeFleet(ctx, 0)
	if err != nil {
		return err
	}
	devices, err := i.store.Fleet.Devices(ctx, tenant, drover.DeviceFilter{}, "", ingestConnections*ingestVehicles)
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
		p := packedPast{
			tenant: tenant, device: devices[0].ID, days: max(1, has.packed/len(devices)/perDay), end: packedEnd,
			border: i.present.AddDate(0, 0, -1),
		}
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
// the tenant's id. Where there is an interval, each is read that much after the one before
// it, now and from then on.
func (i *intake) makeFleet(ctx context.Context, interval time.Duration) (string, error) {
	i.tenant = store.NewID()
	p := drover.Principal{TenantID: i.tenant, UserID: store.NewID(), Role: drover.RoleAdmin}
	begin := drover.At(i.present)
	err := i.store.Update(ctx, func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(ctx, drover.Tenant{ID: p.TenantID, Name: "bench", CreatedAt: begin})
	})
	if err != nil {
		return "", err
	}
	for n := range i.feeds {
		_, err := i.fleet.Connections.CreateConnection(ctx, p, drover.ConnectionInput{
			IntegrationName: drover.Traccar, BusinessName: "bench", CollectionStartTime: &begin,
			Credentials: map[string]string{connectionField: fmt.Sprint(n)},
		})
		if err == nil && interval > 0 {
			i.present = i.present.Add(interval)
			err = i.collector.RunDue(ctx)
		}
		if err != nil {
			return "", err
		}
	}
	return p.TenantID, i.collector.RunDue(ctx)
}

// addTrips gives each device a trip in its past: the stop of a vehicle that never had one
// reaches back through all of its positions, which are read once, when its first trip ends.
func (i *intake) addTrips(ctx context.Context, tenant string, devices []drover.Device, end time.Time) error {
	for some := range slices.Chunk(devices, ingestTrips) {
		err := i.store.Update(ctx, func(tx *store.Tx) error {
			for _, d := range some {
				err := tx.Trips.AddTrip(ctx, store.Trip{ConnectionID: d.ConnectionID, Access: store.Access{TenantID: tenant}, Trip: drover.Trip{
					ID: store.NewID(), DeviceID: d.ID, SystemTripID: d.ID, StartTime: drover.At(end.Add(-time.Hour)), EndTime: drover.At(end),
					DurationSeconds: time.Hour.Seconds(),
					StartLatitude:   new(-37.0), StartLongitude: new(144.0), EndLatitude: new(-37.1), EndLongitude: new(144.1), IsValid: true,
				}})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// addMilestones opens journeys that never end.
func (i *intake) addMilestones(ctx context.Context, tenant string, devices []drover.Device) error {
	for begin := 0; begin < ingestMilestones; begin += ingestTrips {
		err := i.store.Update(ctx, func(tx *store.Tx) error { return i.addSomeMilestones(ctx, tx, tenant, devices, begin) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (i *intake) addSomeMilestones(ctx context.Context, tx *store.Tx, tenant string, devices []drover.Device, begin int) error {
	for n := begin; n < begin+ingestTrips; n++ {
		err := tx.Trips.AddMilestone(ctx, store.Milestone{
			Milestone: drover.Milestone{
				ID: store.NewID(), TenantID: tenant, DeviceID: devices[n%len(devices)].ID, Status: drover.TripNotStarted,
				StartTime:  drover.At(i.present),
				StartPoint: drover.Coordinate{Latitude: -37, Longitude: 144}, EndPoint: drover.Coordinate{Latitude: 10, Longitude: 10},
			},
			DeviceTenantID: tenant, State: []byte(`{}`),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// slice takes some positions in.
func (i *intake) slice(ctx context.Context) (slice, error) {
	n, took, used, err := i.step(ctx, ingestStep)
	return slice{count: n, took: took, used: used}, err
}

// sliceWhilePacking takes some positions in while others are packed, and returns how many of
// those are.
func (i *intake) sliceWhilePacking(ctx context.Context) (s slice, packed int, err error) {
	bounded, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	later := i.present.Add(time.Hour)
	go func() {
		done, err := i.store.History.Pack(bounded, later, later.AddDate(0, 0, -1), retain.Beside)
		packed = done.Positions
		if err == nil {
			err = errors.New("there was too little to pack")
		}
		ended <- err
	}()
	s, err = i.slice(ctx)
	stop()
	if failed := <-ended; !errors.Is(failed, context.Canceled) { // it is stopped in the middle
		err = errors.Join(err, failed)
	}
	return s, packed, err
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
