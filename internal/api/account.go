package api

import (
	"net/http"
	"time"

	"github.com/drover-fleet/drover"
)

func (s *server) accountRoutes() []route {
	return []route{
		op(http.MethodGet, "/account/limits", s.listAccountLimits).
			named("listAccountLimits", tagAccount, "Account limits",
				"How much the tenant may have of everything that is bounded, and how much it has. "+
					"A request for more is answered with 403 and the words Limit of N … reached. The operator sets the limits.").
			can(errorsOfList...),
		op(http.MethodGet, "/account/storage", s.getAccountStorage).
			named("getAccountStorage", tagAccount, "Account storage",
				"What the tenant's history takes in the database: positions as rows and in packed days, events, and by how much it grows. And for how many days it is kept.").
			can(errorsOfList...),
	}
}

func (s *server) getAccountStorage(c *call) (drover.AccountStorage, error) {
	return s.Fleet.Account.Storage(c.Context, c.principal)
}

func (s *server) listAccountLimits(c *call) ([]drover.AccountLimit, error) {
	limits, err := s.Fleet.Account.AccountLimits(c.Context, c.principal)
	for i := range limits {
		if limits[i].Name == drover.QuotaStreams {
			limits[i].Used = s.places.streams.Held(c.principal.TenantID)
		}
		if limits[i].Name == drover.QuotaRequestsPerMinute && limits[i].Limit == 0 {
			limits[i].Limit = int64(s.RateLimit * time.Minute.Seconds())
		}
	}
	return limits, err
}

func (s *server) getAccountSummary(c *call) (drover.AccountSummary, error) {
	return s.Fleet.Account.AccountSummary(c.Context, c.principal)
}

type activityQuery struct {
	Days  int `query:"days" default:"14" enum:"7,14,30,90" doc:"Lookback window in days."`
	Limit int `query:"limit" default:"10" minimum:"1" maximum:"100" doc:"Caps trips_by_connection and events_by_type."`
	// Stops is no part of the sixteen operations' own shape, so it is asked for.
	Stops bool `query:"stops" doc:"Also sum up the stops."`
}

func (s *server) getActivitySummary(c *call, q activityQuery) (drover.ActivitySummary, error) {
	return s.Fleet.Trips.ActivitySummary(c.Context, c.principal, q.Days, q.Limit, q.Stops)
}
