package collect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/background/clocktest"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/ingest/collect"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/keys/secret"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/providertest"
	"github.com/drover-fleet/drover/internal/provider/vendors/flespi"
	johndeere "github.com/drover-fleet/drover/internal/provider/vendors/john_deere"
	"github.com/drover-fleet/drover/internal/provider/vendors/traccar"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

func TestMain(m *testing.M) { storetest.PlannedMain(m) }

// noon is the present at the start of each test.
var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// rig is a tenant, the vendors that it has connections to, and a collector.
type rig struct {
	t         testing.TB
	clock     *clocktest.Clock
	store     *store.Store
	fleet     *fleet.Service
	collector *collect.Collector
	principal drover.Principal
	options   collect.Options
	network   *network
	stubs     byName[*stub]
	taps      byName[*tap]
}

// byName is what a collector finds by the credentials of a connection. Tests add to it
// while collectors run.
type byName[T any] struct{ all sync.Map }

func (b *byName[T]) set(name string, v T) { b.all.Store(name, v) }

// get returns an error for what no one has added.
func (b *byName[T]) get(name string) (T, error) {
	v, ok := b.all.Load(name)
	if !ok {
		var none T
		return none, fmt.Errorf("no test has added %q", name)
	}
	return v.(T), nil
}

func onBoth(t *testing.T, f func(t *testing.T, r *rig)) {
	t.Helper()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		f(t, newRig(t, s))
	})
}

func newRig(tb testing.TB, s *store.Store) *rig {
	tb.Helper()
	r := &rig{t: tb, store: s, clock: clocktest.New(noon), network: &network{hosts: map[string]http.Handler{}}}
	master, err := secret.ParseMaster(strings.Repeat("ab", 32))
	if err != nil {
		tb.Fatal(err)
	}
	logger := slog.New(slog.DiscardHandler)
	keys, err := vault.Open(tb.Context(), vault.Options{Store: s, Master: master, Now: r.clock.Now, Logger: logger})
	if err != nil {
		tb.Fatal(err)
	}
	providers := map[drover.ProviderName]provider.Info{stubName: r.stubInfo()}
	for _, info := range []provider.Info{traccar.Info, flespi.Info, johndeere.Info} {
		info.Limits = nil // time stands still
		providers[info.Name] = info
	}
	tracker := &track.Tracker{Config: milestone.DefaultConfig(), Now: r.clock.Now}
	var accept func(ctx context.Context, tenantID, connectionID string, records []provider.Position) error
	r.fleet = fleet.New(fleet.Options{
		Accept: func(ctx context.Context, tenantID, connectionID string, records []provider.Position) error {
			return accept(ctx, tenantID, connectionID, records)
		},
		Store: s, Vault: keys, Providers: providers, Tracker: tracker, Now: r.clock.Now, Wake: func() {},
		CheckURL: func(context.Context, string) error { return nil },
	})
	r.options = collect.Options{
		Store: s, Vault: keys, Providers: providers, Tracker: tracker, Transport: r.network, Now: r.clock.Now, Logger: logger, Owner: "first",
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	r.collector = collect.New(r.options)
	accept = r.collector.Accept
	r.principal = drover.Principal{TenantID: store.NewID(), UserID: store.NewID(), Role: drover.RoleAdmin}
	if err := s.Update(tb.Context(), func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(tb.Context(), drover.Tenant{ID: r.principal.TenantID, Name: "own", CreatedAt: drover.At(noon)})
	}); err != nil {
		tb.Fatal(err)
	}
	return r
}

// connect adds a connection that collects from start on.
func (r *rig) connect(
	name drover.ProviderName,
	start time.Time,
	credentials map[string]string,
	with ...func(*drover.ConnectionInput),
) drover.Connection {
	r.t.Helper()
	from := drover.At(start)
	in := drover.ConnectionInput{IntegrationName: name, BusinessName: "Haulage", CollectionStartTime: &from, Credentials: credentials}
	for _, change := range with {
		change(&in)
	}
	conn, err := r.fleet.Connections.CreateConnection(r.t.Context(), r.principal, in)
	if err != nil {
		r.t.Fatal(err)
	}
	return conn
}

func endingAt(end time.Time) func(*drover.ConnectionInput) {
	return func(in *drover.ConnectionInput) { in.CollectionEndTime = new(drover.At(end)) }
}

// run collects whatever is due.
func (r *rig) run() {
	r.t.Helper()
	if err := r.collector.RunDue(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// pass lets time pass and collects whatever becomes due on the way.
func (r *rig) pass(d time.Duration) {
	r.t.Helper()
	for end := r.clock.Now().Add(d); r.clock.Now().Before(end); {
		r.clock.Advance(min(time.Minute, end.Sub(r.clock.Now())))
		r.run()
	}
}

func (r *rig) devices(conn drover.Connection) map[string]drover.Device {
	r.t.Helper()
	list, err := r.store.Fleet.Devices(r.t.Context(), r.principal.TenantID, drover.DeviceFilter{ConnectionID: conn.ID}, "", 10_000)
	if err != nil {
		r.t.Fatal(err)
	}
	out := map[string]drover.Device{}
	for _, d := range list {
		out[d.SystemDeviceID] = d
	}
	return out
}

// positions are all stored positions of a device, the suspect ones too.
func (r *rig) positions(device string) []drover.StoredPosition {
	r.t.Helper()
	stored, err := r.store.History.Positions(r.t.Context(), history.Range{
		TenantID: r.principal.TenantID, DeviceID: device, From: drover.Milli(0), To: drover.At(noon.AddDate(100, 0, 0)), WithSuspect: true,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return stored
}

// trips are the stored trips, oldest first, of all connections or of one.
func (r *rig) trips(f drover.TripFilter) []drover.Trip {
	r.t.Helper()
	list, err := r.store.Trips.Trips(r.t.Context(), r.principal.TenantID, f, nil, 100_000)
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

func (r *rig) health(conn drover.Connection) drover.ConnectionHealth {
	r.t.Helper()
	h, err := r.fleet.Connections.ConnectionHealth(r.t.Context(), r.principal, conn.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return h.ConnectionHealth
}

// expectState fails where a connection is in another state.
func (r *rig) expectState(conn drover.Connection, want drover.ConnectionState) {
	r.t.Helper()
	if got := r.health(conn).State; got != want {
		r.t.Errorf("at %s the connection is %s, want %s", r.clock.Now().Format(time.TimeOnly), got, want)
	}
}

// events are the tenant's, oldest first, of some types or all. The sequence of all
// must have no gap.
func (r *rig) events(types ...drover.EventType) []drover.Event {
	r.t.Helper()
	last, err := r.store.Feed.LastEvent(r.t.Context(), r.principal.TenantID)
	if err != nil {
		r.t.Fatal(err)
	}
	events, err := r.store.Feed.Events(r.t.Context(), r.principal.TenantID, drover.EventFilter{Types: types},
		work.EventRange{To: last, Limit: 1_000_000})
	if err != nil {
		r.t.Fatal(err)
	}
	for i, e := range events {
		if len(types) == 0 && e.Sequence != int64(i)+1 {
			r.t.Fatalf("event %d has the sequence %d", i, e.Sequence)
		}
	}
	return events
}

// decode reads the data of an event.
func decode[T any](tb testing.TB, e drover.Event) T {
	tb.Helper()
	var v T
	if err := json.Unmarshal(e.Data, &v); err != nil {
		tb.Fatal(err)
	}
	return v
}

// network answers the calls to each host with its handler.
type network struct {
	mu    sync.Mutex
	hosts map[string]http.Handler
}

func (n *network) serve(host string, h http.Handler) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hosts[host] = h
}

// RoundTrip implements http.RoundTripper. A call ends with its context, whatever
// the handler does.
func (n *network) RoundTrip(req *http.Request) (*http.Response, error) {
	n.mu.Lock()
	handler := n.hosts[req.URL.Host]
	n.mu.Unlock()
	answer := make(chan *http.Response, 1)
	go func() { answer <- providertest.Carry(handler, req) }() //nolint:bodyclose // who asked closes it
	select {
	case res := <-answer:
		return res, nil
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
}

// quality is what the connection's data say of themselves.
func (r *rig) quality(conn drover.Connection) drover.ConnectionQuality {
	r.t.Helper()
	h, err := r.fleet.Connections.ConnectionHealth(r.t.Context(), r.principal, conn.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	if h.Quality == nil {
		r.t.Fatal("nothing was measured")
	}
	return *h.Quality
}
