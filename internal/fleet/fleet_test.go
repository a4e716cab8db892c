package fleet_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/fleet/notify"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/keys/secret"
	"github.com/drover-fleet/drover/internal/keys/vault"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.PlannedMain(m) }

// rig is a service with three tenants: the owner of what is made, one that it is
// shared with, and a stranger.
type rig struct {
	*fleet.Service
	store   *store.Store
	vault   *vault.Vault
	t       *testing.T
	now     time.Time
	wakes   atomic.Int64
	options fleet.Options
	people  map[string]drover.Principal
	owner   drover.Principal
}

func onBoth(t *testing.T, f func(r *rig)) {
	t.Helper()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		f(newRig(t, s))
	})
}

func newRig(t *testing.T, s *store.Store) *rig {
	t.Helper()
	r := &rig{store: s, t: t, now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC), people: map[string]drover.Principal{}}
	now := func() time.Time { return r.now }
	logger := slog.New(slog.DiscardHandler)
	master := must(r, func() (*secret.Master, error) { return secret.ParseMaster(strings.Repeat("ab", 32)) })
	keys := must(r, func() (*vault.Vault, error) {
		return vault.Open(t.Context(), vault.Options{Store: s, Master: master, Now: now, Logger: logger})
	})
	info := provider.Info{
		Name: drover.Traccar, Title: "Stub", Poll: provider.Poll{Positions: time.Minute}, Features: provider.Features{Backfill: true},
		Fields: []provider.Field{{Name: "token", Required: true, Secret: true}, {Name: provider.BaseURLField}},
	}
	r.vault = keys
	r.options = fleet.Options{
		Store: s, Vault: keys, Now: now, Wake: func() { r.wakes.Add(1) },
		Providers: map[drover.ProviderName]provider.Info{info.Name: info},
		Tracker:   &track.Tracker{Config: milestone.DefaultConfig(), Now: now},
		CheckURL:  func(context.Context, string) error { return errors.New("this address is not allowed") },
	}
	r.Service = fleet.New(r.options)
	for _, name := range []string{"owner", "partner", "stranger"} {
		tenant := store.NewID()
		r.update(func(tx *store.Tx) error {
			return tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: tenant, Name: name, CreatedAt: drover.At(r.now)})
		})
		for _, role := range []drover.Role{drover.RoleAdmin, drover.RoleViewer} {
			r.people[name+" "+string(role)] = drover.Principal{TenantID: tenant, UserID: store.NewID(), Role: role}
		}
	}
	r.owner = r.people["owner admin"]
	return r
}

func must[T any](r *rig, f func() (T, error)) T {
	r.t.Helper()
	v, err := f()
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

func (r *rig) update(change func(tx *store.Tx) error) {
	r.t.Helper()
	if err := r.store.Update(r.t.Context(), change); err != nil {
		r.t.Fatal(err)
	}
}

const token = "a-token-of-the-vendor"

func input() drover.ConnectionInput {
	return drover.ConnectionInput{
		IntegrationName: drover.Traccar, BusinessName: "Haulage", Credentials: map[string]string{"token": token},
		Tags: []string{"North"},
	}
}

func (r *rig) connect() drover.Connection {
	r.t.Helper()
	return must(r, func() (drover.Connection, error) {
		return r.Connections.CreateConnection(r.t.Context(), r.owner, input())
	})
}

func (r *rig) addDevice(c drover.Connection) drover.Device {
	r.t.Helper()
	d := drover.Device{ID: store.NewID(), ConnectionID: c.ID, SystemDeviceID: "1", Active: true, Tags: []string{}}
	r.update(func(tx *store.Tx) error { return tx.Fleet.AddDevice(r.t.Context(), c.TenantID, d, drover.At(r.now)) })
	return d
}

// state is how much there is of what a change of the owner's would leave behind.
func (r *rig) state() [3]int {
	r.t.Helper()
	ctx := r.t.Context()
	connections := must(r, func() ([]drover.Connection, error) { return r.Connections.Connections(ctx, r.owner, "", "", 1000) })
	tags := must(r, func() ([]drover.Tag, error) { return r.Connections.ConnectionTags(ctx, r.owner) })
	feed := must(r, func() (notify.Feed, error) {
		return r.Notify.Events(ctx, r.owner, drover.EventFilter{}, drover.EventCursor{}, 100, 0)
	})
	return [3]int{len(connections), len(tags), len(feed.Events)}
}

// done is the outcome of a call that succeeds; otherwise it is the error's kind.
const done drover.Kind = -1

func outcome(err error) drover.Kind {
	if err == nil {
		return done
	}
	return drover.ErrorKind(err)
}

func TestWhoMay(t *testing.T) {
	t.Parallel()
	const no = drover.KindForbidden
	onBoth(t, func(r *rig) {
		ctx, partner := r.t.Context(), r.people["partner admin"].TenantID
		c := r.connect()
		d := r.addDevice(c)
		share, err := r.Shares.ShareWith(ctx, r.owner, c.ID, partner)
		if err != nil {
			r.t.Fatal(err)
		}
		if _, err := r.Shares.AcceptShare(ctx, r.people["partner admin"], share.ID); err != nil {
			r.t.Fatal(err)
		}
		calls := map[string]func(p drover.Principal, connection, device string) error{
			"read":        func(p drover.Principal, c, _ string) error { _, err := r.Connections.Connection(ctx, p, c); return err },
			"read device": func(p drover.Principal, _, d string) error { _, err := r.Devices.Device(ctx, p, d); return err },
			"credentials": func(p drover.Principal, c, _ string) error {
				_, err := r.Connections.Credentials(ctx, p, c)
				return err
			},
			"patch": func(p drover.Principal, _, d string) error {
				_, err := r.Devices.UpdateDevice(ctx, p, d, drover.DeviceUpdate{Make: drover.Some("MAN")})
				return err
			},
			"sync": func(p drover.Principal, c, _ string) error {
				_, err := r.Connections.Sync(ctx, p, c, drover.SyncInput{})
				return err
			},
			"share": func(p drover.Principal, c, _ string) error {
				_, err := r.Shares.ShareWith(ctx, p, c, partner)
				return err
			},
		}
		allowed := map[string]string{
			"owner admin": "read, read device, credentials, patch, sync, share", "owner viewer": "read, read device",
			"partner admin": "read, read device", "partner viewer": "read, read device",
		}
		for who, p := range r.people {
			for name, call := range calls {
				want := no
				if strings.Contains(", "+allowed[who]+",", ", "+name+",") {
					want = done
				}
				if got := outcome(call(p, c.ID, d.ID)); got != want {
					r.t.Errorf("%s, %s: %d, want %d", who, name, got, want)
				}
				// Anyone who may not write does not learn by trying what exists.
				want = drover.KindNotFound
				if p.Role == drover.RoleViewer && (name == "patch" || name == "sync" || name == "share" || name == "credentials") {
					want = no
				}
				if got := outcome(call(p, store.NewID(), store.NewID())); got != want {
					r.t.Errorf("%s, %s of what does not exist: %d, want %d", who, name, got, want)
				}
			}
		}
	})
}

func TestSharing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx, partner := r.t.Context(), r.people["partner admin"]
		c := r.connect()
		first := must(r, func() (drover.Share, error) { return r.Shares.ShareWith(ctx, r.owner, c.ID, partner.TenantID) })
		r.now = r.now.Add(time.Hour)
		again := must(r, func() (drover.Share, error) { return r.Shares.ShareWith(ctx, r.owner, c.ID, partner.TenantID) })
		if diff := cmp.Diff(first, again); diff != "" {
			r.t.Errorf("sharing again (-first +again):\n%s", diff)
		}
		_, self := r.Shares.ShareWith(ctx, r.owner, c.ID, r.owner.TenantID)
		_, noOne := r.Shares.ShareWith(ctx, r.owner, c.ID, store.NewID())
		back := r.Shares.Unshare(ctx, r.owner, c.ID, partner.TenantID)
		twice := r.Shares.Unshare(ctx, r.owner, c.ID, partner.TenantID)
		_, read := r.Connections.Connection(ctx, partner, c.ID)
		got := []drover.Kind{outcome(self), outcome(noOne), outcome(back), outcome(twice), outcome(read)}
		want := []drover.Kind{drover.KindInvalid, drover.KindNotFound, done, drover.KindNotFound, drover.KindForbidden}
		if diff := cmp.Diff(want, got); diff != "" {
			r.t.Error(diff)
		}
	})
}

func TestCredentialsAreSealed(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx, c := r.t.Context(), r.connect()
		sealed := must(r, func() ([]byte, error) { return r.store.Fleet.Credentials(ctx, c.TenantID, c.ID) })
		if bytes.Contains(sealed, []byte(token)) {
			r.t.Error("the token is stored as it is")
		}
		if _, err := r.vault.Open(ctx, sealed, c.TenantID, r.connect().ID); err == nil {
			r.t.Error("sealed credentials open for another connection")
		}
		got := must(r, func() (drover.ConnectionCredentials, error) { return r.Connections.Credentials(ctx, r.owner, c.ID) })
		if diff := cmp.Diff(drover.ConnectionCredentials{ConnectionID: c.ID, Credentials: input().Credentials}, got); diff != "" {
			r.t.Error(diff)
		}
	})
}

func TestBadInputChangesNothing(t *testing.T) {
	t.Parallel()
	early := drover.At(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	onBoth(t, func(r *rig) {
		c := r.connect()
		before, wakes := r.state(), r.wakes.Load()
		for name, spoil := range map[string]func(in *drover.ConnectionInput){
			"no token":          func(in *drover.ConnectionInput) { in.Credentials = map[string]string{} },
			"empty token":       func(in *drover.ConnectionInput) { in.Credentials = map[string]string{"token": ""} },
			"forbidden address": func(in *drover.ConnectionInput) { in.Credentials[provider.BaseURLField] = "http://10.0.0.1" },
			"email":             func(in *drover.ConnectionInput) { in.Email = new("a@b") },
			"ends early":        func(in *drover.ConnectionInput) { in.CollectionEndTime = &early },
			"other tenant":      func(in *drover.ConnectionInput) { in.TenantID = new(store.NewID()) },
			"empty tag":         func(in *drover.ConnectionInput) { in.Tags = []string{"South", " "} },
		} {
			in := input()
			spoil(&in)
			if _, err := r.Connections.CreateConnection(r.t.Context(), r.owner, in); err == nil {
				r.t.Errorf("%s: a connection was made", name)
			}
		}
		late := drover.At(r.now.Add(time.Hour))
		for _, in := range []drover.SyncInput{{From: &late}, {To: &late}, {From: &late, To: &late}, {From: &early, To: &late}} {
			if _, err := r.Connections.Sync(r.t.Context(), r.owner, c.ID, in); outcome(err) != drover.KindInvalid {
				r.t.Errorf("sync %+v: %v", in, err)
			}
		}
		if diff := cmp.Diff(before, r.state()); diff != "" || r.wakes.Load() != wakes {
			r.t.Errorf("%d wake-ups, (-before +after):\n%s", r.wakes.Load()-wakes, diff)
		}
	})
}

func TestChangesWakeTheCollector(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		c := r.connect()
		if _, err := r.Connections.Sync(r.t.Context(), r.owner, c.ID, drover.SyncInput{}); err != nil || r.wakes.Load() != 2 {
			r.t.Errorf("%d wake-ups, want 2; %v", r.wakes.Load(), err)
		}
	})
}

func TestDeviceUpdates(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx := r.t.Context()
		d := r.addDevice(r.connect())
		before := r.state()
		patch := func(u drover.DeviceUpdate) error { _, err := r.Devices.UpdateDevice(ctx, r.owner, d.ID, u); return err }
		if err := patch(drover.DeviceUpdate{Make: drover.Some("MAN"), Tags: drover.Some([]string{""})}); outcome(err) != drover.KindInvalid {
			r.t.Error(err)
		}
		if got := must(r, func() (drover.Device, error) { return r.Devices.Device(ctx, r.owner, d.ID) }); got.Make != nil {
			r.t.Errorf("a refused update left make %q", *got.Make)
		}
		for range 2 {
			if err := patch(drover.DeviceUpdate{Make: drover.Some("MAN")}); err != nil {
				r.t.Fatal(err)
			}
		}
		if after := r.state(); after[2] != before[2]+1 {
			r.t.Errorf("%d events, want 1: the second update changes nothing", after[2]-before[2])
		}
	})
}

func TestIdempotency(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		create := func(p drover.Principal, key, request string) (string, error) {
			c, err := r.Connections.CreateConnection(guard.WithIdempotency(r.t.Context(), key, request), p, input())
			return c.ID, err
		}
		first := must(r, func() (string, error) { return create(r.owner, "k", "a") })
		if again, err := create(r.owner, "k", "a"); err != nil || again != first {
			r.t.Errorf("the same request gave %s, %v, want %s", again, err, first)
		}
		if _, err := create(r.owner, "k", "b"); outcome(err) != drover.KindInvalid {
			r.t.Errorf("another request with the same key: %v", err)
		}
		if other := must(r, func() (string, error) { return create(r.people["stranger admin"], "k", "b") }); other == first {
			r.t.Error("a stranger got the owner's answer")
		}
		if got := r.state(); got[0] != 1 || got[2] != 1 {
			r.t.Errorf("%d connections and %d events, want one of each", got[0], got[2])
		}
		r.now = r.now.Add(guard.AnswerLifetime + time.Second)
		if later := must(r, func() (string, error) { return create(r.owner, "k", "b") }); later == first {
			r.t.Error("a key gives its answer for ever")
		}
	})
}

func TestIdempotencyAtOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx := guard.WithIdempotency(r.t.Context(), "k", "a")
		var ids [8]string
		var wait sync.WaitGroup
		for i := range ids {
			wait.Go(func() {
				c, err := r.Connections.CreateConnection(ctx, r.owner, input())
				if err != nil {
					r.t.Error(err)
				}
				ids[i] = c.ID
			})
		}
		wait.Wait()
		for _, id := range ids {
			if id == "" || id != ids[0] {
				r.t.Fatalf("different answers: %v", ids)
			}
		}
		if got := r.state(); got[0] != 1 {
			r.t.Errorf("%d connections, want 1", got[0])
		}
	})
}

// TestPollIntervalOfTheOperator makes a connection where the operator has set how often
// all are polled: what it shows is that, before anything was read.
func TestPollIntervalOfTheOperator(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		if got := r.connect().Configuration.PollIntervalSeconds; got != 60 {
			r.t.Errorf("without a setting it is polled every %d seconds, want the provider's 60", got)
		}
		r.options.PollInterval = 6500 * time.Millisecond
		r.Service = fleet.New(r.options)
		if got := r.connect().Configuration.PollIntervalSeconds; got != 7 {
			r.t.Errorf("with a setting of 6.5 s it is polled every %d seconds, want 7", got)
		}
	})
}
