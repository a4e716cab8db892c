package api

import (
	"net/http"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

func (s *server) connectionRoutes() []route {
	return []route{
		opBody(http.MethodPatch, "/connection/{connection_id}", s.patchConnection).
			named("patchConnection", tagConnection, "Update connection",
				"Changes the fields that are sent. Credentials and tags are set as a whole; new credentials are tried at once. "+
					"An earlier collection_start_time is filled in where the provider keeps history. With active false nothing is collected. Of the configuration, units can be set: what the provider's numbers are in, where the adapter takes them for something else.").
			can(400, 401, 403, 404, 409, 422).clash("Connection with ID 01932f6e-7a10-7c3b-9d5e-2f4a6b8c0d1e is being erased").missing(guard.UnknownConnection).conditional(),
		opQuery(http.MethodDelete, "/connection/{connection_id}", s.deleteConnection).
			named("deleteConnection", tagConnection, "Delete connection",
				"Stops the collection at once and forgets the credentials. What was collected stays, and the connection is archived: "+
					"with new credentials and active true it is collected again. With purge=true everything of it is erased in the background: its devices with their positions, trips and stops, milestones on them, events, sums, shares, "+
					"and exports that may hold its records. configuration.purge says how far that is; at the end the connection is gone.").
			can(errorsOfOne...).missing(guard.UnknownConnection).conditional(),
		opBody(http.MethodPost, "/connection/test", s.postConnectionTest).
			named("postConnectionTest", tagConnection, "Try credentials",
				"Asks the provider whether credentials work, how many vehicles they show, and for one position. Nothing is stored. "+
					"What the provider refuses is in the answer, in words. It takes 20 seconds at the most.").
			tries().can(errorsOfList...),
		op(http.MethodGet, "/connection/{connection_id}/share", s.listShares).
			named("listShares", tagConnection, "List shares", "The tenants that a connection is shared with.").
			admin().can(errorsOfOne...).missing(guard.UnknownConnection),
		opBody(http.MethodPost, "/connection/{connection_id}/share", s.postShare).
			named("postShare", tagConnection, "Offer connection",
				"Offers the connection to another tenant, named by its id or by a code that it has made. Once it is accepted, that tenant reads the connection, its devices and trips and, by the scopes, positions and drivers; never its credentials.").
			admin().can(errorsOfOne...).missing(guard.UnknownConnection),
		op(http.MethodPut, "/connection/{connection_id}/share/{tenant_id}", s.putShare).
			named("putShare", tagConnection, "Offer connection to tenant",
				"Offers the connection to another tenant with all scopes and without an end.").
			admin().can(errorsOfOne...).missing(guard.UnknownConnection),
		op(http.MethodDelete, "/connection/{connection_id}/share/{tenant_id}", s.deleteShare).
			named("deleteShare", tagConnection, "Unshare connection", "Takes another tenant's access back.").
			admin().can(errorsOfOne...).missing(guard.UnknownConnection),
		opQuery(http.MethodGet, "/share", s.listAllShares).
			named("listAllShares", tagConnection, "List all shares", "What the tenant shares, and what is offered to it or shared with it.").
			admin().can(errorsOfList...),
		op(http.MethodPost, "/share/{share_id}/accept", s.postAcceptance).
			named("postShareAcceptance", tagConnection, "Accept share",
				"Accepts an offer. From then on the tenant reads what is shared, and its events are in the tenant's feed.").
			admin().can(errorsOfOne...).missing(guard.UnknownShare),
		op(http.MethodDelete, "/share/{share_id}", s.deleteAnyShare).
			named("deleteShareByID", tagConnection, "End share", "Ends a share, or declines an offer, from either side. Access ends at once.").
			admin().can(errorsOfOne...).missing(guard.UnknownShare),
		op(http.MethodPost, "/share-code", s.postShareCode).
			named("postShareCode", tagConnection, "Make share code", "Makes a code that stands for the tenant in one offer, within seven days.").
			admin().can(errorsOfList...),
	}
}

type connectionQuery struct {
	Provider drover.ProviderName `query:"telematics_provider" doc:"Only connections with this provider."`
	Include  string              `query:"include" enum:"health" doc:"Adds health to each connection."`
	// Anyone who has no more than a thousand sees all of them at once.
	Limit  int     `query:"limit" default:"1000" minimum:"1" maximum:"1000" doc:"Records a page."`
	Cursor *string `query:"cursor" doc:"x-next-cursor of the page before."`
	Sort   string  `query:"sort" enum:"id,updated_at" default:"id" doc:"updated_at is the order in which records were changed, for a copy that misses nothing."`
	copying
}

func (s *server) listConnections(c *call, q connectionQuery) (page[drover.ConnectionView], error) {
	if q.copies(q.Sort) {
		return listChanges[drover.ConnectionView](s, c, drover.ChangedConnections, q.copying, paging{Limit: q.Limit, Cursor: q.Cursor},
			string(q.Provider)+q.Include)
	}
	var after drover.IDCursor
	if err := (paging{Cursor: q.Cursor}).place(&after); err != nil {
		return page[drover.ConnectionView]{}, err
	}
	views, err := s.connectionViews(c, q, after)
	if err != nil {
		return page[drover.ConnectionView]{}, err
	}
	return newPage(views, q.Limit, func(v drover.ConnectionView) cursor { return drover.IDCursor(v.ID) })
}

// connectionViews reads one more than a page has.
func (s *server) connectionViews(c *call, q connectionQuery, after drover.IDCursor) ([]drover.ConnectionView, error) {
	if q.Include != "" {
		return s.Fleet.Connections.ConnectionsWithHealth(c.Context, c.principal, q.Provider, after, q.Limit+1)
	}
	connections, err := s.Fleet.Connections.Connections(c.Context, c.principal, q.Provider, after, q.Limit+1)
	views := make([]drover.ConnectionView, len(connections))
	for i, connection := range connections {
		views[i].Connection = connection
	}
	return views, err
}

func (s *server) patchConnection(c *call, body drover.ConnectionUpdate) (drover.Connection, error) {
	return s.Fleet.Connections.UpdateConnection(c.Context, c.principal, c.PathValue("connection_id"), body)
}

type deletionQuery struct {
	Purge bool `query:"purge" doc:"Also erase all of its data, which cannot be taken back."`
}

func (s *server) deleteConnection(c *call, q deletionQuery) (nothing, error) {
	return nothing{}, s.Fleet.Connections.DeleteConnection(c.Context, c.principal, c.PathValue("connection_id"), q.Purge)
}

func (s *server) postConnectionTest(c *call, body drover.ConnectionTrialInput) (drover.ConnectionTrial, error) {
	liftDeadlines(c.w)
	return s.Fleet.Connections.TryConnection(c.Context, c.principal, body)
}

func (s *server) postConnection(c *call, body drover.ConnectionInput) (drover.Connection, error) {
	return s.Fleet.Connections.CreateConnection(c.Context, c.principal, body)
}

func (s *server) getConnection(c *call) (drover.ConnectionDetail, error) {
	return s.Fleet.Connections.Connection(c.Context, c.principal, c.PathValue("connection_id"))
}

func (s *server) getCredentials(c *call) (drover.ConnectionCredentials, error) {
	return s.Fleet.Connections.Credentials(c.Context, c.principal, c.PathValue("connection_id"))
}

func (s *server) listConnectionTags(c *call) ([]drover.Tag, error) {
	return s.Fleet.Connections.ConnectionTags(c.Context, c.principal)
}

func (s *server) listShares(c *call) ([]drover.Share, error) {
	return s.Fleet.Shares.ConnectionShares(c.Context, c.principal, c.PathValue("connection_id"))
}

func (s *server) postShare(c *call, body drover.ShareInput) (drover.Share, error) {
	return s.Fleet.Shares.OfferShare(c.Context, c.principal, c.PathValue("connection_id"), body)
}

func (s *server) putShare(c *call) (drover.Share, error) {
	return s.Fleet.Shares.ShareWith(c.Context, c.principal, c.PathValue("connection_id"), c.PathValue("tenant_id"))
}

func (s *server) listAllShares(c *call, q paging) (page[drover.Share], error) {
	var after drover.IDCursor
	if err := q.place(&after); err != nil {
		return page[drover.Share]{}, err
	}
	shares, err := s.Fleet.Shares.Shares(c.Context, c.principal, after, q.Limit+1)
	if err != nil {
		return page[drover.Share]{}, err
	}
	return newPage(shares, q.Limit, func(s drover.Share) cursor { return drover.IDCursor(s.ID) })
}

func (s *server) postAcceptance(c *call) (drover.Share, error) {
	return s.Fleet.Shares.AcceptShare(c.Context, c.principal, c.PathValue("share_id"))
}

func (s *server) deleteAnyShare(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Shares.EndShare(c.Context, c.principal, c.PathValue("share_id"))
}

func (s *server) postShareCode(c *call) (drover.ShareCode, error) {
	return s.Fleet.Shares.MakeShareCode(c.Context, c.principal)
}

func (s *server) deleteShare(c *call) (nothing, error) {
	return nothing{}, s.Fleet.Shares.Unshare(c.Context, c.principal, c.PathValue("connection_id"), c.PathValue("tenant_id"))
}
