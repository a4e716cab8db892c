package deliver_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/deliver/signing"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
)

// TestOptions holds what a receiver sees of positions.
func TestOptions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		a, b := store.NewID(), store.NewID()
		plain := r.addWebhook(rc.URL+"/plain", nil)
		full := r.addWebhook(rc.URL+"/full", func(w *drover.Webhook) {
			w.Options = drover.WebhookOptions{IncludeSpeed: true, IncludeDriverID: true}
			w.Filters.DeviceIDs = []string{b}
		})
		r.start()
		point := func(device string) string {
			return `{"device_id":"` + device + `","system_device_id":"1","timestamp":"2026-01-01T00:00:00Z","longitude":1,"latitude":2,"heading":null,"speed":{"speed_kph":3},"driver_id":null}`
		}
		e := drover.Event{
			ID: store.NewID(), Type: drover.EventPositionUpdated, Timestamp: r.now(), ConnectionID: &r.conn,
			Data: []byte(`{"connection_id":"` + r.conn + `","positions":[` + point(a) + "," + point(b) + "," + point(b) + `]}`),
			Subjects: []drover.Subject{
				{ConnectionID: r.conn, DeviceID: a, SystemDeviceID: "1"},
				{ConnectionID: r.conn, DeviceID: b, SystemDeviceID: "1"},
			},
		}
		m := drover.Event{
			ID: store.NewID(), Type: drover.EventMilestoneStarted, Timestamp: r.now(),
			Data: []byte(`{"id":"m","position":{"timestamp":"2026-01-01T00:00:00Z","longitude":1,"latitude":2,"heading":4,"speed":null,"driver_id":{"format":"text","value":"D"}}}`),
		}
		r.update(func(tx *store.Tx) error { return journal.Append(t.Context(), tx, r.tenant, []drover.Event{e, m}) })
		bare := func(device string) string {
			return `{"device_id":"` + device + `","system_device_id":"1","timestamp":"2026-01-01T00:00:00Z","longitude":1,"latitude":2,"heading":null}`
		}
		want := map[string]string{
			"/plain position.updated":  `{"connection_id":"` + r.conn + `","positions":[` + bare(a) + "," + bare(b) + "," + bare(b) + `]}`,
			"/full position.updated":   `{"connection_id":"` + r.conn + `","positions":[` + point(b) + "," + point(b) + `]}`,
			"/plain milestone.started": `{"id":"m","position":{"timestamp":"2026-01-01T00:00:00Z","longitude":1,"latitude":2,"heading":4}}`,
		}
		got := map[string]string{}
		for range want {
			d := rc.next(t)
			d.verify(t, map[string]string{"/plain": plain.secret, "/full": full.secret}[d.path])
			got[d.path+" "+string(d.Type)] = string(d.Data)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestReadingsOfKinds holds what a receiver sees of readings: the kinds that it asks for, of its
// devices.
func TestReadingsOfKinds(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		a, b := store.NewID(), store.NewID()
		for path, kinds := range map[string][]drover.ReadingKind{
			"/none": nil, "/fuel": {drover.ReadingFuelPercent}, "/all": drover.ReadingKinds, "/of-b": {drover.ReadingOdometer},
		} {
			r.addWebhook(rc.URL+path, func(w *drover.Webhook) {
				if w.Filters.ReadingKinds = kinds; path == "/of-b" {
					w.Filters.DeviceIDs = []string{b}
				}
			})
		}
		r.start()
		read := func(device string, kind drover.ReadingKind) drover.NewestReading {
			s := drover.ReadingSeries{Kind: kind, NativeName: "x"}
			return drover.NewestReading{ID: device, Reading: s.Reading(device, r.conn, r.now(), 7, "")}
		}
		readings := []drover.NewestReading{
			read(a, drover.ReadingOdometer), read(a, drover.ReadingFuelPercent), read(b, drover.ReadingOdometer), read(b, drover.ReadingCharge),
		}
		e, err := drover.NewEvent(drover.EventReadingUpdated, r.now(), drover.ReadingBatch{ConnectionID: r.conn, Readings: readings})
		if err != nil {
			t.Fatal(err)
		}
		r.update(func(tx *store.Tx) error { return journal.Append(t.Context(), tx, r.tenant, []drover.Event{e}) })
		want := map[string][]drover.NewestReading{"/fuel": readings[1:2], "/all": readings, "/of-b": readings[2:3]}
		got := map[string][]drover.NewestReading{}
		for range want {
			d := rc.next(t)
			var batch drover.ReadingBatch
			if err := json.Unmarshal(d.Data, &batch); err != nil {
				t.Fatal(err)
			}
			got[d.path] = batch.Readings
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestOwnWebhook holds what a milestone's own webhook gets, after it is deleted
// too.
func TestOwnWebhook(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		rc := newReceiver(t)
		rc.status(http.StatusBadGateway)
		url := rc.URL + "/own"
		m := drover.Milestone{
			ID: store.NewID(), TenantID: r.tenant, DeviceID: store.NewID(), StartTime: r.now(), CreatedAt: r.now(), UpdatedAt: r.now(),
			Status: drover.TripNotStarted, WebhookURL: &url, WebhookEnabled: true,
		}
		tell := func(typ drover.EventType, change func(tx *store.Tx) error) {
			e, err := drover.NewEvent(typ, r.now(), m)
			if err != nil {
				t.Fatal(err)
			}
			r.update(func(tx *store.Tx) error {
				if err := change(tx); err != nil {
					return err
				}
				return journal.Append(t.Context(), tx, r.tenant, []drover.Event{e})
			})
		}
		r.start()
		tell(drover.EventMilestoneCreated, func(tx *store.Tx) error {
			return tx.Trips.AddMilestone(t.Context(), store.Milestone{Milestone: m, DeviceTenantID: r.tenant, State: []byte("{}")})
		})
		rc.next(t)
		r.eventually(func() error {
			stored, err := r.Trips.Milestone(t.Context(), r.tenant, m.ID)
			if err == nil && stored.WebhookErrorCount != 1 {
				err = errNotYet
			}
			return err
		})
		tell(drover.EventMilestoneDeleted, func(tx *store.Tx) error { return tx.Trips.DropMilestone(t.Context(), r.tenant, m.ID) })
		rc.status(http.StatusOK)
		r.clock.Advance(5 * time.Second)
		ring, err := signing.Account(t.Context(), r.Store, r.vault, r.tenant)
		if err != nil {
			t.Fatal(err)
		}
		types := map[drover.EventType]bool{}
		for len(types) < 2 {
			d := rc.next(t)
			d.verify(t, ring.View(r.clock.Now()).Secret)
			types[d.Type] = true
		}
		if !types[drover.EventMilestoneCreated] || !types[drover.EventMilestoneDeleted] {
			t.Errorf("got %v", types)
		}
	})
}
