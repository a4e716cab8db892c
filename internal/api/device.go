package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
)

func (s *server) deviceRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/device", s.listDevices).
			named("listDevices", tagDevice, "List devices", "Devices of the tenant's connections and of those shared with it, oldest first.").
			can(errorsOfList...),
	}
}

func (s *server) getDevice(c *call) (drover.Device, error) {
	return s.Fleet.Device(c.Context, c.principal, c.PathValue("device_id"))
}

func (s *server) patchDevice(c *call, body drover.DeviceUpdate) (drover.Device, error) {
	return s.Fleet.UpdateDevice(c.Context, c.principal, c.PathValue("device_id"), body)
}

type deviceQuery struct {
	drover.DeviceFilter
	paging
}

func (s *server) listDevices(c *call, q deviceQuery) (page[drover.Device], error) {
	var after drover.IDCursor
	if err := q.place(&after); err != nil {
		return page[drover.Device]{}, err
	}
	devices, err := s.Fleet.Devices(c.Context, c.principal, q.DeviceFilter, after, q.Limit+1)
	if err != nil {
		return page[drover.Device]{}, err
	}
	return newPage(devices, q.Limit, func(d drover.Device) cursor { return drover.IDCursor(d.ID) })
}
