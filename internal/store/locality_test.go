package store_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/storetest"
	"github.com/drover-fleet/drover/internal/store/work"
)

// overAllTenants are what still reads the rows of all tenants, so that it would fail with the
// server of any of them. The list only becomes shorter.
var overAllTenants = []string{
	"claim connections", "claim milestones", "look for deliveries", "read what others share",
}

// TestFailuresStay runs what a tenant does all the time, and holds that it asks for no other
// tenant's rows: where these lie on a server that is down, it goes on.
func TestFailuresStay(t *testing.T) {
	t.Parallel()
	o := storetest.Options(t, "postgres")
	var mu sync.Mutex
	var over []string
	o.Trace = func(s database.Statement) {
		mu.Lock()
		defer mu.Unlock()
		if storetest.OverAll(s.Query) {
			over = append(over, s.Query)
		}
	}
	f := newFixture(t, storetest.Open(t, o))
	ctx, device := t.Context(), f.addDevice()
	run := map[string]func() error{}
	for name, find := range f.named() {
		run["find by "+name] = func() error { _, err := find(ctx); return err }
	}
	session := drover.Session{ID: store.NewID(), TenantID: f.own, UserID: store.NewID(), CreatedAt: noon, ExpiresAt: noon}
	update := func(change func(tx *store.Tx) error) func() error {
		return func() error { return f.Update(ctx, change) }
	}
	reads := func(read func(ctx context.Context) error) func() error {
		return func() error {
			if err := read(ctx); err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			return nil
		}
	}
	run["begin a session"] = update(func(tx *store.Tx) error { return tx.SignIn.AddSession(ctx, session, "") })
	run["read a session"] = reads(func(ctx context.Context) error { _, err := f.SignIn.Session(ctx, f.own, session.ID); return err })
	run["read a device"] = reads(func(ctx context.Context) error { _, err := f.Fleet.DeviceOf(ctx, f.own, f.own, device.ID); return err })
	run["change a device"] = update(func(tx *store.Tx) error {
		d, err := tx.Fleet.DeviceOf(ctx, f.own, f.own, device.ID)
		if err != nil {
			return err
		}
		return tx.Fleet.SetDevice(ctx, d, noon)
	})
	lease := work.Claim{TenantID: f.own, ConnectionID: f.connection, Owner: "me", LeasedUntil: drover.At(noon.Add(time.Minute))}
	run["collect a connection"] = update(func(tx *store.Tx) error {
		if err := tx.Jobs.AddCollection(ctx, f.own, f.connection, noon); err != nil {
			return err
		}
		if _, err := tx.Fleet.ConnectionJobs(ctx, f.own, f.connection); err != nil {
			return err
		}
		if err := tx.Jobs.HoldLease(ctx, lease, noon); !errors.Is(err, work.ErrLeaseLost) {
			return err
		}
		return nil
	})
	run["publish an event"] = update(func(tx *store.Tx) error {
		version, err := tx.Feed.AddEvents(ctx, f.own, []drover.Event{{Type: drover.EventDeviceUpdated, Timestamp: noon, Data: []byte("{}")}})
		if err != nil {
			return err
		}
		_, receivers := tx.Feed.Receivers(ctx, f.own, version)
		_, recipients := tx.Shares.Recipients(ctx, f.own, f.connection)
		_, subjects := tx.Feed.DeviceSubjects(ctx, f.own, []string{device.ID})
		_, tags := tx.Feed.TagsOfConnections(ctx, f.own, []string{f.connection})
		return errors.Join(receivers, recipients, subjects, tags)
	})
	target := drover.Target{TenantID: f.own, ID: store.NewID()}
	run["send to a webhook"] = func() error {
		_, claim := f.Feed.ClaimTarget(ctx, target, "me", "", noon, noon)
		_, due := f.Feed.DueDeliveries(ctx, target, noon, nil, 10)
		return errors.Join(claim, due)
	}
	run["find who shares"] = reads(func(ctx context.Context) error { _, err := f.Shares.Owners(ctx, f.own); return err })

	run["claim connections"] = reads(func(ctx context.Context) error {
		_, err := f.Jobs.ClaimCollections(ctx, "me", noon, noon, 1, work.Shares{})
		return err
	})
	run["claim milestones"] = reads(func(ctx context.Context) error { _, err := f.ClaimMilestones(ctx, noon, noon, 1); return err })
	run["look for deliveries"] = reads(func(ctx context.Context) error { _, err := f.Feed.DueTargets(ctx, "", noon); return err })
	run["list connections"] = reads(func(ctx context.Context) error { _, err := f.Fleet.ConnectionPage(ctx, f.own, "", "", 10); return err })
	run["list devices"] = reads(func(ctx context.Context) error {
		_, err := f.Fleet.Devices(ctx, f.own, drover.DeviceFilter{}, "", 10)
		return err
	})
	run["list trips"] = reads(func(ctx context.Context) error {
		_, err := f.Trips.Trips(ctx, f.own, drover.TripFilter{}, nil, 10)
		return err
	})
	run["list jobs"] = reads(func(ctx context.Context) error { _, err := f.Fleet.VisibleJobs(ctx, f.own); return err })
	run["sum up trips"] = reads(func(ctx context.Context) error {
		_, err := f.Trips.TripSums(ctx, f.own, drover.TripFilter{})
		return err
	})
	run["list milestones"] = reads(func(ctx context.Context) error {
		_, err := f.Trips.Milestones(ctx, f.own, drover.MilestoneFilter{}, "", 10)
		return err
	})
	run["read what others share"] = reads(func(ctx context.Context) error {
		_, err := f.Shares.ForeignGrants(ctx, f.own, []string{store.NewID()}, nil)
		return err
	})
	for _, name := range slices.Sorted(maps.Keys(run)) {
		mu.Lock()
		over = nil
		mu.Unlock()
		if err := run[name](); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		mu.Lock()
		if known := slices.Contains(overAllTenants, name); known != (len(over) > 0) {
			t.Errorf("%s reads over all tenants: %t, listed: %t\n%s", name, len(over) > 0, known, strings.Join(over, "\n"))
		}
		mu.Unlock()
	}
}
