package fleet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/deliver"
	"github.com/drover-fleet/drover/internal/events/deliver/signing"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/events/live"
	"github.com/drover-fleet/drover/internal/ingest/track"
	"github.com/drover-fleet/drover/internal/outbound"
	"github.com/drover-fleet/drover/internal/rules/milestone"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

// fleetOf is a tenant of the property test with its one device. Its marks are in all
// that its records, its positions and its drivers are shown in, and nowhere else.
type fleetOf struct {
	admin                     drover.Principal
	connection                drover.Connection
	device                    drover.Device
	records, position, driver string
	latitude                  float64
	milestones                []journeyOf
	suspended                 bool
	trip                      string // its id
}

// journeyOf is a milestone that a tenant has set, and whose device it is of.
type journeyOf struct {
	id string
	of int
}

// accessWorld is three tenants, and what each may read of the others by the model.
type accessWorld struct {
	*rig
	fleets []*fleetOf
	// shares are those that stop, by owner and recipient.
	shares map[[2]int]*drover.Share
	hub    *live.Hub
	step   string

	mu   sync.Mutex
	sent map[string][]string // bodies by tenant
}

// grant is what the model says that tenant i may read of tenant j.
func (w *accessWorld) grant(i, j int) drover.Grant {
	s := w.shares[[2]int{j, i}]
	switch {
	case i == j:
		return drover.FullGrant
	case s == nil || s.AcceptedAt == nil || w.fleets[i].suspended || w.fleets[j].suspended:
		return 0
	}
	g := drover.GrantRecords
	for _, scope := range s.Scopes {
		g |= map[drover.ShareScope]drover.Grant{
			drover.ScopePositions: drover.GrantPositions, drover.ScopeDrivers: drover.GrantDrivers,
			drover.ScopeSafety: drover.GrantSafety, drover.ScopeReadings: drover.GrantReadings,
		}[scope]
	}
	return g
}

// check holds an answer that tenant i got against the model.
func (w *accessWorld) check(i int, what string, answer any) {
	w.t.Helper()
	text, ok := answer.(string)
	if !ok {
		raw, err := json.Marshal(answer)
		if err != nil {
			w.t.Fatal(err)
		}
		text = string(raw)
	}
	for j, f := range w.fleets {
		g := w.grant(i, j)
		for mark, may := range map[string]bool{f.records: g.Records(), f.position: g.Positions(), f.driver: g.Drivers()} {
			if !may && strings.Contains(text, mark) {
				w.t.Fatalf("%s: %s of tenant %d shows %s with grant %d: %s", w.step, what, i, mark, g, text)
			}
		}
	}
}

func newAccessWorld(t *testing.T, s *store.Store) *accessWorld {
	t.Helper()
	w := &accessWorld{rig: newRig(t, s), shares: map[[2]int]*drover.Share{}, sent: map[string][]string{}}
	w.hub = live.New(live.Options{Store: s, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(w.hub.Close)
	for i, name := range []string{"owner", "partner", "stranger"} {
		f := &fleetOf{
			admin: w.people[name+" admin"], records: "records-of-" + name, driver: "driver-of-" + name,
			latitude: []float64{41.0625, 52.09375, 63.03125}[i],
		}
		f.position = fmt.Sprint(f.latitude)
		in := input()
		in.BusinessName = f.records
		f.connection = must(w.rig, func() (drover.Connection, error) { return w.Connections.CreateConnection(t.Context(), f.admin, in) })
		f.device = drover.Device{ID: store.NewID(), ConnectionID: f.connection.ID, SystemDeviceID: f.records, Active: true, Tags: []string{}}
		w.update(func(tx *store.Tx) error {
			if err := tx.Fleet.AddDevice(t.Context(), f.admin.TenantID, f.device, drover.At(w.now)); err != nil {
				return err
			}
			f.trip = store.NewID()
			return tx.Trips.AddTrip(t.Context(), store.Trip{
				Access: store.Access{TenantID: f.admin.TenantID}, ConnectionID: f.connection.ID, DriverID: &f.driver,
				Trip: drover.Trip{
					ID: f.trip, DeviceID: f.device.ID, SystemTripID: f.records, StartTime: drover.At(w.now),
					EndTime: drover.At(w.now.Add(time.Minute)),
				},
			})
		})
		w.fleets = append(w.fleets, f)
		w.addReceiver(f)
	}
	return w
}

// addReceiver gives a tenant a webhook for everything.
func (w *accessWorld) addReceiver(f *fleetOf) {
	w.t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.sent[f.admin.TenantID] = append(w.sent[f.admin.TenantID], string(body))
	}))
	w.t.Cleanup(server.Close)
	ring := must(w.rig, signing.NewRing)
	hook := store.Webhook{TenantID: f.admin.TenantID, Webhook: drover.Webhook{
		ID: store.NewID(), URL: server.URL, Enabled: true, CreatedAt: drover.At(w.now), UpdatedAt: drover.At(w.now),
		Options: drover.WebhookOptions{IncludeSpeed: true, IncludeDriverID: true},
	}}
	sealed := must(w.rig, func() (store.Sealed, error) {
		return ring.Seal(w.vault, store.Sealed{TenantID: hook.TenantID, ID: hook.ID})
	})
	w.update(func(tx *store.Tx) error { return tx.Webhooks.AddWebhook(w.t.Context(), hook, sealed.Sealed) })
}

// track sets a milestone of tenant i on the device of tenant j. It starts at the next
// position that is judged, wherever that is.
func (w *accessWorld) track(i, j int) {
	w.t.Helper()
	m, err := w.Milestones.CreateMilestone(w.t.Context(), w.fleets[i].admin, drover.MilestoneInput{
		DeviceID: w.fleets[j].device.ID, StartPoint: drover.Coordinate{Latitude: 1, Longitude: 1},
		EndPoint: drover.Coordinate{Latitude: 50, Longitude: 9},
	})
	if (err == nil) != w.grant(i, j).Positions() {
		w.t.Fatalf("%s: %v, with grant %d", w.step, err, w.grant(i, j))
	}
	if err == nil {
		w.fleets[i].milestones = append(w.fleets[i].milestones, journeyOf{m.ID, j})
	}
}

// frozen reads the milestones on the device of tenant j whose tenants may not read its
// positions: whatever happens, they stay as they are.
func (w *accessWorld) frozen(j int) map[string]drover.Milestone {
	w.t.Helper()
	all := map[string]drover.Milestone{}
	for i, f := range w.fleets {
		for _, m := range f.milestones {
			if m.of == j && !w.grant(i, j).Positions() {
				stored := must(w.rig, func() (store.Milestone, error) { return w.store.Trips.Milestone(w.t.Context(), f.admin.TenantID, m.id) })
				all[m.id] = stored.Milestone
			}
		}
	}
	return all
}

// tracker judges milestones at the world's present.
func (w *accessWorld) tracker() *track.Tracker {
	return &track.Tracker{Config: milestone.DefaultConfig(), Now: func() time.Time { return w.now }}
}

// move stores a position of a tenant's device, with all that follows from it.
func (w *accessWorld) move(j int) {
	w.t.Helper()
	w.position(j)
	w.relay(j)
}

// relay hands over what waits for others. What is frozen by now stays as it is, whenever
// what it would be judged by was stored.
func (w *accessWorld) relay(j int) {
	w.t.Helper()
	before := w.frozen(j)
	if err := journal.NewRelay(w.store, w.tracker().Receive, slog.New(slog.DiscardHandler)).Flush(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	if diff := cmp.Diff(before, w.frozen(j)); diff != "" {
		w.t.Fatalf("%s: milestones were judged by positions that their tenants may not read:\n%s", w.step, diff)
	}
}

// position stores a position of a tenant's device, which others have not heard of yet.
func (w *accessWorld) position(j int) {
	w.t.Helper()
	ctx, f := w.t.Context(), w.fleets[j]
	w.now = w.now.Add(time.Second)
	p := drover.Position{Time: drover.At(w.now), Latitude: f.latitude, Longitude: 3, SpeedKPH: new(50.0), DriverID: &f.driver}
	w.update(func(tx *store.Tx) error {
		if _, err := tx.History.AddPositions(ctx, f.admin.TenantID, []history.Position{history.Of(f.device.ID, p)}); err != nil {
			return err
		}
		if err := tx.Fleet.SetDeviceStates(ctx, f.admin.TenantID, []*store.DeviceState{{DeviceID: f.device.ID, Latest: &p}}); err != nil {
			return err
		}
		e, err := drover.NewEvent(drover.EventPositionUpdated, drover.At(w.now),
			drover.PositionBatch{ConnectionID: f.connection.ID, Positions: []drover.DevicePosition{
				{DeviceID: f.device.ID, SystemDeviceID: f.device.SystemDeviceID, CurrentPosition: *p.View()},
			}})
		if err != nil {
			return err
		}
		if err := journal.Publish(ctx, tx, f.admin.TenantID, f.connection.ID, []drover.Event{e}); err != nil {
			return err
		}
		return w.tracker().Judge(ctx, tx, track.Batch{
			TenantID: f.admin.TenantID, ConnectionID: f.connection.ID, Positions: map[string][]drover.Position{f.device.ID: {p}},
		})
	})
}

// read asks for everything, as tenant i, about tenant j.
func (w *accessWorld) read(i, j int) {
	w.t.Helper()
	ctx, p, f := w.t.Context(), w.fleets[i].admin, w.fleets[j]
	answers := map[string]func() (any, error){
		"connection":  func() (any, error) { return w.Connections.Connection(ctx, p, f.connection.ID) },
		"connections": func() (any, error) { return w.Connections.Connections(ctx, p, "", "", 1000) },
		"device":      func() (any, error) { return w.Devices.Device(ctx, p, f.device.ID) },
		"devices":     func() (any, error) { return w.Devices.Devices(ctx, p, drover.DeviceFilter{}, "", 100) },
		"position":    func() (any, error) { return w.Devices.Position(ctx, p, f.device.ID) },
		"newest": func() (any, error) {
			n, _, err := w.Devices.NewestPositions(ctx, p, drover.NewestFilter{})
			return n, err
		},
		"positions": func() (any, error) {
			return w.Devices.Positions(ctx, p, f.device.ID,
				drover.PositionFilter{From: drover.At(w.now.Add(-time.Hour))}, drover.PositionCursor{}, 100)
		},
		"track": func() (any, error) {
			return w.Devices.Track(ctx, p, f.device.ID, drover.TrackFilter{From: drover.At(w.now.Add(-time.Hour))})
		},
		"path":          func() (any, error) { return w.Trips.TripPath(ctx, p, f.trip, 0) },
		"stops":         func() (any, error) { return w.Trips.Stops(ctx, p, drover.StopFilter{}, drover.TripCursor{}, 100) },
		"trips":         func() (any, error) { return w.Trips.Trips(ctx, p, drover.TripFilter{}, drover.TripCursor{}, 100) },
		"why a trip is": func() (any, error) { return w.Trips.TripExplanation(ctx, p, f.trip) },
		"feed": func() (any, error) {
			return w.Notify.Events(ctx, p, drover.EventFilter{}, drover.EventCursor{}, 1000, 0)
		},
		"feed from its end": func() (any, error) {
			return w.Notify.Events(ctx, p, drover.EventFilter{Order: drover.NewestFirst}, drover.EventCursor{}, 1000, 0)
		},
	}
	for _, m := range w.fleets[i].milestones {
		answers["update "+m.id] = func() (any, error) { return w.Milestones.MilestoneProgress(ctx, p, m.id) }
		answers["predictions "+m.id] = func() (any, error) { return w.Milestones.ETAHistory(ctx, p, m.id, drover.Time{}, 100) }
		answers["milestone events "+m.id] = func() (any, error) { return w.Notify.MilestoneEvents(ctx, p, m.id, 0, 1000) }
	}
	for what, ask := range answers {
		if answer, err := ask(); err == nil {
			w.check(i, what, answer)
		} else if kind := drover.ErrorKind(err); kind != drover.KindForbidden && kind != drover.KindNotFound {
			w.t.Fatalf("%s: %s: %v", w.step, what, err)
		}
	}
	driven := must(w.rig, func() ([]drover.TripView, error) {
		return w.Trips.Trips(ctx, p, drover.TripFilter{DriverID: f.driver}, drover.TripCursor{}, 100)
	})
	sums := must(w.rig, func() (drover.TripSums, error) {
		return w.Trips.TripSums(ctx, p, drover.TripFilter{DriverID: f.driver})
	})
	if may := w.grant(i, j).Drivers(); (len(driven) == 1) != may || (sums.Trips == 1) != may {
		w.t.Fatalf("%s: tenant %d finds %d trips, and sums up %d, of a driver of %d, want grant %d", w.step, i, len(driven), sums.Trips, j,
			w.grant(i, j))
	}
	if _, err := w.Devices.Device(ctx, p, f.device.ID); (err == nil) != w.grant(i, j).Records() {
		w.t.Fatalf("%s: tenant %d reads the device of %d: %v, want grant %d", w.step, i, j, err, w.grant(i, j))
	}
}

// follow reads a tenant's whole feed as a stream does, up to an event of its own.
func (w *accessWorld) follow(i int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 3*time.Minute)
	defer cancel()
	f := w.fleets[i]
	events := []drover.Event{must(w.rig, func() (drover.Event, error) {
		return drover.NewEvent(drover.EventDeviceUpdated, drover.At(w.now), f.device)
	})}
	w.update(func(tx *store.Tx) error { return journal.Append(ctx, tx, f.admin.TenantID, events) })
	sub, err := w.hub.Subscribe(ctx, f.admin.TenantID, live.Filter{}, new(int64))
	if err != nil {
		w.t.Fatal(err)
	}
	defer sub.Close()
	for sub.Position() < events[0].Sequence {
		messages, err := sub.Next(ctx)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, m := range messages {
			w.check(i, "stream", m.Event)
		}
	}
}

// deliver sends all that is due, and looks at what has come.
func (w *accessWorld) deliver() {
	w.t.Helper()
	ctx := context.WithoutCancel(w.t.Context())
	now := func() time.Time { return w.now }
	guard := outbound.NewGuard([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")})
	d := deliver.New(deliver.Options{
		Store: w.store, Vault: w.vault, Now: now, Logger: slog.New(slog.DiscardHandler), Transport: outbound.NewTransport(guard),
		Owner: store.NewID(), Poll: 2 * time.Millisecond,
	})
	d.Start(ctx)
	for {
		due := must(w.rig, func() ([]work.DueTarget, error) { return w.store.Feed.DueTargets(ctx, "", drover.At(w.now)) })
		if len(due) == 0 {
			break
		}
		if err := d.Check(ctx); err != nil {
			w.t.Fatal(err)
		}
	}
	d.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, f := range w.fleets {
		bodies := w.sent[f.admin.TenantID]
		if f.suspended && len(bodies) > 0 {
			w.t.Fatalf("%s: %d deliveries came to a suspended tenant", w.step, len(bodies))
		}
		for _, body := range bodies {
			w.check(i, "delivery", body)
		}
	}
	clear(w.sent)
}

// suspend suspends a tenant, or lets it go on.
func (w *accessWorld) suspend(i int, suspended bool) {
	w.t.Helper()
	f := w.fleets[i]
	f.suspended = suspended
	w.step = fmt.Sprintf("%d is suspended: %v", i, suspended)
	w.update(func(tx *store.Tx) error { return tx.Accounts.SuspendTenant(w.t.Context(), f.admin.TenantID, suspended) })
}

// act does one thing that the number chooses.
func (w *accessWorld) act(r *rand.Rand) {
	w.t.Helper()
	ctx := w.t.Context()
	i := r.IntN(3)
	if w.fleets[i].suspended && r.IntN(2) == 0 {
		w.suspend(i, false) // who is suspended for long has nothing to lose
	}
	j := (i + 1 + r.IntN(2)) % 3
	key := [2]int{j, i} // j shares with i
	share := w.shares[key]
	switch n := r.IntN(12); {
	case n < 2 && share == nil:
		w.step = fmt.Sprintf("%d offers to %d", j, i)
		in := drover.ShareInput{
			TenantID: &w.fleets[i].admin.TenantID,
			Scopes:   [][]drover.ShareScope{{}, {drover.ScopePositions}, {drover.ScopeDrivers}, drover.ShareScopes}[r.IntN(4)],
		}
		s := must(w.rig, func() (drover.Share, error) {
			return w.Shares.OfferShare(ctx, w.fleets[j].admin, w.fleets[j].connection.ID, in)
		})
		w.shares[key] = &s
	case n < 4 && share != nil:
		w.step = fmt.Sprintf("%d accepts of %d", i, j)
		s := must(w.rig, func() (drover.Share, error) { return w.Shares.AcceptShare(ctx, w.fleets[i].admin, share.ID) })
		w.shares[key] = &s
	case n == 4 && share != nil:
		ends := []int{i, j}[r.IntN(2)]
		w.step = fmt.Sprintf("%d ends the share of %d with %d", ends, j, i)
		if err := w.Shares.EndShare(ctx, w.fleets[ends].admin, share.ID); err != nil {
			w.t.Fatal(err)
		}
		delete(w.shares, key)
	case n == 5:
		w.suspend(i, !w.fleets[i].suspended)
	case n == 6:
		w.step = fmt.Sprintf("%d sets a milestone on %d", i, j)
		w.track(i, j)
	case n == 7:
		w.step += "; all is delivered"
		w.deliver()
	case n == 8:
		w.step += fmt.Sprintf("; %d follows its stream", i)
		w.follow(i)
	case n < 11:
		w.step = fmt.Sprintf("%d moves", i)
		w.move(i)
	}
	w.read(i, j)
}

// withdraw gives a tenant all of another's connection and tells it something, which lies
// in its feed and waits to be delivered, and something more that has not reached it; takes a part of the share away, or all; and
// looks at every way in which it could still be read.
func (w *accessWorld) withdraw(i, j int, scopes []drover.ShareScope) {
	w.t.Helper()
	ctx := w.t.Context()
	w.suspend(i, false)
	w.suspend(j, false)
	share := func(scopes []drover.ShareScope) {
		w.t.Helper()
		if s := w.shares[[2]int{j, i}]; s != nil {
			if err := w.Shares.EndShare(ctx, w.fleets[j].admin, s.ID); err != nil {
				w.t.Fatal(err)
			}
			delete(w.shares, [2]int{j, i})
		}
		if scopes == nil {
			return
		}
		s := must(w.rig, func() (drover.Share, error) {
			return w.Shares.OfferShare(ctx, w.fleets[j].admin, w.fleets[j].connection.ID,
				drover.ShareInput{TenantID: &w.fleets[i].admin.TenantID, Scopes: scopes})
		})
		s = must(w.rig, func() (drover.Share, error) { return w.Shares.AcceptShare(ctx, w.fleets[i].admin, s.ID) })
		w.shares[[2]int{j, i}] = &s
	}
	w.step = fmt.Sprintf("%d has all of %d", i, j)
	share(drover.ShareScopes)
	w.move(j)
	w.read(i, j)
	w.track(i, j)
	w.position(j)
	w.step = fmt.Sprintf("%d has %q of what it had of %d", i, scopes, j)
	share(scopes)
	w.relay(j)
	w.move(j)
	w.read(i, j)
	w.follow(i)
	w.deliver()
}

// TestAccessEnds runs random sequences of offering, accepting, ending, suspending,
// moving, reading, streaming and delivering with three tenants: no answer, event or
// delivery ever holds what its receiver may not read at that moment. From time to time a
// share ends, or becomes less, while what it gave waits in feeds and queues.
func TestAccessEnds(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		w := newAccessWorld(t, s)
		r := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // a repeatable sequence is wanted
		for _, left := range [][]drover.ShareScope{nil, {}, {drover.ScopeDrivers}, {drover.ScopePositions}} {
			for range 60 {
				w.act(r)
			}
			i := r.IntN(3)
			w.withdraw(i, (i+1+r.IntN(2))%3, left)
		}
		w.step += "; at the end"
		w.deliver()
	})
}
