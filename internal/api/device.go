package api

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/decode"
	"github.com/drover-fleet/drover/internal/store"
)

func (s *server) getDevice(c *call) (drover.Device, error) {
	return s.Fleet.Device(c.Context, c.principal, c.PathValue("device_id"))
}

func (s *server) patchDevice(c *call, body drover.DeviceUpdate) (drover.Device, error) {
	return s.Fleet.UpdateDevice(c.Context, c.principal, c.PathValue("device_id"), body)
}

func (s *server) listDevices(c *call) (page[drover.Device], error) {
	q := c.URL.Query()
	var after string
	limit, err := paging(q, &after)
	if err != nil {
		return page[drover.Device]{}, err
	}
	f := store.DeviceFilter{ConnectionID: q.Get("connection_id")}
	if f.Tag, err = decode.QueryString(q, "tag", drover.MaxTagLength); err != nil {
		return page[drover.Device]{}, err
	}
	if f.Active, err = optionalBool(q, "active"); err != nil {
		return page[drover.Device]{}, err
	}
	devices, err := s.Fleet.Devices(c.Context, c.principal, f, after, limit+1)
	if err != nil {
		return page[drover.Device]{}, err
	}
	return newPage(devices, limit, func(d drover.Device) any { return d.ID })
}
