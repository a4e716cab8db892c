package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.PlannedMain(m) }

var noon = drover.At(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))

// fixture is a store with two tenants and one connection of the first.
type fixture struct {
	*store.Store
	t          *testing.T
	own, other string
	connection string
}

// onBoth runs f on both databases, and on SQLite without a cache.
func onBoth(t *testing.T, f func(f fixture)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		f(newFixture(t, s))
	})
}

func newFixture(t *testing.T, s *store.Store) fixture {
	t.Helper()
	f := fixture{Store: s, t: t}
	f.own, f.other, f.connection = storetest.TwoTenants(t, s, noon)
	return f
}

func (f fixture) update(change func(tx *store.Tx) error) {
	f.t.Helper()
	if err := f.Update(f.t.Context(), change); err != nil {
		f.t.Fatal(err)
	}
}

func (f fixture) addDevice(tags ...string) drover.Device {
	f.t.Helper()
	d := drover.Device{
		ID: store.NewID(), ConnectionID: f.connection, SystemDeviceID: store.NewID(), Active: true,
		Tags: append([]string{}, tags...),
	}
	f.update(func(tx *store.Tx) error { return tx.Fleet.AddDevice(f.t.Context(), f.own, d, noon) })
	return d
}

func (f fixture) share() {
	f.t.Helper()
	f.update(func(tx *store.Tx) error {
		s := drover.Share{ID: store.NewID(), ConnectionID: f.connection, OwnerTenantID: f.own, TenantID: f.other, CreatedAt: noon}
		return errors.Join(tx.Shares.AddShare(f.t.Context(), s, drover.FullGrant), tx.Shares.AcceptShare(f.t.Context(), s, noon))
	})
}

func check[T any](t *testing.T, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
}

func must[T any](t *testing.T) func(v T, err error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		if n := must[int](f.t)(f.Migrate(f.t.Context())); n != 0 {
			f.t.Errorf("a second migration took %d steps", n)
		}
		if n := must[int](f.t)(f.PendingMigrations(f.t.Context())); n != 0 {
			f.t.Errorf("%d steps are pending", n)
		}
	})
}

func TestDevice(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		d := f.addDevice("north")
		got := must[store.Device](f.t)(f.Fleet.Device(ctx, f.own, d.ID))
		check(f.t, got.Device, d)
		check(f.t, got.Access, store.Access{TenantID: f.own})

		foreign := must[store.Device](f.t)(f.Fleet.Device(ctx, f.other, d.ID))
		check(f.t, foreign.Access, store.Access{TenantID: f.own})
		f.share()
		shared := must[store.Device](f.t)(f.Fleet.Device(ctx, f.other, d.ID))
		check(f.t, shared.Access, store.Access{TenantID: f.own, Shared: drover.FullGrant})

		for _, unknown := range []string{store.NewID(), "", "no-uuid", "é", d.ID + " "} {
			if _, err := f.Fleet.Device(ctx, f.own, unknown); !errors.Is(err, store.ErrNotFound) {
				f.t.Errorf("device %q: %v, want ErrNotFound", unknown, err)
			}
		}
	})
}

func TestDevicesPageSurvivesInserts(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		var want []string
		for range 5 {
			want = append(want, f.addDevice().ID)
		}
		var got []string
		for after := ""; ; {
			page := must[[]drover.Device](f.t)(f.Fleet.Devices(ctx, f.own, drover.DeviceFilter{}, after, 2))
			if len(page) == 0 {
				break
			}
			for _, d := range page {
				got = append(got, d.ID)
			}
			after = got[len(got)-1]
			if len(got) == 2 {
				want = append(want, f.addDevice().ID)
			}
		}
		check(f.t, got, want)
	})
}

func TestDevicesFilter(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		a, b := f.addDevice(`50%_"x"`), f.addDevice("50ax")
		ids := func(filter drover.DeviceFilter, asker string) []string {
			out := []string{}
			for _, d := range must[[]drover.Device](f.t)(f.Fleet.Devices(ctx, asker, filter, "", 10)) {
				out = append(out, d.ID)
			}
			return out
		}
		check(f.t, ids(drover.DeviceFilter{Tag: `50%_"x"`}, f.own), []string{a.ID})
		check(f.t, ids(drover.DeviceFilter{Tag: "50"}, f.own), []string{})
		check(f.t, ids(drover.DeviceFilter{ConnectionID: f.connection}, f.own), []string{a.ID, b.ID})
		check(f.t, ids(drover.DeviceFilter{ConnectionID: "nonsense"}, f.own), []string{})
		check(f.t, ids(drover.DeviceFilter{}, f.other), []string{})
		f.share()
		check(f.t, ids(drover.DeviceFilter{}, f.other), []string{a.ID, b.ID})
	})
}

func TestConnections(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		list := func(asker string, p drover.ProviderName) int {
			return len(must[[]drover.Connection](f.t)(f.Fleet.Connections(ctx, asker, p)))
		}
		check(f.t, list(f.own, ""), 1)
		check(f.t, list(f.own, drover.Traccar), 1)
		check(f.t, list(f.own, drover.Geotab), 0)
		check(f.t, list(f.other, ""), 0)
		f.share()
		f.share()
		check(f.t, list(f.other, ""), 1)
		f.update(func(tx *store.Tx) error {
			s, err := tx.Shares.ShareWith(ctx, f.own, f.connection, f.other)
			if err != nil {
				return err
			}
			ended, err := tx.Shares.DropShare(ctx, s)
			check(f.t, ended, true)
			return err
		})
		check(f.t, list(f.other, ""), 0)
	})
}

func TestUpdateFailsWhole(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		boom := errors.New("boom")
		err := f.Update(ctx, func(tx *store.Tx) error {
			if err := tx.Accounts.AddTenant(ctx, drover.Tenant{ID: store.NewID(), Name: "half", CreatedAt: noon}); err != nil {
				return err
			}
			return boom
		})
		if !errors.Is(err, boom) {
			f.t.Errorf("got %v, want %v", err, boom)
		}
		if _, err := f.Accounts.TenantByName(ctx, "half"); !errors.Is(err, store.ErrNotFound) {
			f.t.Errorf("the failed transaction left a tenant: %v", err)
		}
	})
}

func TestSummaries(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		d := f.addDevice()
		metres, driving := 1000.25, 60.5
		f.update(func(tx *store.Tx) error {
			for i := range 3 {
				start := drover.At(noon.Add(-time.Duration(i) * 24 * time.Hour))
				err := tx.Trips.AddTrip(ctx, store.Trip{
					ConnectionID: f.connection, Access: store.Access{TenantID: f.own},
					Trip: drover.Trip{
						ID: store.NewID(), DeviceID: d.ID, SystemTripID: fmt.Sprint(i), StartTime: start, EndTime: drover.At(start.Add(time.Minute)),
						DistanceMetres: &metres, DrivingSeconds: &driving, DurationSeconds: 60, IsValid: i != 1,
					},
				})
				if err != nil {
					return err
				}
			}
			return tx.Fleet.SetDeviceStates(ctx, f.own, []*store.DeviceState{{DeviceID: d.ID, Latest: &drover.Position{Time: noon}}})
		})
		account := must[drover.AccountSummary](f.t)(f.Fleet.AccountSummary(ctx, f.own, noon))
		ended := drover.At(noon.Add(time.Minute))
		// No one has said how long they idled.
		known := drover.TripSizes{DistanceMetres: new(2000.5), DrivingSeconds: new(121.0)}
		check(f.t, account.Trips, drover.TripTotals{Total: 3, Valid: 2, TripSizes: known, LastEndedAt: &ended})
		check(f.t, account.Devices, drover.DeviceCounts{Total: 1, Active: 1, Reporting24h: 1})
		check(f.t, account.Connections, drover.ConnectionCounts{Total: 1, Active: 1, ByProvider: map[drover.ProviderName]int{drover.Traccar: 1}})
		check(f.t, account.Milestones, map[drover.MilestoneStatus]int{drover.TripNotStarted: 0, drover.TripInProgress: 0, drover.TripEnded: 0})

		activity := must[drover.ActivitySummary](f.t)(f.Fleet.ActivitySummary(ctx, f.own, 7, 10, false, noon))
		check(f.t, len(activity.TripsByDay), 7)
		check(f.t, activity.TripsByDay[6].Day, "2026-11-01")
		none := drover.TripSizes{DistanceMetres: new(0.0), DrivingSeconds: new(0.0), IdlingSeconds: new(0.0), AuxiliarySeconds: new(0.0)}
		check(f.t, activity.TripsByDay[5].TripSums, drover.TripSums{Trips: 1, TripSizes: none})
		check(f.t, activity.TripsByConnection[0].BusinessName, "Haulage")
		check(f.t, activity.Totals.TripSums, drover.TripSums{Trips: 3, ValidTrips: 2, TripSizes: known})
		testTripTotals(f, d.ID)
	})
}

func TestPositions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		ctx := f.t.Context()
		d := f.addDevice()
		at := func(minute int) history.Position {
			speed, on, driver := 50.5, true, "D-7"
			return history.Of(d.ID, drover.Position{
				Time:     drover.At(noon.Add(time.Duration(minute) * time.Minute)),
				Latitude: 48.1, Longitude: float64(minute), SpeedKPH: &speed, Ignition: &on, DriverID: &driver,
			})
		}
		add := func(positions ...history.Position) (fresh []bool) {
			f.update(func(tx *store.Tx) (err error) {
				fresh, err = tx.History.AddPositions(ctx, f.own, positions)
				return err
			})
			return fresh
		}
		far := at(3)
		far.Time, far.Suspect = drover.At(noon.AddDate(-1, 0, 0)), "jump"
		check(f.t, add(at(0), at(1), at(1), far), []bool{true, true, false, true})
		check(f.t, add(at(1), at(2)), []bool{false, true})
		many, want := []history.Position{}, []bool{}
		for minute := 10; minute < 210; minute++ {
			twice := minute%70 == 0
			for range map[bool]int{false: 1, true: 2}[twice] {
				many, want = append(many, at(minute)), append(want, true)
			}
			want[len(want)-1] = !twice
		}
		check(f.t, add(many...), want)
		check(f.t, add(many...), make([]bool, len(many)))
		// A transaction that made a partition and failed leaves nothing behind
		// that would stop the next one.
		lost := at(4)
		lost.Time = drover.At(noon.AddDate(2, 0, 0))
		boom := errors.New("boom")
		err := f.Update(ctx, func(tx *store.Tx) error {
			if _, err := tx.History.AddPositions(ctx, f.own, []history.Position{lost}); err != nil {
				return err
			}
			return boom
		})
		if !errors.Is(err, boom) {
			f.t.Fatal(err)
		}
		check(f.t, add(lost), []bool{true})

		r := history.Range{TenantID: f.own, DeviceID: d.ID, From: drover.Milli(0), To: at(2).Time}
		check(f.t, must[[]drover.StoredPosition](f.t)(f.History.Positions(ctx, r)), stored(at(0), at(1)))
		r.WithSuspect = true
		check(f.t, must[[]drover.StoredPosition](f.t)(f.History.Positions(ctx, r)), stored(far, at(0), at(1)))
		r.Limit = 2
		check(f.t, len(must[[]drover.StoredPosition](f.t)(f.History.Positions(ctx, r))), 2)
	})
}

func stored(positions ...history.Position) []drover.StoredPosition {
	out := []drover.StoredPosition{}
	for _, p := range positions {
		out = append(out, p.StoredPosition)
	}
	return out
}

// TestOddNames finds devices by names that hold what lists are written with.
func TestOddNames(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		odd := []string{`a"b`, `c\d`, "e,f", "{g}", "NULL", "", " h ", "ü"}
		devices := make([]drover.Device, len(odd))
		for i, name := range odd {
			devices[i] = drover.Device{ID: store.NewID(), ConnectionID: f.connection, SystemDeviceID: name, Active: true, Tags: []string{}}
		}
		f.update(func(tx *store.Tx) error { return tx.Fleet.AddDevices(f.t.Context(), f.own, devices, noon) })
		f.update(func(tx *store.Tx) error {
			found, err := tx.Fleet.DevicesNamed(f.t.Context(), f.own, f.connection, odd)
			for i, name := range odd {
				check(f.t, found[name].ID, devices[i].ID)
			}
			return err
		})
	})
}

// TestTableReads finds each table on PostgreSQL, whose plans depend on what it holds.
func TestTableReads(t *testing.T) {
	t.Parallel()
	onBoth(t, func(f fixture) {
		reads, err := f.TableReads(f.t.Context())
		found := slices.ContainsFunc(reads, func(r store.TableReads) bool { return r.Table == "tenant" })
		if err != nil || found != (f.Database() == "postgres") {
			f.t.Errorf("%v, %v", reads, err)
		}
	})
}
