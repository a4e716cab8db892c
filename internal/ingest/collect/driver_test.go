package collect_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// drivers lists what is stored of a connection, by the vendor's id.
func (r *rig) drivers(conn drover.Connection) map[string]drover.Driver {
	r.t.Helper()
	list, err := r.store.Drivers.Drivers(r.t.Context(), r.principal.TenantID, drover.DriverFilter{ConnectionID: conn.ID}, "", 1_000_000)
	if err != nil {
		r.t.Fatal(err)
	}
	drivers := map[string]drover.Driver{}
	for _, d := range list {
		drivers[d.SystemDriverID] = d
	}
	return drivers
}

func (r *rig) activeDrivers(conn drover.Connection) (n int) {
	for _, d := range r.drivers(conn) {
		if d.Active {
			n++
		}
	}
	return n
}

// crew connects to a stub that lists drivers.
func (r *rig) crew(name string) (*stub, drover.Connection) {
	r.t.Helper()
	info := r.stubInfo()
	info.Features.Drivers = true
	r.options.Providers[stubName] = info
	return r.stub(name, noon, named(1))
}

// drive sets the drivers that the vendor lists, in one page.
func (s *stub) drive(drivers ...provider.Driver) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drivers = func(string) (provider.Page[provider.Driver], error) {
		return provider.Page[provider.Driver]{Records: append([]provider.Driver{}, drivers...)}, nil
	}
}

func persons(first, n int) []provider.Driver {
	drivers := make([]provider.Driver, n)
	for i := range drivers {
		drivers[i] = provider.Driver{SystemDriverID: fmt.Sprintf("p%05d", first+i), FirstName: new("Ann"), LastName: new("Lee"), Active: true}
	}
	return drivers
}

// TestDriversAreCollected reads a list with what no database takes, someone twice and words
// for no one, and follows what the vendor and the tenant change.
func TestDriversAreCollected(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.crew("drivers")
		ann := provider.Driver{
			SystemDriverID: "17", FirstName: new("Ann\x00"), LastName: new("Lee"), Email: new(""), Active: true,
			Keys: []drover.DriverKey{{Type: drover.KeyRFID, Value: "9\x00f"}},
		}
		s.drive(ann, provider.Driver{SystemDriverID: "UnknownDriverId"}, provider.Driver{SystemDriverID: "NoDriverId"},
			provider.Driver{SystemDriverID: "0"}, provider.Driver{}, provider.Driver{SystemDriverID: "18", Active: true}, ann)
		r.run()
		before := r.drivers(conn)
		if d := before["17"]; len(before) != 2 || deref(d.Name) != "Ann Lee" || d.Email != nil || !d.Active || d.Keys[0].Value != "9f" {
			t.Fatalf("drivers are %+v", before)
		}
		if n := len(r.events(drover.EventDriverCreated)); n != 2 {
			t.Errorf("%d drivers are reported, want 2", n)
		}
		r.expectState(conn, drover.ConnectionHealthy)

		update := drover.DriverUpdate{Active: drover.Some(false), Tags: drover.Some([]string{"North"})}
		if _, err := r.fleet.Drivers.UpdateDriver(t.Context(), r.principal, before["17"].ID, update); err != nil {
			t.Fatal(err)
		}
		ann.FirstName = new("Anna")
		s.drive(ann) // the other is gone
		r.pass(61 * time.Minute)
		after := r.drivers(conn)
		if d := after["17"]; d.ID != before["17"].ID || deref(d.Name) != "Anna Lee" || d.Active || len(d.Tags) != 1 {
			t.Errorf("the driver is %+v", d)
		}
		if after["18"].Active || len(after) != 2 {
			t.Errorf("who is not listed any more is %+v", after["18"])
		}
		changes := len(r.events(drover.EventDriverUpdated))
		r.pass(2 * time.Hour)
		if n := len(r.events(drover.EventDriverUpdated)); n != changes || changes != 3 {
			t.Errorf("%d changes are reported, and %d after lists that say the same; want 3", changes, n)
		}
	})
}

// TestDriversWhoseIDsChange has a vendor that lists everyone under another id: the former
// records are kept until three lists lack them, and become inactive then. None is lost.
func TestDriversWhoseIDsChange(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.crew("renumbered")
		s.drive(persons(0, 20)...)
		r.run()
		s.drive(persons(100, 20)...)
		for i, want := range []int{40, 40, 20} {
			r.pass(61 * time.Minute)
			if n, all := r.activeDrivers(conn), len(r.drivers(conn)); n != want || all != 40 {
				t.Errorf("%d of %d drivers are active, want %d of 40", n, all, want)
			}
			r.expectState(conn, []drover.ConnectionState{drover.ConnectionDegraded, drover.ConnectionDegraded, drover.ConnectionHealthy}[i])
		}
	})
}

// TestManyDrivers has 99,000 that are stored, and a vendor that lists 2,000 others: what is
// stored has an end, and the connection goes on.
func TestManyDrivers(t *testing.T) {
	t.Parallel()
	r := newRig(t, storetest.Open(t, storetest.Options(t, "sqlite")))
	s, conn := r.crew("crowd")
	known := make([]drover.Driver, 99_000)
	for i := range known {
		known[i] = drover.Driver{
			ID: store.NewID(), ConnectionID: conn.ID, SystemDriverID: fmt.Sprintf("k%05d", i), Active: true, Tags: []string{},
		}
	}
	err := r.store.Update(t.Context(), func(tx *store.Tx) error {
		return tx.Drivers.AddDrivers(t.Context(), r.principal.TenantID, known, drover.At(noon))
	})
	if err != nil {
		t.Fatal(err)
	}
	s.drive(persons(0, 2_000)...)
	r.run()
	if n := r.activeDrivers(conn); n != 100_000 {
		t.Errorf("%d drivers are stored, want 100000", n)
	}
	r.expectState(conn, drover.ConnectionDegraded) // most of the first are missing, and there is no room
}

// TestDriversThatMayNotBeRead has an account without the right to list drivers, and a vendor
// whose list never ends: the connection goes on, and the coverage says why.
func TestDriversThatMayNotBeRead(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		s, conn := r.crew("refused")
		s.drivers = func(string) (provider.Page[provider.Driver], error) {
			return provider.Page[provider.Driver]{}, provider.Errorf(provider.KindCredentials, "403 forbidden")
		}
		r.run()
		r.expectState(conn, drover.ConnectionHealthy)
		if n := len(r.events(drover.EventConnectionFailing)); n > 0 {
			t.Errorf("%d failures are reported", n)
		}
		r.expectOffer(conn, "driver", drover.OfferRefused, "the right to list drivers")
		s.mu.Lock()
		s.drivers = func(string) (provider.Page[provider.Driver], error) {
			return provider.Page[provider.Driver]{Cursor: "x", More: true}, nil
		}
		s.mu.Unlock()
		r.pass(3 * time.Hour)
		r.expectState(conn, drover.ConnectionDegraded) // and never failing
		s.drive()
		r.pass(2 * time.Hour)
		r.expectOffer(conn, "driver", drover.OfferNative, "")
		s.drive(persons(0, 1)...)
		r.pass(2 * time.Hour)
		r.expectOffer(conn, "driver", drover.OfferNative, "")
		if n := r.activeDrivers(conn); n != 1 {
			t.Errorf("%d drivers, want 1", n)
		}
	})
}

// TestAssignmentsOfTwoConnections has two connections that give the same id to different drivers: who
// drove a device of one was none of the other's.
func TestAssignmentsOfTwoConnections(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		t.Helper()
		info := r.stubInfo()
		info.Features.Drivers = true
		r.options.Providers[stubName] = info
		var conns []drover.Connection
		for _, name := range []string{"one", "other"} {
			s, conn := r.stub(name, noon.Add(-3*time.Hour), []string{"a"}, native)
			s.drive(persons(0, 1)...)
			s.tripsNext(provider.Trip{
				SystemDeviceID: "a", SystemTripID: "1", DriverID: new("p00000"),
				StartTime: drover.At(noon.Add(-2 * time.Hour)), EndTime: drover.At(noon.Add(-time.Hour)),
			})
			conns = append(conns, conn)
		}
		r.run()
		device := r.devices(conns[0])["a"].ID
		for i, want := range []int{1, 0} {
			list, err := r.fleet.Drivers.Assignments(t.Context(), r.principal, drover.AssignmentFilter{
				DeviceID: device, DriverID: r.drivers(conns[i])["p00000"].ID, From: drover.At(noon.Add(-3 * time.Hour)),
			})
			if err != nil || len(list) != want {
				t.Errorf("the driver of connection %d: %+v, %v; want %d", i, list, err, want)
			}
		}
	})
}
