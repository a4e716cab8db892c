package api

import (
	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/decode"
)

func (s *server) listConnections(c *call) ([]drover.Connection, error) {
	name, err := decode.QueryEnum(c.URL.Query(), "telematics_provider", drover.ProviderNames...)
	if err != nil {
		return nil, err
	}
	return s.Fleet.Connections(c.Context, c.principal, name)
}

func (s *server) postConnection(c *call, body drover.ConnectionInput) (drover.Connection, error) {
	return s.Fleet.CreateConnection(c.Context, c.principal, body)
}

func (s *server) getConnection(c *call) (drover.ConnectionDetail, error) {
	return s.Fleet.Connection(c.Context, c.principal, c.PathValue("connection_id"))
}

func (s *server) getCredentials(c *call) (drover.ConnectionCredentials, error) {
	return s.Fleet.Credentials(c.Context, c.principal, c.PathValue("connection_id"))
}

func (s *server) listConnectionTags(c *call) ([]drover.Tag, error) {
	return s.Fleet.ConnectionTags(c.Context, c.principal)
}

func (s *server) listShares(c *call) ([]drover.Share, error) {
	return s.Fleet.Shares(c.Context, c.principal, c.PathValue("connection_id"))
}

func (s *server) putShare(c *call) (drover.Share, error) {
	return s.Fleet.Share(c.Context, c.principal, c.PathValue("connection_id"), c.PathValue("tenant_id"))
}

func (s *server) deleteShare(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Unshare(c.Context, c.principal, c.PathValue("connection_id"), c.PathValue("tenant_id"))
}
