package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) driverRoutes() []route {
	return []route{
		op(http.MethodDelete, "/driver/{driver_id}", s.deleteDriver).
			named("deleteDriver", tagTrip, "Erase driver",
				"Replaces a driver, by the value of a driver_id, with a made-up pseudonym in trips, positions, events and what is kept of deliveries, in the background. "+
					"Exports that may name the driver are dropped. Take the driver away at the provider first: what it reports later is stored again.").
			admin().fresh().can(errorsOfList...),
		op(http.MethodGet, "/driver-erasure/{erasure_id}", s.getDriverErasure).
			named("getDriverErasure", tagTrip, "Get the erasure of a driver", "How far it is.").
			admin().can(errorsOfOne...).missing(guard.UnknownErasure),
	}
}

func (s *server) deleteDriver(c *call) (drover.DriverErasure, error) {
	return s.Fleet.EraseDriver(c.Context, c.principal, c.PathValue("driver_id"))
}

func (s *server) getDriverErasure(c *call) (drover.DriverErasure, error) {
	return s.Fleet.DriverErasure(c.Context, c.principal, c.PathValue("erasure_id"))
}
