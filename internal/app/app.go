package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/drover-fleet/drover/internal/api"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/events/deliver"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/events/live"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/ingest/routing"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/keys/auth"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/memory"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/provider/all"
	"github.com/drover-fleet/drover/internal/quota"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/trace"
	"github.com/drover-fleet/drover/internal/upkeep/export"
	"github.com/drover-fleet/drover/internal/upkeep/purge"
	"github.com/drover-fleet/drover/internal/upkeep/retain"
	"github.com/drover-fleet/drover/web"
)

// App is the service, put together and not yet running.
type App struct {
	Config config.Serve
	Store  *store.Store
	Vault  *vault.Vault
	Fleet  *fleet.Service
	// Collector reads from the providers; it runs in a process with that role.
	Collector *collect.Collector
	// Deliverer sends events to webhooks, in the same processes.
	Deliverer *deliver.Deliverer
	// Milestones looks at them when their time has come; it runs with the collector.
	Milestones *track.Watcher
	// Exports makes the files that tenants have asked for, in the same processes.
	Exports *export.Runner
	// Streams hands events to those who wait for them.
	Streams *live.Hub
	// API serves the interface, Console its pages, Operator the endpoints for those
	// who run it.
	API      http.Handler
	Console  http.Handler
	Operator http.Handler

	front    *Front
	clock    *clockWatch
	probe    *probe
	version  string
	logger   *slog.Logger
	now      func() time.Time
	vendors  map[string]http.Handler
	network  http.RoundTripper
	rand     func() float64
	demo     *web.Demo
	registry *prometheus.Registry
	services []service
}

// service is background work. Start returns at once; Stop returns when the work
// has ended. Both are safe twice, and Stop is safe before Start.
type service interface {
	Start(ctx context.Context)
	Stop()
}

// GCPercent lets the heap grow to four times of what is live, which is little:
// most of it is the garbage of requests, and collecting it at the default rate
// takes a tenth of the processor under load.
const GCPercent = 300

// Options are what New needs besides the configuration.
type Options struct {
	Logger  *slog.Logger
	Version string
	// Now is the present; nil is the real one.
	Now func() time.Time
	// Clock is the machine's; nil is the real one. A build for tests sets it wrong.
	Clock func() time.Time
	// Front holds the addresses already; without it Run opens them.
	Front *Front
	// Vendors are hosts that are served within the process instead of called, for
	// the demo and for tests.
	Vendors map[string]http.Handler
	// Network sends all calls to vendors and webhooks; nil dials them. Stage is what
	// the embedded database runs on, and Rand draws from [0, 1) for the length of
	// pauses. They are for simulations.
	Network http.RoundTripper
	Stage   *database.Stage
	Rand    func() float64
	// Places lists where tenants lie, where they lie apart; it is for tests too.
	Places database.Places
	// Temporary says that the data folder will be removed.
	Temporary bool
	// Demo is who the console's sign-in page lets in with one button; nil outside
	// of the demo.
	Demo *web.Demo
}

// New opens the database, brings it up to date, opens the keys and puts the
// handlers together. Close it, also when it was never run. A start that was given up
// ends with the error of ctx.
func New(ctx context.Context, c config.Serve, o Options) (a *App, err error) {
	defer func() {
		// A driver may say no more than that its connection is bad.
		if ended := ctx.Err(); err != nil && ended != nil && !errors.Is(err, ended) {
			err = fmt.Errorf("%w: %w", ended, err)
		}
	}()
	if o.Clock == nil {
		o.Clock = time.Now
	}
	s, err := openStore(ctx, c.Store, o, MemoryLimit(c)/4)
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = o.Clock
	}
	o.Logger = quiet(slog.New(trace.Logs(o.Logger.Handler())))
	a = &App{
		Config: c, Store: s, logger: o.Logger, now: o.Now, version: o.Version, vendors: o.Vendors, network: o.Network, rand: o.Rand,
		demo: o.Demo, registry: prometheus.NewRegistry(), front: o.Front,
	}
	a.clock, a.probe = newClockWatch(s, o.Now, o.Logger), &probe{write: s.CheckWrites, now: o.Now}
	if err := a.build(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return a, nil
}

func (a *App) build(ctx context.Context) error {
	if _, err := a.Store.Migrate(ctx); err != nil {
		return err
	}
	var err error
	if a.Vault, err = OpenVault(ctx, a.Config.Store, a.Store, a.logger, a.now, a.Config.RefreshTokenLifetime); err != nil {
		return err
	}
	tracer := a.traces()
	budget, usage := memory.NewBudget(MemoryLimit(a.Config)), quota.NewMeter(a.now)
	guard := outbound.NewGuard(a.Config.AllowNetwork)
	tracker := &track.Tracker{Config: milestoneConfig(a.Config), Now: a.now}
	if a.Config.RoutingURL != "" {
		tracker.Router = routing.New(routing.Options{
			URL: a.Config.RoutingURL, Transport: outbound.NewTransport(guard), Now: a.now,
			Logger: a.logger,
		})
	}
	a.Milestones = track.NewWatcher(a.Store, tracker, a.logger)
	providers := all.With(a.Config.ProviderExtra)
	vendors, err := a.vendorFiles()
	if err != nil {
		return err
	}
	a.Collector = collect.New(collect.Options{
		Store: a.Store, Vault: a.Vault, Providers: providers, Vendors: vendors, Tracker: tracker, Now: a.now, Logger: a.logger,
		Transport: trace.Transport(a.transport(outbound.NewTransport(guard))), UserAgent: "drover/" + a.version, Owner: store.NewID(), Retention: a.retention(),
		PollInterval: a.Config.PollInterval, Lease: a.Config.CollectionLease, Inside: func(host string) bool { return a.vendors[host] != nil },
		Budget: outbound.NewBudget(budget.Answers), Rand: a.rand, Usage: usage, Tracer: tracer,
	})
	a.Streams = live.New(live.Options{Store: a.Store, Logger: a.logger, Memory: budget.Streams})
	a.Deliverer = deliver.New(deliver.Options{
		Store: a.Store, Vault: a.Vault, Now: a.now, Logger: a.logger, Transport: a.transport(deliveryTransport(guard)),
		UserAgent: "drover/" + a.version, Owner: store.NewID(),
		Internal: guard.Internal, Rand: a.rand, Usage: usage, Tracer: tracer,
	})
	a.Exports = export.New(export.Options{Store: a.Store, Files: a.exportFiles(), Now: a.now, Logger: a.logger})
	processors := runtime.GOMAXPROCS(0) // before a hash can have changed it
	throttle, hasher := auth.NewThrottle(a.now), auth.NewHasher(rand.Reader, processors)
	a.Fleet = fleet.New(fleet.Options{
		Store: a.Store, Vault: a.Vault, Throttle: throttle, Hasher: hasher, Login: auth.NewLogin(hasher, throttle, a.Store),
		Providers: providers, Vendors: vendors, CheckURL: guard.CheckURL, Tracker: tracker, Streams: a.Streams, Now: a.now,
		Wake: a.Collector.Wake,
		Try:  a.Collector.Try, Consent: a.Collector.Consent, Confirm: a.Collector.Confirm, Accept: a.Collector.Accept,
		Take:      a.Collector.Take,
		PublicURL: a.Config.PublicURL, PollInterval: a.Config.PollInterval, Retention: a.retention().Days(), ShowDelivery: a.Deliverer.Show,
		Exports: a.Exports, Issuers: a.transport(outbound.NewTransport(guard)),
		AccessTokenLifetime: a.Config.AccessTokenLifetime, RefreshTokenLifetime: a.Config.RefreshTokenLifetime,
	})
	a.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		newStoreMetrics(a.Store))
	a.registry.MustRegister(a.clock.metric(), placeMetric{a.Store})
	a.registry.MustRegister(a.Collector.Metrics()...)
	a.registry.MustRegister(a.Deliverer.Metrics()...)
	a.API, err = api.New(api.Options{
		Fleet: a.Fleet, Logger: a.logger, Registry: a.registry, Now: a.now, Unavailable: store.Unavailable, Version: a.version,
		TrustedProxies: a.Config.TrustedProxy,
		CORSOrigins:    a.Config.CORSOrigin, SecureCookies: strings.HasPrefix(a.Config.PublicURL, "https://"), RateLimit: a.Config.RateLimit,
		RateBurst: a.Config.RateBurst, MaxInFlight: a.Config.MaxInFlight, MaxStreams: a.Config.MaxStreams, Heartbeat: a.Config.StreamHeartbeat,
		Memory: budget.Requests, Usage: usage, Processors: processors, Embedded: a.Store.Database() == "sqlite", Role: a.Config.Role, Tracer: tracer,
	})
	if err != nil {
		return err
	}
	a.services = append(a.services,
		a.Vault, a.clock, newJanitor(a.Store, a.now, a.logger),
		newUsageWriter(a.Store, usage, a.logger), journal.NewRelay(a.Store, tracker.Receive, a.logger),
	)
	if a.Config.Role != "worker" {
		a.services = append(a.services, a.Streams)
	}
	if a.Config.Role != "api" {
		keeper := retain.New(retain.Options{Store: a.Store, Policy: a.retention(), Now: a.now, Logger: a.logger})
		a.registry.MustRegister(keeper.Metrics())
		a.services = append(a.services, a.Collector, a.Deliverer, a.Milestones, a.Exports, track.NewSilence(a.Store, tracker, a.logger),
			track.NewRecomputer(a.Store, tracker, a.oldest, a.logger), track.NewRoads(a.Store, a.now, a.logger),
			purge.New(purge.Options{Store: a.Store, Now: a.now, Logger: a.logger}),
			keeper)
	}
	shown, err := a.Config.MapSource()
	if err != nil {
		return err
	}
	if a.Console, err = web.New(web.Options{
		TileOrigins: shown.Origins, MapStyle: shown.Style, MapTiles: shown.Tiles,
		Demo: a.demo,
	}); err != nil {
		return err
	}
	a.Operator = a.operatorHandler()
	return nil
}

// traces makes the tracer, and what sends its traces as the last of the services to stop; nil
// where nothing is traced.
func (a *App) traces() *trace.Tracer {
	if a.Config.OTLPEndpoint == "" {
		return nil
	}
	sender := trace.New(trace.Options{
		Endpoint: a.Config.OTLPEndpoint, Ratio: a.Config.TraceRatio, Version: a.version, Now: a.now, Logger: a.logger,
	})
	a.registry.MustRegister(sender.Metrics())
	a.services = append(a.services, sender)
	return sender.Tracer
}

// exportFiles is where exports lie: beside an embedded database, and otherwise in the
// database, which every process reaches. A folder that all of them share would be one
// more thing to set up and to lose.
func (a *App) exportFiles() export.Files {
	if a.Store.Database() == "sqlite" {
		return export.Folder(filepath.Join(a.Config.Data, "export"))
	}
	return export.Table{Store: a.Store}
}

// MemoryLimit is what a process may take.
func MemoryLimit(c config.Serve) int64 {
	if c.MemoryLimit != 0 {
		return int64(c.MemoryLimit)
	}
	return memory.Default()
}

// transport sends what would be dialled, unless it is served within the process.
func (a *App) transport(dialled *http.Transport) http.RoundTripper {
	if a.network != nil {
		return a.network
	}
	return withVendors(dialled, a.vendors)
}

// deliveryTransport keeps a connection for each delivery that may be under way to
// a target at once: opening one costs more than using it.
func deliveryTransport(guard *outbound.Guard) *http.Transport {
	t := outbound.NewTransport(guard)
	t.MaxIdleConnsPerHost, t.MaxIdleConns = 32, 4096
	return t
}

func milestoneConfig(c config.Serve) milestone.Config {
	m := milestone.DefaultConfig()
	m.StartRadius, m.EndRadius, m.Timeout = c.MilestoneRadius, c.MilestoneRadius, c.MilestoneTimeout
	return m
}

// retention is how long things are kept.
func (a *App) retention() account.RetentionPolicy {
	return account.RetentionPolicy{
		Positions: a.Config.PositionRetention.Duration(), Events: a.Config.EventRetention.Duration(),
		PositionEvents: a.Config.PositionEventRetention.Duration(), Pack: a.Config.PackAfter.Duration(),
	}
}

// oldest is from when on a tenant's positions are kept; zero where all are.
func (a *App) oldest(ctx context.Context, tx *store.Tx, tenantID string) (time.Time, error) {
	r, err := tx.Accounts.Retention(ctx, tenantID)
	if err != nil {
		return time.Time{}, err
	}
	if oldest, some := a.retention().Oldest(r, a.now()); some {
		return oldest, nil
	}
	return time.Time{}, nil
}

// Close ends all streams and closes the database.
func (a *App) Close() error {
	a.Streams.Close()
	return a.Store.Close()
}

// OpenStore opens the database that c names, and makes the data folder for its
// owner alone where there is none.
func OpenStore(ctx context.Context, c config.Store, logger *slog.Logger) (*store.Store, error) {
	return openStore(ctx, c, Options{Logger: logger, Clock: time.Now}, 0)
}

// OpenPatient does so for checks that read everything: its statements take as long
// as they need.
func OpenPatient(ctx context.Context, c config.Store) (*store.Store, error) {
	url, err := c.DatabaseURL()
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, store.Options{URL: url, Path: c.DatabasePath(), Now: time.Now, Unbounded: true})
}

// LockFolder keeps a service out of the folder of an embedded database until release
// is called. It fails where one runs.
func LockFolder(c config.Store) (release func(), err error) {
	l, err := lockFolder(c)
	return l.release, err
}

// openStore does so for a process whose clock may be steered.
func openStore(ctx context.Context, c config.Store, with Options, pages int64) (*store.Store, error) {
	url, err := c.DatabaseURL()
	if err != nil {
		return nil, err
	}
	if url == "" && c.DatabaseRead == "" {
		if err := os.MkdirAll(c.Data, 0o700); err != nil {
			return nil, fmt.Errorf("make the data folder: %w", err)
		}
	}
	if url == "" && c.DatabaseRead != "" {
		return nil, errors.New("--database-read needs --database: the embedded database has no replica")
	}
	o := store.Options{
		URL: url, FollowerURL: c.DatabaseRead, Path: c.DatabasePath(), Temporary: with.Temporary, Stage: with.Stage,
		Logger: with.Logger, Present: with.Now, Pages: pages, Places: with.Places,
	}
	if with.Now == nil {
		o.Now = with.Clock
	}
	return store.Open(ctx, o)
}
