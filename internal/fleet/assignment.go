package fleet

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
	"github.com/drover-fleet/drover/internal/order"
	"github.com/drover-fleet/drover/internal/rules/assignment"
	"github.com/drover-fleet/drover/internal/store"
)

const (
	// longestAsked is the longest time of which assignments are asked for.
	longestAsked = 31 * 24 * time.Hour
	// assignmentReach is how far around it trips are read, so that an assignment is the same
	// whatever part of it is asked for. One that lasts longer is cut there, unless the provider
	// states it and no one else drove.
	assignmentReach = 48 * time.Hour
	// drivenTrips, of trips and of what providers state, and drivenDevices bound what one request
	// reads.
	drivenTrips, drivenDevices = 50_000, 1000
)

// Assignments lists who drove what when, by start: of one device, of one driver, or both.
func (s Drivers) Assignments(ctx context.Context, p drover.Principal, f drover.AssignmentFilter) ([]drover.DriverAssignment, error) {
	to := s.now()
	if f.To != nil {
		to = *f.To
	}
	switch {
	case to.Before(f.From.Time):
		return nil, drover.InvalidValue("to must not be before from", "query", "to")
	case to.Sub(f.From.Time) > longestAsked:
		return nil, drover.InvalidValue("to is at most 31 days after from", "query", "to")
	case f.DeviceID == "" && f.DriverID == "":
		return nil, drover.InvalidValue("device_id or driver_id is needed", "query", "device_id")
	}
	q := driven{from: f.From, to: to}
	device := "" // its connection
	if f.DeviceID != "" {
		d, err := s.device(ctx, p, f.DeviceID)
		if err != nil {
			return nil, err
		}
		if err := guard.MayReadDrivers(p, d.Access); err != nil {
			return nil, err
		}
		q.owner, q.devices, device = d.TenantID, []string{d.ID}, d.ConnectionID
	}
	if f.DriverID != "" {
		d, err := s.store.Drivers.Driver(ctx, p.TenantID, f.DriverID)
		if err != nil {
			return nil, guard.OrNotFound(err, guard.UnknownDriver, f.DriverID)
		}
		if err := guard.MayReadDrivers(p, d.Access); err != nil {
			return nil, err
		}
		if device != "" && device != d.ConnectionID { // where the same id is someone else
			return []drover.DriverAssignment{}, nil
		}
		q.driver = d.SystemDriverID
		if f.DeviceID == "" {
			q.owner = d.TenantID
			if q.devices, err = s.devicesOf(ctx, d, q); err != nil || len(q.devices) == 0 {
				return []drover.DriverAssignment{}, err
			}
		}
	}
	return s.assignments(ctx, q)
}

// devicesOf are the devices that a driver drove in the time that is asked for, by their trips and
// by what the provider states.
func (s *core) devicesOf(ctx context.Context, d store.Driver, q driven) ([]string, error) {
	driven, err := s.store.Trips.DevicesDriven(ctx, d.TenantID, d.ConnectionID, d.SystemDriverID, q.earliest(), q.to, drivenDevices)
	if err != nil {
		return nil, err
	}
	stated, err := s.store.Drivers.DevicesStated(ctx, d.TenantID, d.ConnectionID, d.SystemDriverID, q.from, q.to, drivenDevices)
	if err != nil {
		return nil, err
	}
	devices := append(driven, stated...)
	slices.Sort(devices)
	devices = slices.Compact(devices)
	return devices, allRead(len(devices), drivenDevices)
}

// driven is what assignments are made of: the time, and those whom they are about.
type driven struct {
	owner    string
	devices  []string
	driver   string // the provider's id of one driver, or empty
	from, to drover.Time
	// also are claims beside those of trips and of the provider, about a device of a connection.
	also       []assignment.Claim
	connection string
}

func (q driven) earliest() drover.Time { return drover.At(q.from.Add(-assignmentReach)) }

func (q driven) latest() drover.Time { return drover.At(q.to.Add(assignmentReach)) }

// said is what speaks of who drove a device.
type said struct {
	connection string
	claims     []assignment.Claim
}

// assignments derives those that share time with what is asked for.
func (s *core) assignments(ctx context.Context, q driven) ([]drover.DriverAssignment, error) {
	devices := map[string]*said{}
	add := func(device, connection string, c ...assignment.Claim) {
		if devices[device] == nil {
			devices[device] = &said{connection: connection}
		}
		devices[device].claims = append(devices[device].claims, c...)
	}
	trips, err := s.store.Trips.TripsWithDriver(ctx, q.owner, q.devices, q.earliest(), q.latest(), drivenTrips)
	if err == nil {
		err = allRead(len(trips), drivenTrips)
	}
	if err != nil {
		return nil, err
	}
	for _, t := range trips {
		add(t.DeviceID, t.ConnectionID, claim(t))
	}
	// What goes on ends after all that is known, so that it is found by its end.
	open := drover.At(s.clock().Add(assignmentReach))
	if open.Before(q.to.Time) {
		open = q.to
	}
	if err := s.addStated(ctx, q, open, add); err != nil {
		return nil, err
	}
	if len(q.also) > 0 {
		add(q.devices[0], q.connection, q.also...)
	}
	list := []drover.DriverAssignment{}
	connections := map[string][]string{} // the drivers' ids by connection
	for device, of := range devices {
		for _, c := range assignment.Assign(of.claims) {
			if !c.To.After(q.from.Time) || !c.From.Before(q.to.Time) || q.driver != "" && c.Driver != q.driver {
				continue
			}
			found := drover.DriverAssignment{
				ID: drover.AssignmentID(device, c.Driver, c.From), DeviceID: device, ConnectionID: of.connection, SystemDriverID: c.Driver,
				StartTime: c.From, Method: c.Method,
			}
			if c.To.Before(open.Time) {
				found.EndTime = new(c.To)
			}
			list = append(list, found)
			connections[of.connection] = append(connections[of.connection], c.Driver)
		}
	}
	order.By(list, func(a, b drover.DriverAssignment) int {
		return cmp.Or(a.StartTime.Compare(b.StartTime.Time), cmp.Compare(a.ID, b.ID))
	})
	return list, s.nameDrivers(ctx, q.owner, connections, list)
}

// addStated adds what the provider states. Of one that reaches farther than trips are read, the
// rest counts where no one else is known to have driven meanwhile.
func (s *core) addStated(
	ctx context.Context,
	q driven,
	open drover.Time,
	add func(device, connection string, c ...assignment.Claim),
) error {
	stated, err := s.store.Drivers.AssignmentsStated(ctx, q.owner, q.devices, q.earliest(), q.latest(), drivenTrips)
	if err == nil {
		err = allRead(len(stated), drivenTrips)
	}
	if err != nil {
		return err
	}
	var long []string
	for i := range stated {
		a := &stated[i]
		if a.To == nil || a.To.After(open.Time) {
			a.To = &open
		}
		if a.From.Before(q.earliest().Time) || a.To.After(q.latest().Time) {
			long = append(long, a.ID)
		}
	}
	shared, err := s.store.Drivers.AssignmentsShared(ctx, q.owner, long, q.earliest(), q.latest())
	if err != nil {
		return err
	}
	for _, a := range stated {
		c := assignment.Claim{Driver: *a.DriverID, From: a.From, To: *a.To, Method: a.Method}
		if slices.Contains(shared, a.ID) {
			if c.From.Before(q.earliest().Time) {
				c.From = q.earliest()
			}
			if c.To.After(q.latest().Time) {
				c.To = q.latest()
			}
		}
		add(a.DeviceID, a.ConnectionID, c)
	}
	return nil
}

// allRead refuses what may be more than was read: a list that lacks some would be wrong.
func allRead(read, limit int) error {
	if read < limit {
		return nil
	}
	return drover.InvalidValue("there is too much in this time: ask for less of it", "query", "from")
}

// claim is what a trip says of who drove.
func claim(t store.TripDriver) assignment.Claim {
	c := assignment.Claim{Driver: t.DriverID, From: t.From, To: t.To, Method: drover.ByUnknown}
	if t.ByPositions {
		c.Method = drover.ByDerived
	}
	return c
}

// nameDrivers adds the records of the drivers, where there are any.
func (s *core) nameDrivers(ctx context.Context, owner string, connections map[string][]string, list []drover.DriverAssignment) error {
	for connection, drivers := range connections {
		slices.Sort(drivers)
		known, err := s.store.Drivers.DriversBySystemID(ctx, owner, connection, slices.Compact(drivers))
		if err != nil {
			return err
		}
		for i := range list {
			if id, ok := known[list[i].SystemDriverID]; ok && list[i].ConnectionID == connection {
				list[i].DriverID = &id
			}
		}
	}
	return nil
}

// DeviceDriver is who drives a device now, by its newest position and by what the provider states
// of that time: no one where neither names anyone, or the position is older than a break may be.
func (s Drivers) DeviceDriver(ctx context.Context, p drover.Principal, deviceID string) ([]drover.DriverAssignment, error) {
	d, err := s.device(ctx, p, deviceID)
	if err != nil {
		return nil, err
	}
	driver, at, err := guard.DriverNow(ctx, s.store, p, d)
	if err != nil {
		return nil, err
	}
	if s.clock().Sub(at.Time) > assignment.LongestGap {
		return []drover.DriverAssignment{}, nil
	}
	q := driven{owner: d.TenantID, devices: []string{d.ID}, from: at, to: drover.Milli(at.UnixMilli() + 1)}
	if driver != "" {
		q.also, q.connection = []assignment.Claim{{Driver: driver, From: at, To: q.to, Method: drover.ByDerived}}, d.ConnectionID
	}
	list, err := s.assignments(ctx, q)
	for i := range list {
		list[i].EndTime = nil
	}
	return list, err
}
