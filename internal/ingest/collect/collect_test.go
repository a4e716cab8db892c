package collect_test

import (
	"math"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/provider"
	"github.com/drover-fleet/drover/internal/provider/vendors/flespi/flespitest"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/sim"
)

// vendor is a fake of a vendor's API with a simulated fleet behind it.
type vendor struct {
	truth   *sim.Fleet
	account *sim.Account
	conn    drover.Connection
	trouble atomic.Pointer[http.HandlerFunc] // answers instead, where it is set
}

const token = "a-very-secret-token"

// flespi connects to a fake of flespi, which reports all that a fleet does. Trips
// are native with a calculator, and derived without one.
func (r *rig) flespi(host string, native bool, start time.Time, with ...func(*drover.ConnectionInput)) *vendor {
	r.t.Helper()
	v := &vendor{truth: sim.New(sim.Options{Seed: 11, Vehicles: 4, Late: 5 * time.Minute, Heartbeat: 10 * time.Minute})}
	v.account = sim.NewAccount(v.truth, r.clock.Now, map[string]string{"token": token, "trips_calc_id": "8"})
	real := flespitest.New(v.account)
	r.network.serve(host, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if trouble := v.trouble.Load(); trouble != nil {
			(*trouble)(w, req)
			return
		}
		real.ServeHTTP(w, req)
	}))
	credentials := map[string]string{provider.BaseURLField: "https://" + host, "token": token}
	if native {
		credentials["trips_calc_id"], credentials["counter_driving"], credentials["counter_auxiliary"] = "8", "drive_time", "pto_time"
	}
	v.conn = r.connect(drover.Flespi, start, credentials, with...)
	return v
}

// fail makes the vendor answer with f; nil mends it.
func (v *vendor) fail(f http.HandlerFunc) {
	if f == nil {
		v.trouble.Store(nil)
		return
	}
	v.trouble.Store(&f)
}

// samples are the positions of a vehicle that the connection is to have by now.
// The auxiliary is reported with trips alone.
func (v *vendor) samples(r *rig, vehicle sim.Vehicle) []drover.Position {
	end := r.clock.Now().Add(time.Hour)
	if v.conn.CollectionEndTime != nil {
		end = v.conn.CollectionEndTime.Time
	}
	var out []drover.Position
	for _, s := range v.account.Positions(vehicle, v.conn.CollectionStartTime.Time, end) {
		s.Auxiliary = nil
		out = append(out, s.Position)
	}
	return out
}

// collectNow reads the live jobs of every connection at once.
func (r *rig) collectNow() {
	r.t.Helper()
	conns, err := r.fleet.Connections.Connections(r.t.Context(), r.principal, "", "", 1000)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, c := range conns {
		if _, err := r.fleet.Connections.Sync(r.t.Context(), r.principal, c.ID, drover.SyncInput{}); err != nil {
			r.t.Fatal(err)
		}
	}
	r.run()
}

// checkTruth holds everything that is stored of a connection against the
// simulated truth.
func (r *rig) checkTruth(v *vendor, native bool) {
	r.t.Helper()
	devices := r.devices(v.conn)
	if got, want := len(devices), len(v.truth.Vehicles()); got != want {
		r.t.Errorf("%d devices, want %d", got, want)
	}
	for _, vehicle := range v.truth.Vehicles() {
		want := drover.Device{
			SystemDeviceID: vehicle.ID, ConnectionID: v.conn.ID, Description: &vehicle.Name, Registration: &vehicle.Registration,
			Make: &vehicle.Make, Model: &vehicle.Model, Year: &vehicle.Year, Active: vehicle.Active, Tags: []string{},
		}
		got := devices[vehicle.ID]
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(drover.Device{}, "ID")); diff != "" {
			r.t.Errorf("device %s (-want +got):\n%s", vehicle.ID, diff)
		}
		samples := v.samples(r, vehicle)
		r.checkPositions(got.ID, samples)
		trips := r.trips(drover.TripFilter{DeviceID: got.ID})
		if native {
			r.checkNativeTrips(v, vehicle, trips)
		} else {
			r.checkDerivedTrips(samples, trips)
		}
	}
	r.checkRollups()
}

func (r *rig) checkPositions(device string, want []drover.Position) {
	r.t.Helper()
	stored := r.positions(device)
	got := make([]drover.Position, len(stored))
	for i, p := range stored {
		got[i] = p.Position
	}
	if !slices.EqualFunc(want, got, samePosition) {
		diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-9))
		r.t.Errorf("positions differ, %d want, %d got (-want +got):\n%.2000s", len(want), len(got), diff)
	}
	believed, jumps := judge(want)
	marked := map[time.Time]string{}
	for _, p := range stored {
		if p.Suspect != "" {
			marked[p.Time.Time] = p.Suspect
		}
	}
	if diff := cmp.Diff(jumps, marked); diff != "" {
		r.t.Errorf("the marked positions (-want +got):\n%s", diff)
	}
	latest, err := r.store.Fleet.LatestPosition(r.t.Context(), r.principal.TenantID, device)
	if len(want) > 0 && (err != nil || !samePosition(latest, believed[len(believed)-1])) {
		r.t.Errorf("the newest position is %v, %v; want %v", latest, err, believed[len(believed)-1])
	}
}

// judge tells the positions that are believed from the jumps, in one go over the
// sorted positions.
func judge(positions []drover.Position) (believed []drover.Position, jumps map[time.Time]string) {
	var fold trip.State
	jumps = map[time.Time]string{}
	first := 0
	for i, p := range positions {
		step := fold.Add(p)
		if step.First {
			first = i
		}
		if step.Confirms {
			for _, c := range positions[first:i] {
				believed = append(believed, c)
				delete(jumps, c.Time.Time)
			}
		}
		if step.Jump {
			jumps[p.Time.Time] = "jump"
			continue
		}
		believed = append(believed, p)
	}
	return believed, jumps
}

// samePosition compares all fields. Vendors' units cost a speed its last digits.
func samePosition(a, b drover.Position) bool {
	return a.Time.Equal(b.Time.Time) && a.Latitude == b.Latitude && a.Longitude == b.Longitude && same(a.Heading, b.Heading) &&
		(same(a.SpeedKPH, b.SpeedKPH) || a.SpeedKPH != nil && b.SpeedKPH != nil && math.Abs(*a.SpeedKPH-*b.SpeedKPH) < 1e-9) &&
		same(a.DriverID, b.DriverID) && same(a.Ignition, b.Ignition) && same(a.Auxiliary, b.Auxiliary) && same(a.OdometerMetres, b.OdometerMetres)
}

func same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// foldTrips derives the trips of sorted positions in one go.
func foldTrips(positions []drover.Position, now time.Time) []trip.Derived {
	var fold trip.State
	var out []trip.Derived
	for _, p := range positions {
		if step := fold.Add(p); step.Completed {
			out = append(out, step.Trip)
		}
	}
	return append(out, fold.Close(now).Completed...)
}

func (r *rig) checkDerivedTrips(positions []drover.Position, got []drover.Trip) {
	r.t.Helper()
	var want []drover.Trip
	for _, d := range foldTrips(positions, r.clock.Now()) {
		want = append(want, drover.Trip{
			SystemTripID: d.SystemTripID, StartLatitude: &d.Start.Latitude, StartLongitude: &d.Start.Longitude,
			EndLatitude: &d.End.Latitude, EndLongitude: &d.End.Longitude, StartTime: d.StartTime, EndTime: d.EndTime,
			DurationSeconds: d.EndTime.Sub(d.StartTime.Time).Seconds(), DistanceMetres: &d.DistanceMetres,
			DrivingSeconds: &d.DrivingSeconds, IdlingSeconds: d.IdlingSeconds, AuxiliarySeconds: d.AuxiliarySeconds, IsValid: true,
		})
	}
	r.compareTrips(want, got)
}

func (r *rig) checkNativeTrips(v *vendor, vehicle sim.Vehicle, got []drover.Trip) {
	r.t.Helper()
	var want []drover.Trip
	for _, t := range v.account.Trips(vehicle, v.conn.CollectionStartTime.Time, r.clock.Now().Add(time.Hour)) {
		if t.StartTime.Before(v.conn.CollectionStartTime.Time) {
			continue
		}
		want = append(want, drover.Trip{
			StartLatitude: &t.Start.Latitude, StartLongitude: &t.Start.Longitude, EndLatitude: &t.End.Latitude, EndLongitude: &t.End.Longitude,
			StartTime: drover.At(t.StartTime), EndTime: drover.At(t.EndTime), DurationSeconds: t.EndTime.Sub(t.StartTime).Seconds(),
			DistanceMetres: &t.DistanceMetres, DrivingSeconds: &t.DrivingSeconds, IdlingSeconds: &t.IdlingSeconds,
			AuxiliarySeconds: &t.AuxiliarySeconds, IsValid: true,
		})
	}
	r.compareTrips(want, got, cmpopts.IgnoreFields(drover.Trip{}, "SystemTripID"))
}

func (r *rig) compareTrips(want, got []drover.Trip, options ...cmp.Option) {
	r.t.Helper()
	options = append(options, cmpopts.IgnoreFields(drover.Trip{}, "ID", "DeviceID"), cmpopts.EquateEmpty(), cmpopts.EquateApprox(0, 1e-6))
	if diff := cmp.Diff(want, got, options...); diff != "" {
		r.t.Errorf("trips differ, %d want, %d got (-want +got):\n%.2000s", len(want), len(got), diff)
	}
}

// checkRollups recomputes the summaries from the stored trips and events.
func (r *rig) checkRollups() {
	r.t.Helper()
	ctx, tenant, now := r.t.Context(), r.principal.TenantID, drover.At(r.clock.Now())
	account, err := r.store.Fleet.AccountSummary(ctx, tenant, now)
	if err != nil {
		r.t.Fatal(err)
	}
	activity, err := r.store.Fleet.ActivitySummary(ctx, tenant, 90, 100, true, now)
	if err != nil {
		r.t.Fatal(err)
	}
	r.checkStopSums(*activity.Stops)
	trips := r.trips(drover.TripFilter{})
	total := sumUp(trips)
	byDay := map[string][]drover.Trip{}
	for _, t := range trips {
		day := t.StartTime.Format(time.DateOnly)
		byDay[day] = append(byDay[day], t)
	}
	approx := cmpopts.EquateApprox(0, 0.01) // a sum of numbers that were rounded to thousandths
	stored := drover.TripSums{Trips: account.Trips.Total, ValidTrips: account.Trips.Valid, TripSizes: account.Trips.TripSizes}
	if diff := cmp.Diff(total, stored, approx); diff != "" {
		r.t.Errorf("the totals differ (-trips +roll-up):\n%s", diff)
	}
	if diff := cmp.Diff(total, activity.Totals.TripSums, approx); diff != "" {
		r.t.Errorf("the activity differs (-trips +roll-up):\n%s", diff)
	}
	for _, day := range activity.TripsByDay {
		if diff := cmp.Diff(sumUp(byDay[day.Day]), day.TripSums, approx); diff != "" {
			r.t.Errorf("%s differs (-trips +roll-up):\n%s", day.Day, diff)
		}
	}
	if got, want := activity.Totals.Events, int64(len(r.events())); got != want {
		r.t.Errorf("%d events are counted, want %d", got, want)
	}
}

// sumUp adds up trips: the numbers of the valid ones, nil where none of them says it.
func sumUp(trips []drover.Trip) drover.TripSums {
	var s drover.TripSums
	add := func(sum **float64, v *float64) {
		if v != nil {
			*sum = new(number(*sum) + *v)
		}
	}
	for _, t := range trips {
		s.Trips++
		if !t.IsValid {
			continue
		}
		s.ValidTrips++
		add(&s.DistanceMetres, t.DistanceMetres)
		add(&s.DrivingSeconds, t.DrivingSeconds)
		add(&s.IdlingSeconds, t.IdlingSeconds)
		add(&s.AuxiliarySeconds, t.AuxiliarySeconds)
	}
	if s.ValidTrips == 0 {
		s.TripSizes = drover.TripSizes{DistanceMetres: new(0.0), DrivingSeconds: new(0.0), IdlingSeconds: new(0.0), AuxiliarySeconds: new(0.0)}
	}
	return s
}

func number(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

func TestTruth(t *testing.T) {
	t.Parallel()
	for name, native := range map[string]bool{"Native": true, "Derived": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, r *rig) {
				t.Helper()
				v := r.flespi("flespi.test", native, noon.Add(-20*time.Hour))
				r.run()
				r.expectState(v.conn, drover.ConnectionHealthy)
				r.pass(90 * time.Minute)
				r.collectNow()
				r.checkTruth(v, native)
				if len(r.trips(drover.TripFilter{})) < 5 {
					t.Error("too few trips to prove anything")
				}
				r.checkReportedTrips(native)
			})
		})
	}
}

// checkReportedTrips compares the trips that events reported as completed with those that
// ended in the live part.
func (r *rig) checkReportedTrips(native bool) {
	r.t.Helper()
	reported := map[string]int{}
	for _, e := range r.events(drover.EventTripCompleted) {
		reported[decode[drover.Trip](r.t, e).ID]++
	}
	stored := r.trips(drover.TripFilter{})
	for _, t := range stored {
		if t.EndTime.After(noon) && reported[t.ID] != 1 {
			r.t.Errorf("trip %s of %s was reported %d times, native %t", t.ID, t.StartTime, reported[t.ID], native)
		}
	}
	for id, n := range reported {
		if n != 1 || !slices.ContainsFunc(stored, func(t drover.Trip) bool { return t.ID == id }) {
			r.t.Errorf("trip %s was reported %d times and may not exist", id, n)
		}
	}
}
