package api

import "github.com/drover-fleet/drover"

func (s *server) getAccountSummary(c *call) (drover.AccountSummary, error) {
	return s.Fleet.AccountSummary(c.Context, c.principal)
}

type activityQuery struct {
	Days  int `query:"days" default:"14" enum:"7,14,30,90" doc:"Lookback window in days."`
	Limit int `query:"limit" default:"10" minimum:"1" maximum:"100" doc:"Caps trips_by_connection and events_by_type."`
	// Stands is no part of the sixteen operations' own shape, so it is asked for.
	Stands bool `query:"stands" doc:"Also sum up the stands."`
}

func (s *server) getActivitySummary(c *call, q activityQuery) (drover.ActivitySummary, error) {
	return s.Fleet.ActivitySummary(c.Context, c.principal, q.Days, q.Limit, q.Stands)
}
