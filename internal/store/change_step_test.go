package store_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
)

func (f *copied) findDevice() {
	if len(f.devices) > 12 {
		return
	}
	d := store.Device{Device: drover.Device{
		ID: store.NewID(), ConnectionID: f.connection, SystemDeviceID: store.NewID(), Active: true,
		Tags: []string{},
	}, Access: store.Access{TenantID: f.own}}
	f.write(func(tx *store.Tx) error { return tx.Fleet.AddDevice(f.t.Context(), f.own, d.Device, noon) })
	f.devices = append(f.devices, d)
}

func (f *copied) editDevice() {
	if len(f.devices) == 0 {
		return
	}
	d := &f.devices[f.random.IntN(len(f.devices))]
	d.Description = new(fmt.Sprint(f.random.IntN(100)))
	f.write(func(tx *store.Tx) error { return tx.Fleet.SetDevice(f.t.Context(), *d, noon) })
}

// say has instruments of a device say something: two series have one kind, and are shown as
// one, a third says the same again.
func (f *copied) say() {
	if len(f.devices) == 0 {
		return
	}
	d := f.devices[f.random.IntN(len(f.devices))].Device
	said := must[[]store.ReadingSeries](f.t)(f.Vehicles.DeviceReadings(f.t.Context(), f.own, d.ID))
	for i, kind := range []drover.ReadingKind{drover.ReadingOdometer, drover.ReadingOdometer, drover.ReadingFuelPercent} {
		if s := series(d, int64(i)+1, kind, after(f.random.IntN(3)), 1); i == len(said) {
			said = append(said, s)
		} else if f.random.IntN(2) == 0 {
			said[i] = s
		}
	}
	f.write(func(tx *store.Tx) error { return tx.Vehicles.SetReadingSeries(f.t.Context(), f.own, said) })
}

func (f *copied) tripOf(d store.Device) store.Trip {
	start := noon.Add(-time.Duration(f.random.IntN(100_000)) * time.Minute)
	t := store.Trip{Access: d.Access, ConnectionID: d.ConnectionID}
	t.ID, t.DeviceID, t.SystemTripID = store.NewID(), d.ID, store.NewID()
	t.StartTime, t.EndTime, t.IsValid = drover.At(start), drover.At(start.Add(time.Minute)), true
	return t
}

func (f *copied) fillTrip() {
	if len(f.devices) == 0 {
		return
	}
	t := f.tripOf(f.devices[f.random.IntN(len(f.devices))])
	f.write(func(tx *store.Tx) error { return tx.Trips.AddTrip(f.t.Context(), t) })
	f.trips = append(f.trips, t)
}

func (f *copied) reviseTrip() {
	if len(f.trips) == 0 {
		return
	}
	t := &f.trips[f.random.IntN(len(f.trips))]
	before := *t
	t.EndTime, t.DriverID = drover.At(t.EndTime.Add(time.Second)), new(fmt.Sprint(f.random.IntN(5)))
	f.write(func(tx *store.Tx) error { return tx.Trips.SetTrip(f.t.Context(), before, *t) })
}

func (f *copied) dissolveTrip() {
	if len(f.trips) == 0 {
		return
	}
	i := f.random.IntN(len(f.trips))
	t := f.trips[i]
	f.write(func(tx *store.Tx) error { return tx.Trips.DropTrip(f.t.Context(), t) })
	f.trips = slices.Delete(f.trips, i, i+1)
}

// stop lets a device stop, go on, or never have stopped: the id moves from one table to
// another.
func (f *copied) stop() {
	if len(f.devices) == 0 {
		return
	}
	d, ctx := f.devices[f.random.IntN(len(f.devices))], f.t.Context()
	last, ended := f.stops[d.ID]
	switch f.random.IntN(4) {
	case 0:
		s := drover.Stop{ID: store.NewID(), DeviceID: d.ID, StartTime: noon, Latitude: new(1.0), Longitude: new(2.0)}
		if f.random.IntN(3) == 0 {
			s.EndTime = &noon
		}
		f.write(func(tx *store.Tx) error { return tx.Trips.SetOpenStop(ctx, f.own, d.ConnectionID, s) })
	case 1:
		f.write(func(tx *store.Tx) error { return tx.Trips.DropOpenStop(ctx, f.own, d.ID) })
	case 2:
		open := must[map[string]drover.Stop](f.t)(f.Trips.OpenStops(ctx, f.own, []string{d.ID}))[d.ID]
		if open.ID == "" || ended {
			return
		}
		open.EndTime = new(drover.At(noon.Add(time.Hour)))
		f.write(func(tx *store.Tx) error {
			return errors.Join(tx.Trips.DropOpenStop(ctx, f.own, d.ID), tx.Trips.AddStop(ctx, f.own, d.ConnectionID, store.Stop{Stop: open}))
		})
		f.stops[d.ID] = store.Stop{Stop: open}
	case 3:
		if ended {
			f.write(func(tx *store.Tx) error { return tx.Trips.DropStop(ctx, f.own, d.ConnectionID, last) })
			delete(f.stops, d.ID)
		}
	}
}

func (f *copied) setGoal() {
	if len(f.devices) == 0 {
		return
	}
	asker := []string{f.own, f.other}[f.random.IntN(2)]
	m := store.Milestone{DeviceTenantID: f.own, ConnectionID: &f.devices[0].ConnectionID, State: []byte("{}"), Milestone: drover.Milestone{
		ID: store.NewID(), TenantID: asker, DeviceID: f.devices[0].ID, StartTime: noon, CreatedAt: noon, UpdatedAt: noon,
		Status: drover.TripNotStarted,
	}}
	f.write(func(tx *store.Tx) error { return tx.Trips.AddMilestone(f.t.Context(), m) })
	f.goals = append(f.goals, m)
}

func (f *copied) moveGoal() {
	if len(f.goals) == 0 {
		return
	}
	m := &f.goals[f.random.IntN(len(f.goals))]
	m.EndPoint.Latitude = f.random.Float64()
	f.write(func(tx *store.Tx) error { return tx.Trips.SetMilestone(f.t.Context(), *m) })
}

func (f *copied) dropGoal() {
	if len(f.goals) == 0 {
		return
	}
	i := f.random.IntN(len(f.goals))
	m := f.goals[i]
	f.write(func(tx *store.Tx) error { return tx.Trips.DropMilestone(f.t.Context(), m.TenantID, m.ID) })
	f.goals = slices.Delete(f.goals, i, i+1)
}

func (f *copied) findDriver() {
	if len(f.drivers) > 12 {
		return
	}
	d := store.Driver{Driver: drover.Driver{
		ID: store.NewID(), ConnectionID: f.connection, SystemDriverID: store.NewID(), Active: true, Keys: []drover.DriverKey{},
		Tags: []string{},
	}, Access: store.Access{TenantID: f.own}}
	f.write(func(tx *store.Tx) error {
		return tx.Drivers.AddDrivers(f.t.Context(), f.own, []drover.Driver{d.Driver}, noon)
	})
	f.drivers = append(f.drivers, d)
}

func (f *copied) editDriver() {
	if len(f.drivers) == 0 {
		return
	}
	d := &f.drivers[f.random.IntN(len(f.drivers))]
	d.Phone, d.Keys = new(fmt.Sprint(f.random.IntN(100))), []drover.DriverKey{{Type: drover.KeyRFID, Value: fmt.Sprint(f.random.IntN(100))}}
	f.write(func(tx *store.Tx) error { return tx.Drivers.SetDriver(f.t.Context(), *d, noon) })
}

func (f *copied) dropDrivers() {
	if f.random.IntN(4) > 0 {
		return
	}
	f.write(func(tx *store.Tx) error {
		_, err := tx.Drivers.EraseDrivers(f.t.Context(), f.own, f.connection)
		return err
	})
	f.drivers = nil
}

func (f *copied) editConnection() {
	f.write(func(tx *store.Tx) error {
		c, err := tx.Fleet.ConnectionForUpdate(f.t.Context(), f.own, f.connection)
		c.BusinessName = fmt.Sprint(f.random.IntN(100))
		return cmp.Or(err, tx.Fleet.SetConnection(f.t.Context(), c, noon))
	})
}

func (f *copied) shareOrNot() {
	ctx := f.t.Context()
	if s := f.shared; s != nil {
		f.write(func(tx *store.Tx) error { _, err := tx.Shares.DropShare(ctx, *s); return err })
		f.shared = nil
		return
	}
	f.shared = &drover.Share{ID: store.NewID(), ConnectionID: f.connection, OwnerTenantID: f.own, TenantID: f.other, CreatedAt: noon}
	grant := []drover.Grant{drover.FullGrant, drover.FullGrant &^ drover.GrantDrivers}[f.random.IntN(2)]
	f.write(func(tx *store.Tx) error {
		return errors.Join(tx.Shares.AddShare(ctx, *f.shared, grant), tx.Shares.AcceptShare(ctx, *f.shared, noon))
	})
}

// forget makes copies too old that were not read for a while.
func (f *copied) forget() {
	f.now = f.now.Add(time.Hour)
	f.write(func(tx *store.Tx) error {
		_, err := tx.Fleet.MarkChanges(f.t.Context(), drover.At(f.now), 4*time.Hour)
		return err
	})
}
