package collect_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/collect"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/milestone"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/traccar"
	"github.com/drover-fleet/drover/internal/provider/traccar/traccartest"
	"github.com/drover-fleet/drover/internal/secret"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/vault"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// clock is the present of a test.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// rig is a tenant with one connection to a fake vendor.
type rig struct {
	t         *testing.T
	clock     *clock
	store     *store.Store
	fleet     *fleet.Service
	collector *collect.Collector
	principal drover.Principal
	truth     *sim.Fleet
	account   *sim.Account
	conn      drover.Connection
	// trouble, where it is set, answers instead of the vendor.
	trouble http.Handler
	options collect.Options
}

const token = "a-very-secret-token"

func onBoth(t *testing.T, derived bool, f func(r *rig)) {
	t.Helper()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		f(newRig(t, s, derived))
	})
}

func newRig(t *testing.T, s *store.Store, derived bool) *rig {
	t.Helper()
	r := &rig{
		t: t, store: s, clock: &clock{at: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)},
		truth: sim.New(sim.Options{Seed: 11, Vehicles: 6, Late: 5 * time.Minute}),
	}
	r.account = sim.NewAccount(r.truth, r.clock.Now, map[string]string{"token": token})
	vendor := traccartest.New(r.account)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if r.trouble != nil {
			r.trouble.ServeHTTP(w, req)
			return
		}
		vendor.ServeHTTP(w, req)
	}))
	t.Cleanup(server.Close)

	master, err := secret.ParseMaster(strings.Repeat("ab", 32))
	if err != nil {
		t.Fatal(err)
	}
	logger := slog.New(slog.DiscardHandler)
	keys, err := vault.Open(t.Context(), vault.Options{Store: s, Master: master, Now: r.clock.Now, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	info := traccar.Info
	info.Limits = nil // the fake is local
	if derived {
		info.Features.Trips = false
	}
	providers := map[drover.ProviderName]provider.Info{drover.Traccar: info}
	tracker := &milestone.Tracker{Config: milestone.DefaultConfig(), Now: r.clock.Now}
	r.fleet = fleet.New(fleet.Options{
		Store: s, Vault: keys, Providers: providers, Tracker: tracker, Now: r.clock.Now, Logger: logger,
		CheckURL: func(context.Context, string) error { return nil },
	})
	r.options = collect.Options{
		Store: s, Vault: keys, Providers: providers, Tracker: tracker, Transport: server.Client().Transport, Now: r.clock.Now, Logger: logger, Owner: "test",
	}
	r.collector = collect.New(r.options)
	r.principal = drover.Principal{TenantID: store.NewID(), UserID: store.NewID(), Role: drover.RoleAdmin}
	if err := s.Update(t.Context(), func(tx *store.Tx) error {
		return tx.AddTenant(t.Context(), drover.Tenant{ID: r.principal.TenantID, Name: "own", CreatedAt: drover.At(r.clock.Now())})
	}); err != nil {
		t.Fatal(err)
	}
	start := drover.At(r.clock.Now().Add(-36 * time.Hour))
	r.conn, err = r.fleet.CreateConnection(t.Context(), r.principal, drover.ConnectionInput{
		IntegrationName: drover.Traccar, BusinessName: "Haulage", CollectionStartTime: &start,
		Credentials: map[string]string{"base_url": server.URL, "token": token},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// step lets time pass and collects whatever is due on the way.
func (r *rig) step(d time.Duration) {
	r.t.Helper()
	for end := r.clock.Now().Add(d); r.clock.Now().Before(end); {
		r.run()
		r.clock.Advance(min(time.Minute, end.Sub(r.clock.Now())))
	}
	r.run()
}

func (r *rig) run() {
	r.t.Helper()
	if err := r.collector.RunDue(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) devices() map[string]drover.Device {
	r.t.Helper()
	list, err := r.store.Devices(r.t.Context(), r.principal.TenantID, store.DeviceFilter{}, "", 1000)
	if err != nil {
		r.t.Fatal(err)
	}
	out := map[string]drover.Device{}
	for _, d := range list {
		out[d.SystemDeviceID] = d
	}
	return out
}

// checkPositions holds the stored positions against the truth: each once, none
// missing, nothing else.
func (r *rig) checkPositions() {
	r.t.Helper()
	devices := r.devices()
	for _, v := range r.truth.Vehicles() {
		want := []drover.Time{}
		for _, s := range r.account.Positions(v, r.conn.CollectionStartTime.Time, r.clock.Now()) {
			want = append(want, s.Time)
		}
		stored, err := r.store.Positions(r.t.Context(), store.PositionRange{
			TenantID: r.principal.TenantID, DeviceID: devices[v.ID].ID, From: drover.Milli(0), To: drover.At(r.clock.Now().Add(time.Hour)), WithSuspect: true,
		})
		if err != nil {
			r.t.Fatal(err)
		}
		got := []drover.Time{}
		for _, p := range stored {
			got = append(got, p.Time)
		}
		// What arrived at the vendor since the last poll is not missing.
		if len(got) < len(want) && r.clock.Now().Sub(want[len(got)].Time) < 2*time.Minute {
			want = want[:len(got)]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			r.t.Errorf("positions of %s differ (-want +got):\n%s", v.ID, diff)
		}
	}
}

func (r *rig) trips() []drover.Trip {
	r.t.Helper()
	list, err := r.store.Trips(r.t.Context(), r.principal.TenantID, store.TripFilter{}, nil, 10_000)
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

func (r *rig) state() drover.ConnectionState {
	r.t.Helper()
	c, err := r.store.Connection(r.t.Context(), r.principal.TenantID, r.conn.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return c.Configuration.Health
}

func TestCollect(t *testing.T) {
	t.Parallel()
	for name, derived := range map[string]bool{"Native": false, "Derived": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, derived, func(r *rig) {
				r.run()
				if got := r.state(); got != drover.ConnectionHealthy {
					r.t.Errorf("the connection is %s after the first run", got)
				}
				if got, want := len(r.devices()), len(r.truth.Vehicles()); got != want {
					r.t.Errorf("%d devices, want %d", got, want)
				}
				r.step(3 * time.Hour)
				r.checkPositions()
				if len(r.trips()) == 0 {
					r.t.Error("no trips")
				}
			})
		})
	}
}
