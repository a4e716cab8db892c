package main

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/bench/fill"
	"github.com/drover-fleet/drover/bench/table"
	"github.com/drover-fleet/drover/internal/events/deliver"
	"github.com/drover-fleet/drover/internal/events/deliver/signing"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/keys/secret"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	deliverTargets   = 50
	deliverBacklog   = 600 // events that wait for each target
	deliverRate      = 1000
	deliverSpan      = 5 * time.Second
	deliverDead      = 300_000 // that wait for a dead target
	deliverHTTP      = 5000.0
	deliverTLS       = 3000.0
	deliverFirst     = 0.1 // seconds
	deliverPercentil = 0.99
)

// deliveries measures the delivery of webhooks: how many a second, and how long
// after the commit the first attempt arrives, also with a target that hangs and
// with many waiting for one that is dead. Sender and receivers share the machine.
func (b *bench) deliveries(ctx context.Context) error {
	for _, database := range b.databases() {
		for _, measure := range []func(context.Context, *courier, string) error{b.throughput(false), b.throughput(true), b.firstAttempts} {
			b.progress("deliveries, " + database)
			c, err := b.newCourier(ctx, database)
			if err != nil {
				return fmt.Errorf("prepare deliveries: %w", err)
			}
			if err := errors.Join(measure(ctx, c, database), c.close()); err != nil {
				return fmt.Errorf("deliveries, %s: %w", database, err)
			}
		}
	}
	return nil
}

// courier is a store of its own with one tenant and its webhooks.
type courier struct {
	options store.Options
	remove  func() error
	spent   spent
	store   *store.Store
	vault   *vault.Vault
	tenant  string
	conn    string

	mu        sync.Mutex
	committed map[string]time.Time // by event
	waits     []time.Duration      // from commit to arrival
	arrived   chan struct{}
	servers   []*httptest.Server
	transport *http.Transport // of the deliverer that was made last
}

func (b *bench) newCourier(ctx context.Context, database string) (*courier, error) {
	o, remove, err := b.newStore(ctx, database)
	if err != nil {
		return nil, err
	}
	c := &courier{
		options: o, remove: remove, spent: b.spent(database), tenant: store.NewID(), conn: store.NewID(),
		committed: map[string]time.Time{}, arrived: make(chan struct{}, 1<<20),
	}
	if c.store, err = store.Open(ctx, o); err != nil {
		return nil, err
	}
	if _, err := c.store.Migrate(ctx); err != nil {
		return nil, err
	}
	master, err := secret.ParseMaster(strings.Repeat("ab", 32))
	if err != nil {
		return nil, err
	}
	if c.vault, err = vault.Open(ctx, vault.Options{
		Store: c.store, Master: master, Now: time.Now,
		Logger: slog.New(slog.DiscardHandler),
	}); err != nil {
		return nil, err
	}
	return c, c.store.Update(ctx, func(tx *store.Tx) error {
		now := drover.At(time.Now())
		return errors.Join(
			tx.Accounts.AddTenant(ctx, drover.Tenant{ID: c.tenant, Name: "bench", CreatedAt: now}),
			tx.Fleet.AddConnection(ctx, drover.Connection{
				ID: c.conn, TenantID: c.tenant, IntegrationName: drover.Traccar, BusinessName: "bench", Active: true, CollectionStartTime: now,
				Configuration: drover.Configuration{Health: drover.ConnectionPending, Trips: drover.TripsNative, PollIntervalSeconds: 30},
			}, []byte("sealed"), now),
		)
	})
}

func (c *courier) close() error {
	for _, s := range c.servers {
		s.CloseClientConnections()
		s.Close()
	}
	return errors.Join(c.store.Close(), c.remove())
}

// receive is the receivers' handler.
func (c *courier) receive(_ http.ResponseWriter, r *http.Request) {
	now, id := time.Now(), r.Header.Get(signing.HeaderID)
	c.mu.Lock()
	if at, ok := c.committed[id]; ok {
		c.waits = append(c.waits, now.Sub(at))
	} else {
		c.waits = append(c.waits, 0) // it came before the commit's end was noted
	}
	c.mu.Unlock()
	c.arrived <- struct{}{}
}

func (c *courier) addTargets(ctx context.Context, encrypted bool) error {
	for range deliverTargets {
		s := httptest.NewUnstartedServer(http.HandlerFunc(c.receive))
		if encrypted {
			s.StartTLS()
		} else {
			s.Start()
		}
		c.servers = append(c.servers, s)
		if _, err := c.addWebhook(ctx, s.URL); err != nil {
			return err
		}
	}
	return nil
}

func (c *courier) addWebhook(ctx context.Context, url string) (string, error) {
	ring, err := signing.NewRing()
	if err != nil {
		return "", err
	}
	filters, err := (*drover.WebhookFiltersInput)(nil).Normalize()
	if err != nil {
		return "", err
	}
	now := drover.At(time.Now())
	w := store.Webhook{TenantID: c.tenant, Webhook: drover.Webhook{
		ID: store.NewID(), URL: url, Enabled: true, CreatedAt: now,
		UpdatedAt: now, Filters: filters,
	}}
	sealed, err := ring.Seal(c.vault, store.Sealed{TenantID: c.tenant, ID: w.ID})
	if err != nil {
		return "", err
	}
	return w.ID, c.store.Update(ctx, func(tx *store.Tx) error { return tx.Webhooks.AddWebhook(ctx, w, sealed.Sealed) })
}

// tell stores events in one transaction, each about a device of its own.
func (c *courier) tell(ctx context.Context, n int) error {
	events := make([]drover.Event, n)
	for i := range events {
		device := store.NewID()
		e, err := drover.NewEvent(drover.EventDeviceUpdated, drover.At(time.Now()),
			drover.Device{ID: device, ConnectionID: c.conn, SystemDeviceID: "truck", Tags: []string{}})
		if err != nil {
			return err
		}
		events[i] = e
	}
	err := c.store.Update(ctx, func(tx *store.Tx) error { return journal.Append(ctx, tx, c.tenant, events) })
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range events {
		c.committed[e.ID] = now
	}
	return err
}

func (c *courier) deliverer() *deliver.Deliverer {
	transport := outbound.NewTransport(outbound.NewGuard([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}))
	c.transport = transport
	transport.MaxIdleConnsPerHost, transport.MaxIdleConns = 32, 4096
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} // the receivers' certificates are their own
	return deliver.New(deliver.Options{
		Store: c.store, Vault: c.vault, Now: time.Now, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Transport: transport, UserAgent: "drover/bench", Owner: store.NewID(),
	})
}

// await waits until so many deliveries have arrived.
func (c *courier) await(ctx context.Context, n int) error {
	for range n {
		select {
		case <-c.arrived:
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Minute):
			return errors.New("deliveries stopped to arrive")
		}
	}
	return nil
}

// throughput is the rate at which a backlog is delivered and logged.
func (b *bench) throughput(encrypted bool) func(context.Context, *courier, string) error {
	name, target := "deliveries over HTTP, ", deliverHTTP
	if encrypted {
		name, target = "deliveries over TLS, ", deliverTLS
	}
	return func(ctx context.Context, c *courier, database string) error {
		if err := c.addTargets(ctx, encrypted); err != nil {
			return err
		}
		if err := c.tellBacklog(ctx); err != nil {
			return err
		}
		s, err := c.deliverBacklog(ctx)
		b.table.AtLeast(name+database, float64(s.count)/s.took.Seconds(), "target", target, 1)
		return err
	}
}

// tellBacklog stores what is to be delivered.
func (c *courier) tellBacklog(ctx context.Context) error {
	for range deliverBacklog / 50 {
		if err := c.tell(ctx, 50); err != nil {
			return err
		}
	}
	return nil
}

// deliverBacklog delivers it.
func (c *courier) deliverBacklog(ctx context.Context) (slice, error) {
	d := c.deliverer()
	begin := time.Now()
	d.Start(ctx)
	err := c.await(ctx, deliverBacklog*deliverTargets)
	d.Stop() // returns when the log is written
	took := time.Since(begin)
	c.transport.CloseIdleConnections()
	return slice{count: deliverBacklog * deliverTargets, took: took, used: took}, err
}

// firstAttempts is the time from commit to arrival at a steady rate: alone, with
// a hung target, and with many rows that wait for a dead one.
func (b *bench) firstAttempts(ctx context.Context, c *courier, database string) error {
	if err := c.addTargets(ctx, false); err != nil {
		return err
	}
	if err := b.latency(ctx, c, "first attempt p99, "+database); err != nil {
		return err
	}
	release := make(chan struct{})
	defer close(release)
	hung := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	c.servers = append(c.servers, hung)
	if _, err := c.addWebhook(ctx, hung.URL); err != nil {
		return err
	}
	if err := b.latency(ctx, c, "first attempt p99 beside a hung target, "+database); err != nil {
		return err
	}
	if err := c.addDead(ctx); err != nil {
		return err
	}
	return b.latency(ctx, c, "first attempt p99 beside "+table.Thousands(deliverDead)+" waiting for a dead target, "+database)
}

// addDead adds a webhook that nothing listens at, and what waits for it: as if
// the others had not been there yet.
func (c *courier) addDead(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	url := "http://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		return err
	}
	id, err := c.addWebhook(ctx, url)
	if err != nil {
		return err
	}
	driver, source := "sqlite", "file:"+c.options.Path+"?_pragma=busy_timeout(60000)"
	if c.options.URL != "" {
		driver, source = "pgx", c.options.URL
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		return err
	}
	postgres, now := c.options.URL != "", time.Now().UnixMilli()
	_, err = db.ExecContext(ctx, fmt.Sprintf(`INSERT INTO delivery (tenant_id, target_id, event_id, kind, sequence, type, state, speed, driver, body, created_at, due_at)
		SELECT %s, %s, %s, 'webhook', 0, 'device.updated', 'pending', FALSE, FALSE, '{}', %d, %d FROM (%s) numbered`,
		fill.IDText(postgres, c.tenant), fill.IDText(postgres, id), fill.NumberedID(postgres), now, now,
		fill.Numbers(postgres, 1, deliverDead+1)))
	return errors.Join(err, db.Close())
}

func (b *bench) latency(ctx context.Context, c *courier, name string) error {
	b.progress(name)
	d := c.deliverer()
	d.Start(ctx)
	defer d.Stop()
	c.mu.Lock()
	c.waits = nil
	c.mu.Unlock()
	ticker := time.NewTicker(time.Second * deliverTargets / deliverRate)
	defer ticker.Stop()
	sent := 0
	for begin := time.Now(); time.Since(begin) < deliverSpan; sent += deliverTargets {
		<-ticker.C
		if err := c.tell(ctx, 1); err != nil {
			return err
		}
	}
	if err := c.await(ctx, sent); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.waits)
	b.table.AtMost(name, c.waits[int(float64(len(c.waits)-1)*deliverPercentil)].Seconds(), deliverFirst, table.Seconds)
	return nil
}
