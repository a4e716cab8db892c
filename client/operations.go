// Code generated from the OpenAPI document by make generate. DO NOT EDIT.

package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// GetActivitySummaryQuery is what GetActivitySummary can be asked for. What is zero is not sent.
type GetActivitySummaryQuery struct {
	Days  Optional[int64] `query:"days"`  // Lookback window in days.
	Limit int64           `query:"limit"` // Caps trips_by_connection and events_by_type.
	Stops Optional[bool]  `query:"stops"` // Also sum up the stops.
}

// GetActivitySummary is GET /account/activity-summary. What happened to the tenant's fleet over the last days. Days are days in UTC, today included. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetActivitySummary(ctx context.Context, query GetActivitySummaryQuery, options ...CallOption) (ActivitySummary, error) {
	return one[ActivitySummary](ctx, c, http.MethodGet, "/account/activity-summary", query, nil, options)
}

// GetBrand is GET /account/brand. How the tenant shows itself on the pages that people without a login see: its name, its colour, its logo. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetBrand(ctx context.Context, options ...CallOption) (Brand, error) {
	return one[Brand](ctx, c, http.MethodGet, "/account/brand", nil, nil, options)
}

// PatchBrand is PATCH /account/brand. Changes what is sent. The pages of links show it when they are loaded. Needs `admin`: admins, and keys with that scope.
func (c *Client) PatchBrand(ctx context.Context, body BrandUpdate, options ...CallOption) (Brand, error) {
	return one[Brand](ctx, c, http.MethodPatch, "/account/brand", nil, body, options)
}

// ListAccountLimits is GET /account/limits. How much the tenant may have of everything that is bounded, and how much it has. A request for more is answered with 403 and the words Limit of N … reached. The operator sets the limits. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) ListAccountLimits(ctx context.Context, options ...CallOption) ([]AccountLimit, error) {
	return one[[]AccountLimit](ctx, c, http.MethodGet, "/account/limits", nil, nil, options)
}

// GetFactorRule is GET /account/second-factor. The roles of which the tenant requires a second factor. Needs `admin`: admins, and keys with that scope.
func (c *Client) GetFactorRule(ctx context.Context, options ...CallOption) (FactorRule, error) {
	return one[FactorRule](ctx, c, http.MethodGet, "/account/second-factor", nil, nil, options)
}

// PatchFactorRule is PATCH /account/second-factor. Changes what is sent, at once: users of these roles who have none can do nothing but set one up. API keys go on. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) PatchFactorRule(ctx context.Context, body FactorRuleUpdate, options ...CallOption) (FactorRule, error) {
	return one[FactorRule](ctx, c, http.MethodPatch, "/account/second-factor", nil, body, options)
}

// GetAccountSettings is GET /account/settings. What the tenant has set for all of its devices, and what holds. A connection's configuration and a device's settings are narrower, and win. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetAccountSettings(ctx context.Context, options ...CallOption) (AccountSettings, error) {
	return one[AccountSettings](ctx, c, http.MethodGet, "/account/settings", nil, nil, options)
}

// PatchAccountSettings is PATCH /account/settings. Changes the settings that are sent. They hold for trips that are derived from then on; POST /trip-recompute derives earlier ones again. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PatchAccountSettings(ctx context.Context, body AccountSettingsUpdate, options ...CallOption) (AccountSettings, error) {
	return one[AccountSettings](ctx, c, http.MethodPatch, "/account/settings", nil, body, options)
}

// GetSingleSignOn is GET /account/sso. How the tenant's people sign in by its own OpenID Connect provider, and whether they may with a password too. The client secret is not shown. Needs `admin`: admins, and keys with that scope.
func (c *Client) GetSingleSignOn(ctx context.Context, options ...CallOption) (SingleSignOn, error) {
	return one[SingleSignOn](ctx, c, http.MethodGet, "/account/sso", nil, nil, options)
}

// PatchSingleSignOn is PATCH /account/sso. Changes what is sent, at once. Sessions that are open stay so. Password login can be switched off once an admin has signed in by the provider; the operator can switch it on again. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) PatchSingleSignOn(ctx context.Context, body SingleSignOnUpdate, options ...CallOption) (SingleSignOn, error) {
	return one[SingleSignOn](ctx, c, http.MethodPatch, "/account/sso", nil, body, options)
}

// PostSingleSignOnTest is POST /account/sso/test. Asks the provider for its discovery document and its keys, and says what is wrong with them. Nothing is stored. Needs `admin`: admins, and keys with that scope.
func (c *Client) PostSingleSignOnTest(ctx context.Context, options ...CallOption) (SSOTest, error) {
	return one[SSOTest](ctx, c, http.MethodPost, "/account/sso/test", nil, nil, options)
}

// GetAccountStorage is GET /account/storage. What the tenant's history takes in the database: positions as rows and in packed days, events, and by how much it grows. And for how many days it is kept. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetAccountStorage(ctx context.Context, options ...CallOption) (AccountStorage, error) {
	return one[AccountStorage](ctx, c, http.MethodGet, "/account/storage", nil, nil, options)
}

// GetAccountSummary is GET /account/summary. The tenant's data in numbers. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetAccountSummary(ctx context.Context, options ...CallOption) (AccountSummary, error) {
	return one[AccountSummary](ctx, c, http.MethodGet, "/account/summary", nil, nil, options)
}

// GetAccountWebhookSecret is GET /account/webhook-secret. The secret that signs what is sent to the webhooks of milestones. Needs `secrets`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) GetAccountWebhookSecret(ctx context.Context, options ...CallOption) (WebhookSecret, error) {
	return one[WebhookSecret](ctx, c, http.MethodGet, "/account/webhook-secret", nil, nil, options)
}

// PostAccountWebhookSecret is POST /account/webhook-secret. Makes a new one. For 24 hours deliveries are signed with the one before too. Needs `write` and `secrets`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) PostAccountWebhookSecret(ctx context.Context, options ...CallOption) (WebhookSecret, error) {
	return one[WebhookSecret](ctx, c, http.MethodPost, "/account/webhook-secret", nil, nil, options)
}

// ListAPIKeysQuery is what ListAPIKeys can be asked for. What is zero is not sent.
type ListAPIKeysQuery struct {
	Limit  int64  `query:"limit"`  // Records a page.
	Cursor string `query:"cursor"` // x-next-cursor of the page before.
}

// ListAPIKeys is GET /api-key. The tenant's keys, oldest first, without their secrets. Needs `admin`: admins, and keys with that scope.
func (c *Client) ListAPIKeys(ctx context.Context, query ListAPIKeysQuery, options ...CallOption) iter.Seq2[APIKey, error] {
	return pages[APIKey](ctx, c, "/api-key", query, options)
}

// PostAPIKey is POST /api-key. Makes a key for a program. Its secret is shown this once, and is accepted as a bearer wherever a token is. Admins give no key more than they have. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) PostAPIKey(ctx context.Context, body APIKeyInput, options ...CallOption) (APIKeyCreated, error) {
	return one[APIKeyCreated](ctx, c, http.MethodPost, "/api-key", nil, body, options)
}

// DeleteAPIKey is DELETE /api-key/{api_key_id}. Every process refuses the key within a second. Needs `admin`: admins, and keys with that scope.
func (c *Client) DeleteAPIKey(ctx context.Context, aPIKeyID string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/api-key/"+url.PathEscape(aPIKeyID), nil, nil, options)
	return err
}

// ListAuditQuery is what ListAudit can be asked for. What is zero is not sent.
type ListAuditQuery struct {
	ActorID  string       `query:"actor_id"`  // Only what this user or key did.
	Action   string       `query:"action"`    // Only this action, such as connection.update.
	RecordID string       `query:"record_id"` // Only what was done to this record.
	Outcome  AuditOutcome `query:"outcome"`   // Only what was done, or only what was refused.
	From     time.Time    `query:"from"`      // Only at or after this time.
	To       time.Time    `query:"to"`        // Only before this time.
	Limit    int64        `query:"limit"`     // Records a page.
	Cursor   string       `query:"cursor"`    // x-next-cursor of the page before.
}

// ListAudit is GET /audit. Who did what, to which record, from where and with which outcome, newest first: sign-ins and failed ones, secrets that were read, every change by a person or a key, and what was refused to them. It is kept for 400 days, and holds no secret. Needs `admin`: admins, and keys with that scope.
func (c *Client) ListAudit(ctx context.Context, query ListAuditQuery, options ...CallOption) iter.Seq2[Audit, error] {
	return pages[Audit](ctx, c, "/audit", query, options)
}

// ListConnectionsQuery is what ListConnections can be asked for. What is zero is not sent.
type ListConnectionsQuery struct {
	TelematicsProvider ProviderEnum `query:"telematics_provider"` // Only connections with this provider.
	Include            string       `query:"include"`             // Adds health to each connection.
	Limit              int64        `query:"limit"`               // Records a page.
	Cursor             string       `query:"cursor"`              // x-next-cursor of the page before.
	Sort               string       `query:"sort"`                // updated_at is the order in which records were changed, for a copy that misses nothing.
	UpdatedAfter       time.Time    `query:"updated_after"`       // Only records that were changed or deleted after this time, as sort=updated_at lists them; some from up to 15 minutes before may be among them. Not longer ago than 30 days.
}

// ListConnections is GET /connection. All connections within the caller's tenancy, its own and those shared with it, oldest first. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) ListConnections(ctx context.Context, query ListConnectionsQuery, options ...CallOption) iter.Seq2[ConnectionView, error] {
	return pages[ConnectionView](ctx, c, "/connection", query, options)
}

// PostConnection is POST /connection. Links the tenant to a provider. Whether the credentials work is found out by the first collection. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PostConnection(ctx context.Context, body ConnectionInput, options ...CallOption) (Connection, error) {
	return one[Connection](ctx, c, http.MethodPost, "/connection", nil, body, options)
}

// ListConnectionLinksQuery is what ListConnectionLinks can be asked for. What is zero is not sent.
type ListConnectionLinksQuery struct {
	Limit  int64  `query:"limit"`  // Records a page.
	Cursor string `query:"cursor"` // x-next-cursor of the page before.
}

// ListConnectionLinks is GET /connection-link. The links by which fleets connect themselves, oldest first, without their addresses. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) ListConnectionLinks(ctx context.Context, query ListConnectionLinksQuery, options ...CallOption) iter.Seq2[ConnectionLink, error] {
	return pages[ConnectionLink](ctx, c, "/connection-link", query, options)
}

// PostConnectionLink is POST /connection-link. Makes a link by which a fleet chooses its provider and enters its credentials itself, once. Its address is shown this once. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PostConnectionLink(ctx context.Context, body ConnectionLinkInput, options ...CallOption) (ConnectionLinkCreated, error) {
	return one[ConnectionLinkCreated](ctx, c, http.MethodPost, "/connection-link", nil, body, options)
}

// DeleteConnectionLink is DELETE /connection-link/{link_id}. The link can no longer be used, nor withdrawn by. What was connected by it stays. Needs `write`: members, admins, and keys with that scope.
func (c *Client) DeleteConnectionLink(ctx context.Context, linkID string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/connection-link/"+url.PathEscape(linkID), nil, nil, options)
	return err
}

// ListConnectionTags is GET /connection-tag. The tenant's tags by name. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) ListConnectionTags(ctx context.Context, options ...CallOption) ([]ConnectionTag, error) {
	return one[[]ConnectionTag](ctx, c, http.MethodGet, "/connection-tag", nil, nil, options)
}

// PostConnectionTest is POST /connection/test. Asks the provider whether credentials work, how many vehicles they show, and for one position. Nothing is stored. What the provider refuses is in the answer, in words. It takes 20 seconds at the most. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PostConnectionTest(ctx context.Context, body ConnectionTrialInput, options ...CallOption) (ConnectionTrial, error) {
	return one[ConnectionTrial](ctx, c, http.MethodPost, "/connection/test", nil, body, options)
}

// GetConnection is GET /connection/{connection_id}. One connection with its tags. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetConnection(ctx context.Context, connectionID string, options ...CallOption) (ConnectionWithTags, error) {
	return one[ConnectionWithTags](ctx, c, http.MethodGet, "/connection/"+url.PathEscape(connectionID), nil, nil, options)
}

// PatchConnection is PATCH /connection/{connection_id}. Changes the fields that are sent. Credentials and tags are set as a whole; new credentials are tried at once. An earlier collection_start_time is filled in where the provider keeps history. With active false nothing is collected. Of the configuration, units can be set: what the provider's numbers are in, where the adapter takes them for something else. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PatchConnection(ctx context.Context, connectionID string, body ConnectionUpdate, options ...CallOption) (Connection, error) {
	return one[Connection](ctx, c, http.MethodPatch, "/connection/"+url.PathEscape(connectionID), nil, body, options)
}

// DeleteConnectionQuery is what DeleteConnection can be asked for. What is zero is not sent.
type DeleteConnectionQuery struct {
	Purge Optional[bool] `query:"purge"` // Also erase all of its data, which cannot be taken back.
}

// DeleteConnection is DELETE /connection/{connection_id}. Stops the collection at once and forgets the credentials. What was collected stays, and the connection is archived: with new credentials and active true it is collected again. With purge=true everything of it is erased in the background: its devices with their positions, trips and stops, milestones on them, events, sums, shares, and exports that may hold its records. configuration.purge says how far that is; at the end the connection is gone. Needs `write`: members, admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) DeleteConnection(ctx context.Context, connectionID string, query DeleteConnectionQuery, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/connection/"+url.PathEscape(connectionID), query, nil, options)
	return err
}

// GetConnectionCoverageQuery is what GetConnectionCoverage can be asked for. What is zero is not sent.
type GetConnectionCoverageQuery struct {
	Days Optional[int64] `query:"days"` // Of how many days what was seen counts.
}

// GetConnectionCoverage is GET /connection/{connection_id}/coverage. Which kinds of readings a connection gives: what its provider is declared to have, held against what its devices said in the last days, and what the account may not read. For the owner. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetConnectionCoverage(ctx context.Context, connectionID string, query GetConnectionCoverageQuery, options ...CallOption) ([]Coverage, error) {
	return one[[]Coverage](ctx, c, http.MethodGet, "/connection/"+url.PathEscape(connectionID)+"/coverage", query, nil, options)
}

// GetConnectionCredentials is GET /connection/{connection_id}/credentials. The stored provider credentials, for the tenant that owns the connection alone. Needs `secrets`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) GetConnectionCredentials(ctx context.Context, connectionID string, options ...CallOption) (ConnectionCredentials, error) {
	return one[ConnectionCredentials](ctx, c, http.MethodGet, "/connection/"+url.PathEscape(connectionID)+"/credentials", nil, nil, options)
}

// GetConnectionFile is GET /connection/{connection_id}/file. Of a provider that a file of the operator describes: the text in the version that the connection is read with, the calls that the last runs made because of which lines, and what came of them. For the owner. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetConnectionFile(ctx context.Context, connectionID string, options ...CallOption) (ConnectionFile, error) {
	return one[ConnectionFile](ctx, c, http.MethodGet, "/connection/"+url.PathEscape(connectionID)+"/file", nil, nil, options)
}

// GetConnectionHealth is GET /connection/{connection_id}/health. How the collection goes: state, last success, next run and, stream by stream, what is wrong in words. For the owner also what the data say of themselves: speeds, odometers, headings and times held against each other. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetConnectionHealth(ctx context.Context, connectionID string, options ...CallOption) (ConnectionDiagnosis, error) {
	return one[ConnectionDiagnosis](ctx, c, http.MethodGet, "/connection/"+url.PathEscape(connectionID)+"/health", nil, nil, options)
}

// PostInbound is POST /connection/{connection_id}/inbound. Makes an address that the connection's provider may call with news, so that they are read at once: for Bouncie, Motive, Samsara and Verizon Connect. It is shown this once, and replaces the one before. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) PostInbound(ctx context.Context, connectionID string, options ...CallOption) (InboundAddress, error) {
	return one[InboundAddress](ctx, c, http.MethodPost, "/connection/"+url.PathEscape(connectionID)+"/inbound", nil, nil, options)
}

// PostRecords is POST /connection/{connection_id}/record. Takes up to 1,000 records of devices, positions, trips, readings, drivers, faults and safety events for a connection to push, which an operator enables: a JSON array, or one record a line as NDJSON. A record is known by its device and time, a trip by its device and system_trip_id, a driver by system_driver_id, a fault by its device and code, a safety event by its device and system_event_id: what was sent before changes nothing, so that a batch may be sent again. A record that is refused leaves the others alone; the answer says of each what became of it. A body has 1 MiB and a record 64 KiB at the most. A tenant may have 8 batches under way: more are answered with 429. Needs `push`: members, admins, and keys with that scope.
func (c *Client) PostRecords(ctx context.Context, connectionID string, body []Record, options ...CallOption) (RecordResult, error) {
	return one[RecordResult](ctx, c, http.MethodPost, "/connection/"+url.PathEscape(connectionID)+"/record", nil, body, options)
}

// ListConnectionRuns is GET /connection/{connection_id}/run. How the runs of the last 24 hours went, by kind and hour. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) ListConnectionRuns(ctx context.Context, connectionID string, options ...CallOption) ([]JobHour, error) {
	return one[[]JobHour](ctx, c, http.MethodGet, "/connection/"+url.PathEscape(connectionID)+"/run", nil, nil, options)
}

// GetConnectionSettings is GET /connection/{connection_id}/settings. What is set for a connection, and what holds for its devices that have set nothing: the connection's own setting before the tenant's, before the default. PATCH /connection/{connection_id} sets it. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetConnectionSettings(ctx context.Context, connectionID string, options ...CallOption) (ConnectionSettings, error) {
	return one[ConnectionSettings](ctx, c, http.MethodGet, "/connection/"+url.PathEscape(connectionID)+"/settings", nil, nil, options)
}

// ListShares is GET /connection/{connection_id}/share. The tenants that a connection is shared with. Needs `admin`: admins, and keys with that scope.
func (c *Client) ListShares(ctx context.Context, connectionID string, options ...CallOption) ([]Share, error) {
	return one[[]Share](ctx, c, http.MethodGet, "/connection/"+url.PathEscape(connectionID)+"/share", nil, nil, options)
}

// PostShare is POST /connection/{connection_id}/share. Offers the connection to another tenant, named by its id or by a code that it has made. Once it is accepted, that tenant reads the connection, its devices and trips and, by the scopes, positions and drivers; never its credentials. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) PostShare(ctx context.Context, connectionID string, body ShareInput, options ...CallOption) (Share, error) {
	return one[Share](ctx, c, http.MethodPost, "/connection/"+url.PathEscape(connectionID)+"/share", nil, body, options)
}

// PutShare is PUT /connection/{connection_id}/share/{tenant_id}. Offers the connection to another tenant with all scopes and without an end. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) PutShare(ctx context.Context, connectionID string, tenantID string, options ...CallOption) (Share, error) {
	return one[Share](ctx, c, http.MethodPut, "/connection/"+url.PathEscape(connectionID)+"/share/"+url.PathEscape(tenantID), nil, nil, options)
}

// DeleteShare is DELETE /connection/{connection_id}/share/{tenant_id}. Takes another tenant's access back. Needs `admin`: admins, and keys with that scope.
func (c *Client) DeleteShare(ctx context.Context, connectionID string, tenantID string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/connection/"+url.PathEscape(connectionID)+"/share/"+url.PathEscape(tenantID), nil, nil, options)
	return err
}

// PostSync is POST /connection/{connection_id}/sync. Collects at once or, with from and to, fills a window of the past in. The jobs are part of the health that it returns. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PostSync(ctx context.Context, connectionID string, body SyncInput, options ...CallOption) (ConnectionHealth, error) {
	return one[ConnectionHealth](ctx, c, http.MethodPost, "/connection/"+url.PathEscape(connectionID)+"/sync", nil, body, options)
}

// DeleteSync is DELETE /connection/{connection_id}/sync/{job_id}. Ends a job that fills a window in. What it has read stays. Needs `write`: members, admins, and keys with that scope.
func (c *Client) DeleteSync(ctx context.Context, connectionID string, jobID string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/connection/"+url.PathEscape(connectionID)+"/sync/"+url.PathEscape(jobID), nil, nil, options)
	return err
}

// ListAllDeliveriesQuery is what ListAllDeliveries can be asked for. What is zero is not sent.
type ListAllDeliveriesQuery struct {
	WebhookID   string        `query:"webhook_id"`   // Only deliveries to this webhook.
	MilestoneID string        `query:"milestone_id"` // Only deliveries to this milestone's own webhook.
	Type        EventType     `query:"type"`         // Only deliveries of events of this type.
	State       DeliveryState `query:"state"`        // Only deliveries in this state.
	Code        CodeClass     `query:"code"`         // Only deliveries whose last answer was of this class.
	From        time.Time     `query:"from"`         // Only deliveries that were made at or after this time.
	To          time.Time     `query:"to"`           // Only deliveries that were made before this time.
	Limit       int64         `query:"limit"`        // Records a page.
	Cursor      string        `query:"cursor"`       // x-next-cursor of the page before.
}

// ListAllDeliveries is GET /delivery. What was and is to be sent to all webhooks and to milestones' own, newest event first, each with its last attempt. It reaches back 30 days. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) ListAllDeliveries(ctx context.Context, query ListAllDeliveriesQuery, options ...CallOption) iter.Seq2[DeliverySummary, error] {
	return pages[DeliverySummary](ctx, c, "/delivery", query, options)
}

// GetDelivery is GET /delivery/{delivery_id}. One delivery with all attempts, and the request as it was sent: headers, body and signature. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, where it was needs the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`. Of what another tenant shares, what its instruments say and what is broken needs the scope `readings`. Of what another tenant shares, how safely it was driven needs the scope `safety`.
func (c *Client) GetDelivery(ctx context.Context, deliveryID string, options ...CallOption) (DeliveryDetail, error) {
	return one[DeliveryDetail](ctx, c, http.MethodGet, "/delivery/"+url.PathEscape(deliveryID), nil, nil, options)
}

// ListDevicesQuery is what ListDevices can be asked for. What is zero is not sent.
type ListDevicesQuery struct {
	ConnectionID string         `query:"connection_id"` // Only devices of this connection.
	Tag          string         `query:"tag"`           // Only devices with this tag.
	Active       Optional[bool] `query:"active"`        // Only active or only inactive devices.
	Q            string         `query:"q"`             // Only devices whose id is this, or whose description, registration or provider's id contains it, whatever the case.
	State        DeviceState    `query:"state"`         // Only devices in this state now.
	Sort         string         `query:"sort"`          // What the list is ordered by: id is the order in which devices were found, position_time the time of the newest position, updated_at that of a copy. Texts are compared whatever their case; devices without the value come last.
	Order        string         `query:"order"`         // desc is the other way round.
	UpdatedAfter time.Time      `query:"updated_after"` // Only records that were changed or deleted after this time, as sort=updated_at lists them; some from up to 15 minutes before may be among them. Not longer ago than 30 days.
	Limit        int64          `query:"limit"`         // Records a page.
	Cursor       string         `query:"cursor"`        // x-next-cursor of the page before.
}

// ListDevices is GET /device. Devices of the tenant's connections and of those shared with it, in the order in which they were found unless another is asked for. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) ListDevices(ctx context.Context, query ListDevicesQuery, options ...CallOption) iter.Seq2[Device, error] {
	return pages[Device](ctx, c, "/device", query, options)
}

// PostDeviceTags is POST /device/tag. Adds tags to up to 1,000 devices and takes others away: of all of them, or of none where one is not the tenant's own or would have more than ten. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PostDeviceTags(ctx context.Context, body DeviceTagInput, options ...CallOption) (DeviceTagResult, error) {
	return one[DeviceTagResult](ctx, c, http.MethodPost, "/device/tag", nil, body, options)
}

// GetDevice is GET /device/{device_id}. One device. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetDevice(ctx context.Context, deviceID string, options ...CallOption) (Device, error) {
	return one[Device](ctx, c, http.MethodGet, "/device/"+url.PathEscape(deviceID), nil, nil, options)
}

// PatchDevice is PATCH /device/{device_id}. Changes the fields that are sent; collection leaves them alone from then on. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PatchDevice(ctx context.Context, deviceID string, body DeviceUpdate, options ...CallOption) (Device, error) {
	return one[Device](ctx, c, http.MethodPatch, "/device/"+url.PathEscape(deviceID), nil, body, options)
}

// ListDeviceDaysQuery is what ListDeviceDays can be asked for. What is zero is not sent.
type ListDeviceDaysQuery struct {
	From    string `query:"from"`    // The first date, such as 2026-03-01.
	To      string `query:"to"`      // The last date, which is among them; today without one.
	Include string `query:"include"` // Adds fuel_used_litres, engine_seconds, odometer_start_metres and odometer_end_metres.
}

// ListDeviceDays is GET /device/{device_id}/day. What a device did on each day of its time zone, from one date to another: trips and stops over midnight are divided by its positions. At most 400 days; the last 30 unless others are asked for. With include=readings each has what the vehicle's counters show. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, what its instruments say and what is broken needs the scope `readings`.
func (c *Client) ListDeviceDays(ctx context.Context, deviceID string, query ListDeviceDaysQuery, options ...CallOption) ([]DeviceDay, error) {
	return one[[]DeviceDay](ctx, c, http.MethodGet, "/device/"+url.PathEscape(deviceID)+"/day", query, nil, options)
}

// GetDeviceDriver is GET /device/{device_id}/driver. Who drives a device, by its newest position and what the provider states of its time: an empty list where neither names anyone, or the position is older than two hours. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `drivers`.
func (c *Client) GetDeviceDriver(ctx context.Context, deviceID string, options ...CallOption) ([]DriverAssignment, error) {
	return one[[]DriverAssignment](ctx, c, http.MethodGet, "/device/"+url.PathEscape(deviceID)+"/driver", nil, nil, options)
}

// ListNotesQuery is what ListNotes can be asked for. What is zero is not sent.
type ListNotesQuery struct {
	TripID string `query:"trip_id"` // Only notes about this trip.
	Limit  int64  `query:"limit"`   // Records a page.
	Cursor string `query:"cursor"`  // x-next-cursor of the page before.
}

// ListNotes is GET /device/{device_id}/note. What people have written down about a device of the tenant's own and its trips, newest first. Notes are never shared. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) ListNotes(ctx context.Context, deviceID string, query ListNotesQuery, options ...CallOption) iter.Seq2[Note, error] {
	return pages[Note](ctx, c, "/device/"+url.PathEscape(deviceID)+"/note", query, options)
}

// PostNote is POST /device/{device_id}/note. Writes down a text about a device or one of its trips, with the caller's name. A device has at most 1,000 notes. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PostNote(ctx context.Context, deviceID string, body NoteInput, options ...CallOption) (Note, error) {
	return one[Note](ctx, c, http.MethodPost, "/device/"+url.PathEscape(deviceID)+"/note", nil, body, options)
}

// DeleteNote is DELETE /device/{device_id}/note/{note_id}. Its author may, and an admin. Needs `write`: members, admins, and keys with that scope.
func (c *Client) DeleteNote(ctx context.Context, deviceID string, noteID string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/device/"+url.PathEscape(deviceID)+"/note/"+url.PathEscape(noteID), nil, nil, options)
	return err
}

// GetDevicePositionQuery is what GetDevicePosition can be asked for. What is zero is not sent.
type GetDevicePositionQuery struct {
	Include string `query:"include"` // Adds ignition, auxiliary and odometer_metres.
}

// GetDevicePosition is GET /device/{device_id}/position. Where a device was last; with include=detail also ignition, auxiliary and odometer. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`.
func (c *Client) GetDevicePosition(ctx context.Context, deviceID string, query GetDevicePositionQuery, options ...CallOption) (CurrentPosition, error) {
	return one[CurrentPosition](ctx, c, http.MethodGet, "/device/"+url.PathEscape(deviceID)+"/position", query, nil, options)
}

// ListDevicePositionsQuery is what ListDevicePositions can be asked for. What is zero is not sent.
type ListDevicePositionsQuery struct {
	From           time.Time      `query:"from"`            // Positions at or after this time.
	To             time.Time      `query:"to"`              // Positions before this time; now otherwise.
	IncludeSuspect Optional[bool] `query:"include_suspect"` // Also those that are not believed.
	Limit          int64          `query:"limit"`           // Records a page.
	Cursor         string         `query:"cursor"`          // x-next-cursor of the page before.
}

// ListDevicePositions is GET /device/{device_id}/positions. A device's positions of [from, to), oldest first, as JSON, GeoJSON or GPX. In the last two, without a limit, up to 20,000 are in one answer; where there are more, x-next-cursor and a link in the file itself say so. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`. For other formats than JSON use Call.
func (c *Client) ListDevicePositions(ctx context.Context, deviceID string, query ListDevicePositionsQuery, options ...CallOption) iter.Seq2[HistoricPosition, error] {
	return pages[HistoricPosition](ctx, c, "/device/"+url.PathEscape(deviceID)+"/positions", query, options)
}

// GetDeviceReadings is GET /device/{device_id}/reading. What the instruments of a device said last: the newest reading of each kind and channel. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `readings`.
func (c *Client) GetDeviceReadings(ctx context.Context, deviceID string, options ...CallOption) ([]NewestReading, error) {
	return one[[]NewestReading](ctx, c, http.MethodGet, "/device/"+url.PathEscape(deviceID)+"/reading", nil, nil, options)
}

// ListDeviceReadingsQuery is what ListDeviceReadings can be asked for. What is zero is not sent.
type ListDeviceReadingsQuery struct {
	Kind    []ReadingKind   `query:"kind"`    // Only readings of these kinds.
	From    time.Time       `query:"from"`    // Readings at or after this time.
	To      time.Time       `query:"to"`      // Readings before this time; now otherwise.
	Order   string          `query:"order"`   // desc is newest first.
	Suspect Optional[bool]  `query:"suspect"` // Also those that are not believed.
	Every   Optional[int64] `query:"every"`   // At most one reading of a series in so many seconds, the first of each such span; 0 is all that is kept.
	Limit   int64           `query:"limit"`   // Records a page.
	Cursor  string          `query:"cursor"`  // x-next-cursor of the page before.
}

// ListDeviceReadings is GET /device/{device_id}/readings. A device's readings of [from, to), of all series, those that are believed unless others are asked for. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `readings`.
func (c *Client) ListDeviceReadings(ctx context.Context, deviceID string, query ListDeviceReadingsQuery, options ...CallOption) iter.Seq2[Reading, error] {
	return pages[Reading](ctx, c, "/device/"+url.PathEscape(deviceID)+"/readings", query, options)
}

// GetDeviceSettings is GET /device/{device_id}/settings. What is set for a device, and what holds for it: the device's own setting before the connection's, before the tenant's, before the default. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetDeviceSettings(ctx context.Context, deviceID string, options ...CallOption) (DeviceSettings, error) {
	return one[DeviceSettings](ctx, c, http.MethodGet, "/device/"+url.PathEscape(deviceID)+"/settings", nil, nil, options)
}

// PatchDeviceSettings is PATCH /device/{device_id}/settings. Changes the settings that are sent. They hold for trips that are derived from then on; POST /trip-recompute derives earlier ones again. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PatchDeviceSettings(ctx context.Context, deviceID string, body DeviceSettingsUpdate, options ...CallOption) (DeviceSettings, error) {
	return one[DeviceSettings](ctx, c, http.MethodPatch, "/device/"+url.PathEscape(deviceID)+"/settings", nil, body, options)
}

// GetDeviceTrackQuery is what GetDeviceTrack can be asked for. What is zero is not sent.
type GetDeviceTrackQuery struct {
	From      time.Time         `query:"from"`      // Positions at or after this time.
	To        time.Time         `query:"to"`        // Positions before this time; now otherwise. At most 31 days after from.
	Tolerance Optional[float64] `query:"tolerance"` // Metres by which a point that is left out may lie beside the line.
}

// GetDeviceTrack is GET /device/{device_id}/track. The whole way of a device in [from, to), at most 31 days, in one answer. At most 5,000 points, simplified by tolerance; segments say what the device did: driving, idling, auxiliary, stopped, or a hole that nothing is known of. As JSON with one list for each field of the points, GeoJSON or GPX. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `positions`. For other formats than JSON use Call.
func (c *Client) GetDeviceTrack(ctx context.Context, deviceID string, query GetDeviceTrackQuery, options ...CallOption) (Track, error) {
	return one[Track](ctx, c, http.MethodGet, "/device/"+url.PathEscape(deviceID)+"/track", query, nil, options)
}

// ListDriversQuery is what ListDrivers can be asked for. What is zero is not sent.
type ListDriversQuery struct {
	ConnectionID   string         `query:"connection_id"`    // Only drivers of this connection.
	SystemDriverID string         `query:"system_driver_id"` // Only drivers with this id at the provider: the value of a driver_id.
	Tag            string         `query:"tag"`              // Only drivers with this tag.
	Active         Optional[bool] `query:"active"`           // Only active or only inactive drivers.
	Q              string         `query:"q"`                // Only drivers whose id is this, or whose name, employee number or provider's id contains it, whatever the case.
	Sort           string         `query:"sort"`             // id is the order in which drivers were found, updated_at the order in which records were changed, for a copy that misses nothing.
	UpdatedAfter   time.Time      `query:"updated_after"`    // Only records that were changed or deleted after this time, as sort=updated_at lists them; some from up to 15 minutes before may be among them. Not longer ago than 30 days.
	Limit          int64          `query:"limit"`            // Records a page.
	Cursor         string         `query:"cursor"`           // x-next-cursor of the page before.
}

// ListDrivers is GET /driver. The persons who drive, as the providers of the tenant's connections list them, and of those shared with it, in the order in which they were found. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, who drove needs the scope `drivers`.
func (c *Client) ListDrivers(ctx context.Context, query ListDriversQuery, options ...CallOption) iter.Seq2[Driver, error] {
	return pages[Driver](ctx, c, "/driver", query, options)
}

// ListDriverAssignmentsQuery is what ListDriverAssignments can be asked for. What is zero is not sent.
type ListDriverAssignmentsQuery struct {
	DeviceID string    `query:"device_id"` // Only assignments of this device. It or driver_id is needed.
	DriverID string    `query:"driver_id"` // Only assignments of this driver, by the id of the record.
	From     time.Time `query:"from"`      // Only assignments that end after this time.
	To       time.Time `query:"to"`        // Only assignments that begin before this time; now otherwise. At most 31 days after from.
}

// ListDriverAssignments is GET /driver-assignment. Who drove a device, or what a driver drove, by start: assignments that share time with [from, to), at most 31 days. They are made of what the provider states of who drove, where it does, and of trips that name their driver: those that follow each other within two hours are one. Of two that speak of one time, the one that is believed more holds. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `drivers`.
func (c *Client) ListDriverAssignments(ctx context.Context, query ListDriverAssignmentsQuery, options ...CallOption) ([]DriverAssignment, error) {
	return one[[]DriverAssignment](ctx, c, http.MethodGet, "/driver-assignment", query, nil, options)
}

// GetDriverErasure is GET /driver-erasure/{erasure_id}. How far it is. Needs `admin`: admins, and keys with that scope.
func (c *Client) GetDriverErasure(ctx context.Context, erasureID string, options ...CallOption) (DriverErasure, error) {
	return one[DriverErasure](ctx, c, http.MethodGet, "/driver-erasure/"+url.PathEscape(erasureID), nil, nil, options)
}

// GetDriver is GET /driver/{driver_id}. One driver, by the id of its record. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `drivers`.
func (c *Client) GetDriver(ctx context.Context, driverID string, options ...CallOption) (Driver, error) {
	return one[Driver](ctx, c, http.MethodGet, "/driver/"+url.PathEscape(driverID), nil, nil, options)
}

// PatchDriver is PATCH /driver/{driver_id}. Changes the fields that are sent; collection leaves them alone from then on. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PatchDriver(ctx context.Context, driverID string, body DriverUpdate, options ...CallOption) (Driver, error) {
	return one[Driver](ctx, c, http.MethodPatch, "/driver/"+url.PathEscape(driverID), nil, body, options)
}

// DeleteDriver is DELETE /driver/{driver_id}. Replaces a driver, by the value of a driver_id or the id of its record, with a made-up pseudonym in trips, positions, events and what is kept of deliveries, in the background. Of the record the pseudonym is left, and nothing of the person. Exports that may name the driver are dropped. Take the driver away at the provider first: what it reports later is stored again. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) DeleteDriver(ctx context.Context, driverID string, options ...CallOption) (DriverErasure, error) {
	return one[DriverErasure](ctx, c, http.MethodDelete, "/driver/"+url.PathEscape(driverID), nil, nil, options)
}

// ListEventsQuery is what ListEvents can be asked for. What is zero is not sent.
type ListEventsQuery struct {
	Type         []EventType     `query:"type"`          // Only events of these types.
	DeviceID     string          `query:"device_id"`     // Only events about this device; batches of positions are about many.
	ConnectionID string          `query:"connection_id"` // Only events about this connection or its devices.
	From         string          `query:"from"`          // Only events of this time or later; now begins at the end of the feed where there is no cursor.
	To           time.Time       `query:"to"`            // Only events before this time.
	Order        string          `query:"order"`         // desc is newest first.
	Wait         Optional[int64] `query:"wait"`          // Seconds to wait for an event where there is none.
	Limit        int64           `query:"limit"`         // Records a page.
	Cursor       string          `query:"cursor"`        // x-next-cursor of the page before.
}

// ListEvents is GET /event. Events after the cursor, in the order of their sequence; without a cursor from the first one on. x-next-cursor is always there: at the end of the feed it is where to go on later, and no Link names a next page. With order=desc the newest come first, and the first has no cursor. With wait the answer is held back until there is an event. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, where it was needs the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`. Of what another tenant shares, what its instruments say and what is broken needs the scope `readings`. Of what another tenant shares, how safely it was driven needs the scope `safety`.
func (c *Client) ListEvents(ctx context.Context, query ListEventsQuery, options ...CallOption) iter.Seq2[Event, error] {
	return pages[Event](ctx, c, "/event", query, options)
}

// ListExportsQuery is what ListExports can be asked for. What is zero is not sent.
type ListExportsQuery struct {
	Limit  int64  `query:"limit"`  // Records a page.
	Cursor string `query:"cursor"` // x-next-cursor of the page before.
}

// ListExports is GET /export. The tenant's exports, newest first. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) ListExports(ctx context.Context, query ListExportsQuery, options ...CallOption) iter.Seq2[Export, error] {
	return pages[Export](ctx, c, "/export", query, options)
}

// PostExport is POST /export. Makes a file of the records that a list would show, in the background. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PostExport(ctx context.Context, body ExportInput, options ...CallOption) (Export, error) {
	return one[Export](ctx, c, http.MethodPost, "/export", nil, body, options)
}

// GetExport is GET /export/{export_id}. One export with its state and progress. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetExport(ctx context.Context, exportID string, options ...CallOption) (Export, error) {
	return one[Export](ctx, c, http.MethodGet, "/export/"+url.PathEscape(exportID), nil, nil, options)
}

// DeleteExport is DELETE /export/{export_id}. Cancels an export that has not ended: it stays, as cancelled. Forgets one that has ended, with its file. Needs `write`: members, admins, and keys with that scope.
func (c *Client) DeleteExport(ctx context.Context, exportID string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/export/"+url.PathEscape(exportID), nil, nil, options)
	return err
}

// ListFaultsQuery is what ListFaults can be asked for. What is zero is not sent.
type ListFaultsQuery struct {
	DeviceID     []string        `query:"device_id"`     // Only faults of these devices.
	ConnectionID []string        `query:"connection_id"` // Only faults of these connections' devices.
	Tag          []string        `query:"tag"`           // Only faults of devices with one of these tags, their own or their connection's.
	Status       []FaultStatus   `query:"status"`        // Only faults of these states.
	Protocol     []FaultProtocol `query:"protocol"`      // Only faults of these protocols.
	Code         []string        `query:"code"`          // Only faults with one of these codes.
	From         time.Time       `query:"from"`          // Faults that were there at or after this time.
	To           time.Time       `query:"to"`            // Faults that were seen first before this time.
	Sort         string          `query:"sort"`          // updated_at is the order in which records were changed, for a copy that misses nothing.
	Order        string          `query:"order"`         // desc is newest first; without sort=updated_at.
	UpdatedAfter time.Time       `query:"updated_after"` // Only records that were changed or deleted after this time, as sort=updated_at lists them; some from up to 15 minutes before may be among them. Not longer ago than 30 days.
	Limit        int64           `query:"limit"`         // Records a page.
	Cursor       string          `query:"cursor"`        // x-next-cursor of the page before.
}

// ListFaults is GET /fault. What vehicles report as broken, open and closed, in the order in which it became known. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, what its instruments say and what is broken needs the scope `readings`.
func (c *Client) ListFaults(ctx context.Context, query ListFaultsQuery, options ...CallOption) iter.Seq2[Fault, error] {
	return pages[Fault](ctx, c, "/fault", query, options)
}

// GetFault is GET /fault/{fault_id}. One fault. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `readings`.
func (c *Client) GetFault(ctx context.Context, faultID string, options ...CallOption) (Fault, error) {
	return one[Fault](ctx, c, http.MethodGet, "/fault/"+url.PathEscape(faultID), nil, nil, options)
}

// PostNotice is POST /inbound/{connection_id}/{inbound_token}. A provider says that there is something new: positions that it sends along are stored, and the connection's positions are read at once. Its own signature, or key, is verified where the credentials have a webhook_secret. The body is the provider's, of at most 1 MiB, and nothing else of it is kept.
func (c *Client) PostNotice(ctx context.Context, connectionID string, inboundToken string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodPost, "/inbound/"+url.PathEscape(connectionID)+"/"+url.PathEscape(inboundToken), nil, nil, options)
	return err
}

// PostLogout is POST /logout. Ends the session of the token: all its tokens are refused from then on. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused.
func (c *Client) PostLogout(ctx context.Context, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodPost, "/logout", nil, nil, options)
	return err
}

// ListMilestonesQuery is what ListMilestones can be asked for. What is zero is not sent.
type ListMilestonesQuery struct {
	Status       MilestoneStatus `query:"status"`        // Only milestones of this status.
	DeviceID     string          `query:"device_id"`     // Only milestones of this device.
	ConnectionID string          `query:"connection_id"` // Only milestones of this connection's devices.
	From         time.Time       `query:"from"`          // Only milestones that start at or after this time.
	To           time.Time       `query:"to"`            // Only milestones that start before this time.
	Reference    string          `query:"reference"`     // Only milestones with this reference.
	Metadata     []string        `query:"metadata"`      // Only milestones whose metadata has this entry, as key=value; all of them where there are several.
	Sort         string          `query:"sort"`          // What the list is ordered by: id is the order in which they were made. Milestones without end_time come last in an order by it.
	Order        string          `query:"order"`         // desc is the other way round.
	Limit        int64           `query:"limit"`         // Records a page.
	Cursor       string          `query:"cursor"`        // x-next-cursor of the page before.
	UpdatedAfter time.Time       `query:"updated_after"` // Only records that were changed or deleted after this time, as sort=updated_at lists them; some from up to 15 minutes before may be among them. Not longer ago than 30 days.
}

// ListMilestones is GET /milestone. The tenant's milestones, in the order in which they were made unless another is asked for. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) ListMilestones(ctx context.Context, query ListMilestonesQuery, options ...CallOption) iter.Seq2[Milestone, error] {
	return pages[Milestone](ctx, c, "/milestone", query, options)
}

// PostMilestone is POST /milestone. Begins to track a journey of a device. Positions that are stored already count. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PostMilestone(ctx context.Context, body MilestoneInput, options ...CallOption) (Milestone, error) {
	return one[Milestone](ctx, c, http.MethodPost, "/milestone", nil, body, options)
}

// ListMilestoneUpdatesQuery is what ListMilestoneUpdates can be asked for. What is zero is not sent.
type ListMilestoneUpdatesQuery struct {
	Status       MilestoneStatus `query:"status"`        // Only milestones of this status.
	DeviceID     string          `query:"device_id"`     // Only milestones of this device.
	ConnectionID string          `query:"connection_id"` // Only milestones of this connection's devices.
	From         time.Time       `query:"from"`          // Only milestones that start at or after this time.
	To           time.Time       `query:"to"`            // Only milestones that start before this time.
	Reference    string          `query:"reference"`     // Only milestones with this reference.
	Metadata     []string        `query:"metadata"`      // Only milestones whose metadata has this entry, as key=value; all of them where there are several.
	Sort         string          `query:"sort"`          // What the list is ordered by: id is the order in which they were made. Milestones without end_time come last in an order by it.
	Order        string          `query:"order"`         // desc is the other way round.
	Limit        int64           `query:"limit"`         // Records a page.
	Cursor       string          `query:"cursor"`        // x-next-cursor of the page before.
}

// ListMilestoneUpdates is GET /milestone/update. The update records of the tenant's milestones, each with its status, how late it is, and how much of the way is done. Arrivals are predicted without asking a routing server. Milestones whose device may not be read any more are left out. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, where it was needs the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`.
func (c *Client) ListMilestoneUpdates(ctx context.Context, query ListMilestoneUpdatesQuery, options ...CallOption) iter.Seq2[MilestoneUpdateEntry, error] {
	return pages[MilestoneUpdateEntry](ctx, c, "/milestone/update", query, options)
}

// GetMilestone is GET /milestone/{milestone_id}. One milestone. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetMilestone(ctx context.Context, milestoneID string, options ...CallOption) (Milestone, error) {
	return one[Milestone](ctx, c, http.MethodGet, "/milestone/"+url.PathEscape(milestoneID), nil, nil, options)
}

// PatchMilestone is PATCH /milestone/{milestone_id}. Changes the fields that are sent. Changing the device, a point or a time starts the tracking again. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PatchMilestone(ctx context.Context, milestoneID string, body MilestoneUpdate, options ...CallOption) (Milestone, error) {
	return one[Milestone](ctx, c, http.MethodPatch, "/milestone/"+url.PathEscape(milestoneID), nil, body, options)
}

// DeleteMilestone is DELETE /milestone/{milestone_id}. Ends the tracking and forgets the milestone. Needs `write`: members, admins, and keys with that scope.
func (c *Client) DeleteMilestone(ctx context.Context, milestoneID string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/milestone/"+url.PathEscape(milestoneID), nil, nil, options)
	return err
}

// ListMilestoneETAHistoryQuery is what ListMilestoneETAHistory can be asked for. What is zero is not sent.
type ListMilestoneETAHistoryQuery struct {
	Limit  int64  `query:"limit"`  // Records a page.
	Cursor string `query:"cursor"` // x-next-cursor of the page before.
}

// ListMilestoneETAHistory is GET /milestone/{milestone_id}/eta-history. The arrivals that were predicted on the way, every few minutes, against the real one. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `positions`.
func (c *Client) ListMilestoneETAHistory(ctx context.Context, milestoneID string, query ListMilestoneETAHistoryQuery, options ...CallOption) iter.Seq2[ETAPrediction, error] {
	return pages[ETAPrediction](ctx, c, "/milestone/"+url.PathEscape(milestoneID)+"/eta-history", query, options)
}

// ListMilestoneEventsQuery is what ListMilestoneEvents can be asked for. What is zero is not sent.
type ListMilestoneEventsQuery struct {
	Limit  int64  `query:"limit"`  // Records a page.
	Cursor string `query:"cursor"` // x-next-cursor of the page before.
}

// ListMilestoneEvents is GET /milestone/{milestone_id}/event. What happened to a milestone, in order. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, where it was needs the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`.
func (c *Client) ListMilestoneEvents(ctx context.Context, milestoneID string, query ListMilestoneEventsQuery, options ...CallOption) iter.Seq2[Event, error] {
	return pages[Event](ctx, c, "/milestone/"+url.PathEscape(milestoneID)+"/event", query, options)
}

// PostMilestoneReplay is POST /milestone/{milestone_id}/replay. Sends to the milestone's own webhook again: one delivery by its event_id or, with since, all of events since then that failed or were skipped. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PostMilestoneReplay(ctx context.Context, milestoneID string, body ReplayInput, options ...CallOption) (ReplayResult, error) {
	return one[ReplayResult](ctx, c, http.MethodPost, "/milestone/"+url.PathEscape(milestoneID)+"/replay", nil, body, options)
}

// ListMilestoneLinks is GET /milestone/{milestone_id}/share. The links by which people without a user follow the journey, oldest first, without their addresses. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) ListMilestoneLinks(ctx context.Context, milestoneID string, options ...CallOption) ([]MilestoneLink, error) {
	return one[[]MilestoneLink](ctx, c, http.MethodGet, "/milestone/"+url.PathEscape(milestoneID)+"/share", nil, nil, options)
}

// PostMilestoneLink is POST /milestone/{milestone_id}/share. Makes a link by which anyone who has it follows the journey: where the vehicle is while it is on its way, and when it arrives. Its address is shown this once. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PostMilestoneLink(ctx context.Context, milestoneID string, body MilestoneLinkInput, options ...CallOption) (MilestoneLinkCreated, error) {
	return one[MilestoneLinkCreated](ctx, c, http.MethodPost, "/milestone/"+url.PathEscape(milestoneID)+"/share", nil, body, options)
}

// DeleteMilestoneLink is DELETE /milestone/{milestone_id}/share/{link_id}. The link shows nothing from then on. Needs `write`: members, admins, and keys with that scope.
func (c *Client) DeleteMilestoneLink(ctx context.Context, milestoneID string, linkID string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/milestone/"+url.PathEscape(milestoneID)+"/share/"+url.PathEscape(linkID), nil, nil, options)
	return err
}

// PostMilestoneTestQuery is what PostMilestoneTest can be asked for. What is zero is not sent.
type PostMilestoneTestQuery struct {
	Wait Optional[int64] `query:"wait"` // Seconds to wait for the outcome; 0 does not.
}

// PostMilestoneTest is POST /milestone/{milestone_id}/test. Sends a webhook.test to the milestone's own webhook, once, and waits for what comes of it. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PostMilestoneTest(ctx context.Context, milestoneID string, query PostMilestoneTestQuery, options ...CallOption) (DeliveryAttempt, error) {
	return one[DeliveryAttempt](ctx, c, http.MethodPost, "/milestone/"+url.PathEscape(milestoneID)+"/test", query, nil, options)
}

// GetMilestoneUpdate is GET /milestone/{milestone_id}/update. Where the device is and when it arrives. Without a position younger than the timeout, eta and distance_to_destination_km are null. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`.
func (c *Client) GetMilestoneUpdate(ctx context.Context, milestoneID string, options ...CallOption) (MilestoneUpdateRecord, error) {
	return one[MilestoneUpdateRecord](ctx, c, http.MethodGet, "/milestone/"+url.PathEscape(milestoneID)+"/update", nil, nil, options)
}

// ListOperatorAuditQuery is what ListOperatorAudit can be asked for. What is zero is not sent.
type ListOperatorAuditQuery struct {
	ActorID  string       `query:"actor_id"`  // Only what this user or key did.
	Action   string       `query:"action"`    // Only this action, such as connection.update.
	RecordID string       `query:"record_id"` // Only what was done to this record.
	Outcome  AuditOutcome `query:"outcome"`   // Only what was done, or only what was refused.
	From     time.Time    `query:"from"`      // Only at or after this time.
	To       time.Time    `query:"to"`        // Only before this time.
	Limit    int64        `query:"limit"`     // Records a page.
	Cursor   string       `query:"cursor"`    // x-next-cursor of the page before.
}

// ListOperatorAudit is GET /operator/audit. What the operator's keys and the command line did, newest first. Of what a key did in a tenant the record is the tenant; the tenant's own audit has the record, under the same request_id. It is kept for 400 days. Needs `audit:read`: keys of the operator with that scope.
func (c *Client) ListOperatorAudit(ctx context.Context, query ListOperatorAuditQuery, options ...CallOption) iter.Seq2[Audit, error] {
	return pages[Audit](ctx, c, "/operator/audit", query, options)
}

// ListTenantsQuery is what ListTenants can be asked for. What is zero is not sent.
type ListTenantsQuery struct {
	Limit  int64  `query:"limit"`  // Records a page.
	Cursor string `query:"cursor"` // x-next-cursor of the page before.
}

// ListTenants is GET /operator/tenant. All tenants, oldest first. Needs `tenants:read`: keys of the operator with that scope.
func (c *Client) ListTenants(ctx context.Context, query ListTenantsQuery, options ...CallOption) iter.Seq2[ManagedTenant, error] {
	return pages[ManagedTenant](ctx, c, "/operator/tenant", query, options)
}

// PostTenant is POST /operator/tenant. Adds a tenant, and with it a first admin, a first API key, or both. The secret of the key is shown this once. Needs `tenants:write`: keys of the operator with that scope.
func (c *Client) PostTenant(ctx context.Context, body TenantInput, options ...CallOption) (TenantCreated, error) {
	return one[TenantCreated](ctx, c, http.MethodPost, "/operator/tenant", nil, body, options)
}

// GetTenant is GET /operator/tenant/{tenant_id}. One tenant with its limits and what it has of them. Needs `tenants:read`: keys of the operator with that scope.
func (c *Client) GetTenant(ctx context.Context, tenantID string, options ...CallOption) (ManagedTenantDetail, error) {
	return one[ManagedTenantDetail](ctx, c, http.MethodGet, "/operator/tenant/"+url.PathEscape(tenantID), nil, nil, options)
}

// PatchTenant is PATCH /operator/tenant/{tenant_id}. Changes the fields that are sent, in every process within a second. Suspending a tenant loses nothing: its users, keys and streams are refused with 403, collection and deliveries pause, and go on later. Needs `tenants:write`: keys of the operator with that scope.
func (c *Client) PatchTenant(ctx context.Context, tenantID string, body TenantUpdate, options ...CallOption) (ManagedTenantDetail, error) {
	return one[ManagedTenantDetail](ctx, c, http.MethodPatch, "/operator/tenant/"+url.PathEscape(tenantID), nil, body, options)
}

// DeleteTenant is DELETE /operator/tenant/{tenant_id}. Erases a tenant with all it has, for good and in the background: it is refused from now on, and unknown when that is done. The answer says what is kept. Needs `tenants:write`: keys of the operator with that scope.
func (c *Client) DeleteTenant(ctx context.Context, tenantID string, options ...CallOption) (TenantErasure, error) {
	return one[TenantErasure](ctx, c, http.MethodDelete, "/operator/tenant/"+url.PathEscape(tenantID), nil, nil, options)
}

// ListTenantUsageQuery is what ListTenantUsage can be asked for. What is zero is not sent.
type ListTenantUsageQuery struct {
	StartDate string `query:"start_date"` // The first day in UTC, such as 2026-03-01.
	EndDate   string `query:"end_date"`   // The last day; at most 400 days from the first one.
}

// ListTenantUsage is GET /operator/tenant/{tenant_id}/usage. What a tenant used on each day in UTC, oldest first. Days without any use are absent. It is kept for 400 days, also of a tenant that was erased. A process that is killed loses what it has counted in the last ten seconds. Needs `usage:read`: keys of the operator with that scope.
func (c *Client) ListTenantUsage(ctx context.Context, tenantID string, query ListTenantUsageQuery, options ...CallOption) ([]Usage, error) {
	return one[[]Usage](ctx, c, http.MethodGet, "/operator/tenant/"+url.PathEscape(tenantID)+"/usage", query, nil, options)
}

// ListUsageQuery is what ListUsage can be asked for. What is zero is not sent.
type ListUsageQuery struct {
	StartDate string `query:"start_date"` // The first day in UTC, such as 2026-03-01.
	EndDate   string `query:"end_date"`   // The last day; at most 400 days from the first one.
	Limit     int64  `query:"limit"`      // Records a page.
	Cursor    string `query:"cursor"`     // x-next-cursor of the page before.
}

// ListUsage is GET /operator/usage. What all tenants used on each day in UTC, by tenant and day. Needs `usage:read`: keys of the operator with that scope.
func (c *Client) ListUsage(ctx context.Context, query ListUsageQuery, options ...CallOption) iter.Seq2[Usage, error] {
	return pages[Usage](ctx, c, "/operator/usage", query, options)
}

// ListNewestPositionsQuery is what ListNewestPositions can be asked for. What is zero is not sent.
type ListNewestPositionsQuery struct {
	ConnectionID []string      `query:"connection_id"` // Only devices of these connections.
	Tag          []string      `query:"tag"`           // Only devices with one of these tags, their own or their connection's.
	DeviceID     []string      `query:"device_id"`     // Only these devices.
	Bbox         string        `query:"bbox"`          // Only devices in this box: west, south, east and north in degrees, separated by commas. West is greater than east where it crosses the 180th meridian.
	State        []DeviceState `query:"state"`         // Only devices in one of these states.
	UpdatedSince time.Time     `query:"updated_since"` // Only devices whose newest position is of this time or later.
}

// ListNewestPositions is GET /position. The newest position of every readable device, and what it does: driving, idling, stopped or silent, since when. As JSON, as GeoJSON, or with format=columns as one list for each field, which is small and quick to read for maps. A stream that starts after x-event-sequence misses nothing that is newer. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, where it was needs the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`. For other formats than JSON use Call.
func (c *Client) ListNewestPositions(ctx context.Context, query ListNewestPositionsQuery, options ...CallOption) ([]NewestPosition, error) {
	return one[[]NewestPosition](ctx, c, http.MethodGet, "/position", query, nil, options)
}

// ListProviders is GET /provider. Every supported provider: its credential fields, what it can report, how often it is asked. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) ListProviders(ctx context.Context, options ...CallOption) ([]Provider, error) {
	return one[[]Provider](ctx, c, http.MethodGet, "/provider", nil, nil, options)
}

// GetInvitation is GET /public/link/{link_token}. For whom a fleet is to connect, what is read, and from which providers with which credentials.
func (c *Client) GetInvitation(ctx context.Context, linkToken string, options ...CallOption) (InvitationView, error) {
	return one[InvitationView](ctx, c, http.MethodGet, "/public/link/"+url.PathEscape(linkToken), nil, nil, options)
}

// PostInvitation is POST /public/link/{link_token}. Tries the credentials, or what the code of a consent gives, and, where they work, connects the fleet, which uses the link up.
func (c *Client) PostInvitation(ctx context.Context, linkToken string, body LinkInput, options ...CallOption) (LinkResult, error) {
	return one[LinkResult](ctx, c, http.MethodPost, "/public/link/"+url.PathEscape(linkToken), nil, body, options)
}

// DeleteInvitation is DELETE /public/link/{link_token}. Ends what was connected by the link, however much later: the collection stops, and the credentials are forgotten.
func (c *Client) DeleteInvitation(ctx context.Context, linkToken string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/public/link/"+url.PathEscape(linkToken), nil, nil, options)
	return err
}

// PostInvitationConsent is POST /public/link/{link_token}/consent. Where the fleet agrees at its provider, of an invitation with consent. The provider then sends the browser to the redirect URI of the tenant's application with a code, by which the invitation is accepted.
func (c *Client) PostInvitationConsent(ctx context.Context, linkToken string, options ...CallOption) (LinkConsent, error) {
	return one[LinkConsent](ctx, c, http.MethodPost, "/public/link/"+url.PathEscape(linkToken)+"/consent", nil, nil, options)
}

// PostInvitationTest is POST /public/link/{link_token}/test. Asks the provider as POST /connection/test does. Nothing is stored.
func (c *Client) PostInvitationTest(ctx context.Context, linkToken string, body LinkInput, options ...CallOption) (ConnectionTrial, error) {
	return one[ConnectionTrial](ctx, c, http.MethodPost, "/public/link/"+url.PathEscape(linkToken)+"/test", nil, body, options)
}

// GetSharedJourney is GET /public/share/{share_token}. What the page of a shared milestone shows. It counts as opening the link.
func (c *Client) GetSharedJourney(ctx context.Context, shareToken string, options ...CallOption) (SharedJourney, error) {
	return one[SharedJourney](ctx, c, http.MethodGet, "/public/share/"+url.PathEscape(shareToken), nil, nil, options)
}

// ListNewestReadingsQuery is what ListNewestReadings can be asked for. What is zero is not sent.
type ListNewestReadingsQuery struct {
	DeviceID     []string      `query:"device_id"`     // Only readings of these devices.
	ConnectionID []string      `query:"connection_id"` // Only readings of these connections' devices.
	Tag          []string      `query:"tag"`           // Only readings of devices with one of these tags, their own or their connection's.
	Kind         []ReadingKind `query:"kind"`          // Only readings of these kinds.
	Sort         string        `query:"sort"`          // updated_at is the order in which records were changed, for a copy that misses nothing.
	UpdatedAfter time.Time     `query:"updated_after"` // Only records that were changed or deleted after this time, as sort=updated_at lists them; some from up to 15 minutes before may be among them. Not longer ago than 30 days.
	Limit        int64         `query:"limit"`         // Records a page.
	Cursor       string        `query:"cursor"`        // x-next-cursor of the page before.
}

// ListNewestReadings is GET /reading. What the instruments of the caller's devices said last: the newest reading of each kind and channel, by device, kind and channel. Of several sources it is the best one that is not silent: the vehicle, a sensor, the provider, the tracker. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. The readings of a device are listed together when one of them has changed. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, what its instruments say and what is broken needs the scope `readings`.
func (c *Client) ListNewestReadings(ctx context.Context, query ListNewestReadingsQuery, options ...CallOption) iter.Seq2[NewestReading, error] {
	return pages[NewestReading](ctx, c, "/reading", query, options)
}

// PostRefresh is POST /refresh. Gives a new access token for a refresh token.
func (c *Client) PostRefresh(ctx context.Context, body RefreshToken, options ...CallOption) (RefreshResult, error) {
	return one[RefreshResult](ctx, c, http.MethodPost, "/refresh", nil, body, options)
}

// ListDistanceByRegionQuery is what ListDistanceByRegion can be asked for. What is zero is not sent.
type ListDistanceByRegionQuery struct {
	DeviceID     string    `query:"device_id"`     // Only this vehicle.
	ConnectionID string    `query:"connection_id"` // Only vehicles of this connection.
	Tag          string    `query:"tag"`           // Only vehicles with this tag.
	From         time.Time `query:"from"`          // Trips that start at or after this time.
	To           time.Time `query:"to"`            // Trips that start before this time, at most 100 days after from.
	Limit        int64     `query:"limit"`         // Vehicles a page.
	Cursor       string    `query:"cursor"`        // x-next-cursor of the page before.
}

// ListDistanceByRegion is GET /report/distance-by-region. How far each vehicle drove in each state, province or country: the distances of the valid trips that start in [from, to), parted as their positions lie. Borders are those of Natural Earth, 1:10,000,000, made simpler. Of shared vehicles it takes the scope positions. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, where it was needs the scope `positions`.
func (c *Client) ListDistanceByRegion(ctx context.Context, query ListDistanceByRegionQuery, options ...CallOption) iter.Seq2[DeviceRegions, error] {
	return pages[DeviceRegions](ctx, c, "/report/distance-by-region", query, options)
}

// GetTimeUseQuery is what GetTimeUse can be asked for. What is zero is not sent.
type GetTimeUseQuery struct {
	Month string `query:"month"` // A year and a month such as 2024-05; without it the present one.
}

// GetTimeUse is GET /report/time-use. Driving, idling and auxiliary time by registration number and vehicle, from the valid trips that start in a month of the tenant's time zone. Trips that are not valid are listed with their reason. As JSON, CSV or a page that can be printed. Needs `read`: every user, and every key but those with the scope push alone. For other formats than JSON use Call.
func (c *Client) GetTimeUse(ctx context.Context, query GetTimeUseQuery, options ...CallOption) (TimeUse, error) {
	return one[TimeUse](ctx, c, http.MethodGet, "/report/time-use", query, nil, options)
}

// ListSafetyEventsQuery is what ListSafetyEvents can be asked for. What is zero is not sent.
type ListSafetyEventsQuery struct {
	DeviceID     []string     `query:"device_id"`     // Only events of these devices.
	ConnectionID []string     `query:"connection_id"` // Only events of these connections' devices.
	Tag          []string     `query:"tag"`           // Only events of devices with one of these tags, their own or their connection's.
	DriverID     []string     `query:"driver_id"`     // Only events of these drivers, by driver_id.value.
	Type         []SafetyType `query:"type"`          // Only events of these types.
	From         time.Time    `query:"from"`          // Events that began at or after this time.
	To           time.Time    `query:"to"`            // Events that began before this time.
	Sort         string       `query:"sort"`          // updated_at is the order in which records were changed, for a copy that misses nothing.
	Order        string       `query:"order"`         // desc is newest first; without sort=updated_at.
	UpdatedAfter time.Time    `query:"updated_after"` // Only records that were changed or deleted after this time, as sort=updated_at lists them; some from up to 15 minutes before may be among them. Not longer ago than 30 days.
	Limit        int64        `query:"limit"`         // Records a page.
	Cursor       string       `query:"cursor"`        // x-next-cursor of the page before.
}

// ListSafetyEvents is GET /safety-event. Harsh driving, speeding, crashes and what cameras saw, as providers report it, in the order in which it became known. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, how safely it was driven needs the scope `safety`. Of what another tenant shares, where it was needs the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`.
func (c *Client) ListSafetyEvents(ctx context.Context, query ListSafetyEventsQuery, options ...CallOption) iter.Seq2[SafetyEvent, error] {
	return pages[SafetyEvent](ctx, c, "/safety-event", query, options)
}

// GetSafetyEvent is GET /safety-event/{safety_event_id}. One safety event. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `safety`. Of what another tenant shares, where it was needs the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`.
func (c *Client) GetSafetyEvent(ctx context.Context, safetyEventID string, options ...CallOption) (SafetyEvent, error) {
	return one[SafetyEvent](ctx, c, http.MethodGet, "/safety-event/"+url.PathEscape(safetyEventID), nil, nil, options)
}

// SearchQuery is what Search can be asked for. What is zero is not sent.
type SearchQuery struct {
	Q     string `query:"q"`     // What to look for, whatever the case.
	Limit int64  `query:"limit"` // Findings at the most.
}

// Search is GET /search. Finds devices whose plate, name or provider's id begins with a text, connections whose business name contains it, milestones whose reference begins with it, drivers whose name, employee number or provider's id contains it, faults whose code begins with it, and devices, connections, trips, milestones, drivers, faults and safety events by their id. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, who drove needs the scope `drivers`. Of what another tenant shares, what its instruments say and what is broken needs the scope `readings`. Of what another tenant shares, how safely it was driven needs the scope `safety`.
func (c *Client) Search(ctx context.Context, query SearchQuery, options ...CallOption) ([]Finding, error) {
	return one[[]Finding](ctx, c, http.MethodGet, "/search", query, nil, options)
}

// GetSession is GET /session. The caller's user, tenant, role, permissions and preferences, and the version of the service. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetSession(ctx context.Context, options ...CallOption) (SessionView, error) {
	return one[SessionView](ctx, c, http.MethodGet, "/session", nil, nil, options)
}

// PostSession is POST /session. Checks a name and a password as POST /token does, and sets a cookie that programs in the page cannot read. It is accepted wherever a token is, lasts for 12 hours without a request, and for 30 days at the most. A token goes before it. A request with the cookie that comes from a page of another origin is refused with 403.
func (c *Client) PostSession(ctx context.Context, body UsernamePassword, options ...CallOption) (SessionView, error) {
	return one[SessionView](ctx, c, http.MethodPost, "/session", nil, body, options)
}

// DeleteSession is DELETE /session. Ends the session of the cookie or of the token, and takes the cookie back. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused.
func (c *Client) DeleteSession(ctx context.Context, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/session", nil, nil, options)
	return err
}

// PostPasskeySignIn is POST /session/passkey. Takes what a passkey has signed, once, and sets the cookie of a session as POST /session does. No password and no other second factor is needed. People who may not sign in with a password may not with a passkey.
func (c *Client) PostPasskeySignIn(ctx context.Context, body PasskeyProof, options ...CallOption) (SessionView, error) {
	return one[SessionView](ctx, c, http.MethodPost, "/session/passkey", nil, body, options)
}

// PostPasskeySignInStart is POST /session/passkey/start. Gives what a passkey is to sign, for five minutes: to be sent to POST /session/passkey, or beside a password to POST /session or POST /token.
func (c *Client) PostPasskeySignInStart(ctx context.Context, options ...CallOption) (PasskeyChallenge, error) {
	return one[PasskeyChallenge](ctx, c, http.MethodPost, "/session/passkey/start", nil, nil, options)
}

// PostSignIn is POST /session/sso. Takes what the provider sent the browser back with, once, and sets the cookie of a session as POST /session does. People who may not come in are refused with 403, without a reason: the tenant's audit has it.
func (c *Client) PostSignIn(ctx context.Context, body SignInAnswer, options ...CallOption) (SignedInView, error) {
	return one[SignedInView](ctx, c, http.MethodPost, "/session/sso", nil, body, options)
}

// DeleteSignIn is DELETE /session/sso. Ends the session as DELETE /session does, and says where it ends at the provider, where the tenant wants that. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused.
func (c *Client) DeleteSignIn(ctx context.Context, options ...CallOption) (SignOut, error) {
	return one[SignOut](ctx, c, http.MethodDelete, "/session/sso", nil, nil, options)
}

// PostSignInStart is POST /session/sso/start. Says where a person signs in, and sets a cookie by which its browser is known when it comes back, within ten minutes.
func (c *Client) PostSignInStart(ctx context.Context, body SignInInput, options ...CallOption) (SignInStart, error) {
	return one[SignInStart](ctx, c, http.MethodPost, "/session/sso/start", nil, body, options)
}

// ListAllSharesQuery is what ListAllShares can be asked for. What is zero is not sent.
type ListAllSharesQuery struct {
	Limit  int64  `query:"limit"`  // Records a page.
	Cursor string `query:"cursor"` // x-next-cursor of the page before.
}

// ListAllShares is GET /share. What the tenant shares, and what is offered to it or shared with it. Needs `admin`: admins, and keys with that scope.
func (c *Client) ListAllShares(ctx context.Context, query ListAllSharesQuery, options ...CallOption) iter.Seq2[Share, error] {
	return pages[Share](ctx, c, "/share", query, options)
}

// PostShareCode is POST /share-code. Makes a code that stands for the tenant in one offer, within seven days. Needs `admin`: admins, and keys with that scope.
func (c *Client) PostShareCode(ctx context.Context, options ...CallOption) (ShareCode, error) {
	return one[ShareCode](ctx, c, http.MethodPost, "/share-code", nil, nil, options)
}

// DeleteShareByID is DELETE /share/{share_id}. Ends a share, or declines an offer, from either side. Access ends at once. Needs `admin`: admins, and keys with that scope.
func (c *Client) DeleteShareByID(ctx context.Context, shareID string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/share/"+url.PathEscape(shareID), nil, nil, options)
	return err
}

// PostShareAcceptance is POST /share/{share_id}/accept. Accepts an offer. From then on the tenant reads what is shared, and its events are in the tenant's feed. Needs `admin`: admins, and keys with that scope.
func (c *Client) PostShareAcceptance(ctx context.Context, shareID string, options ...CallOption) (Share, error) {
	return one[Share](ctx, c, http.MethodPost, "/share/"+url.PathEscape(shareID)+"/accept", nil, nil, options)
}

// ListStopsQuery is what ListStops can be asked for. What is zero is not sent.
type ListStopsQuery struct {
	DeviceID     string         `query:"device_id"`     // Only stops of this device.
	ConnectionID string         `query:"connection_id"` // Only stops of this connection's devices.
	From         time.Time      `query:"from"`          // Only stops that start at or after this time.
	To           time.Time      `query:"to"`            // Only stops that start before this time.
	EngineOn     Optional[bool] `query:"engine_on"`     // Only stops with, or only those without, time with the engine on. It is not known of one that goes on.
	Open         Optional[bool] `query:"open"`          // Only stops that go on, or only those that are over.
	Sort         string         `query:"sort"`          // updated_at is the order in which records were changed, for a copy that misses nothing.
	UpdatedAfter time.Time      `query:"updated_after"` // Only records that were changed or deleted after this time, as sort=updated_at lists them; some from up to 15 minutes before may be among them. Not longer ago than 30 days.
	Limit        int64          `query:"limit"`         // Records a page.
	Cursor       string         `query:"cursor"`        // x-next-cursor of the page before.
}

// ListStops is GET /stop. What happened between trips, by start time: where a device stood, and how long its engine or an auxiliary ran. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, where it was needs the scope `positions`.
func (c *Client) ListStops(ctx context.Context, query ListStopsQuery, options ...CallOption) iter.Seq2[Stop, error] {
	return pages[Stop](ctx, c, "/stop", query, options)
}

// GetStreamQuery is what GetStream can be asked for. What is zero is not sent.
type GetStreamQuery struct {
	ConnectionID []string    `query:"connection_id"` // Only events of these connections.
	Tag          []string    `query:"tag"`           // Only events of devices or connections with these tags.
	DeviceID     []string    `query:"device_id"`     // Only events of these devices.
	Type         []EventType `query:"type"`          // Only events of these types.
}

// PostToken is POST /token. Gives an access token and a refresh token for a username, or an e-mail address, and a password.
func (c *Client) PostToken(ctx context.Context, body UsernamePassword, options ...CallOption) (AuthenticationResult, error) {
	return one[AuthenticationResult](ctx, c, http.MethodPost, "/token", nil, body, options)
}

// ListTripsQuery is what ListTrips can be asked for. What is zero is not sent.
type ListTripsQuery struct {
	DeviceID     string         `query:"device_id"`     // Only trips of this device.
	ConnectionID string         `query:"connection_id"` // Only trips of this connection.
	From         time.Time      `query:"from"`          // Only trips that start at or after this time.
	To           time.Time      `query:"to"`            // Only trips that start before this time.
	IsValid      Optional[bool] `query:"is_valid"`      // Only valid or only invalid trips.
	Tag          string         `query:"tag"`           // Only trips of devices with this tag.
	DriverID     string         `query:"driver_id"`     // Only trips of this driver: the value of a driver_id.
	Order        string         `query:"order"`         // desc is newest first.
	Include      string         `query:"include"`       // driver adds driver_id to each trip; readings adds fuel_used_litres, engine_seconds, odometer_start_metres and odometer_end_metres, of one device alone and not with sort=updated_at.
	Sort         string         `query:"sort"`          // updated_at is the order in which records were changed, for a copy that misses nothing.
	UpdatedAfter time.Time      `query:"updated_after"` // Only records that were changed or deleted after this time, as sort=updated_at lists them; some from up to 15 minutes before may be among them. Not longer ago than 30 days.
	Limit        int64          `query:"limit"`         // Records a page.
	Cursor       string         `query:"cursor"`        // x-next-cursor of the page before.
}

// ListTrips is GET /trip. Trips by start time; with order=desc newest first, with include=driver each with its driver, and with include=readings and a device_id with what the vehicle's counters show. With sort=updated_at it lists changes: each record that was changed after the cursor, once, as it is now, and of a deleted one id and deleted_at alone. x-next-cursor is then always there, and can be kept. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, who drove needs the scope `drivers`. Of what another tenant shares, what its instruments say and what is broken needs the scope `readings`.
func (c *Client) ListTrips(ctx context.Context, query ListTripsQuery, options ...CallOption) iter.Seq2[TripView, error] {
	return pages[TripView](ctx, c, "/trip", query, options)
}

// ListRecomputesQuery is what ListRecomputes can be asked for. What is zero is not sent.
type ListRecomputesQuery struct {
	Limit  int64  `query:"limit"`  // Records a page.
	Cursor string `query:"cursor"` // x-next-cursor of the page before.
}

// ListRecomputes is GET /trip-recompute. The tenant's jobs that derive trips again, oldest first. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) ListRecomputes(ctx context.Context, query ListRecomputesQuery, options ...CallOption) iter.Seq2[Recompute, error] {
	return pages[Recompute](ctx, c, "/trip-recompute", query, options)
}

// PostRecompute is POST /trip-recompute. Derives the trips of a window again from the stored positions, by the settings that hold now, in the background. A trip that stays the same trip keeps its id. Trips of connections whose provider reports them stay, and so do trips of which no position is kept. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PostRecompute(ctx context.Context, body RecomputeInput, options ...CallOption) (Recompute, error) {
	return one[Recompute](ctx, c, http.MethodPost, "/trip-recompute", nil, body, options)
}

// GetRecompute is GET /trip-recompute/{recompute_id}. How far a job is. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetRecompute(ctx context.Context, recomputeID string, options ...CallOption) (Recompute, error) {
	return one[Recompute](ctx, c, http.MethodGet, "/trip-recompute/"+url.PathEscape(recomputeID), nil, nil, options)
}

// DeleteRecompute is DELETE /trip-recompute/{recompute_id}. Ends a job. What it has done stays. One that is over stays as it is. Needs `write`: members, admins, and keys with that scope.
func (c *Client) DeleteRecompute(ctx context.Context, recomputeID string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/trip-recompute/"+url.PathEscape(recomputeID), nil, nil, options)
	return err
}

// GetTripTotalsQuery is what GetTripTotals can be asked for. What is zero is not sent.
type GetTripTotalsQuery struct {
	DeviceID     string         `query:"device_id"`     // Only trips of this device.
	ConnectionID string         `query:"connection_id"` // Only trips of this connection.
	From         time.Time      `query:"from"`          // Only trips that start at or after this time.
	To           time.Time      `query:"to"`            // Only trips that start before this time.
	IsValid      Optional[bool] `query:"is_valid"`      // Only valid or only invalid trips.
	Tag          string         `query:"tag"`           // Only trips of devices with this tag.
	DriverID     string         `query:"driver_id"`     // Only trips of this driver: the value of a driver_id.
	Order        string         `query:"order"`         // desc is newest first.
}

// GetTripTotals is GET /trip/totals. How many trips a filter of the list has, and what the valid ones of them come to. A sum is null where none of them says it. order changes nothing. Whole days in UTC cost the same whatever the number of trips. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetTripTotals(ctx context.Context, query GetTripTotalsQuery, options ...CallOption) (TripSums, error) {
	return one[TripSums](ctx, c, http.MethodGet, "/trip/totals", query, nil, options)
}

// GetTrip is GET /trip/{trip_id}. One trip. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetTrip(ctx context.Context, tripID string, options ...CallOption) (Trip, error) {
	return one[Trip](ctx, c, http.MethodGet, "/trip/"+url.PathEscape(tripID), nil, nil, options)
}

// PatchTrip is PATCH /trip/{trip_id}. Says whether a trip is valid, and why. That goes before the rules, counts in the summaries, and stays when the trip is derived again; is_valid null leaves it to the rules again. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PatchTrip(ctx context.Context, tripID string, body TripUpdate, options ...CallOption) (Trip, error) {
	return one[Trip](ctx, c, http.MethodPatch, "/trip/"+url.PathEscape(tripID), nil, body, options)
}

// ExplainTrip is GET /trip/{trip_id}/explanation. Why a trip began and ended as it did, and which part of it no position shows. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `positions`. Of what another tenant shares, who drove needs the scope `drivers`.
func (c *Client) ExplainTrip(ctx context.Context, tripID string, options ...CallOption) (TripExplanation, error) {
	return one[TripExplanation](ctx, c, http.MethodGet, "/trip/"+url.PathEscape(tripID)+"/explanation", nil, nil, options)
}

// GetTripPathQuery is what GetTripPath can be asked for. What is zero is not sent.
type GetTripPathQuery struct {
	Tolerance Optional[float64] `query:"tolerance"` // Metres by which a point that is left out may lie beside the line.
}

// GetTripPath is GET /trip/{trip_id}/path. The way of a trip in one answer. At most 5,000 points, simplified by tolerance; segments say what the device did: driving, idling, auxiliary, stopped, or a hole that nothing is known of. As JSON with one list for each field of the points, GeoJSON or GPX. Needs `read`: every user, and every key but those with the scope push alone. Of what another tenant shares, the share must have the scope `positions`. For other formats than JSON use Call.
func (c *Client) GetTripPath(ctx context.Context, tripID string, query GetTripPathQuery, options ...CallOption) (Track, error) {
	return one[Track](ctx, c, http.MethodGet, "/trip/"+url.PathEscape(tripID)+"/path", query, nil, options)
}

// ListUsersQuery is what ListUsers can be asked for. What is zero is not sent.
type ListUsersQuery struct {
	Limit  int64  `query:"limit"`  // Records a page.
	Cursor string `query:"cursor"` // x-next-cursor of the page before.
}

// ListUsers is GET /user. The tenant's users, oldest first. Needs `admin`: admins, and keys with that scope.
func (c *Client) ListUsers(ctx context.Context, query ListUsersQuery, options ...CallOption) iter.Seq2[User, error] {
	return pages[User](ctx, c, "/user", query, options)
}

// PostUser is POST /user. Adds a user to the tenant. Admins give no one more than they have. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) PostUser(ctx context.Context, body UserInput, options ...CallOption) (User, error) {
	return one[User](ctx, c, http.MethodPost, "/user", nil, body, options)
}

// PatchOwnUser is PATCH /user/me. Changes the caller's own password, for which the old one is needed, and its preferences, which the service keeps and does not read. A new password ends all other sessions. API keys have neither. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused.
func (c *Client) PatchOwnUser(ctx context.Context, body OwnUpdate, options ...CallOption) (SessionView, error) {
	return one[SessionView](ctx, c, http.MethodPatch, "/user/me", nil, body, options)
}

// PostPasskey is POST /user/me/passkey. Takes what the browser has made, without attestation: the device must have verified the person, and keep the passkey by itself. It counts as a second factor at once, and signs in without a password. The first second factor comes with recovery codes, and ends all other sessions. A user has at most ten. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) PostPasskey(ctx context.Context, body PasskeyInput, options ...CallOption) (PasskeyCreated, error) {
	return one[PasskeyCreated](ctx, c, http.MethodPost, "/user/me/passkey", nil, body, options)
}

// PostPasskeyStart is POST /user/me/passkey/start. Gives what a browser makes a passkey with (WebAuthn), for five minutes. The caller's password is needed or, where it has a second factor, that a moment ago. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused.
func (c *Client) PostPasskeyStart(ctx context.Context, body FactorInput, options ...CallOption) (PasskeyChallenge, error) {
	return one[PasskeyChallenge](ctx, c, http.MethodPost, "/user/me/passkey/start", nil, body, options)
}

// PatchPasskey is PATCH /user/me/passkey/{passkey_id}. Gives a passkey of the caller another name. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused.
func (c *Client) PatchPasskey(ctx context.Context, passkeyID string, body PasskeyUpdate, options ...CallOption) (Passkey, error) {
	return one[Passkey](ctx, c, http.MethodPatch, "/user/me/passkey/"+url.PathEscape(passkeyID), nil, body, options)
}

// DeletePasskey is DELETE /user/me/passkey/{passkey_id}. It is refused from then on. With the last one, where there is no authenticator app, the recovery codes go too. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) DeletePasskey(ctx context.Context, passkeyID string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/user/me/passkey/"+url.PathEscape(passkeyID), nil, nil, options)
	return err
}

// GetSecondFactor is GET /user/me/second-factor. Whether the caller has one, and whether the tenant requires it. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused.
func (c *Client) GetSecondFactor(ctx context.Context, options ...CallOption) (SecondFactor, error) {
	return one[SecondFactor](ctx, c, http.MethodGet, "/user/me/second-factor", nil, nil, options)
}

// PostSecondFactor is POST /user/me/second-factor. Makes the secret of an authenticator app (RFC 6238) and shows it this once. It counts once a code of it was confirmed. The caller's password is needed or, where it has passkeys, one of these a moment ago. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused.
func (c *Client) PostSecondFactor(ctx context.Context, body FactorInput, options ...CallOption) (FactorSecret, error) {
	return one[FactorSecret](ctx, c, http.MethodPost, "/user/me/second-factor", nil, body, options)
}

// DeleteSecondFactor is DELETE /user/me/second-factor. Takes all of it away: the authenticator app, the passkeys and the recovery codes. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) DeleteSecondFactor(ctx context.Context, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/user/me/second-factor", nil, nil, options)
	return err
}

// PostSecondFactorConfirm is POST /user/me/second-factor/confirm. Takes a code of the authenticator app. From then on each login needs one. Answers ten recovery codes, which are shown this once. All other sessions end. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused.
func (c *Client) PostSecondFactorConfirm(ctx context.Context, body FactorCode, options ...CallOption) (RecoveryCodes, error) {
	return one[RecoveryCodes](ctx, c, http.MethodPost, "/user/me/second-factor/confirm", nil, body, options)
}

// PostPasskeyProofStart is POST /user/me/second-factor/passkey. Gives what a passkey of the caller is to sign, for five minutes and in this session, to be sent to POST /user/me/second-factor/verify. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused.
func (c *Client) PostPasskeyProofStart(ctx context.Context, options ...CallOption) (PasskeyChallenge, error) {
	return one[PasskeyChallenge](ctx, c, http.MethodPost, "/user/me/second-factor/passkey", nil, nil, options)
}

// PostRecoveryCodes is POST /user/me/second-factor/recovery-code. Ten new ones, in place of those before. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) PostRecoveryCodes(ctx context.Context, options ...CallOption) (RecoveryCodes, error) {
	return one[RecoveryCodes](ctx, c, http.MethodPost, "/user/me/second-factor/recovery-code", nil, nil, options)
}

// PostSecondFactorVerify is POST /user/me/second-factor/verify. Takes a code, or what a passkey has signed, for the session of the caller. What asks for the second factor again is then answered for ten minutes. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused.
func (c *Client) PostSecondFactorVerify(ctx context.Context, body FactorProof, options ...CallOption) (FactorConfirmed, error) {
	return one[FactorConfirmed](ctx, c, http.MethodPost, "/user/me/second-factor/verify", nil, body, options)
}

// ListOwnSessions is GET /user/me/session. Where the caller is signed in, oldest first. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused.
func (c *Client) ListOwnSessions(ctx context.Context, options ...CallOption) ([]UserSession, error) {
	return one[[]UserSession](ctx, c, http.MethodGet, "/user/me/session", nil, nil, options)
}

// DeleteOwnSession is DELETE /user/me/session/{session_id}. Signs the caller out there: its tokens, or its cookie, are refused in every process within a second. Needs `read`: every user, and every key but those with the scope push alone. For people: an API key is refused.
func (c *Client) DeleteOwnSession(ctx context.Context, sessionID string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/user/me/session/"+url.PathEscape(sessionID), nil, nil, options)
	return err
}

// PatchUser is PATCH /user/{user_id}. Changes the fields that are sent. A new password ends the user's sessions; a disabled user is refused at once. The last admin can be neither disabled nor given another role. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) PatchUser(ctx context.Context, userID string, body UserUpdate, options ...CallOption) (User, error) {
	return one[User](ctx, c, http.MethodPatch, "/user/"+url.PathEscape(userID), nil, body, options)
}

// DeleteUser is DELETE /user/{user_id}. Removes a user and ends its sessions. The last admin cannot be removed. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) DeleteUser(ctx context.Context, userID string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/user/"+url.PathEscape(userID), nil, nil, options)
	return err
}

// DeleteUserSecondFactor is DELETE /user/{user_id}/second-factor. Takes it away from a user who has lost it, and ends the user's sessions. Admins reset that of no one who has more rights. Needs `admin`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) DeleteUserSecondFactor(ctx context.Context, userID string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/user/"+url.PathEscape(userID)+"/second-factor", nil, nil, options)
	return err
}

// ListWebhooksQuery is what ListWebhooks can be asked for. What is zero is not sent.
type ListWebhooksQuery struct {
	Include string `query:"include"` // Adds to each webhook how its deliveries go.
	Limit   int64  `query:"limit"`   // Records a page.
	Cursor  string `query:"cursor"`  // x-next-cursor of the page before.
}

// ListWebhooks is GET /webhook. The tenant's webhooks, oldest first. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) ListWebhooks(ctx context.Context, query ListWebhooksQuery, options ...CallOption) iter.Seq2[WebhookView, error] {
	return pages[WebhookView](ctx, c, "/webhook", query, options)
}

// PostWebhook is POST /webhook. Sends events to a URL from now on. The secret that signs them is shown this once. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PostWebhook(ctx context.Context, body WebhookInput, options ...CallOption) (WebhookCreated, error) {
	return one[WebhookCreated](ctx, c, http.MethodPost, "/webhook", nil, body, options)
}

// GetWebhook is GET /webhook/{webhook_id}. One webhook. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) GetWebhook(ctx context.Context, webhookID string, options ...CallOption) (Webhook, error) {
	return one[Webhook](ctx, c, http.MethodGet, "/webhook/"+url.PathEscape(webhookID), nil, nil, options)
}

// PatchWebhook is PATCH /webhook/{webhook_id}. Changes the fields that are sent. What waits for a webhook that is switched off is skipped, and can be replayed. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PatchWebhook(ctx context.Context, webhookID string, body WebhookUpdate, options ...CallOption) (Webhook, error) {
	return one[Webhook](ctx, c, http.MethodPatch, "/webhook/"+url.PathEscape(webhookID), nil, body, options)
}

// DeleteWebhook is DELETE /webhook/{webhook_id}. Forgets the webhook, its log and what waits for it. Needs `write`: members, admins, and keys with that scope.
func (c *Client) DeleteWebhook(ctx context.Context, webhookID string, options ...CallOption) error {
	_, err := one[struct{}](ctx, c, http.MethodDelete, "/webhook/"+url.PathEscape(webhookID), nil, nil, options)
	return err
}

// ListDeliveriesQuery is what ListDeliveries can be asked for. What is zero is not sent.
type ListDeliveriesQuery struct {
	State  DeliveryState `query:"state"`  // Only deliveries in this state.
	Limit  int64         `query:"limit"`  // Records a page.
	Cursor string        `query:"cursor"` // x-next-cursor of the page before.
}

// ListDeliveries is GET /webhook/{webhook_id}/delivery. The log of attempts, newest event first, and deliveries that none was made of. It reaches back 30 days. Needs `read`: every user, and every key but those with the scope push alone.
func (c *Client) ListDeliveries(ctx context.Context, webhookID string, query ListDeliveriesQuery, options ...CallOption) iter.Seq2[DeliveryAttempt, error] {
	return pages[DeliveryAttempt](ctx, c, "/webhook/"+url.PathEscape(webhookID)+"/delivery", query, options)
}

// PostReplay is POST /webhook/{webhook_id}/replay. Sends one delivery again by its event_id or, with since, all of events since then that failed or were skipped. They keep their ids. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PostReplay(ctx context.Context, webhookID string, body ReplayInput, options ...CallOption) (ReplayResult, error) {
	return one[ReplayResult](ctx, c, http.MethodPost, "/webhook/"+url.PathEscape(webhookID)+"/replay", nil, body, options)
}

// PostWebhookRotation is POST /webhook/{webhook_id}/rotate-secret. Makes a new secret. For 24 hours deliveries are signed with the one before too. Needs `write` and `secrets`: admins, and keys with that scope. Users with a second factor must have shown it in the last ten minutes.
func (c *Client) PostWebhookRotation(ctx context.Context, webhookID string, options ...CallOption) (WebhookSecret, error) {
	return one[WebhookSecret](ctx, c, http.MethodPost, "/webhook/"+url.PathEscape(webhookID)+"/rotate-secret", nil, nil, options)
}

// PostWebhookTestQuery is what PostWebhookTest can be asked for. What is zero is not sent.
type PostWebhookTestQuery struct {
	Wait Optional[int64] `query:"wait"` // Seconds to wait for the outcome; 0 does not.
}

// PostWebhookTest is POST /webhook/{webhook_id}/test. Sends a webhook.test, once, whether the webhook is enabled or not, and waits for what comes of it, which is in the log too. Where there is no answer in that time the state is pending. Needs `write`: members, admins, and keys with that scope.
func (c *Client) PostWebhookTest(ctx context.Context, webhookID string, query PostWebhookTestQuery, options ...CallOption) (DeliveryAttempt, error) {
	return one[DeliveryAttempt](ctx, c, http.MethodPost, "/webhook/"+url.PathEscape(webhookID)+"/test", query, nil, options)
}
