package retain_test

import (
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/events/journal"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/account"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
	"github.com/drover-fleet/drover/internal/upkeep/retain"
)

func TestMain(m *testing.M) { storetest.PlannedMain(m) }

var now = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

func TestOldest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		operator time.Duration
		days     *int
		want     time.Time
		some     bool
	}{
		"NothingSet":       {},
		"OperatorDecides":  {operator: 30 * account.Day, want: now.AddDate(0, 0, -30), some: true},
		"TenantDecides":    {operator: 30 * account.Day, days: new(90), want: now.AddDate(0, 0, -90), some: true},
		"TenantKeepsAll":   {operator: 30 * account.Day, days: new(0)},
		"TenantForgetsToo": {days: new(10), want: now.AddDate(0, 0, -10), some: true},
	} {
		got, some := account.RetentionPolicy{Positions: test.operator}.Oldest(account.Retention{PositionDays: test.days}, now)
		if some != test.some || some && !got.Equal(test.want) {
			t.Errorf("%s: %s, %t, want %s, %t", name, got, some, test.want, test.some)
		}
	}
}

func TestDays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		policy account.RetentionPolicy
		want   drover.Retention
	}{
		"ForEver": {},
		"Each": {
			policy: account.RetentionPolicy{Positions: 365 * account.Day, Events: 90 * account.Day, PositionEvents: 30 * account.Day},
			want:   drover.Retention{PositionDays: new(365), EventDays: new(90), PositionEventDays: new(30)},
		},
		"PositionEventsAsOthers": {
			policy: account.RetentionPolicy{Events: 90 * account.Day},
			want:   drover.Retention{EventDays: new(90), PositionEventDays: new(90)},
		},
	} {
		if diff := cmp.Diff(test.want, test.policy.Days()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestSweep gives each of three tenants a position a day and an event a day, and
// looks at what remains.
func TestSweep(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		const days = 120
		tenants := []account.Retention{
			{TenantID: store.NewID()}, {TenantID: store.NewID(), PositionDays: new(0)}, {TenantID: store.NewID(), PositionDays: new(60)},
		}
		devices := make([]string, len(tenants))
		for i, r := range tenants {
			devices[i] = fill(t, s, r, days)
		}
		k := retain.New(retain.Options{
			Store: s, Now: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler),
			Policy: account.RetentionPolicy{Positions: 30 * account.Day, Events: 90 * account.Day},
		})
		for range 2 {
			if err := k.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for i, want := range []int{30, days, 60} {
			kept, err := s.History.Positions(t.Context(), history.Range{
				TenantID: tenants[i].TenantID, DeviceID: devices[i], From: drover.Milli(0),
				To: drover.At(now),
			})
			if err != nil {
				t.Fatal(err)
			}
			// A day of slack, and the rest of a week.
			if len(kept) < want || len(kept) > want+8 {
				t.Errorf("tenant %d has %d positions, want %d and up to 8 more", i, len(kept), want)
			}
			events, err := s.Feed.Events(t.Context(), tenants[i].TenantID, drover.EventFilter{}, work.EventRange{To: days, Limit: days})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(90, len(events)); diff != "" {
				t.Errorf("tenant %d (-events +got):\n%s", i, diff)
			}
		}
	})
}

// TestSweepForgetsEventsByType keeps events about positions for a time of their own.
func TestSweepForgetsEventsByType(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		const days = 120
		r := account.Retention{TenantID: store.NewID()}
		device := fill(t, s, r, days)
		var moved []drover.Event
		for day := days; day > 0; day-- {
			batch := drover.PositionBatch{ConnectionID: store.NewID(), Positions: []drover.DevicePosition{{DeviceID: device}}}
			e, err := drover.NewEvent(drover.EventPositionUpdated, drover.At(now.AddDate(0, 0, -day)), batch)
			if err != nil {
				t.Fatal(err)
			}
			moved = append(moved, e)
		}
		if err := s.Update(t.Context(), func(tx *store.Tx) error { return journal.Append(t.Context(), tx, r.TenantID, moved) }); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			policy        account.RetentionPolicy
			others, moved int
		}{
			{account.RetentionPolicy{}, days, days}, // for ever
			{account.RetentionPolicy{PositionEvents: 30 * account.Day}, days, 30},
			{account.RetentionPolicy{PositionEvents: 30 * account.Day, Events: 90 * account.Day}, 90, 30},
			{account.RetentionPolicy{Events: 20 * account.Day}, 20, 20}, // for as long as others
		} {
			k := retain.New(retain.Options{
				Store: s, Policy: test.policy, Now: func() time.Time { return now },
				Logger: slog.New(slog.DiscardHandler),
			})
			if err := k.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := map[drover.EventType]int{}
			events, err := s.Feed.Events(t.Context(), r.TenantID, drover.EventFilter{}, work.EventRange{To: 2 * days, Limit: 2 * days})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				got[e.Type]++
			}
			if diff := cmp.Diff(map[drover.EventType]int{drover.EventDeviceUpdated: test.others, drover.EventPositionUpdated: test.moved},
				got); diff != "" {
				t.Errorf("%+v (-events +got):\n%s", test.policy, diff)
			}
		}
	})
}

// fill adds a tenant with a device, and a position and an event of each day.
func fill(t *testing.T, s *store.Store, r account.Retention, days int) (device string) {
	t.Helper()
	d := drover.Device{ID: store.NewID(), ConnectionID: store.NewID(), SystemDeviceID: "1", Active: true, Tags: []string{}}
	var positions []history.Position
	var events []drover.Event
	for day := days; day > 0; day-- {
		at := drover.At(now.AddDate(0, 0, -day))
		positions = append(positions, history.Of(d.ID, drover.Position{Time: at}))
		e, err := drover.NewEvent(drover.EventDeviceUpdated, at, d)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		if err := tx.Accounts.AddTenant(t.Context(), drover.Tenant{ID: r.TenantID, Name: r.TenantID, CreatedAt: drover.At(now)}); err != nil {
			return err
		}
		_, err := tx.History.AddPositions(t.Context(), r.TenantID, positions)
		return errors.Join(err, tx.Accounts.SetRetention(t.Context(), r), tx.Fleet.AddDevice(t.Context(), r.TenantID, d, drover.At(now)),
			journal.Append(t.Context(), tx, r.TenantID, events))
	})
	if err != nil {
		t.Fatal(err)
	}
	return d.ID
}

// TestSweepForgetsRoads keeps the roads of the last weeks, and of those whose positions are
// kept.
func TestSweepForgetsRoads(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		ctx := t.Context()
		tenants := []account.Retention{{TenantID: store.NewID()}, {TenantID: store.NewID(), PositionDays: new(13)}}
		week := history.Week(drover.At(now))
		for _, r := range tenants {
			fill(t, s, r, 1)
			c := drover.Connection{
				ID: store.NewID(), TenantID: r.TenantID, IntegrationName: drover.Traccar, BusinessName: "b", CollectionStartTime: drover.At(now),
			}
			var roads []store.Road
			for i := range int64(10) {
				roads = append(roads, store.Road{ConnectionID: c.ID, Week: week - i, Square: 1 << 28, Cells: []byte("x")})
			}
			err := s.Update(ctx, func(tx *store.Tx) error {
				return errors.Join(tx.Fleet.AddConnection(ctx, c, []byte("sealed"), drover.At(now)), tx.Trips.SetRoads(ctx, r.TenantID, roads))
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		k := retain.New(retain.Options{Store: s, Now: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler)})
		if err := k.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		for i, want := range []int64{week - 5, week - 2} {
			oldest := week + 1
			err := s.Trips.EachRoad(ctx, tenants[i].TenantID, store.RoadRange{Last: 1 << 40, Limit: 100}, false, func(r store.Road) error {
				oldest = r.Week
				return nil
			})
			if err != nil || oldest != want {
				t.Errorf("tenant %d has roads since week %d, want %d: %v", i, oldest, want, err)
			}
		}
	})
}

// TestStop ends work that is waiting for its next run.
func TestStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := retain.New(retain.Options{Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
		k.Start(t.Context())
		synctest.Wait()
		k.Stop()
	})
}

// TestPackEvents packs events about positions of whole hours, an hour after they ended.
func TestPackEvents(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		r := account.Retention{TenantID: store.NewID()}
		batch := drover.PositionBatch{ConnectionID: store.NewID(), Positions: []drover.DevicePosition{{DeviceID: fill(t, s, r, 1)}}}
		events := make([]drover.Event, 12) // from 9:50 on, every ten minutes
		for i := range events {
			var err error
			if events[i], err = drover.NewEvent(drover.EventPositionUpdated, drover.At(now.Add(time.Duration(i-13)*10*time.Minute)),
				batch); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Update(t.Context(), func(tx *store.Tx) error { return journal.Append(t.Context(), tx, r.TenantID, events) }); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			pack  time.Duration
			after time.Duration
			want  int
		}{{0, 0, 0}, {account.Day, 0, 7}, {account.Day, 50 * time.Minute, 0}, {account.Day, time.Hour, 5}} {
			k := retain.New(retain.Options{
				Store: s, Policy: account.RetentionPolicy{Pack: test.pack},
				Now: func() time.Time { return now.Add(test.after) }, Logger: slog.New(slog.DiscardHandler),
			})
			done, err := k.PackEvents(t.Context())
			if err != nil || done.Events != test.want {
				t.Errorf("after %s: packed %+v, %v, not %d", test.after, done, err, test.want)
			}
		}
	})
}

// TestPack packs what has been settled for a day, and leaves the rest.
func TestPack(t *testing.T) {
	t.Parallel()
	storetest.OnBoth(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		fill(t, s, account.Retention{TenantID: store.NewID()}, 20)
		clock := now
		for _, test := range []struct {
			policy time.Duration
			want   int
		}{{0, 0}, {account.Day, 0}, {account.Day, 19}, {account.Day, 0}} { // the first run only says what the next may pack
			k := retain.New(retain.Options{
				Store: s, Policy: account.RetentionPolicy{Pack: test.policy}, Now: func() time.Time { return clock },
				Logger: slog.New(slog.DiscardHandler),
			})
			done, err := k.Pack(t.Context())
			if err != nil || done.Positions != test.want {
				t.Errorf("packed %+v, %v, not %d", done, err, test.want)
			}
			clock = clock.Add(10 * time.Minute)
		}
	})
}
