package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) recomputeRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/trip-recompute", s.listRecomputes).
			named("listRecomputes", tagTrip, "List recompute jobs", "The tenant's jobs that derive trips again, oldest first.").
			can(errorsOfList...),
		opBody(http.MethodPost, "/trip-recompute", s.postRecompute).
			named("postRecompute", tagTrip, "Recompute trips",
				"Derives the trips of a window again from the stored positions, by the settings that hold now, in the background. A trip that stays the same trip keeps its id. "+
					"Trips of connections whose provider reports them stay, and so do trips of which no position is kept.").
			can(errorsOfList...),
		op(http.MethodGet, "/trip-recompute/{recompute_id}", s.getRecompute).
			named("getRecompute", tagTrip, "Get recompute job", "How far a job is.").
			can(errorsOfOne...).missing(guard.UnknownRecompute),
		op(http.MethodDelete, "/trip-recompute/{recompute_id}", s.deleteRecompute).
			named("deleteRecompute", tagTrip, "Cancel recompute job", "Ends a job. What it has done stays. One that is over stays as it is.").
			can(errorsOfOne...).missing(guard.UnknownRecompute),
	}
}

func (s *server) listRecomputes(c *call, q paging) (page[drover.Recompute], error) {
	var after drover.IDCursor
	if err := q.place(&after); err != nil {
		return page[drover.Recompute]{}, err
	}
	jobs, err := s.Fleet.Trips.Recomputes(c.Context, c.principal, after, q.Limit+1)
	if err != nil {
		return page[drover.Recompute]{}, err
	}
	return newPage(jobs, q.Limit, func(r drover.Recompute) cursor { return drover.IDCursor(r.ID) })
}

func (s *server) postRecompute(c *call, body drover.RecomputeInput) (drover.Recompute, error) {
	return s.Fleet.Trips.Recompute(c.Context, c.principal, body)
}

func (s *server) getRecompute(c *call) (drover.Recompute, error) {
	return s.Fleet.Trips.RecomputeJob(c.Context, c.principal, c.PathValue("recompute_id"))
}

func (s *server) deleteRecompute(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Trips.CancelRecompute(c.Context, c.principal, c.PathValue("recompute_id"))
}
