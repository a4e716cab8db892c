package store_test

import (
	"errors"
	"testing"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/work"
)

func safetyOf(d drover.Device, name string, typ drover.SafetyType) drover.SafetyEvent {
	return drover.SafetyEvent{
		ID: store.NewID(), DeviceID: d.ID, ConnectionID: d.ConnectionID, SystemEventID: name, Type: typ, NativeType: "word " + name,
		StartTime: noon, Status: drover.SafetyOpen,
	}
}

func TestSafetyEvents(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, d, e := f.t.Context(), f.addDevice("cold"), f.addDevice()
		full := safetyOf(d, "1", drover.SafetyBraking)
		full.DriverID, full.EndTime = drover.NewDriverID(new("D-1")), new(after(1))
		full.Latitude, full.Longitude, full.Heading = new(48.5), new(11.5), new(90.0)
		full.SpeedKPH, full.MaxSpeedKPH, full.SpeedLimitKPH = new(50.0), new(60.0), new(30.0)
		full.AccelerationG, full.LateralG = new(-0.4), new(0.1)
		full.Severity, full.Method, full.MediaAvailable = new(drover.SafetyHigh), new(drover.SafetyByCamera), new(true)
		second := safetyOf(e, "2", drover.SafetySpeeding)
		second.StartTime = after(30)
		set := func(list ...drover.SafetyEvent) {
			f.t.Helper()
			f.update(func(tx *store.Tx) error { return tx.Vehicles.SetSafetyEvents(ctx, f.own, list) })
		}
		set(full, second)
		full.Status = drover.SafetyDismissed
		again := full
		again.ID = store.NewID() // the same event, of which the first id stays
		set(again)
		f.update(func(tx *store.Tx) error {
			named, err := tx.Vehicles.SafetyEventsNamed(ctx, f.own, []string{d.ID}, []string{"1", "2"})
			check(f.t, len(named), 1)
			check(f.t, named[0].SafetyEvent, full)
			return err
		})
		list := func(asker string, filter drover.SafetyFilter) (names []string) {
			f.t.Helper()
			for _, found := range must[[]drover.SafetyEvent](f.t)(f.Vehicles.SafetyEvents(ctx, asker, filter, "", 10)) {
				names = append(names, found.SystemEventID)
			}
			return names
		}
		all := []string{"1", "2"}
		check(f.t, list(f.own, drover.SafetyFilter{}), all)
		check(f.t, list(f.own, drover.SafetyFilter{DeviceIDs: []string{e.ID}}), all[1:])
		check(f.t, list(f.own, drover.SafetyFilter{ConnectionIDs: []string{f.connection}}), all)
		check(f.t, list(f.own, drover.SafetyFilter{Tags: []string{"cold"}}), all[:1])
		check(f.t, list(f.own, drover.SafetyFilter{DriverIDs: []string{"D-1"}}), all[:1])
		check(f.t, list(f.own, drover.SafetyFilter{Types: []drover.SafetyType{drover.SafetySpeeding}}), all[1:])
		check(f.t, list(f.own, drover.SafetyFilter{From: new(after(30))}), all[1:])
		check(f.t, list(f.own, drover.SafetyFilter{To: new(after(30))}), all[:1])
		check(f.t, list(f.other, drover.SafetyFilter{}), nil)
		covered := must[[]store.RecordCoverage](f.t)(f.Vehicles.SafetyCoverage(ctx, f.own, f.connection, after(10)))
		check(f.t, covered, []store.RecordCoverage{
			{Field: "harsh_braking", Devices: 0, Newest: noon},
			{Field: "speeding", Devices: 1, Newest: after(30)},
		})
		f.update(func(tx *store.Tx) error {
			n, err := tx.Vehicles.RenameSafetyDriver(ctx, f.own, work.NewRename("D-1", "gone"))
			check(f.t, n, 1)
			return err
		})
		check(f.t, must[store.SafetyEvent](f.t)(f.Vehicles.SafetyEvent(ctx, f.own, full.ID)).DriverID.Value, "gone")
		forgotten := must[int64](f.t)(f.ForgetSafetyEvents(ctx, []history.Cut{{TenantID: f.own, Before: new(after(1))}}))
		check(f.t, forgotten, 1)
		f.update(func(tx *store.Tx) error {
			_, err := tx.Vehicles.EraseSafetyEvents(ctx, f.own, e.ID)
			return err
		})
		check(f.t, list(f.own, drover.SafetyFilter{}), nil)
	})
}

// TestSafetyEventsByScope holds what a share shows of safety events with each set of scopes: none
// without their own, no place without positions, and no driver without drivers, also not by a
// filter or in a list of changes.
func TestSafetyEventsByScope(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx, d := f.t.Context(), f.addDevice()
		e := safetyOf(d, "1", drover.SafetyCrash)
		e.DriverID, e.Latitude, e.Longitude = drover.NewDriverID(new("D-1")), new(48.5), new(11.5)
		f.update(func(tx *store.Tx) error { return tx.Vehicles.SetSafetyEvents(ctx, f.own, []drover.SafetyEvent{e}) })
		for _, grant := range []drover.Grant{
			drover.GrantRecords | drover.GrantPositions | drover.GrantDrivers | drover.GrantReadings,
			drover.GrantRecords | drover.GrantSafety, drover.GrantRecords | drover.GrantSafety | drover.GrantPositions,
			drover.GrantRecords | drover.GrantSafety | drover.GrantDrivers, drover.FullGrant,
		} {
			s := drover.Share{ID: store.NewID(), ConnectionID: f.connection, OwnerTenantID: f.own, TenantID: f.other, CreatedAt: noon}
			f.update(func(tx *store.Tx) error {
				return errors.Join(tx.Shares.AddShare(ctx, s, grant), tx.Shares.AcceptShare(ctx, s, noon))
			})
			seen := must[[]drover.SafetyEvent](f.t)(f.Vehicles.SafetyEvents(ctx, f.other, drover.SafetyFilter{}, "", 10))
			byDriver := must[[]drover.SafetyEvent](f.t)(f.Vehicles.SafetyEvents(ctx, f.other, drover.SafetyFilter{DriverIDs: []string{"D-1"}}, "", 10))
			check(f.t, len(seen) == 1, grant.Safety())
			check(f.t, len(byDriver) == 1, grant.Safety() && grant.Drivers())
			if grant.Safety() {
				check(f.t, seen[0], e.SeenWith(grant))
				check(f.t, seen[0].Latitude != nil, grant.Positions())
				check(f.t, seen[0].DriverID != nil, grant.Drivers())
			}
			f.update(func(tx *store.Tx) error {
				_, err := tx.Shares.DropShare(ctx, s)
				return err
			})
		}
	})
}
