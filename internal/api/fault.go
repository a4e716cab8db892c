package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) faultRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/fault", s.listFaults).
			named("listFaults", tagDevice, "List faults",
				"What vehicles report as broken, open and closed, in the order in which it became known. "+copyWords).
			shows(drover.ScopeReadings).can(errorsOfCopy...),
		op(http.MethodGet, "/fault/{fault_id}", s.getFault).
			named("getFault", tagDevice, "Get fault", "One fault.").
			ofShare(drover.ScopeReadings).can(errorsOfOne...).missing(guard.UnknownFault),
	}
}

type faultQuery struct {
	drover.FaultFilter
	Sort  string            `query:"sort" enum:"id,updated_at" default:"id" doc:"updated_at is the order in which records were changed, for a copy that misses nothing."`
	Order drover.EventOrder `query:"order" enum:"asc,desc" default:"asc" doc:"desc is newest first; without sort=updated_at."`
	copying
	paging
}

func (s *server) listFaults(c *call, q faultQuery) (page[drover.Fault], error) {
	q.Newest = q.Order == drover.NewestFirst
	if q.copies(q.Sort) {
		return listChanges[drover.Fault](s, c, drover.ChangedFaults, q.copying, q.paging, q.FaultFilter)
	}
	var after drover.IDCursor
	if err := q.place(&after); err != nil {
		return page[drover.Fault]{}, err
	}
	faults, err := s.Fleet.Vehicles.Faults(c.Context, c.principal, q.FaultFilter, after, q.Limit+1)
	if err != nil {
		return page[drover.Fault]{}, err
	}
	return newPage(faults, q.Limit, func(f drover.Fault) cursor { return drover.IDCursor(f.ID) })
}

func (s *server) getFault(c *call) (drover.Fault, error) {
	return s.Fleet.Vehicles.Fault(c.Context, c.principal, c.PathValue("fault_id"))
}
