package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
)

func (s *server) stopRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/stop", s.listStops).
			named("listStops", tagTrip, "List stops", "What happened between trips, by start time: where a device stood, and how long its engine or an auxiliary ran. "+copyWords).
			shows(drover.ScopePositions).can(errorsOfCopy...),
	}
}

type stopQuery struct {
	drover.StopFilter
	Sort string `query:"sort" enum:"start_time,updated_at" default:"start_time" doc:"updated_at is the order in which records were changed, for a copy that misses nothing."`
	copying
	paging
}

func (s *server) listStops(c *call, q stopQuery) (page[drover.Stop], error) {
	if q.copies(q.Sort) {
		return listChanges[drover.Stop](s, c, drover.ChangedStops, q.copying, q.paging, q.StopFilter)
	}
	var after drover.TripCursor
	if err := q.place(&after); err != nil {
		return page[drover.Stop]{}, err
	}
	stops, err := s.Fleet.Trips.Stops(c.Context, c.principal, q.StopFilter, after, q.Limit+1)
	if err != nil {
		return page[drover.Stop]{}, err
	}
	return newPage(stops, q.Limit, func(d drover.Stop) cursor { return drover.TripCursor{StartTime: d.StartTime, ID: d.ID} })
}
