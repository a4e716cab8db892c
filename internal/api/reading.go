package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) readingRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/reading", s.listReadings).
			named("listNewestReadings", tagDevice, "Newest readings",
				"What the instruments of the caller's devices said last: the newest reading of each kind and channel, by device, kind and channel. "+
					"Of several sources it is the best one that is not silent: the vehicle, a sensor, the provider, the tracker. "+copyWords+
					" The readings of a device are listed together when one of them has changed.").
			shows(drover.ScopeReadings).can(errorsOfCopy...),
		op(http.MethodGet, "/device/{device_id}/reading", s.getReadings).
			named("getDeviceReadings", tagDevice, "Get newest readings",
				"What the instruments of a device said last: the newest reading of each kind and channel.").
			ofShare(drover.ScopeReadings).can(errorsOfOne...).missing(guard.UnknownDevice),
		opQuery(http.MethodGet, "/device/{device_id}/readings", s.listDeviceReadings).
			named("listDeviceReadings", tagDevice, "List readings",
				"A device's readings of [from, to), of all series, those that are believed unless others are asked for.").
			ofShare(drover.ScopeReadings).can(errorsOfOne...).missing(guard.UnknownDevice),
	}
}

type readingQuery struct {
	drover.ReadingFilter
	Sort string `query:"sort" enum:"device_id,updated_at" default:"device_id" doc:"updated_at is the order in which records were changed, for a copy that misses nothing."`
	copying
	paging
}

func (s *server) listReadings(c *call, q readingQuery) (page[drover.NewestReading], error) {
	if q.copies(q.Sort) {
		return listChanges[drover.NewestReading](s, c, drover.ChangedReadings, q.copying, q.paging, q.ReadingFilter)
	}
	var after drover.ReadingCursor
	if err := q.place(&after); err != nil {
		return page[drover.NewestReading]{}, err
	}
	readings, err := s.Fleet.Vehicles.NewestReadings(c.Context, c.principal, q.ReadingFilter, after, q.Limit+1)
	if err != nil {
		return page[drover.NewestReading]{}, err
	}
	return newPage(readings, q.Limit, func(last drover.NewestReading) cursor { return fleet.PlaceOf(last.Reading) })
}

func (s *server) getReadings(c *call) ([]drover.NewestReading, error) {
	return s.Fleet.Vehicles.DeviceReadings(c.Context, c.principal, c.PathValue("device_id"))
}

type readingHistoryQuery struct {
	drover.ReadingHistoryFilter
	paging
}

func (s *server) listDeviceReadings(c *call, q readingHistoryQuery) (page[drover.Reading], error) {
	var after drover.ReadingTimeCursor
	if err := q.place(&after); err != nil {
		return page[drover.Reading]{}, err
	}
	found, err := s.Fleet.Vehicles.Readings(c.Context, c.principal, c.PathValue("device_id"), q.ReadingHistoryFilter, after, q.Limit+1)
	if err != nil {
		return page[drover.Reading]{}, err
	}
	p, err := newPage(found, q.Limit, func(last guard.PlacedReading) cursor { return last.Place })
	readings := make([]drover.Reading, len(p.items))
	for i := range p.items {
		readings[i] = p.items[i].Reading
	}
	return page[drover.Reading]{items: readings, next: p.next}, err
}
