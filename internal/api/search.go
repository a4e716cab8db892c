package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
)

func (s *server) searchRoutes() []route {
	return []route{
		opQuery(http.MethodGet, "/search", s.search).
			named("search", tagAccount, "Search", "Finds devices whose plate, name or provider's id begins with a text, connections whose business name contains it, milestones whose reference begins with it, drivers whose name, employee number or provider's id contains it, faults whose code begins with it, and devices, connections, trips, milestones, drivers, faults and safety events by their id.").
			shows(drover.ScopeDrivers, drover.ScopeReadings, drover.ScopeSafety).can(errorsOfList...),
	}
}

type searchQuery struct {
	Text  string `query:"q" required:"true" maxLength:"255" doc:"What to look for, whatever the case."`
	Limit int    `query:"limit" default:"20" minimum:"1" maximum:"100" doc:"Findings at the most."`
}

func (s *server) search(c *call, q searchQuery) ([]drover.Finding, error) {
	return s.Fleet.Account.Search(c.Context, c.principal, q.Text, q.Limit)
}
