package simulate

import (
	"fmt"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/rules/trip"
	"github.com/drover-fleet/drover/internal/sim"
	"github.com/drover-fleet/drover/internal/store/history"
)

// checkCollected wants everything that the vendor has, once, and what follows from
// it.
func (c *check) checkCollected(t *tenant) {
	v := c.vendors[t.index]
	reported := c.readReported(t)
	list, err := c.store.Fleet.Devices(c.ctx, t.id, drover.DeviceFilter{ConnectionID: t.connection.ID}, "", 100)
	if err != nil {
		c.fail("read devices: %v", err)
		return
	}
	if len(list) != len(v.fleet.Vehicles()) {
		c.fail("%s has %d devices, want %d", t.name, len(list), len(v.fleet.Vehicles()))
	}
	for _, vehicle := range v.fleet.Vehicles() {
		i := slices.IndexFunc(list, func(d drover.Device) bool { return d.SystemDeviceID == v.id(vehicle.ID) })
		if i < 0 {
			c.fail("%s: the device %s is missing", t.name, vehicle.ID)
			continue
		}
		if list[i].Active != vehicle.Active {
			c.fail("%s: the device %s is active: %t", t.name, vehicle.ID, list[i].Active)
		}
		stored := c.checkPositions(t, v, vehicle, list[i].ID, reported)
		c.checkTrips(t, v, vehicle, list[i].ID, stored, reported)
	}
}

// reported is what a feed says of what was collected.
type reported struct {
	positions map[string]int // by device and time
	completed map[string]int // by trip
}

func positionKey(device string, at drover.Time) string {
	return fmt.Sprintf("%s %d", device, at.UnixMilli())
}

func (c *check) readReported(t *tenant) reported {
	out, active := reported{positions: map[string]int{}, completed: map[string]int{}}, map[string]bool{}
	for _, vehicle := range c.vendors[t.index].fleet.Vehicles() {
		active[c.vendors[t.index].id(vehicle.ID)] = vehicle.Active
	}
	for _, e := range c.events[t.id] {
		switch e.Type { //nolint:exhaustive // the others are not about what is collected
		case drover.EventPositionUpdated:
			batch, err := drover.ReadPositions(e.Data)
			if err != nil {
				c.fail("%s: event %d: %v", t.name, e.Sequence, err)
			}
			for _, p := range batch.Positions {
				key := positionKey(p.DeviceID, p.Timestamp)
				if out.positions[key]++; out.positions[key] == 2 {
					c.fail("%s: the position of %s was notified of again by event %d", t.name, key, e.Sequence)
				}
			}
		case drover.EventTripCompleted:
			out.completed[field(e, "id")]++
		case drover.EventDeviceUpdated:
			if field(e, "active") == "false" && active[field(e, "system_device_id")] {
				c.fail("%s: event %d: a device was retired", t.name, e.Sequence)
			}
		}
	}
	return out
}

// checkPositions wants the positions that the vendor has, and each notified of once.
func (c *check) checkPositions(t *tenant, v *vendor, vehicle sim.Vehicle, device string, said reported) []drover.Position {
	var want, got []int64
	for _, s := range v.account.Positions(vehicle, t.connection.CollectionStartTime.Time, c.horizon.Add(time.Second)) {
		want = append(want, s.Time.UnixMilli())
	}
	rows, err := c.store.History.Positions(c.ctx, history.Range{
		TenantID: t.id, DeviceID: device, From: drover.Milli(0),
		To: drover.At(begin.AddDate(1, 0, 0)), WithSuspect: true,
	})
	if err != nil {
		c.fail("read positions: %v", err)
	}
	var believed []drover.Position
	for _, p := range rows {
		got = append(got, p.Time.UnixMilli())
		if p.Suspect != "" {
			continue
		}
		believed = append(believed, p.Position)
		if said.positions[positionKey(device, p.Time)] == 0 && !c.plan.has(clockStep) {
			c.fail("%s: the position of %s at %s was never notified of", t.name, vehicle.ID, p.Time)
		}
	}
	if !slices.Equal(want, got) {
		c.fail("%s: %d positions of %s are stored, want %d; %s", t.name, len(got), vehicle.ID, len(want), firstMissing(want, got))
	}
	return believed
}

func firstMissing(want, got []int64) string {
	for _, at := range want {
		if !slices.Contains(got, at) {
			return "first missing: " + time.UnixMilli(at).UTC().Format(time.RFC3339)
		}
	}
	return "none is missing"
}

// checkTrips wants the vendor's own trips, or those that follow from all positions.
func (c *check) checkTrips(t *tenant, v *vendor, vehicle sim.Vehicle, device string, positions []drover.Position, said reported) {
	got, err := c.store.Trips.Trips(c.ctx, t.id, drover.TripFilter{DeviceID: device}, nil, 1000)
	if err != nil {
		c.fail("read trips: %v", err)
	}
	for _, trip := range got {
		if n := said.completed[trip.ID]; n > 1 || n == 0 && !c.plan.has(clockStep) {
			c.fail("%s: the trip of %s that ended at %s was notified of %d times", t.name, vehicle.ID, trip.EndTime, n)
		}
	}
	if c.plan.has(clockStep) && v.provider != drover.Geotab {
		return // what a wrong clock took for the future is not believed
	}
	want := derived(positions)
	if v.provider == drover.Geotab {
		want = nil
		for _, n := range v.account.Trips(vehicle, t.connection.CollectionStartTime.Time, c.horizon.Add(time.Second)) {
			if !n.StartTime.Before(t.connection.CollectionStartTime.Time) {
				want = append(want, [2]int64{n.StartTime.UnixMilli(), n.EndTime.UnixMilli()})
			}
		}
	}
	var have [][2]int64
	for _, n := range got {
		have = append(have, [2]int64{n.StartTime.UnixMilli(), n.EndTime.UnixMilli()})
	}
	if !slices.Equal(want, have) {
		c.fail("%s: the trips of %s are %v, want %v", t.name, vehicle.ID, have, want)
	}
}

// derived are the trips of one fold over all positions.
func derived(positions []drover.Position) (trips [][2]int64) {
	var fold trip.State
	add := func(d trip.Derived) { trips = append(trips, [2]int64{d.StartTime.UnixMilli(), d.EndTime.UnixMilli()}) }
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
