package e2e

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/app"
	"github.com/drover-fleet/drover/internal/config"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store"
	"github.com/drover-fleet/drover/internal/store/history"
	"github.com/drover-fleet/drover/internal/store/work"
)

// check compares what is stored with the truth.
type check struct {
	t        *testing.T
	store    *store.Store
	tenant   string
	feed     *feed
	reported story
}

// story is what events reported, by the id of what it is about.
type story struct {
	created   map[string]int
	completed map[string]int
	positions map[string]map[drover.Time]int
	last      map[string]drover.Trip
}

// checkCollected holds what an installation has stored against what the vendor
// reported it.
func checkCollected(t *testing.T, s site, f *feed) {
	t.Helper()
	s.rest(t)
	opened, err := app.OpenStore(t.Context(), config.Store{Data: s.data, Database: s.database}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	c := &check{t: t, store: opened, tenant: s.world.Owner.ID, feed: f}
	c.readStory()
	live := 0
	for _, customer := range f.customers {
		live += c.customer(customer)
	}
	if live < 100 {
		t.Errorf("only %d positions came while the service was killed", live)
	}
}

// readStory reads the feed of events. Its sequence has no gap.
func (c *check) readStory() {
	c.t.Helper()
	c.reported = story{map[string]int{}, map[string]int{}, map[string]map[drover.Time]int{}, map[string]drover.Trip{}}
	last, err := c.store.Feed.LastEvent(c.t.Context(), c.tenant)
	if err != nil {
		c.t.Fatal(err)
	}
	events, err := c.store.Feed.Events(c.t.Context(), c.tenant, drover.EventFilter{}, work.EventRange{To: last, Limit: 1_000_000})
	if err != nil {
		c.t.Fatal(err)
	}
	for i, e := range events {
		if e.Sequence != events[0].Sequence+int64(i) || int64(len(events)) != last {
			c.t.Fatalf("event %d of %d has the sequence %d", i, last, e.Sequence)
		}
		if err := c.hear(e); err != nil {
			c.t.Fatalf("event %d: %v", e.Sequence, err)
		}
	}
}

func (c *check) hear(e drover.Event) error {
	switch e.Type { //nolint:exhaustive // others are not about what is collected
	case drover.EventDeviceCreated:
		c.reported.created[*e.DeviceID]++
	case drover.EventTripCompleted, drover.EventTripUpdated:
		var t drover.Trip
		if err := json.Unmarshal(e.Data, &t); err != nil {
			return err
		}
		c.reported.last[t.ID] = t
		if e.Type == drover.EventTripCompleted {
			c.reported.completed[t.ID]++
		}
	case drover.EventPositionUpdated:
		var m drover.PositionBatch
		if err := json.Unmarshal(e.Data, &m); err != nil {
			return err
		}
		for _, p := range m.Positions {
			if c.reported.positions[p.DeviceID] == nil {
				c.reported.positions[p.DeviceID] = map[drover.Time]int{}
			}
			c.reported.positions[p.DeviceID][p.Timestamp]++
		}
	}
	return nil
}

// customer checks one connection and returns how many positions events have reported.
func (c *check) customer(customer *customer) (live int) {
	c.t.Helper()
	list, err := c.store.Fleet.Devices(c.t.Context(), c.tenant, drover.DeviceFilter{ConnectionID: customer.conn.ID}, "", 1000)
	if err != nil {
		c.t.Fatal(err)
	}
	devices := map[string]drover.Device{}
	for _, d := range list {
		devices[d.SystemDeviceID] = d
	}
	if len(list) != feedVehicles || len(devices) != feedVehicles {
		c.t.Fatalf("%d devices, want %d", len(list), feedVehicles)
	}
	for _, v := range customer.fleet.Vehicles() {
		d := devices[v.ID]
		if c.reported.created[d.ID] != 1 {
			c.t.Errorf("device %s was reported %d times", v.ID, c.reported.created[d.ID])
		}
		want := drover.Device{
			SystemDeviceID: v.ID, ConnectionID: customer.conn.ID, Description: &v.Name, Registration: &v.Registration,
			Make: &v.Make, Model: &v.Model, Year: &v.Year, Active: v.Active, Tags: []string{},
		}
		if diff := cmp.Diff(want, d, cmpopts.IgnoreFields(drover.Device{}, "ID")); diff != "" {
			c.t.Errorf("device (-want +got):\n%s", diff)
		}
		positions := c.positions(customer, v, d.ID)
		c.trips(customer, v, d.ID, positions)
		live += len(c.reported.positions[d.ID])
	}
	c.rollups(customer)
	return live
}

func (c *check) positions(customer *customer, v sim.Vehicle, device string) []drover.Position {
	c.t.Helper()
	var want, got []drover.Position
	for _, s := range customer.account.Positions(v, customer.conn.CollectionStartTime.Time, c.feed.start) {
		s.Auxiliary = nil // the vendor reports it with trips alone
		want = append(want, s.Position)
	}
	stored, err := c.store.History.Positions(c.t.Context(), history.Range{
		TenantID: c.tenant, DeviceID: device, From: drover.Milli(0), To: drover.At(c.feed.start.Add(time.Hour)), WithSuspect: true,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	for _, p := range stored {
		got = append(got, p.Position)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		c.t.Errorf("%d positions of %s, want %d (-want +got):\n%.1500s", len(got), v.ID, len(want), diff)
	}
	for at, n := range c.reported.positions[device] {
		if n != 1 {
			c.t.Errorf("the position of %s at %s was reported %d times", v.ID, at, n)
		}
	}
	return want
}

func (c *check) trips(customer *customer, v sim.Vehicle, device string, positions []drover.Position) {
	c.t.Helper()
	got, err := c.store.Trips.Trips(c.t.Context(), c.tenant, drover.TripFilter{DeviceID: device}, nil, 10_000)
	if err != nil {
		c.t.Fatal(err)
	}
	want := derivedTrips(positions)
	if customer.native {
		want = c.nativeTrips(customer, v)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(drover.Trip{}, "ID", "DeviceID", "SystemTripID"), cmpopts.EquateEmpty(),
		cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		c.t.Errorf("%d trips of %s, native %t, want %d (-want +got):\n%.2000s", len(got), v.ID, customer.native, len(want), diff)
	}
	for _, t := range got {
		last, reported := c.reported.last[t.ID]
		if c.reported.completed[t.ID] > 1 || reported && !drover.SameTrip(t, last) {
			c.t.Errorf("trip %s was completed %d times, (-stored +reported):\n%s", t.ID, c.reported.completed[t.ID], cmp.Diff(t, last))
		}
	}
}

// derivedTrips are those of one fold over all positions.
func derivedTrips(positions []drover.Position) []drover.Trip {
	var fold trip.State
	var trips []drover.Trip
	add := func(d trip.Derived) {
		trips = append(trips, drover.Trip{
			StartLatitude: &d.Start.Latitude, StartLongitude: &d.Start.Longitude, EndLatitude: &d.End.Latitude, EndLongitude: &d.End.Longitude,
			StartTime: d.StartTime, EndTime: d.EndTime, DurationSeconds: d.EndTime.Sub(d.StartTime.Time).Seconds(),
			DistanceMetres: &d.DistanceMetres, DrivingSeconds: &d.DrivingSeconds, IdlingSeconds: d.IdlingSeconds,
			AuxiliarySeconds: d.AuxiliarySeconds, IsValid: true,
		})
	}
	for _, p := range positions {
		if step := fold.Add(p); step.Completed {
			add(step.Trip)
		}
	}
	for _, d := range fold.Close(time.Now()).Completed {
		add(d)
	}
	return trips
}

func (c *check) nativeTrips(customer *customer, v sim.Vehicle) []drover.Trip {
	var trips []drover.Trip
	for _, t := range customer.account.Trips(v, customer.conn.CollectionStartTime.Time, c.feed.start) {
		if t.StartTime.Before(customer.conn.CollectionStartTime.Time) {
			continue
		}
		trips = append(trips, drover.Trip{
			StartLatitude: &t.Start.Latitude, StartLongitude: &t.Start.Longitude, EndLatitude: &t.End.Latitude, EndLongitude: &t.End.Longitude,
			StartTime: drover.At(t.StartTime), EndTime: drover.At(t.EndTime), DurationSeconds: t.EndTime.Sub(t.StartTime).Seconds(),
			DistanceMetres: &t.DistanceMetres, DrivingSeconds: &t.DrivingSeconds, IdlingSeconds: &t.IdlingSeconds,
			AuxiliarySeconds: &t.AuxiliarySeconds, IsValid: true,
		})
	}
	return trips
}

// rollups compares a connection's sums with those of its trips.
func (c *check) rollups(customer *customer) {
	c.t.Helper()
	var want, got drover.TripSums
	trips, err := c.store.Trips.Trips(c.t.Context(), c.tenant, drover.TripFilter{ConnectionID: customer.conn.ID}, nil, 100_000)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, t := range trips {
		want.Trips, want.ValidTrips = want.Trips+1, want.ValidTrips+1
		for sum, value := range map[**float64]*float64{
			&want.DistanceMetres: t.DistanceMetres, &want.DrivingSeconds: t.DrivingSeconds,
			&want.IdlingSeconds: t.IdlingSeconds, &want.AuxiliarySeconds: t.AuxiliarySeconds,
		} {
			if value != nil { // a sum of which no trip says anything is not known
				*sum = new(orZero(*sum) + *value)
			}
		}
	}
	summary, err := c.store.Fleet.ActivitySummary(context.Background(), c.tenant, 7, 100, false, drover.At(time.Now()))
	if err != nil {
		c.t.Fatal(err)
	}
	for _, sums := range summary.TripsByConnection {
		if sums.ConnectionID == customer.conn.ID {
			got = sums.TripSums
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 0.01)); diff != "" {
		c.t.Errorf("the roll-up of a connection (-trips +roll-up):\n%s", diff)
	}
}

func orZero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}
