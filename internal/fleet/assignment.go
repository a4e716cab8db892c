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
	// whatever part of it is asked for. One that lasts longer is cut there.
	assignmentReach = 48 * time.Hour
	// drivenTrips and drivenDevices bound what one request reads.
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
		q.driver, q.connection = d.SystemDriverID, d.ConnectionID
		if f.DeviceID == "" {
			q.owner = d.TenantID
			q.devices, err = s.store.Trips.DevicesDriven(ctx, d.TenantID, d.ConnectionID, d.SystemDriverID, q.earliest(), q.to, drivenDevices)
			if err != nil || len(q.devices) == 0 {
				return []drover.DriverAssignment{}, err
			}
			if err := allRead(len(q.devices), drivenDevices); err != nil {
				return nil, err
			}
		}
	}
	return s.assignments(ctx, q)
}

// driven is what assignments are made of: the time, and those whom they are about.
type driven struct {
	owner              string
	devices            []string
	driver, connection string // the provider's id and the connection of one driver, or empty
	from, to           drover.Time
	// also are claims beside those of trips.
	also []assignment.Claim
}

func (q driven) earliest() drover.Time { return drover.At(q.from.Add(-assignmentReach)) }

// assignments derives those that share time with what is asked for.
func (s *core) assignments(ctx context.Context, q driven) ([]drover.DriverAssignment, error) {
	trips, err := s.store.Trips.TripsWithDriver(ctx, q.owner, q.devices, q.earliest(), drover.At(q.to.Add(assignmentReach)), drivenTrips)
	if err == nil {
		err = allRead(len(trips), drivenTrips)
	}
	if err != nil {
		return nil, err
	}
	list := []drover.DriverAssignment{}
	connections := map[string][]string{} // the drivers' ids by connection
	for len(trips) > 0 || len(q.also) > 0 {
		device, connection := q.devices[0], q.connection
		n := 0
		if len(trips) > 0 {
			device, connection = trips[0].DeviceID, trips[0].ConnectionID
			n = slices.IndexFunc(trips, func(t store.TripDriver) bool { return t.DeviceID != device })
			if n < 0 {
				n = len(trips)
			}
		}
		for _, c := range assignment.Assign(append(claims(trips[:n]), q.also...)) {
			if !c.To.After(q.from.Time) || !c.From.Before(q.to.Time) || q.driver != "" && c.Driver != q.driver {
				continue
			}
			list = append(list, drover.DriverAssignment{
				ID: drover.AssignmentID(device, c.Driver, c.From), DeviceID: device, ConnectionID: connection, SystemDriverID: c.Driver,
				StartTime: c.From, EndTime: new(c.To), Method: c.Method,
			})
			connections[connection] = append(connections[connection], c.Driver)
		}
		trips, q.also = trips[n:], nil
	}
	order.By(list, func(a, b drover.DriverAssignment) int {
		return cmp.Or(a.StartTime.Compare(b.StartTime.Time), cmp.Compare(a.ID, b.ID))
	})
	return list, s.nameDrivers(ctx, q.owner, connections, list)
}

// allRead refuses what may be more than was read: a list that lacks some would be wrong.
func allRead(read, limit int) error {
	if read < limit {
		return nil
	}
	return drover.InvalidValue("there is too much in this time: ask for less of it", "query", "from")
}

// claims are what trips say of who drove.
func claims(trips []store.TripDriver) []assignment.Claim {
	list := make([]assignment.Claim, len(trips))
	for i, t := range trips {
		list[i] = assignment.Claim{Driver: t.DriverID, From: t.From, To: t.To, Method: drover.ByUnknown}
		if t.ByPositions {
			list[i].Method = drover.ByDerived
		}
	}
	return list
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

// DeviceDriver is who drives a device now, by its newest position: no one where it names no
// one, or is older than a break may be.
func (s Drivers) DeviceDriver(ctx context.Context, p drover.Principal, deviceID string) ([]drover.DriverAssignment, error) {
	d, err := s.device(ctx, p, deviceID)
	if err != nil {
		return nil, err
	}
	driver, at, err := guard.DriverNow(ctx, s.store, p, d)
	if err != nil {
		return nil, err
	}
	if driver == "" || s.clock().Sub(at.Time) > assignment.LongestGap {
		return []drover.DriverAssignment{}, nil
	}
	until := drover.Milli(at.UnixMilli() + 1)
	list, err := s.assignments(ctx, driven{
		owner: d.TenantID, devices: []string{d.ID}, driver: driver, connection: d.ConnectionID, from: at, to: until,
		also: []assignment.Claim{{Driver: driver, From: at, To: until, Method: drover.ByDerived}},
	})
	for i := range list {
		list[i].EndTime = nil
	}
	return list, err
}
