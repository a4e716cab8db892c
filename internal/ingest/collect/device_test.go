package collect_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
)

func TestDevicesFollowTheVendor(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("devices", noon, []string{"a", "b", "c"})
		r.run()
		before := r.devices(conn)
		if len(before) != 3 || len(r.events(drover.EventDeviceCreated)) != 3 {
			t.Fatalf("%d devices, %d reported", len(before), len(r.events(drover.EventDeviceCreated)))
		}

		t.Run("EditsSurvive", func(t *testing.T) {
			_, err := r.fleet.Devices.UpdateDevice(t.Context(), r.principal, before["a"].ID, drover.DeviceUpdate{Description: drover.Some("mine")})
			if err != nil {
				t.Fatal(err)
			}
			s.mu.Lock()
			s.devices[0].Description, s.devices[0].Make = new("changed"), new("Scania")
			s.mu.Unlock()
			r.pass(11 * time.Minute)
			if a := r.devices(conn)["a"]; deref(a.Description) != "mine" || deref(a.Make) != "Scania" || a.ID != before["a"].ID {
				t.Errorf("the device is %+v", a)
			}
		})

		t.Run("GoneAndBack", func(t *testing.T) {
			reported := len(r.events(drover.EventDeviceUpdated))
			s.list("a", "b")
			r.pass(21 * time.Minute)
			if c := r.devices(conn)["c"]; c.Active || c.ID != before["c"].ID {
				t.Errorf("a device that is gone is %+v", c)
			}
			s.list("a", "b", "c")
			r.pass(21 * time.Minute)
			if c := r.devices(conn)["c"]; !c.Active || c.ID != before["c"].ID {
				t.Errorf("a device that came back is %+v", c)
			}
			changes := slices.DeleteFunc(r.events(drover.EventDeviceUpdated)[reported:],
				func(e drover.Event) bool { return *e.DeviceID != before["c"].ID })
			if len(changes) != 2 {
				t.Errorf("%d changes were reported, want 2", len(changes))
			}
		})

		t.Run("TenantsWordOnActive", func(t *testing.T) {
			_, err := r.fleet.Devices.UpdateDevice(t.Context(), r.principal, before["b"].ID, drover.DeviceUpdate{Active: drover.Some(true)})
			if err != nil {
				t.Fatal(err)
			}
			s.list("a", "c")
			r.pass(21 * time.Minute)
			if b := r.devices(conn)["b"]; !b.Active {
				t.Errorf("a device that the tenant keeps active is %+v", b)
			}
		})

		t.Run("UnknownPosition", func(t *testing.T) {
			s.next(at("new", r.clock.Now(), -37, 145), at("new", r.clock.Now().Add(time.Second), -37, 145))
			r.pass(time.Minute)
			d, known := r.devices(conn)["new"]
			if !known || !d.Active || len(r.positions(d.ID)) != 2 {
				t.Errorf("the device is %+v with %d positions", d, len(r.positions(d.ID)))
			}
			s.list("a", "b", "c", "new")
			r.pass(21 * time.Minute)
			if now := r.devices(conn)["new"]; now.ID != d.ID || deref(now.Description) != "vendor's new" || len(r.devices(conn)) != 4 {
				t.Errorf("once listed, the device is %+v, one of %d", now, len(r.devices(conn)))
			}
		})
	})
}

// TestSuspect holds that what cannot be believed is kept, marked, and nothing
// follows from it.
func TestSuspect(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.stub("suspect", noon.Add(-time.Hour), []string{"a"})
		r.run()
		device := r.devices(conn)["a"].ID
		begin := noon.Add(-30 * time.Minute)
		milestone := store.Milestone{
			Milestone: drover.Milestone{
				ID: store.NewID(), TenantID: r.principal.TenantID, DeviceID: device, Status: drover.TripNotStarted,
				StartTime:  drover.At(noon.Add(-time.Hour)),
				StartPoint: drover.Coordinate{Latitude: -37, Longitude: 145}, EndPoint: drover.Coordinate{},
			},
			DeviceTenantID: r.principal.TenantID, State: []byte(`{}`),
		}
		r.update(func(ctx context.Context, tx *store.Tx) error { return tx.Trips.AddMilestone(ctx, milestone) })

		var good []drover.Position
		var page []provider.Position
		for i := range 10 {
			p := at("a", begin.Add(time.Duration(i)*time.Minute), -37+float64(i)*0.008, 145)
			good, page = append(good, p.Position), append(page, p)
		}
		bad := map[string]provider.Position{
			"no_fix":       at("a", begin.Add(150*time.Second), 0, 0),
			"out_of_range": at("a", begin.Add(210*time.Second), 91, 145),
			"future":       at("a", noon.Add(20*time.Minute), -37, 145),
		}
		for _, p := range bad {
			page = append(page, p)
		}
		s.next(page...)
		r.pass(2 * time.Minute)

		marked := map[string]int{}
		for _, p := range r.positions(device) {
			marked[p.Suspect]++
		}
		if diff := cmp.Diff(map[string]int{"": 10, "no_fix": 1, "out_of_range": 1, "future": 1}, marked); diff != "" {
			t.Errorf("the positions by mark (-want +got):\n%s", diff)
		}
		if latest, err := r.store.Fleet.LatestPosition(t.Context(), r.principal.TenantID, device); err != nil ||
			!latest.Time.Equal(good[9].Time.Time) {
			t.Errorf("the newest position is of %v, %v; want %v", latest.Time, err, good[9].Time)
		}
		r.checkDerivedTrips(good, r.trips(drover.TripFilter{}))
		if n := len(r.trips(drover.TripFilter{})); n != 1 {
			t.Errorf("%d trips, want 1", n)
		}
		if started, ended := len(r.events(drover.EventMilestoneStarted)), len(r.events(drover.EventMilestoneEnded)); started != 1 || ended != 0 {
			t.Errorf("a milestone to 0/0 was started %d times and ended %d times, want once and never", started, ended)
		}
		for _, e := range r.events(drover.EventPositionUpdated) {
			if n := len(decode[drover.PositionBatch](t, e).Positions); n != 10 {
				t.Errorf("%d positions were reported, want 10", n)
			}
		}
	})
}
