package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) deviceRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/device", s.listDevices).
			named("listDevices", tagDevice, "List devices", "Devices of the tenant's connections and of those shared with it, in the order in which they were found unless another is asked for. "+copyWords).
			can(errorsOfCopy...),
		opQuery(http.MethodGet, "/device/{device_id}/day", s.listDeviceDays).
			named("listDeviceDays", tagDevice, "Sum up days", "What a device did on each day of its time zone, from one date to another: trips and stops over midnight are divided by its positions. "+
				"At most 400 days; the last 30 unless others are asked for. With include=readings each has what the vehicle's counters show.").
			shows(drover.ScopeReadings).can(errorsOfOne...).missing(guard.UnknownDevice),
		opBody(http.MethodPost, "/device/tag", s.postDeviceTags).
			named("postDeviceTags", tagDevice, "Tag devices", "Adds tags to up to 1,000 devices and takes others away: of all of them, or of none where one is not the tenant's own or would have more than ten.").
			can(errorsOfList...),
	}
}

func (s *server) postDeviceTags(c *call, body drover.DeviceTagInput) (drover.DeviceTagResult, error) {
	return s.Fleet.Devices.TagDevices(c.Context, c.principal, body)
}

type dayQuery struct {
	From string `query:"from" doc:"The first date, such as 2026-03-01."`
	To   string `query:"to" doc:"The last date, which is among them; today without one."`

	Include string `query:"include" enum:"readings" doc:"Adds fuel_used_litres, engine_seconds, odometer_start_metres and odometer_end_metres."`
}

func (s *server) listDeviceDays(c *call, q dayQuery) ([]drover.DeviceDay, error) {
	return s.Fleet.Trips.DeviceDays(c.Context, c.principal, c.PathValue("device_id"), q.From, q.To, q.Include == "readings")
}

func (s *server) getDevice(c *call) (drover.Device, error) {
	return s.Fleet.Devices.Device(c.Context, c.principal, c.PathValue("device_id"))
}

func (s *server) patchDevice(c *call, body drover.DeviceUpdate) (drover.Device, error) {
	return s.Fleet.Devices.UpdateDevice(c.Context, c.principal, c.PathValue("device_id"), body)
}

type deviceQuery struct {
	drover.DeviceFilter
	State drover.DeviceState `query:"state" doc:"Only devices in this state now."`
	drover.DeviceOrder
	copying
	paging
}

func (s *server) listDevices(c *call, q deviceQuery) (page[drover.Device], error) {
	if q.copies(string(q.Sort)) {
		return listChanges[drover.Device](s, c, drover.ChangedDevices, q.copying, q.paging, struct {
			drover.DeviceFilter
			drover.DeviceState
			down bool
		}{q.DeviceFilter, q.State, q.Order == drover.NewestFirst})
	}
	after, err := q.sorted(q.Name(), q.Numbers())
	if err != nil {
		return page[drover.Device]{}, err
	}
	devices, err := s.Fleet.Devices.DevicesIn(c.Context, c.principal, q.State, q.DeviceFilter, q.DeviceOrder, after, q.Limit+1)
	if err != nil {
		return page[drover.Device]{}, err
	}
	return sortedPage(devices, q.Limit)
}
