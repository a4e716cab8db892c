package journal_test

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

var noon = drover.At(time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC))

type rig struct {
	*testing.T
	*store.Store
	tenant string
}

func onBoth(t *testing.T, f func(r *rig)) {
	t.Helper()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		r := &rig{t, s, store.NewID()}
		r.update(func(tx *store.Tx) error {
			return tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: r.tenant, Name: r.tenant, CreatedAt: noon})
		})
		f(r)
	})
}

func (r *rig) update(f func(tx *store.Tx) error) {
	r.Helper()
	if err := r.Update(r.Context(), f); err != nil {
		r.Fatal(err)
	}
}

// relay appends what waits for others.
func (r *rig) relay() {
	r.Helper()
	if err := journal.NewRelay(r.Store, noMessages, slog.New(slog.DiscardHandler)).Flush(r.Context()); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) addWebhook(f drover.WebhookFilters) drover.Webhook {
	r.Helper()
	w := drover.Webhook{ID: store.NewID(), URL: "https://hooks.example/", Enabled: true, CreatedAt: noon, UpdatedAt: noon, Filters: f}
	r.update(func(tx *store.Tx) error {
		return tx.Webhooks.AddWebhook(r.Context(), store.Webhook{Webhook: w, TenantID: r.tenant}, []byte("sealed"))
	})
	return w
}

func (r *rig) devices(n int) []drover.Event {
	r.Helper()
	events := make([]drover.Event, n)
	connection := store.NewID()
	for i := range events {
		d := drover.Device{ID: store.NewID(), ConnectionID: connection, SystemDeviceID: fmt.Sprint(i), Tags: []string{}}
		var err error
		if events[i], err = drover.NewEvent(drover.EventDeviceCreated, noon, d); err != nil {
			r.Fatal(err)
		}
	}
	return events
}

func (r *rig) waiting(w drover.Webhook) []drover.Delivery {
	r.Helper()
	due, err := r.Feed.DueDeliveries(r.Context(), drover.Target{TenantID: r.tenant, ID: w.ID}, noon, nil, 100_000)
	if err != nil {
		r.Fatal(err)
	}
	return due
}

// TestFewStatements holds that a first list of devices locks the tenant's counter
// for few statements: it took two for each device.
func TestFewStatements(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		const many, most = 5000, 20
		all := r.addWebhook(drover.WebhookFilters{})
		r.addWebhook(drover.WebhookFilters{Tags: []string{"north"}})
		events := r.devices(many)
		var statements int
		r.update(func(tx *store.Tx) error {
			err := journal.Append(r.Context(), tx, r.tenant, events)
			statements = tx.Statements()
			return err
		})
		r.Logf("%d events took %d statements", many, statements)
		if statements > most {
			r.Errorf("%d events took %d statements, want at most %d", many, statements, most)
		}
		due := r.waiting(all)
		if len(due) != many || due[many-1].EventID != events[many-1].ID || due[many-1].Sequence != many {
			r.Errorf("%d deliveries wait, the last is %+v", len(due), due[len(due)-1].Target)
		}
	})
}

// TestReceiversAreRead holds that a change of a webhook is known to the next event,
// although what was known before is kept: also one whose transaction was undone.
func TestReceiversAreKept(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		w := r.addWebhook(drover.WebhookFilters{})
		statements := func() (n int) {
			events := r.devices(1)
			r.update(func(tx *store.Tx) error {
				err := journal.Append(r.Context(), tx, r.tenant, events)
				n = tx.Statements()
				return err
			})
			return n
		}
		first, second := statements(), statements()
		if second != first-2 { // nor is it noted again that something waits
			r.Errorf("the receivers were read again: %d statements, then %d", first, second)
		}
		change := func(enabled bool, undo error) {
			err := r.Update(r.Context(), func(tx *store.Tx) error {
				changed := w
				changed.Enabled = enabled
				if err := tx.Webhooks.SetWebhook(r.Context(), store.Webhook{Webhook: changed, TenantID: r.tenant}); err != nil {
					return err
				}
				if err := journal.Append(r.Context(), tx, r.tenant, r.devices(1)); err != nil {
					return err
				}
				return undo
			})
			if err != undo { //nolint:errorlint // it is this one
				r.Fatal(err)
			}
		}
		undone := fmt.Errorf("undone")
		change(false, undone)
		statements()
		if n := len(r.waiting(w)); n != 3 {
			r.Errorf("%d deliveries wait after a change that was undone, want 3", n)
		}
		change(false, nil)
		statements()
		if n := len(r.waiting(w)); n != 0 {
			r.Errorf("%d deliveries wait for a webhook that is off", n)
		}
	})
}

// share adds another tenant, and a connection of one of the two that is shared with
// the other.
func (r *rig) share(owner, with string, g drover.Grant) (connection string) {
	r.Helper()
	connection = store.NewID()
	r.update(func(tx *store.Tx) error {
		c := drover.Connection{
			ID: connection, TenantID: owner, IntegrationName: drover.Samsara, BusinessName: "b", Active: true,
			CollectionStartTime: noon,
		}
		if err := tx.Fleet.AddConnection(r.Context(), c, []byte("sealed"), noon); err != nil {
			return err
		}
		s := drover.Share{ID: store.NewID(), ConnectionID: connection, OwnerTenantID: owner, TenantID: with, CreatedAt: noon}
		if err := tx.Shares.AddShare(r.Context(), s, g); err != nil {
			return err
		}
		return tx.Shares.AcceptShare(r.Context(), s, noon)
	})
	return connection
}

func (r *rig) addTenant() string {
	r.Helper()
	id := store.NewID()
	r.update(func(tx *store.Tx) error {
		return tx.Accounts.AddTenant(r.Context(), drover.Tenant{ID: id, Name: id, CreatedAt: noon})
	})
	return id
}

// moved is an event about a position with a driver.
func moved(t *testing.T, connection string) drover.Event {
	t.Helper()
	p := drover.Position{Time: noon, Latitude: 1, Longitude: 2, DriverID: new("secret driver")}
	e, err := drover.NewEvent(drover.EventPositionUpdated, noon,
		drover.PositionBatch{ConnectionID: connection, Positions: []drover.DevicePosition{
			{DeviceID: store.NewID(), SystemDeviceID: "1", CurrentPosition: *p.View()},
		}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestPublish holds that each tenant gets a copy of its own, and no more than the
// share gives.
func TestPublish(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		for grant, want := range map[drover.Grant]struct {
			events  int
			drivers bool
		}{
			drover.FullGrant: {2, true}, drover.GrantRecords | drover.GrantPositions: {2, false}, drover.GrantRecords: {1, false},
			drover.GrantRecords | drover.GrantDrivers: {1, false},
		} {
			other := r.addTenant()
			connection := r.share(r.tenant, other, grant)
			events := []drover.Event{r.devices(1)[0], moved(r.T, connection)}
			r.update(func(tx *store.Tx) error {
				return journal.Publish(r.Context(), tx, r.tenant, connection, events)
			})
			r.relay()
			got, err := r.Feed.Events(r.Context(), other, drover.EventFilter{}, work.EventRange{To: 1 << 40, Limit: 10})
			if err != nil {
				r.Fatal(err)
			}
			var text strings.Builder
			for _, e := range got {
				text.Write(e.Data)
			}
			if len(got) != want.events || strings.Contains(text.String(), "secret driver") != want.drivers {
				r.Errorf("with grant %d it gets %d events: %s", grant, len(got), text.String())
			}
		}
	})
}

// TestCrosswise holds that two tenants whose connections are shared crosswise do
// not wait for each other: each transaction runs once. It was ended by PostgreSQL
// after a second of deadlock, and run again, some six times in eighty.
func TestCrosswise(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		other := r.addTenant()
		const each = 40
		var runs atomic.Int64
		var wg sync.WaitGroup
		for _, pair := range [][2]string{{r.tenant, other}, {other, r.tenant}} {
			connection := r.share(pair[0], pair[1], drover.FullGrant)
			events := r.devices(1)
			wg.Go(func() {
				for range each {
					err := r.Update(r.Context(), func(tx *store.Tx) error {
						runs.Add(1)
						return journal.Publish(r.Context(), tx, pair[0], connection, events)
					})
					if err != nil {
						r.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if n := runs.Load(); n != 2*each {
			r.Errorf("%d transactions took %d runs", 2*each, n)
		}
	})
}

// TestMilestoneEventsNameTheConnection appends an event about a milestone, which knows
// its device alone.
func TestMilestoneEventsNameTheConnection(t *testing.T) {
	t.Parallel()
	onBoth(t, func(r *rig) {
		ctx := r.Context()
		d := drover.Device{ID: store.NewID(), ConnectionID: store.NewID(), SystemDeviceID: "1", Active: true, Tags: []string{}}
		r.update(func(tx *store.Tx) error { return tx.Fleet.AddDevice(ctx, r.tenant, d, noon) })
		e, err := drover.NewEvent(drover.EventMilestoneCreated, noon, drover.Milestone{ID: store.NewID(), TenantID: r.tenant, DeviceID: d.ID})
		if err != nil {
			r.Fatal(err)
		}
		r.update(func(tx *store.Tx) error { return journal.Append(ctx, tx, r.tenant, []drover.Event{e}) })
		stored, err := r.Feed.Events(ctx, r.tenant, drover.EventFilter{ConnectionID: d.ConnectionID}, work.EventRange{To: 100, Limit: 10})
		if err != nil || len(stored) != 1 || stored[0].ConnectionID == nil || *stored[0].ConnectionID != d.ConnectionID {
			r.Errorf("%d events: %v", len(stored), err)
		}
	})
}
