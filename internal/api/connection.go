package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet"
)

func (s *server) connectionRoutes() []route {
	return []route{
		opBody(http.MethodPatch, "/connection/{connection_id}", s.patchConnection).
			named("patchConnection", tagConnection, "Update connection", "Changes the fields that are sent. Credentials and tags are set as a whole; new credentials are tried at once. "+
				"An earlier collection_start_time is filled in where the provider keeps history. With active false nothing is collected.").
			can(errorsOfOne...).missing(fleet.UnknownConnection),
		op(http.MethodDelete, "/connection/{connection_id}", s.deleteConnection).
			named("deleteConnection", tagConnection, "Delete connection", "Stops the collection at once and forgets the credentials. What was collected stays, and the connection is archived: "+
				"with new credentials and active true it is collected again.").
			can(errorsOfOne...).missing(fleet.UnknownConnection),
		opBody(http.MethodPost, "/connection/test", s.postConnectionTest).
			named("postConnectionTest", tagConnection, "Try credentials", "Asks the provider whether credentials work, how many vehicles they show, and for one position. Nothing is stored. "+
				"What the provider refuses is in the answer, in words. It takes 20 seconds at the most.").
			can(errorsOfList...),
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
	Include  string              `query:"include" enum:"health" doc:"Adds health to each connection."`
}

func (s *server) listConnections(c *call, q connectionQuery) ([]drover.ConnectionView, error) {
	if q.Include != "" {
		return s.Fleet.ConnectionsWithHealth(c.Context, c.principal, q.Provider)
	}
	connections, err := s.Fleet.Connections(c.Context, c.principal, q.Provider)
	views := make([]drover.ConnectionView, len(connections))
	for i, connection := range connections {
		views[i].Connection = connection
	}
	return views, err
}

func (s *server) patchConnection(c *call, body drover.ConnectionUpdate) (drover.Connection, error) {
	return s.Fleet.UpdateConnection(c.Context, c.principal, c.PathValue("connection_id"), body)
}

func (s *server) deleteConnection(c *call) (nothing, error) {
	return nothing{}, s.Fleet.DeleteConnection(c.Context, c.principal, c.PathValue("connection_id"))
}

func (s *server) postConnectionTest(c *call, body drover.ConnectionTrialInput) (drover.ConnectionTrial, error) {
	liftDeadlines(c.w)
	return s.Fleet.TryConnection(c.Context, c.principal, body)
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
