package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) driverRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/driver", s.listDrivers).
			named("listDrivers", tagDriver, "List drivers",
				"The persons who drive, as the providers of the tenant's connections list them, and of those shared with it, in the order in which they were found. "+copyWords).
			shows(drover.ScopeDrivers).can(errorsOfCopy...),
		op(http.MethodGet, "/driver/{driver_id}", s.getDriver).
			named("getDriver", tagDriver, "Get driver", "One driver, by the id of its record.").
			ofShare(drover.ScopeDrivers).can(errorsOfOne...).missing(guard.UnknownDriver),
		opBody(http.MethodPatch, "/driver/{driver_id}", s.patchDriver).
			named("patchDriver", tagDriver, "Update driver", "Changes the fields that are sent; collection leaves them alone from then on.").
			can(errorsOfOne...).missing(guard.UnknownDriver).conditional().tagged(),
		opQuery(http.MethodGet, "/driver-assignment", s.listAssignments).
			named("listDriverAssignments", tagDriver, "List driver assignments",
				"Who drove a device, or what a driver drove, by start: assignments that share time with [from, to), at most 31 days. "+
					"They are made of what the provider states of who drove, where it does, and of trips that name their driver: those that follow each other within two hours are one. Of two that speak of one time, the one that is believed more holds.").
			ofShare(drover.ScopeDrivers).can(errorsOfOne...).missing(guard.UnknownDevice),
		op(http.MethodGet, "/device/{device_id}/driver", s.getDeviceDriver).
			named("getDeviceDriver", tagDriver, "Get who drives now",
				"Who drives a device, by its newest position and what the provider states of its time: an empty list where neither names anyone, or the position is older than two hours.").
			ofShare(drover.ScopeDrivers).can(errorsOfOne...).missing(guard.UnknownDevice),
		op(http.MethodDelete, "/driver/{driver_id}", s.deleteDriver).
			named("deleteDriver", tagDriver, "Erase driver",
				"Replaces a driver, by the value of a driver_id or the id of its record, with a made-up pseudonym in trips, positions, events and what is kept of deliveries, in the background. "+
					"Of the record the pseudonym is left, and nothing of the person. "+
					"Exports that may name the driver are dropped. Take the driver away at the provider first: what it reports later is stored again.").
			admin().can(errorsOfList...),
		op(http.MethodGet, "/driver-erasure/{erasure_id}", s.getDriverErasure).
			named("getDriverErasure", tagDriver, "Get the erasure of a driver", "How far it is.").
			admin().can(errorsOfOne...).missing(guard.UnknownErasure),
	}
}

func (s *server) deleteDriver(c *call) (drover.DriverErasure, error) {
	return s.Fleet.Drivers.EraseDriver(c.Context, c.principal, c.PathValue("driver_id"))
}

func (s *server) getDriverErasure(c *call) (drover.DriverErasure, error) {
	return s.Fleet.Drivers.DriverErasure(c.Context, c.principal, c.PathValue("erasure_id"))
}

type driverQuery struct {
	drover.DriverFilter
	Sort string `query:"sort" enum:"id,updated_at" default:"id" doc:"id is the order in which drivers were found, updated_at the order in which records were changed, for a copy that misses nothing."`
	copying
	paging
}

func (s *server) listDrivers(c *call, q driverQuery) (page[drover.Driver], error) {
	if q.copies(q.Sort) {
		return listChanges[drover.Driver](s, c, drover.ChangedDrivers, q.copying, q.paging, q.DriverFilter)
	}
	var after drover.IDCursor
	if err := q.place(&after); err != nil {
		return page[drover.Driver]{}, err
	}
	drivers, err := s.Fleet.Drivers.Drivers(c.Context, c.principal, q.DriverFilter, after, q.Limit+1)
	if err != nil {
		return page[drover.Driver]{}, err
	}
	return newPage(drivers, q.Limit, func(d drover.Driver) cursor { return drover.IDCursor(d.ID) })
}

func (s *server) getDriver(c *call) (drover.Driver, error) {
	return s.Fleet.Drivers.Driver(c.Context, c.principal, c.PathValue("driver_id"))
}

func (s *server) patchDriver(c *call, body drover.DriverUpdate) (drover.Driver, error) {
	return s.Fleet.Drivers.UpdateDriver(c.Context, c.principal, c.PathValue("driver_id"), body)
}

func (s *server) listAssignments(c *call, q drover.AssignmentFilter) ([]drover.DriverAssignment, error) {
	return s.Fleet.Drivers.Assignments(c.Context, c.principal, q)
}

func (s *server) getDeviceDriver(c *call) ([]drover.DriverAssignment, error) {
	return s.Fleet.Drivers.DeviceDriver(c.Context, c.principal, c.PathValue("device_id"))
}
