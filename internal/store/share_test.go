package store_test

import (
	"errors"
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// TestShareGivesAccess holds the one rule of when a share does, for every way to
// ask: once it is accepted, until it expires, while neither side is suspended.
func TestShareGivesAccess(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		d := f.addDevice()
		m := drover.Milestone{
			ID: store.NewID(), TenantID: f.other, DeviceID: d.ID, StartTime: noon, CreatedAt: noon, UpdatedAt: noon,
			Status: drover.TripNotStarted,
		}
		f.update(func(tx *store.Tx) error {
			return tx.Trips.AddMilestone(ctx, store.Milestone{
				Milestone: m, DeviceTenantID: f.own, ConnectionID: &d.ConnectionID, State: []byte("{}"), DueAt: &noon,
			})
		})
		s := drover.Share{ID: store.NewID(), ConnectionID: f.connection, OwnerTenantID: f.own, TenantID: f.other, CreatedAt: noon}
		readable := func(want drover.Grant) {
			f.t.Helper()
			check(f.t, must[store.Device](f.t)(f.Fleet.Device(ctx, f.other, d.ID)).Shared, want)
			check(f.t, must[store.Connection](f.t)(f.Fleet.Connection(ctx, f.other, f.connection)).Shared, want)
			grants := must[map[string]drover.Grant](f.t)(f.Shares.ForeignGrants(ctx, f.other, []string{f.connection}, []string{d.ID}))
			check(f.t, grants, map[string]drover.Grant{f.connection: want, d.ID: want})
			n, newest, tracked := 0, 0, 0
			if want.Records() {
				n = 1
			}
			if want.Positions() {
				newest, tracked = 1, 1
			}
			check(f.t, len(must[[]drover.Device](f.t)(f.Fleet.Devices(ctx, f.other, drover.DeviceFilter{}, "", 10))), n)
			check(f.t, len(must[[]drover.Connection](f.t)(f.Fleet.Connections(ctx, f.other, ""))), n)
			check(f.t, len(must[map[string]store.DeviceLabel](f.t)(f.Fleet.DeviceLabels(ctx, f.other, []string{d.ID}))), n)
			check(f.t, len(must[map[string]drover.Grant](f.t)(f.Shares.Recipients(ctx, f.own, f.connection))), n)
			check(f.t, len(must[store.Newest](f.t)(f.NewestPositions(ctx, f.other, drover.NewestFilter{})).Devices), newest)
			f.update(func(tx *store.Tx) error {
				open, err := tx.Trips.OpenMilestones(ctx, f.other, f.own, []string{d.ID})
				check(f.t, len(open), tracked)
				return err
			})
			due := must[[]store.DueMilestone](f.t)(f.ClaimMilestones(ctx, noon, noon, 10))
			check(f.t, len(due), tracked)
			// Anyone who waits for one that cannot be claimed would ask again and again.
			_, err := f.Trips.NextMilestone(ctx)
			check(f.t, errors.Is(err, store.ErrNotFound), tracked == 0)
		}
		readable(0)
		f.update(func(tx *store.Tx) error { return tx.Shares.AddShare(ctx, s, drover.FullGrant) })
		readable(0) // offered
		check(f.t, must[drover.Share](f.t)(f.Shares.Share(ctx, s.ID)).State, drover.ShareOffered)
		f.update(func(tx *store.Tx) error { return tx.Shares.AcceptShare(ctx, s, noon) })
		readable(drover.FullGrant)
		for _, tenant := range []string{f.own, f.other} {
			suspend := func(yes bool) {
				f.update(func(tx *store.Tx) error { return tx.Accounts.SuspendTenant(ctx, tenant, yes) })
			}
			suspend(true)
			readable(0)
			suspend(false)
			readable(drover.FullGrant)
		}
		again := func(grant drover.Grant, expires *drover.Time) {
			f.update(func(tx *store.Tx) error {
				_, err := tx.Shares.DropShare(ctx, s)
				s.ID, s.ExpiresAt = store.NewID(), expires
				return errors.Join(err, tx.Shares.AddShare(ctx, s, grant), tx.Shares.AcceptShare(ctx, s, noon))
			})
		}
		again(drover.FullGrant, new(drover.At(time.Now().Add(time.Hour))))
		readable(drover.FullGrant)
		again(drover.FullGrant, new(drover.At(time.Now().Add(-time.Millisecond))))
		readable(0)
		check(f.t, must[drover.Share](f.t)(f.Shares.Share(ctx, s.ID)).State, drover.ShareExpired)
		again(drover.GrantRecords, nil)
		readable(drover.GrantRecords)
		again(drover.GrantRecords|drover.GrantPositions, nil)
		readable(drover.GrantRecords | drover.GrantPositions)
		check(f.t, len(must[[]drover.Share](f.t)(f.Shares.Shares(ctx, f.other, "", 10))), 1)
		check(f.t, len(must[[]drover.Share](f.t)(f.Shares.Shares(ctx, f.own, s.ID, 10))), 0)
	})
}

func TestShareCodes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		f.update(func(tx *store.Tx) error {
			return errors.Join(tx.Shares.AddShareCode(ctx, f.own, "young", drover.At(time.Now().Add(time.Hour))),
				tx.Shares.AddShareCode(ctx, f.own, "old", drover.At(time.Now().Add(-time.Hour))))
		})
		for _, c := range []struct {
			hash string
			want error
		}{{"young", nil}, {"young", store.ErrNotFound}, {"old", store.ErrNotFound}, {"none", store.ErrNotFound}} {
			err := f.Update(ctx, func(tx *store.Tx) error {
				tenant, err := tx.Shares.TakeShareCode(ctx, c.hash)
				if err == nil {
					check(f.t, tenant, f.own)
				}
				return err
			})
			if !errors.Is(err, c.want) {
				f.t.Errorf("%s: %v, want %v", c.hash, err, c.want)
			}
		}
	})
}

// TestSharesOfOtherProcesses has two processes on one database: one remembers for a second at
// most that no one shares with a tenant, the one that stores the share not at all.
func TestSharesOfOtherProcesses(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := storetest.Options(t, name)
			f := newFixture(t, storetest.Open(t, o))
			now := time.Now()
			o.Present = func() time.Time { return now }
			another := storetest.Open(t, o)
			device := f.addDevice().ID
			sees := func(s *store.Store, want ...string) {
				t.Helper()
				var ids []string
				for _, d := range must[[]drover.Device](t)(s.Fleet.Devices(t.Context(), f.other, drover.DeviceFilter{}, "", 10)) {
					ids = append(ids, d.ID)
				}
				check(t, ids, want)
			}
			sees(f.Store)
			sees(another)
			f.share()
			sees(f.Store, device)
			now = now.Add(time.Second)
			sees(another, device)
		})
	}
}

// TestForeignGrantsApart has tenants at two places: what is a tenant's own, and what is shared with
// it, is found without asking for the rows of all.
func TestForeignGrantsApart(t *testing.T) {
	t.Parallel()
	o, places := storetest.Apart(t)
	var over atomic.Int64
	watch := o.Trace
	o.Trace = func(s database.Statement) {
		watch(s)
		if storetest.OverAll(s.Query) {
			over.Add(1)
		}
	}
	s := storetest.Open(t, o)
	owner, asker, connection := storetest.TwoTenants(t, s, noon)
	places.Put(s, owner, storetest.Near)
	places.Put(s, asker, storetest.Far)
	grants := func(tenant, id string) map[string]drover.Grant {
		t.Helper()
		over.Store(0)
		got, err := s.Shares.ForeignGrants(t.Context(), tenant, []string{id}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := grants(owner, connection); len(got) != 0 || over.Load() != 0 {
		t.Errorf("of its own it reads %v, with %d statements over all tenants", got, over.Load())
	}
	if got := grants(asker, connection); !maps.Equal(got, map[string]drover.Grant{connection: 0}) {
		t.Errorf("of what is not shared it reads %v, want that it is another's", got)
	}
	share := drover.Share{ID: store.NewID(), ConnectionID: connection, OwnerTenantID: owner, TenantID: asker, CreatedAt: noon}
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		return errors.Join(tx.Shares.AddShare(t.Context(), share, drover.GrantPositions), tx.Shares.AcceptShare(t.Context(), share, noon))
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := grants(asker, connection); got[connection]&drover.GrantPositions == 0 || over.Load() != 0 {
		t.Errorf("of what is shared it reads %v, with %d statements over all tenants", got, over.Load())
	}
	over.Store(0)
	for _, tenant := range []string{owner, asker} {
		list, err := s.Shares.Shares(t.Context(), tenant, "", 10)
		if err != nil || len(list) != 1 || list[0].ID != share.ID || over.Load() != 0 {
			t.Errorf("its shares are %+v, %v, with %d statements over all tenants", list, err, over.Load())
		}
		if list, err = s.Shares.Shares(t.Context(), tenant, share.ID, 10); err != nil || len(list) != 0 {
			t.Errorf("after the last one there are %+v, %v", list, err)
		}
	}
	if got := grants(asker, store.NewID()); len(got) != 0 {
		t.Errorf("of what no one has it reads %v", got)
	}
}
