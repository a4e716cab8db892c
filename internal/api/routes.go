package api

import (
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/api/openapi"
	"github.com/drover-fleet/drover/internal/fleet/guard"
)

// The groups of the document.
const (
	tagAccount    = "Account"
	tagToken      = "Authentication"
	tagConnection = "Connections"
	tagMilestone  = "Milestones"
	tagDevice     = "Devices"
	tagTrip       = "Trips"
	tagDriver     = "Drivers"
	tagWebhook    = "Webhooks"
	tagProvider   = "Providers"
	tagEvent      = "Events"
	tagLink       = "Links"
	tagUser       = "Users and keys"
	tagOperator   = "Operator"
)

// The errors that operations share.
var (
	errorsOfLogin = []int{400, 401, 403, 422}
	errorsOfList  = []int{400, 401, 403, 422}
	errorsOfCopy  = []int{400, 401, 403, 410, 422}
	errorsOfOne   = []int{400, 401, 403, 404, 422}
)

// routes is every operation: those of the interface, and those of our own, which
// stand beside their handlers.
func (s *server) routes() []route {
	all := s.interfaceRoutes()
	for i := range all {
		all[i].lenient = true
	}
	all = slices.Concat(all,
		s.accountRoutes(),
		s.tokenRoutes(),
		s.sessionRoutes(),
		s.userRoutes(),
		s.auditRoutes(),
		s.searchRoutes(),
		s.connectionRoutes(),
		s.collectionRoutes(),
		s.inboundRoutes(),
		s.recordRoutes(),
		s.newestRoutes(),
		s.positionRoutes(),
		s.readingRoutes(),
		s.faultRoutes(), s.noteRoutes(),
		s.safetyRoutes(),
		s.wayRoutes(),
		s.tileRoutes(),
		s.deviceRoutes(),
		s.tripRoutes(),
		s.driverRoutes(),
		s.stopRoutes(),
		s.recomputeRoutes(),
		s.settingRoutes(),
		s.ssoRoutes(),
		s.factorRoutes(),
		s.passkeyRoutes(),
		s.milestoneRoutes(),
		s.linkRoutes(),
		s.eventRoutes(),
		s.webhookRoutes(),
		s.deliveryRoutes(),
		s.providerRoutes(),
		s.exportRoutes(),
		s.reportRoutes(),
		s.operatorRoutes(),
	)
	for i, r := range all {
		all[i] = r.defaultNeeds().audited()
		_, all[i].Fresh = askAgain[r.Method+" "+r.Path]
	}
	return all
}

// interfaceRoutes are the operations of the interface, in its order. They ignore
// query parameters that they do not know, as it says nothing of refusing them.
func (s *server) interfaceRoutes() []route {
	return []route{
		op(http.MethodGet, "/account/summary", s.getAccountSummary).
			named("getAccountSummary", tagAccount, "Account summary", "The tenant's data in numbers.").
			can(errorsOfList...),
		opQuery(http.MethodGet, "/account/activity-summary", s.getActivitySummary).
			named("getActivitySummary", tagAccount, "Activity summary",
				"What happened to the tenant's fleet over the last days. Days are days in UTC, today included.").
			can(errorsOfList...),
		opBody(http.MethodPost, "/token", s.postToken).
			named("postToken", tagToken, "Log in", "Gives an access token and a refresh token for a username, or an e-mail address, and a password.").
			open().can(errorsOfLogin...),
		opBody(http.MethodPost, "/refresh", s.postRefresh).
			named("postRefresh", tagToken, "Refresh", "Gives a new access token for a refresh token.").
			open().can(401, 422),
		opQuery(http.MethodGet, "/connection", s.listConnections).
			named("listConnections", tagConnection, "List connections",
				"All connections within the caller's tenancy, its own and those shared with it, oldest first. "+copyWords).
			can(errorsOfCopy...),
		opBody(http.MethodPost, "/connection", s.postConnection).
			named("postConnection", tagConnection, "Create connection",
				"Links the tenant to a provider. Whether the credentials work is found out by the first collection.").
			can(errorsOfList...),
		op(http.MethodGet, "/connection/{connection_id}", s.getConnection).
			named("getConnection", tagConnection, "Get connection", "One connection with its tags.").
			can(errorsOfOne...).missing(guard.UnknownConnection),
		op(http.MethodGet, "/connection/{connection_id}/credentials", s.getCredentials).
			named("getConnectionCredentials", tagConnection, "Get connection credentials",
				"The stored provider credentials, for the tenant that owns the connection alone.").
			secrets().can(errorsOfOne...).missing(guard.UnknownConnection),
		op(http.MethodGet, "/connection-tag", s.listConnectionTags).
			named("listConnectionTags", tagConnection, "List connection tags", "The tenant's tags by name.").
			can(errorsOfList...),
		op(http.MethodGet, "/milestone/{milestone_id}/update", s.getMilestoneUpdate).
			named("getMilestoneUpdate", tagMilestone, "Get milestone update",
				"Where the device is and when it arrives. Without a position younger than the timeout, eta and distance_to_destination_km are null.").
			places().shows(drover.ScopeDrivers).can(errorsOfOne...).missing(guard.UnknownMilestoneUpdate),
		opBody(http.MethodPatch, "/milestone/{milestone_id}", s.patchMilestone).
			named("patchMilestone", tagMilestone, "Update milestone",
				"Changes the fields that are sent. Changing the device, a point or a time starts the tracking again.").
			can(errorsOfOne...).missing(guard.UnknownMilestone).conditional().tagged(),
		op(http.MethodDelete, "/milestone/{milestone_id}", s.deleteMilestone).
			named("deleteMilestone", tagMilestone, "Delete milestone", "Ends the tracking and forgets the milestone.").
			can(errorsOfOne...).missing(guard.UnknownMilestone).conditional(),
		op(http.MethodGet, "/device/{device_id}", s.getDevice).
			named("getDevice", tagDevice, "Get device", "One device.").
			can(errorsOfOne...).missing(guard.UnknownDevice),
		opBody(http.MethodPatch, "/device/{device_id}", s.patchDevice).
			named("patchDevice", tagDevice, "Update device", "Changes the fields that are sent; collection leaves them alone from then on.").
			can(errorsOfOne...).missing(guard.UnknownDevice).conditional().tagged(),
		op(http.MethodGet, "/trip/{trip_id}", s.getTrip).
			named("getTrip", tagTrip, "Get trip", "One trip.").
			can(errorsOfOne...).missing(guard.UnknownTrip),
		op(http.MethodGet, "/webhook/{webhook_id}", s.getWebhook).
			named("getWebhook", tagWebhook, "Get webhook", "One webhook.").
			can(errorsOfOne...).missing(guard.UnknownWebhook),
	}
}

// named says what an operation is called.
func (r route) named(id, tag, summary, description string) route {
	r.ID, r.Tag, r.Summary, r.Description = id, tag, summary, description
	return r
}

// open lets everyone in.
func (r route) open() route {
	r.Public = true
	return r
}

// defaultNeeds gives an operation that names no scope that of its method.
func (r route) defaultNeeds() route {
	switch {
	case r.Public || len(r.Needs) > 0 || len(r.Operator) > 0:
	case r.Method == http.MethodGet:
		r.Needs = []drover.Permission{drover.PermissionRead}
	default:
		r.Needs = []drover.Permission{drover.PermissionWrite}
	}
	return r
}

// needs names the scopes that an operation asks for. It describes what the use case
// refuses; a test holds the two together.
func (r route) needs(scopes ...drover.Permission) route {
	r.Needs = scopes
	return r
}

// admin is for those who may change users, keys and shares.
func (r route) admin() route { return r.needs(drover.PermissionAdmin) }

// own is for people, about themselves.
func (r route) own() route {
	r.Person = true
	return r.needs(drover.PermissionRead)
}

// places says that it shows where one device was, for which a share needs a scope.
func (r route) places() route { return r.ofShare(drover.ScopePositions) }

// ofShare names the scope without which one record of another tenant is refused.
func (r route) ofShare(scope drover.ShareScope) route {
	r.OfShare = scope
	return r
}

// shows names the scopes of a share by which an answer says more: without one, what it
// gives is left out or null.
func (r route) shows(scopes ...drover.ShareScope) route {
	r.Shows = scopes
	return r
}

// with adds parameters that are headers.
func (r route) with(params ...*huma.Param) route {
	r.Params = append(r.Params, params...)
	return r
}

// can names the errors that an operation answers.
func (r route) can(statuses ...int) route {
	r.Statuses = statuses
	return r
}

// missing gives the words for a record that does not exist.
func (r route) missing(format string) route {
	r.NotFound = format
	return r
}

// conditional lets the caller name the record as it was read: a change that someone
// else has made meanwhile is not overwritten.
func (r route) conditional() route {
	r.match = true
	r.Statuses = append(slices.Clone(r.Statuses), http.StatusPreconditionFailed)
	return r.with(openapi.HeaderParam("If-Match", "The ETag of the record as it was read. Where it has changed since, nothing happens and the answer is 412."))
}

// tagged gives the answer the ETag that reading the record by its id has.
func (r route) tagged() route {
	r.tags = true
	return r
}

// maybe lets the body be left out.
func (r route) maybe() route {
	r.Optional = true
	return r
}

// also names formats that the operation answers besides JSON.
func (r route) also(types ...string) route {
	r.Formats = types
	return r
}

// or names another type that data may have.
func (r route) or(other reflect.Type) route {
	r.Other = other
	return r
}

// answers names a header of the answer.
func (r route) answers(name, description string) route {
	r.Headers = append(r.Headers, openapi.Header{Name: name, Description: description})
	return r
}

// tries takes the operation, which waits for a provider or a receiver, out of the limit of short requests.
func (r route) tries() route {
	r.trial = true
	return r
}

// notice says that the body is whatever a provider sends to an inbound address.
func (r route) notice() route {
	r.news = true
	return r
}

// takes says what the body is where the operation reads it by itself, and as what it may
// come besides JSON.
func (r route) takes(body reflect.Type, also ...string) route {
	r.Body, r.Also, r.batch = body, also, true
	return r
}

// lasting takes the operation out of the limit of short requests.
func (r route) lasting() route {
	r.long = true
	return r
}
