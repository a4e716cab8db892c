package api

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/decode"
)

func (s *server) getAccountSummary(c *call) (drover.AccountSummary, error) {
	return s.Fleet.AccountSummary(c.Context, c.principal)
}

func (s *server) getActivitySummary(c *call) (drover.ActivitySummary, error) {
	q := c.URL.Query()
	days, err := decode.QueryEnumInt(q, "days", 14, 7, 14, 30, 90)
	if err != nil {
		return drover.ActivitySummary{}, err
	}
	limit, err := decode.QueryInt(q, "limit", 10, 1, 100)
	if err != nil {
		return drover.ActivitySummary{}, err
	}
	return s.Fleet.ActivitySummary(c.Context, c.principal, days, limit)
}
