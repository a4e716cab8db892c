package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
)

func (s *server) standRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/stand", s.listStands).
			named("listStands", tagTrip, "List stands", "What happened between trips, by start time: where a device stood, and how long its engine or an auxiliary ran.").
			can(errorsOfList...),
	}
}

type standQuery struct {
	drover.StandFilter
	paging
}

func (s *server) listStands(c *call, q standQuery) (page[drover.Stand], error) {
	var after drover.TripCursor
	if err := q.place(&after); err != nil {
		return page[drover.Stand]{}, err
	}
	stands, err := s.Fleet.Stands(c.Context, c.principal, q.StandFilter, after, q.Limit+1)
	if err != nil {
		return page[drover.Stand]{}, err
	}
	return newPage(stands, q.Limit, func(d drover.Stand) cursor { return drover.TripCursor{StartTime: d.StartTime, ID: d.ID} })
}
