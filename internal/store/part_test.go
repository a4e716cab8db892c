package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/database"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

// sharing is a tenant with which others share connections, and one record of each kind.
type sharing struct {
	recipient, stranger string
	owners              []string
	device, trip        string // of the first owner
	connection          string
}

// fleetOf gives a tenant a connection with devices and all that is known of them.
func fleetOf(t *testing.T, s *store.Store, tenant string, number int) (connection drover.Connection, first drover.Device, trip string) {
	t.Helper()
	ctx := t.Context()
	connection = drover.Connection{
		ID: store.NewID(), TenantID: tenant, IntegrationName: drover.Traccar, BusinessName: fmt.Sprint("fleet ", 9-number), Active: true,
		CollectionStartTime: noon,
	}
	err := s.Update(ctx, func(tx *store.Tx) error {
		return errors.Join(tx.Fleet.AddConnection(ctx, connection, []byte("sealed"), noon),
			tx.Accounts.TagConnection(ctx, tenant, connection.ID, []string{"all", fmt.Sprint("of ", number)}),
			tx.Fleet.AddJob(ctx, store.Job{
				TenantID: tenant, ConnectionID: connection.ID, ID: store.NewID(), Kind: store.JobDevices, State: store.JobActive,
				WindowFrom: noon, DueAt: noon, CreatedAt: noon,
			}))
	})
	for n := range 3 {
		d := drover.Device{
			ID: store.NewID(), ConnectionID: connection.ID, SystemDeviceID: fmt.Sprint("unit ", n), Active: true,
			Tags: []string{[]string{"red", "blue"}[n%2]},
		}
		if n > 0 { // one without what lists are sorted by
			d.Description, d.Registration = new(fmt.Sprint("Van ", 7-number, n)), new(fmt.Sprint("ab-", n, number))
		}
		at := after(10*n + number)
		start := store.Trip{Access: store.Access{TenantID: tenant}, ConnectionID: connection.ID}
		start.ID, start.DeviceID, start.SystemTripID, start.IsValid = store.NewID(), d.ID, store.NewID(), n != 1
		start.StartTime, start.EndTime, start.DriverID = at, drover.At(at.Add(time.Minute)), new("D-1")
		start.DistanceMetres, start.DrivingSeconds = new(float64(100+number)), new(float64(60))
		stop := drover.Stop{ID: store.NewID(), DeviceID: d.ID, StartTime: at, EndTime: new(after(60)), Latitude: new(1.0), Longitude: new(2.0)}
		driver := drover.Driver{
			ID: store.NewID(), ConnectionID: connection.ID, SystemDriverID: fmt.Sprint("D-", n), Name: new(fmt.Sprint("Ann ", number)),
			Active: true, Keys: []drover.DriverKey{}, Tags: []string{},
		}
		err = errors.Join(err, s.Update(ctx, func(tx *store.Tx) error {
			states := []*store.DeviceState{}
			if n < 2 {
				states = append(states, &store.DeviceState{DeviceID: d.ID, Latest: &drover.Position{Time: at, Latitude: 3, Longitude: 4}})
			}
			return errors.Join(tx.Fleet.AddDevice(ctx, tenant, d, noon), tx.Fleet.SetDeviceStates(ctx, tenant, states),
				tx.Trips.AddTrip(ctx, start),
				tx.Trips.AddStop(ctx, tenant, connection.ID, store.Stop{Stop: stop}),
				tx.Trips.SetOpenStop(ctx, tenant, connection.ID, drover.Stop{ID: store.NewID(), DeviceID: d.ID, StartTime: after(90 + n + 5*number)}),
				tx.Drivers.AddDrivers(ctx, tenant, []drover.Driver{driver}, noon),
				tx.Vehicles.SetFaults(ctx, tenant, []store.Fault{faultOf(d, fmt.Sprint("P04", n, number))}),
				tx.Vehicles.SetSafetyEvents(ctx, tenant, []drover.SafetyEvent{safetyOf(d, "1", drover.SafetyBraking)}),
				tx.Vehicles.SetReadingSeries(ctx, tenant, []store.ReadingSeries{series(d, 1, drover.ReadingOdometer, at, 1)}),
				tx.Trips.SetRoads(ctx, tenant, []store.Road{{
					ConnectionID: connection.ID, Week: int64(100 + n), Square: int64(number), Cells: []byte("x"),
				}}))
		}))
		if n == 0 {
			first, trip = d, start.ID
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return connection, first, trip
}

// newSharing has three owners at two places share with a tenant at another.
func newSharing(t *testing.T, s *store.Store, put func(tenant, place string)) (w sharing) {
	t.Helper()
	ctx := t.Context()
	places := []string{storetest.Near, storetest.Near, storetest.Far, storetest.Far, storetest.Away}
	for number, place := range places {
		tenant := store.NewID()
		err := s.Update(ctx, func(tx *store.Tx) error {
			return tx.Accounts.AddTenant(ctx, drover.Tenant{ID: tenant, Name: fmt.Sprint(number), CreatedAt: noon})
		})
		if err != nil {
			t.Fatal(err)
		}
		put(tenant, place)
		c, d, trip := fleetOf(t, s, tenant, number)
		switch number {
		case 0:
			w.device, w.trip, w.connection = d.ID, trip, c.ID
		case 3:
			w.recipient = tenant
			continue
		case 4:
			w.stranger = tenant
			continue
		}
		w.owners = append(w.owners, tenant)
		defer func() { // the recipient comes later
			share := drover.Share{ID: store.NewID(), ConnectionID: c.ID, OwnerTenantID: tenant, TenantID: w.recipient, CreatedAt: noon}
			grant := drover.FullGrant
			if number == 1 {
				grant &^= drover.GrantPositions | drover.GrantDrivers
			}
			err := s.Update(ctx, func(tx *store.Tx) error {
				return errors.Join(tx.Shares.AddShare(ctx, share, grant), tx.Shares.AcceptShare(ctx, share, noon))
			})
			if err != nil {
				t.Fatal(err)
			}
		}()
	}
	return w
}

// inPages reads a list in pages.
func inPages[T, C any](limit int, page func(after C) ([]T, error), last func(T) C) (all []T, err error) {
	var at C
	for {
		some, err := page(at)
		if all = append(all, some...); err != nil || len(some) < limit {
			return all, err
		}
		at = last(some[len(some)-1])
	}
}

// reads are what a tenant reads that others share with, in pages of a size.
func (w sharing) reads(few int) map[string]func(ctx context.Context, s *store.Store) (any, error) {
	asker := w.recipient
	all := map[string]func(ctx context.Context, s *store.Store) (any, error){
		"connections": func(ctx context.Context, s *store.Store) (any, error) {
			return inPages(few, func(after string) ([]drover.Connection, error) {
				return s.Fleet.ConnectionPage(ctx, asker, drover.Traccar, after, few)
			}, func(c drover.Connection) string { return c.ID })
		},
		"all connections": func(ctx context.Context, s *store.Store) (any, error) { return s.Fleet.Connections(ctx, asker, "") },
		"counts":          func(ctx context.Context, s *store.Store) (any, error) { return s.Fleet.VisibleDeviceCounts(ctx, asker) },
		"jobs":            func(ctx context.Context, s *store.Store) (any, error) { return s.Fleet.VisibleJobs(ctx, asker) },
		"labels": func(ctx context.Context, s *store.Store) (any, error) {
			return s.Fleet.DeviceLabels(ctx, asker, []string{w.device, store.NewID()})
		},
		"tags": func(ctx context.Context, s *store.Store) (any, error) {
			return s.Fleet.ConnectionTagNames(ctx, asker, w.connection)
		},
		"a device": func(ctx context.Context, s *store.Store) (any, error) { return s.Fleet.Device(ctx, asker, w.device) },
		"a trip":   func(ctx context.Context, s *store.Store) (any, error) { return s.Trips.Trip(ctx, asker, w.trip) },
		"grants": func(ctx context.Context, s *store.Store) (any, error) {
			return s.Shares.ForeignGrants(ctx, asker, []string{w.connection}, []string{w.device})
		},
		"shares": func(ctx context.Context, s *store.Store) (any, error) { return s.Shares.Shares(ctx, asker, "", 10) },
		"search": func(ctx context.Context, s *store.Store) (any, error) {
			devices, err := s.Fleet.SearchDevices(ctx, asker, "van", 100)
			drivers, driverErr := s.Drivers.SearchDrivers(ctx, asker, "ann", 100)
			faults, faultErr := s.Vehicles.SearchFaults(ctx, asker, "P0", 100)
			id, idErr := s.Fleet.SearchID(ctx, asker, w.device)
			for _, found := range [][]drover.Finding{devices, drivers, faults} { // they come in no order
				slices.SortFunc(found, func(a, b drover.Finding) int { return strings.Compare(a.ID, b.ID) })
			}
			return [][]drover.Finding{devices, drivers, faults, id}, errors.Join(err, driverErr, faultErr, idErr)
		},
		"newest positions": func(ctx context.Context, s *store.Store) (any, error) {
			return s.NewestPositions(ctx, asker, drover.NewestFilter{})
		},
		"newest positions of tags": func(ctx context.Context, s *store.Store) (any, error) {
			return s.NewestPositions(ctx, asker, drover.NewestFilter{Tags: []string{"red", "of 2"}})
		},
		"roads": func(ctx context.Context, s *store.Store) (roads any, err error) {
			var list []store.Road
			err = s.Trips.EachRoad(ctx, asker, store.RoadRange{Last: 100, Limit: 100}, true, func(r store.Road) error {
				list = append(list, r)
				return nil
			})
			return list, err
		},
		"use": func(ctx context.Context, s *store.Store) (any, error) {
			return s.Trips.TimeUse(ctx, asker, noon, after(100))
		},
		"invalid": func(ctx context.Context, s *store.Store) (any, error) {
			return s.Trips.InvalidTrips(ctx, asker, noon, after(100), 4)
		},
	}
	for _, sort := range []drover.DeviceSort{
		drover.DevicesByID, drover.DevicesByDescription, drover.DevicesByRegistration, drover.DevicesByPositionTime,
	} {
		for _, o := range []drover.DeviceOrder{{Sort: sort}, {Sort: sort, Order: drover.NewestFirst}} {
			all["devices by "+o.Name()] = func(ctx context.Context, s *store.Store) (any, error) {
				return inPages(few, func(after drover.SortCursor) ([]drover.Sorted[drover.Device], error) {
					return s.Fleet.SortedDevices(ctx, asker, drover.DeviceFilter{}, o, after, few)
				}, func(d drover.Sorted[drover.Device]) drover.SortCursor { return d.Place })
			}
		}
	}
	for name, f := range map[string]drover.TripFilter{
		"all": {}, "newest": {Order: drover.NewestFirst}, "red": {Tag: "red"}, "connection": {ConnectionID: w.connection},
		"device": {DeviceID: w.device}, "driver": {DriverID: "D-1"}, "valid": {Valid: new(true)},
		"from": {From: new(after(5)), To: new(after(15))},
	} {
		all["trips "+name] = func(ctx context.Context, s *store.Store) (any, error) {
			return inPages(few, func(after *drover.TripCursor) ([]drover.TripView, error) {
				return s.Trips.TripViews(ctx, asker, f, after, few)
			},
				func(t drover.TripView) *drover.TripCursor {
					return &drover.TripCursor{StartTime: t.StartTime, ID: t.ID}
				})
		}
		all["sum "+name] = func(ctx context.Context, s *store.Store) (any, error) { return s.Trips.TripSums(ctx, asker, f) }
	}
	for name, f := range map[string]drover.StopFilter{"all": {}, "open": {Open: new(true)}, "device": {DeviceID: w.device}} {
		all["stops "+name] = func(ctx context.Context, s *store.Store) (any, error) {
			return inPages(few, func(after *drover.TripCursor) ([]drover.Stop, error) { return s.Trips.Stops(ctx, asker, f, after, few) },
				func(t drover.Stop) *drover.TripCursor { return &drover.TripCursor{StartTime: t.StartTime, ID: t.ID} })
		}
	}
	for name, tags := range map[string][]string{"all": nil, "red": {"red"}, "of a connection": {"of 1"}} {
		all["faults "+name] = func(ctx context.Context, s *store.Store) (any, error) {
			return inPages(few, func(after string) ([]drover.Fault, error) {
				return s.Vehicles.Faults(ctx, asker, drover.FaultFilter{Tags: tags, Newest: true}, after, few)
			}, func(f drover.Fault) string { return f.ID })
		}
		all["safety "+name] = func(ctx context.Context, s *store.Store) (any, error) {
			return inPages(few, func(after string) ([]drover.SafetyEvent, error) {
				return s.Vehicles.SafetyEvents(ctx, asker, drover.SafetyFilter{Tags: tags}, after, few)
			}, func(e drover.SafetyEvent) string { return e.ID })
		}
		all["readings "+name] = func(ctx context.Context, s *store.Store) (any, error) {
			return s.Vehicles.NewestReadings(ctx, asker, drover.ReadingFilter{Tags: tags}, "", 100)
		}
	}
	all["drivers"] = func(ctx context.Context, s *store.Store) (any, error) {
		return inPages(few, func(after string) ([]drover.Driver, error) {
			return s.Drivers.Drivers(ctx, asker, drover.DriverFilter{}, after, few)
		}, func(d drover.Driver) string { return d.ID })
	}
	return all
}

// TestSharesApart reads what others share with a tenant where each lies at a place, as it is where
// all lie at one. With a place down at which neither the reader's rows are nor those of anyone who
// shares with it, all is read as before; without the place of an owner it fails soon.
func TestSharesApart(t *testing.T) {
	t.Parallel()
	o, places := storetest.Apart(t)
	var over atomic.Pointer[string]
	watch := o.Trace
	o.Trace = func(s database.Statement) {
		watch(s)
		if storetest.OverAll(s.Query) {
			over.Store(&s.Query)
		}
	}
	o.Present = func() time.Time { return noon.Time }
	s := storetest.Open(t, o)
	o.Places, o.Trace = nil, nil
	one := storetest.Open(t, o)
	w := newSharing(t, s, func(tenant, place string) { places.Put(s, tenant, place) })
	reads, want := w.reads(4), map[string]any{}
	for name, read := range reads {
		all, err := read(t.Context(), one)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want[name] = all
	}
	readAll := func(state string) {
		t.Helper()
		over.Store(nil)
		for name, read := range reads {
			got, err := read(t.Context(), s)
			if diff := cmp.Diff(want[name], got); err != nil || diff != "" {
				t.Errorf("%s, %s: %v\n%s", state, name, err, diff)
			}
			if query := over.Swap(nil); query != nil {
				t.Errorf("%s, %s asks for the rows of all tenants: %s", state, name, *query)
			}
		}
	}
	readAll("all are there")
	for state, fail := range map[string]func(place string){"stopped": places.Stop, "hung": places.Hang} {
		fail(storetest.Away)
		readAll("a stranger's place has " + state)
		places.Resume(storetest.Away)
		fail(storetest.Near)
		var all sync.WaitGroup
		for name, read := range reads {
			all.Go(func() {
				if _, err := read(t.Context(), s); !store.Unavailable(err) {
					t.Errorf("an owner's place has %s, %s: %v", state, name, err)
				}
			})
		}
		all.Wait()
		places.Resume(storetest.Near)
		storetest.Until(t, state+" and there again", func() bool {
			_, err := s.Feed.LastEvent(t.Context(), w.owners[0])
			return err == nil || errors.Is(err, store.ErrNotFound)
		})
	}
}
