package api

import "github.com/drover-fleet/drover"

func (s *server) getConnectionHealth(c *call) (drover.ConnectionHealth, error) {
	return s.Fleet.ConnectionHealth(c.Context, c.principal, c.PathValue("connection_id"))
}

func (s *server) postSync(c *call, body drover.SyncInput) (drover.ConnectionHealth, error) {
	return s.Fleet.Sync(c.Context, c.principal, c.PathValue("connection_id"), body)
}

func (s *server) deleteSync(c *call) (nothing, error) {
	return nothing{}, s.Fleet.CancelSync(c.Context, c.principal, c.PathValue("connection_id"), c.PathValue("job_id"))
}
