package openapi

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// describeSchemas gives every schema and property its words. A property's own are the
// doc tag of its field; those that mean the same wherever they stand are here
// once, by their name, or by schema and name where a record means something else.
func describeSchemas(schemas map[string]*huma.Schema) {
	for name, schema := range schemas {
		if schema.Description == "" {
			schema.Description = schemaWords[name]
		}
		for property, s := range schema.Properties {
			describeProperty(s, name, property)
		}
	}
}

func describeProperty(s *huma.Schema, schema, property string) {
	// What may be null or refers to another schema says it beside that.
	for _, choice := range s.AnyOf {
		if choice.Description != "" {
			s.Description, choice.Description = choice.Description, ""
		}
	}
	if s.Description != "" {
		return
	}
	s.Description = propertyWords[schema+"."+property]
	if s.Description == "" {
		s.Description = propertyWords[property]
	}
}

// tagWords are what the groups of operations are about.
var tagWords = map[string]string{
	"Account":        "The tenant as a whole: summaries, settings, limits and the secret of its milestones' webhooks.",
	"Authentication": "Tokens, and the sessions of the console.",
	"Connections":    "Links to telematics providers, their credentials, health and sharing.",
	"Milestones":     "Journeys of a device between two points that are followed, with arrivals.",
	"Devices":        "Tracked vehicles and machines, where they are and were.",
	"Trips":          "Recorded journeys, what lies between them, and how they came about.",
	"Webhooks":       "Targets to which events are sent, and what was sent.",
	"Providers":      "The telematics providers that can be connected.",
	"Events":         "The change feed and the live stream.",
	"Users":          "Users, API keys, and who did what.",
	"Exports":        "Files of records that are made in the background.",
	"Reports":        "Sums for people.",
	"Operator":       "Tenants, what they use, and what operators did: for those who run the service, with a key of their own.",
}

// tagDescription is what a group is about; of one that is not listed, its name.
func tagDescription(tag string) string {
	if words, ok := tagWords[tag]; ok {
		return words
	}
	return "Operations on " + strings.ToLower(tag) + "."
}

// schemaWords are what the schemas are.
var schemaWords = map[string]string{
	"ManagedTenant":          "A tenant, as the operator sees it.",
	"ManagedTenantDetail":    "A tenant with its limits.",
	"TenantErasure":          "A tenant that is being erased, and what stays.",
	"DriverErasure":          "The work of replacing a driver by a pseudonym.",
	"TenantInput":            "A tenant to be made.",
	"AdminInput":             "The first user of a tenant.",
	"TenantCreated":          "A new tenant with its first user and its first key.",
	"TenantUpdate":           "A change of a tenant: only what is sent changes.",
	"LimitInput":             "How much a tenant may have of something.",
	"Usage":                  "What a tenant used of the service on a day, for billing.",
	"Finding":                "A record that a search has found.",
	"TripUpdate":             "What a person says of a trip: only what is sent changes.",
	"DeviceTagResult":        "What came of tagging devices.",
	"DeviceTagInput":         "Tags to add to devices and to take away.",
	"SearchKind":             "What a finding is.",
	"InboundState":           "How the notices of a provider go.",
	"InboundAddress":         "Where a provider may call with news of a connection.",
	"EventStorage":           "What the feed takes.",
	"PositionStorage":        "What positions take.",
	"AccountStorage":         "What a tenant's history takes in the database, and for how long it is kept.",
	"Reading":                "What one of a vehicle's instruments said at one instant.",
	"Retention":              "For how many days things are kept.",
	"SystemView":             "How the service runs.",
	"AccountSummary":         "The tenant's data in numbers.",
	"AccountLimit":           "How much a tenant may have of something, and how much it has.",
	"AccountSettings":        "What a tenant has set for all of its devices, and what holds.",
	"AccountSettingsUpdate":  "A change of settings: only what is sent changes.",
	"Brand":                  "How a tenant shows itself to people without a login.",
	"BrandUpdate":            "A change of the brand: only what is sent changes.",
	"ActivitySummary":        "What happened to a tenant's fleet over some days.",
	"ActivityTotals":         "Sums over the whole window.",
	"APIKey":                 "A key for programs, without its secret.",
	"APIKeyCreated":          "A new key with its secret, which is shown this once.",
	"APIKeyInput":            "A key to be made.",
	"Audit":                  "Who did what to which record, from where, and with what outcome.",
	"AuthenticationResult":   "Tokens for a login.",
	"ChosenMetres":           "A distance that holds, and where it was set.",
	"ChosenSeconds":          "A time span that holds, and where it was set.",
	"Configuration":          "What the service decided, or was set, for a connection.",
	"ConfigurationUpdate":    "What a tenant may set of a connection's configuration.",
	"Connection":             "A tenant's link to one telematics provider.",
	"ConnectionCounts":       "Connections in numbers.",
	"ConnectionCredentials":  "The stored credentials of a connection, for its owner alone.",
	"ConnectionDevices":      "Devices of a connection by the provider's ids.",
	"ConnectionDevicesInput": "Devices of a connection by the provider's ids.",
	"ConnectionDiagnosis":    "How a connection is doing, and how it did over the last day.",
	"ConnectionSettings":     "What was set for one connection, and what holds for its devices.",
	"ConnectionHealth":       "How the collection of a connection goes.",
	"ConnectionInput":        "A connection to be made.",
	"ConnectionTag":          "A label that a tenant attaches to connections.",
	"ConnectionTrial":        "What a provider answered to credentials that were tried.",
	"Record":                 "What a program sends of a device. Each type has its own fields, in the shapes in which the interface shows the same.",
	"RecordOutcome":          "What became of one record.",
	"RecordResult":           "What became of a batch of records.",
	"ConnectionTrialInput":   "Credentials to be tried; nothing is stored.",
	"ConnectionTrip":         "The trips of one connection in numbers.",
	"ConnectionUpdate":       "A change of a connection: only what is sent changes.",
	"ConnectionView":         "A connection with how it is doing, where that was asked for.",
	"ConnectionWithTags":     "A connection with its tags.",
	"Coordinate":             "A point on the earth, WGS 84.",
	"CredentialField":        "One of the credentials that a provider wants.",
	"CurrentPosition":        "Where a device was at one instant.",
	"DayStops":               "The stops that started on one day, in UTC.",
	"DayTrips":               "The trips that started on one day, in UTC.",
	"DeliveryAttempt":        "One attempt to deliver an event, or a delivery that none was made of.",
	"DetailedPosition":       "A position with all that the provider said of it.",
	"Device":                 "A tracked unit of a connection.",
	"DeviceCounts":           "Devices in numbers.",
	"DevicePosition":         "A position of a batch with its device.",
	"DeviceSettings":         "What was set for one device, and what holds.",
	"DeviceSettingsUpdate":   "A change of a device's settings: only what is sent changes.",
	"DeviceUpdate":           "A change of a device: only what is sent changes.",
	"DriverID":               "The driver as the provider names them.",
	"EffectiveTripRules":     "The rules by which trips are derived, with where each was set.",
	"MilestoneUpdateEntry":   "Where the device of a milestone is, when it arrives, and how late that is.",
	"PurgeProgress":          "How far erasing the data of a connection is.",
	"TripSums":               "Trips in numbers.",
	"ETAPrediction":          "An arrival that was predicted, against the real one.",
	"Error":                  "The body of an error.",
	"ErrorDetail":            "What went wrong.",
	"EventCount":             "How many events of a type there were.",
	"Export":                 "A file of records that is made in the background.",
	"ExportInput":            "An export to be made.",
	"HistoricPosition":       "A position of a device's history.",
	"BackfillState":          "How far a window of the past is filled in.",
	"Milestone":              "A journey of a device between two points that is followed.",
	"MilestoneInput":         "A milestone to be made.",
	"MilestoneLateness":      "A milestone that is late, or on time again: its end_time is the deadline.",
	"MilestoneStep":          "A milestone that has moved on, or whose device is silent.",
	"MilestoneUpdate":        "A change of a milestone: only what is sent changes.",
	"NewestColumns":          "The newest positions as one list for each field, of the same length and order.",
	"NewestPosition":         "The row of a device in the newest positions of a fleet.",
	"PositionBatch":          "New positions of one connection, at most 500.",
	"LinkResult":             "What came of credentials that a fleet has entered.",
	"LinkConsent":            "Where a fleet agrees at its provider.",
	"LinkInput":              "What a fleet enters at an invitation.",
	"ConnectionLink":         "An invitation for a fleet to connect its provider itself.",
	"ConnectionLinkCreated":  "A new invitation with its address, which is shown this once.",
	"ConnectionLinkInput":    "An invitation to be made.",
	"ConnectionLinkState":    "How far an invitation has come.",
	"InvitationView":         "An invitation as the fleet sees it.",
	"MilestoneLink":          "A page that shows a journey to people without a login.",
	"MilestoneLinkCreated":   "A new page with its address, which is shown this once.",
	"MilestoneLinkInput":     "A page to be made.",
	"SharedJourney":          "A journey as people without a login see it.",
	"SharedPosition":         "Where the vehicle of a shared journey is.",
	"ArrivalRange":           "When a vehicle arrives, as a range.",
	"ConnectionQuality":      "How good the data of a connection is.",
	"QualityCheck":           "One of the things that are measured of a connection's data.",
	"QualityLatency":         "How late positions arrive.",
	"Units":                  "The units in which a provider's numbers are.",
	"ChosenZone":             "A time zone that holds, and where it was set.",
	"WebhookView":            "A webhook with what is asked of it.",
	"CodeClass":              "How many answers were of a class of statuses.",
	"WebhookStats":           "How the deliveries to a webhook went.",
	"WebhookHour":            "How the deliveries to a webhook went in one hour.",
	"DeliveryRequest":        "A request as it was sent.",
	"DeviceDay":              "What a device did on one day of its time zone.",
	"DeliverySummary":        "A delivery with its newest attempt.",
	"OwnUpdate":              "A change of one's own account: only what is sent changes.",
	"Profile":                "Who is signed in.",
	"Provider":               "A telematics provider and what it can tell.",
	"ProviderFeatures":       "What a provider can tell.",
	"ProviderLimit":          "How often a provider may be called.",
	"ProviderPolling":        "How often a provider is asked.",
	"ProviderReading":        "What a provider says of one of the vehicles' instruments.",
	"Coverage":               "What a connection gives of one kind of reading.",
	"Recompute":              "A window of the past whose trips are derived again.",
	"RecomputeInput":         "A window whose trips are to be derived again.",
	"RefreshResult":          "A new access token.",
	"RefreshToken":           "What a refresh takes.",
	"ReplayInput":            "Which deliveries to send again.",
	"ReplayResult":           "How many deliveries are sent again.",
	"SessionView":            "Who is signed in, and what they may do.",
	"Share":                  "A connection that is offered to, or shared with, another tenant.",
	"ShareCode":              "A one-time code that stops for a tenant in an offer.",
	"ShareInput":             "An offer: to whom, of what, until when.",
	"Speed":                  "A speed.",
	"Stop":                   "A time that a device spent in one place between trips.",
	"StopActivity":           "Stops in numbers.",
	"StateChange":            "A device that does something else than before.",
	"JobHealth":              "How one of a connection's jobs goes.",
	"JobHour":                "How the runs of a job went in one hour.",
	"SyncInput":              "A window of the past to fill in; empty to collect now.",
	"TenantName":             "A tenant.",
	"TimeUse":                "The time use of a month.",
	"TimeUseRow":             "The time use of one vehicle.",
	"TimeUseSeconds":         "Sums over valid trips.",
	"TimeUseTrip":            "A trip that was left out of a report.",
	"Track":                  "The way of a device, with what it did.",
	"TrackPoints":            "The points of a way as one list for each field, of the same length and order.",
	"TrackSegment":           "A part of a way during which a device did one thing.",
	"TrialPosition":          "A position that a provider reported on trial.",
	"Trip":                   "A recorded journey of a device.",
	"TripDecision":           "Why a trip began or ended.",
	"TripUnseen":             "Which part of a trip no position shows.",
	"DeletedRecord":          "A row of a list of changes whose record was deleted, or is not shared any more.",
	"TripView":               "A trip with who drove it, or with what the counters show, where that was asked for.",
	"TripExplanation":        "Why a trip began and ended, and what of it no position shows.",
	"Unseen":                 "A part of a way that no position shows.",
	"ChosenSpeed":            "A speed that holds, and who has chosen it.",
	"TripRules":              "Rules by which trips are derived; what is not set is null.",
	"TripRulesUpdate":        "A change of rules: only what is sent changes, null unsets.",
	"TripTotals":             "Trips in numbers.",
	"User":                   "A user of a tenant.",
	"UserInput":              "A user to be added.",
	"Push":                   "Whether positions come by a push of the provider's.",
	"UsernamePassword":       "What a login takes.",
	"UserSession":            "A session of the caller.",
	"UserUpdate":             "A change of a user: only what is sent changes.",
	"UserMeUpdate":           "A change of one's own account: only what is sent changes.",
	"ValidationDetail":       "What is wrong with a request, and where.",
	"ValidationError":        "The body of a 422.",
	"Webhook":                "A target to which events are sent.",
	"WebhookCounts":          "Webhooks in numbers.",
	"WebhookCreated":         "A new webhook with its secret, which is shown this once.",
	"WebhookDisabled":        "A target that was switched off: one of the two records, and why.",
	"WebhookFilters":         "Which events a webhook receives; empty lists do not narrow.",
	"WebhookFiltersInput":    "Which events a webhook receives; what is left out does not narrow.",
	"WebhookInput":           "A webhook to be made.",
	"WebhookOptions":         "What is added to each position that a webhook receives.",
	"WebhookOptionsInput":    "What to add to each position that a webhook receives.",
	"WebhookSecret":          "The secret that signs deliveries.",
	"WebhookTest":            "The data of a test delivery, which is no event.",
	"WebhookUpdate":          "A change of a webhook: only what is sent changes.",
	"ConnectionDoubt":        "A connection whose data is doubtful, or is trusted again.",
	"ConnectionFailure":      "A connection that does not work, or does again.",
	"MilestoneUpdateRecord":  "Where a milestone's device is and when it arrives: in one of two states.",
	"Event":                  "One entry of a tenant's change feed; type says what data is.",
	"ProviderEnum":           "The telematics providers.",
	"SentBatch":              "New positions of one connection as a webhook receives them.",
	"SentDevicePosition":     "A position of a batch as a webhook receives it.",
	"DeliveryDetail":         "A delivery with the request as it was sent.",
	"SearchResult":           "What a search has found.",
	"MilestoneStatusEnum":    "How far a journey has come.",
}
