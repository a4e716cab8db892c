package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) safetyRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/safety-event", s.listSafetyEvents).
			named("listSafetyEvents", tagDevice, "List safety events",
				"Harsh driving, speeding, crashes and what cameras saw, as providers report it, in the order in which it became known. "+copyWords).
			shows(drover.ScopeSafety, drover.ScopePositions, drover.ScopeDrivers).can(errorsOfCopy...),
		op(http.MethodGet, "/safety-event/{safety_event_id}", s.getSafetyEvent).
			named("getSafetyEvent", tagDevice, "Get safety event", "One safety event.").
			ofShare(drover.ScopeSafety).shows(drover.ScopePositions, drover.ScopeDrivers).can(errorsOfOne...).missing(guard.UnknownSafetyEvent),
	}
}

type safetyQuery struct {
	drover.SafetyFilter
	Sort  string            `query:"sort" enum:"id,updated_at" default:"id" doc:"updated_at is the order in which records were changed, for a copy that misses nothing."`
	Order drover.EventOrder `query:"order" enum:"asc,desc" default:"asc" doc:"desc is newest first; without sort=updated_at."`
	copying
	paging
}

func (s *server) listSafetyEvents(c *call, q safetyQuery) (page[drover.SafetyEvent], error) {
	q.Newest = q.Order == drover.NewestFirst
	if q.copies(q.Sort) {
		return listChanges[drover.SafetyEvent](s, c, drover.ChangedSafetyEvents, q.copying, q.paging, q.SafetyFilter)
	}
	var after drover.IDCursor
	if err := q.place(&after); err != nil {
		return page[drover.SafetyEvent]{}, err
	}
	events, err := s.Fleet.Vehicles.SafetyEvents(c.Context, c.principal, q.SafetyFilter, after, q.Limit+1)
	if err != nil {
		return page[drover.SafetyEvent]{}, err
	}
	return newPage(events, q.Limit, func(e drover.SafetyEvent) cursor { return drover.IDCursor(e.ID) })
}

func (s *server) getSafetyEvent(c *call) (drover.SafetyEvent, error) {
	return s.Fleet.Vehicles.SafetyEvent(c.Context, c.principal, c.PathValue("safety_event_id"))
}
