package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet"
)

func (s *server) connectionRoutes() []route {
	return []route{
		op(http.MethodGet, "/connection/{connection_id}/share", s.listShares).
			named("listShares", tagConnection, "List shares", "The tenants that a connection is shared with.").
			can(errorsOfOne...).missing(fleet.UnknownConnection),
		op(http.MethodPut, "/connection/{connection_id}/share/{tenant_id}", s.putShare).
			named("putShare", tagConnection, "Share connection", "Lets another tenant read the connection, its devices, trips and positions, but not its credentials.").
			can(errorsOfOne...).missing(fleet.UnknownConnection),
		op(http.MethodDelete, "/connection/{connection_id}/share/{tenant_id}", s.deleteShare).
			named("deleteShare", tagConnection, "Unshare connection", "Takes another tenant's access back.").
			can(errorsOfOne...).missing(fleet.UnknownConnection),
	}
}

type connectionQuery struct {
	Provider drover.ProviderName `query:"telematics_provider" doc:"Only connections with this provider."`
}

func (s *server) listConnections(c *call, q connectionQuery) ([]drover.Connection, error) {
	return s.Fleet.Connections(c.Context, c.principal, q.Provider)
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
