package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/drover-fleet/drover"
	"github.com/drover-fleet/drover/internal/fleet"
)

// The groups of the document.
const (
	tagAccount    = "Account"
	tagToken      = "Authentication"
	tagConnection = "Connections"
	tagMilestone  = "Milestones"
	tagDevice     = "Devices"
	tagTrip       = "Trips"
	tagWebhook    = "Webhooks"
	tagProvider   = "Providers"
	tagEvent      = "Events"
)

// The errors that operations share.
var (
	errorsOfLogin = []int{400, 401, 403, 422}
	errorsOfList  = []int{400, 401, 403, 422}
	errorsOfOne   = []int{400, 401, 403, 404, 422}
)

// routes is every operation, those of the interface first and in its order.
func (s *server) routes() []route {
	return []route{
		op(http.MethodGet, "/account/summary", s.getAccountSummary).
			named("getAccountSummary", tagAccount, "Account summary", "The tenant's data in numbers.").
			can(errorsOfList...),
		op(http.MethodGet, "/account/activity-summary", s.getActivitySummary).
			named("getActivitySummary", tagAccount, "Activity summary", "What happened to the tenant's fleet over the last days. Days are days in UTC, today included.").
			with(
				queryParam("days", "Lookback window in days.", &huma.Schema{Type: huma.TypeInteger, Enum: []any{7, 14, 30, 90}, Default: 14}),
				queryParam("limit", "Caps trips_by_connection and events_by_type.", intSchema(1, 100, 10)),
			).can(errorsOfList...),
		opBody(http.MethodPost, "/token", s.postToken).
			named("postToken", tagToken, "Log in", "Gives an access token and a refresh token for a username, or an e-mail address, and a password.").
			open().can(errorsOfLogin...),
		opBody(http.MethodPost, "/refresh", s.postRefresh).
			named("postRefresh", tagToken, "Refresh", "Gives a new access token for a refresh token.").
			open().can(401, 422),
		op(http.MethodGet, "/connection", s.listConnections).
			named("listConnections", tagConnection, "List connections", "All connections within the caller's tenancy, its own and those shared with it, oldest first.").
			with(queryParam("telematics_provider", "Only connections with this provider.", enumSchema(drover.ProviderNames))).
			can(errorsOfList...),
		opBody(http.MethodPost, "/connection", s.postConnection).
			named("postConnection", tagConnection, "Create connection", "Links the tenant to a provider. Whether the credentials work is found out by the first collection.").
			can(errorsOfList...),
		op(http.MethodGet, "/connection/{connection_id}", s.getConnection).
			named("getConnection", tagConnection, "Get connection", "One connection with its tags.").
			can(errorsOfOne...).missing(fleet.UnknownConnection),
		op(http.MethodGet, "/connection/{connection_id}/credentials", s.getCredentials).
			named("getConnectionCredentials", tagConnection, "Get connection credentials", "The stored provider credentials, for the tenant that owns the connection alone.").
			can(errorsOfOne...).missing(fleet.UnknownConnection),
		op(http.MethodGet, "/connection-tag", s.listConnectionTags).
			named("listConnectionTags", tagConnection, "List connection tags", "The tenant's tags by name.").
			can(errorsOfList...),
		op(http.MethodGet, "/milestone/{milestone_id}/update", s.getMilestoneUpdate).
			named("getMilestoneUpdate", tagMilestone, "Get milestone update", "Where the device is and when it arrives. Without a position younger than the timeout, eta and distance_to_destination_km are null.").
			can(errorsOfOne...).missing(fleet.UnknownMilestoneUpdate),
		opBody(http.MethodPatch, "/milestone/{milestone_id}", s.patchMilestone).
			named("patchMilestone", tagMilestone, "Update milestone", "Changes the fields that are sent. Changing the device, a point or a time starts the tracking anew.").
			can(errorsOfOne...).missing(fleet.UnknownMilestone),
		op(http.MethodDelete, "/milestone/{milestone_id}", s.deleteMilestone).
			named("deleteMilestone", tagMilestone, "Delete milestone", "Ends the tracking and forgets the milestone.").
			can(errorsOfOne...).missing(fleet.UnknownMilestone),
		op(http.MethodGet, "/device/{device_id}", s.getDevice).
			named("getDevice", tagDevice, "Get device", "One device.").
			can(errorsOfOne...).missing(fleet.UnknownDevice),
		opBody(http.MethodPatch, "/device/{device_id}", s.patchDevice).
			named("patchDevice", tagDevice, "Update device", "Changes the fields that are sent; collection leaves them alone from then on.").
			can(errorsOfOne...).missing(fleet.UnknownDevice),
		op(http.MethodGet, "/trip/{trip_id}", s.getTrip).
			named("getTrip", tagTrip, "Get trip", "One trip.").
			can(errorsOfOne...).missing(fleet.UnknownTrip),
		op(http.MethodGet, "/webhook/{webhook_id}", s.getWebhook).
			named("getWebhook", tagWebhook, "Get webhook", "One webhook.").
			can(errorsOfOne...).missing(fleet.UnknownWebhook),

		op(http.MethodPost, "/logout", s.postLogout).
			named("postLogout", tagToken, "Log out", "Ends the session of the token: all its tokens are refused from then on.").
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
		op(http.MethodGet, "/connection/{connection_id}/health", s.getConnectionHealth).
			named("getConnectionHealth", tagConnection, "Get connection health", "How the collection goes: state, last success, next run and, stream by stream, what is wrong in words.").
			can(errorsOfOne...).missing(fleet.UnknownConnection),
		opBody(http.MethodPost, "/connection/{connection_id}/sync", s.postSync).
			named("postSync", tagConnection, "Collect now", "Collects at once or, with from and to, fills a window of the past in. The jobs are part of the health that it returns.").
			maybe().can(errorsOfOne...).missing(fleet.UnknownConnection),
		op(http.MethodDelete, "/connection/{connection_id}/sync/{job_id}", s.deleteSync).
			named("deleteSync", tagConnection, "Cancel a history job", "Ends a job that fills a window in. What it has read stays.").
			can(errorsOfOne...).missing(fleet.UnknownConnection),
		op(http.MethodGet, "/device/{device_id}/position", s.getPosition).
			named("getDevicePosition", tagDevice, "Get newest position", "Where a device was last.").
			can(errorsOfOne...).missing(fleet.UnknownDevice),
		opList[positionView](http.MethodGet, "/device/{device_id}/positions", s.listPositions).
			named("listDevicePositions", tagDevice, "List positions", "A device's positions of [from, to), oldest first, as JSON, GeoJSON or GPX.").
			with(paged(
				requiredParam("from", "Positions at or after this time.", timeSchema()),
				queryParam("to", "Positions before this time; now otherwise.", timeSchema()),
				queryParam("include_suspect", "Also those that are not believed.", boolSchema()),
				queryParam("format", "Instead of the Accept header.", enumSchema([]format{formatJSON, formatGeoJSON, formatGPX})),
			)...).also(geoJSONType, gpxType).can(errorsOfOne...).missing(fleet.UnknownDevice),
		op(http.MethodGet, "/device", s.listDevices).
			named("listDevices", tagDevice, "List devices", "Devices of the tenant's connections and of those shared with it, oldest first.").
			with(paged(
				queryParam("connection_id", "Only devices of this connection.", stringSchema()),
				queryParam("tag", "Only devices with this tag.", stringSchema()),
				queryParam("active", "Only active or only inactive devices.", boolSchema()),
			)...).can(errorsOfList...),
		op(http.MethodGet, "/trip", s.listTrips).
			named("listTrips", tagTrip, "List trips", "Trips by start time.").
			with(paged(
				queryParam("device_id", "Only trips of this device.", stringSchema()),
				queryParam("connection_id", "Only trips of this connection.", stringSchema()),
				queryParam("from", "Only trips that start at or after this time.", timeSchema()),
				queryParam("to", "Only trips that start before this time.", timeSchema()),
				queryParam("is_valid", "Only valid or only invalid trips.", boolSchema()),
			)...).can(errorsOfList...),
		op(http.MethodGet, "/milestone", s.listMilestones).
			named("listMilestones", tagMilestone, "List milestones", "The tenant's milestones, oldest first.").
			with(paged(
				queryParam("status", "Only milestones of this status.", enumSchema(drover.MilestoneStatuses)),
				queryParam("device_id", "Only milestones of this device.", stringSchema()),
				queryParam("connection_id", "Only milestones of this connection's devices.", stringSchema()),
				queryParam("from", "Only milestones that start at or after this time.", timeSchema()),
				queryParam("to", "Only milestones that start before this time.", timeSchema()),
			)...).can(errorsOfList...),
		opBody(http.MethodPost, "/milestone", s.postMilestone).
			named("postMilestone", tagMilestone, "Create milestone", "Begins to track a journey of a device. Positions that are stored already count.").
			can(errorsOfList...),
		op(http.MethodGet, "/milestone/{milestone_id}", s.getMilestone).
			named("getMilestone", tagMilestone, "Get milestone", "One milestone.").
			can(errorsOfOne...).missing(fleet.UnknownMilestone),
		op(http.MethodGet, "/milestone/{milestone_id}/event", s.listMilestoneEvents).
			named("listMilestoneEvents", tagMilestone, "List events of a milestone", "What happened to a milestone, in order.").
			with(paged()...).can(errorsOfOne...).missing(fleet.UnknownMilestone),
		op(http.MethodGet, "/milestone/{milestone_id}/eta-history", s.listETAHistory).
			named("listMilestoneETAHistory", tagMilestone, "List predictions of a milestone", "The arrivals that were foretold on the way, every few minutes, against the real one.").
			with(paged()...).can(errorsOfOne...).missing(fleet.UnknownMilestone),
		op(http.MethodGet, "/event", s.listEvents).
			named("listEvents", tagEvent, "Read the change feed", "Events after the cursor, in the order of their sequence; without a cursor from the first one on. "+
				"x-next-cursor is always there: at the end of the feed it is where to go on later. With wait the answer is held back until there is an event.").
			with(paged(
				queryParam("type", "Only events of this type; repeatable.", enumSchema(drover.EventTypes)),
				queryParam("wait", "Seconds to wait for an event where there is none.", intSchema(0, maxWait, 0)),
			)...).lasting().can(errorsOfList...),
		opStream(http.MethodGet, "/stream", s.getStream).
			named("getStream", tagEvent, "Stream events", "Events as they come, as server-sent events: id is the sequence, event the type, data the event. "+
				"With Last-Event-ID it resumes after that event. A connection, a tag and a device are each enough to match; of positions only those that match are sent.").
			with(
				&huma.Param{Name: "Last-Event-ID", In: "header", Description: "Sequence of the last event seen.", Schema: stringSchema()},
				queryParam("last_event_id", "The same, for the first request of those who cannot set headers.", stringSchema()),
				queryParam("connection_id", "Only events of this connection; repeatable.", stringSchema()),
				queryParam("tag", "Only events of devices or connections with this tag; repeatable.", stringSchema()),
				queryParam("device_id", "Only events of this device; repeatable.", stringSchema()),
				queryParam("type", "Only events of this type; repeatable.", enumSchema(drover.EventTypes)),
			).lasting().can(errorsOfList...),
		op(http.MethodGet, "/webhook", s.listWebhooks).
			named("listWebhooks", tagWebhook, "List webhooks", "The tenant's webhooks, oldest first.").
			with(paged()...).can(errorsOfList...),
		opBody(http.MethodPost, "/webhook", s.postWebhook).
			named("postWebhook", tagWebhook, "Create webhook", "Sends events to a URL from now on. The secret that signs them is shown this once.").
			can(errorsOfList...),
		opBody(http.MethodPatch, "/webhook/{webhook_id}", s.patchWebhook).
			named("patchWebhook", tagWebhook, "Update webhook", "Changes the fields that are sent. What waits for a webhook that is switched off is skipped, and can be replayed.").
			can(errorsOfOne...).missing(fleet.UnknownWebhook),
		op(http.MethodDelete, "/webhook/{webhook_id}", s.deleteWebhook).
			named("deleteWebhook", tagWebhook, "Delete webhook", "Forgets the webhook, its log and what waits for it.").
			can(errorsOfOne...).missing(fleet.UnknownWebhook),
		op(http.MethodPost, "/webhook/{webhook_id}/test", s.postWebhookTest).
			named("postWebhookTest", tagWebhook, "Test webhook", "Sends a webhook.test, once, whether the webhook is enabled or not. What came of it is in the log.").
			can(errorsOfOne...).missing(fleet.UnknownWebhook),
		op(http.MethodPost, "/webhook/{webhook_id}/rotate-secret", s.postWebhookRotation).
			named("postWebhookRotation", tagWebhook, "Rotate secret", "Makes a new secret. For 24 hours deliveries are signed with the one before too.").
			can(errorsOfOne...).missing(fleet.UnknownWebhook),
		op(http.MethodGet, "/webhook/{webhook_id}/delivery", s.listDeliveries).
			named("listDeliveries", tagWebhook, "List deliveries", "The log of attempts, newest event first, and deliveries that none was made of. It reaches back 30 days.").
			with(paged(queryParam("state", "Only deliveries in this state.", enumSchema(drover.DeliveryStates)))...).
			can(errorsOfOne...).missing(fleet.UnknownWebhook),
		opBody(http.MethodPost, "/webhook/{webhook_id}/replay", s.postReplay).
			named("postReplay", tagWebhook, "Replay deliveries", "Sends one delivery again by its event_id or, with since, all of events since then that failed or were skipped. They keep their ids.").
			can(errorsOfOne...).missing(fleet.UnknownWebhook),
		op(http.MethodGet, "/account/webhook-secret", s.getAccountSecret).
			named("getAccountWebhookSecret", tagAccount, "Get webhook secret", "The secret that signs what is sent to the webhooks of milestones.").
			can(errorsOfList...),
		op(http.MethodPost, "/account/webhook-secret", s.postAccountSecret).
			named("postAccountWebhookSecret", tagAccount, "Rotate webhook secret", "Makes a new one. For 24 hours deliveries are signed with the one before too.").
			can(errorsOfList...),
		op(http.MethodGet, "/provider", s.listProviders).
			named("listProviders", tagProvider, "List providers", "Every supported provider: its credential fields, what it can tell, how often it is asked.").
			can(errorsOfList...),
	}
}

// named says what an operation is called.
func (r route) named(id, tag, summary, description string) route {
	r.id, r.tag, r.summary, r.description = id, tag, summary, description
	return r
}

// open lets everybody in.
func (r route) open() route {
	r.public = true
	return r
}

// with adds parameters.
func (r route) with(params ...*huma.Param) route {
	r.params = append(r.params, params...)
	return r
}

// can names the errors that an operation answers.
func (r route) can(statuses ...int) route {
	r.statuses = statuses
	return r
}

// missing gives the words for a record that does not exist.
func (r route) missing(format string) route {
	r.notFound = format
	return r
}

// maybe lets the body be left out.
func (r route) maybe() route {
	r.optional = true
	return r
}

// also names formats that the operation answers besides JSON.
func (r route) also(types ...string) route {
	r.formats = types
	return r
}

// lasting takes the operation out of the limit of short requests.
func (r route) lasting() route {
	r.long = true
	return r
}
