// Code generated from the OpenAPI document by make generate. DO NOT EDIT.

package client

import (
	"encoding/json"
	"time"
)

// APIKey: A key for programs, without its secret.
type APIKey struct {
	CreatedAt  time.Time    `json:"created_at"`   // When it was made.
	ExpiresAt  *time.Time   `json:"expires_at"`   // When it ends; null is never.
	ID         string       `json:"id"`           // Id of the record.
	LastUsedAt *time.Time   `json:"last_used_at"` // Written every ten minutes at the most.
	MakerID    *string      `json:"maker_id"`     // The user who made it, or whose key did; null where a key of the tenant did.
	MakerName  string       `json:"maker_name"`   // The name of the user or the key that made it, at that time.
	Name       string       `json:"name"`         // What it is called.
	Networks   []string     `json:"networks"`     // Where it may be used from; empty is everywhere.
	Owner      KeyOwner     `json:"owner"`        // Whom it ends with: its maker, or the tenant alone.
	Role       *Role        `json:"role"`         // What the user or key may do.
	Scopes     []Permission `json:"scopes"`       // What the key may do: those of its role, or those that it was given.
}

// APIKeyCreated: A new key with its secret, which is shown this once.
type APIKeyCreated struct {
	CreatedAt  time.Time    `json:"created_at"`   // When it was made.
	ExpiresAt  *time.Time   `json:"expires_at"`   // When it ends; null is never.
	ID         string       `json:"id"`           // Id of the record.
	Key        string       `json:"key"`          // The secret, to be sent as a bearer token. It is shown this once.
	LastUsedAt *time.Time   `json:"last_used_at"` // Written every ten minutes at the most.
	MakerID    *string      `json:"maker_id"`     // The user who made it, or whose key did; null where a key of the tenant did.
	MakerName  string       `json:"maker_name"`   // The name of the user or the key that made it, at that time.
	Name       string       `json:"name"`         // What it is called.
	Networks   []string     `json:"networks"`     // Where it may be used from; empty is everywhere.
	Owner      KeyOwner     `json:"owner"`        // Whom it ends with: its maker, or the tenant alone.
	Role       *Role        `json:"role"`         // What the user or key may do.
	Scopes     []Permission `json:"scopes"`       // What the key may do: those of its role, or those that it was given.
}

// APIKeyInput: A key to be made.
type APIKeyInput struct {
	ExpiresAt Optional[time.Time]    `json:"expires_at,omitzero"` // When it ends; null is never.
	Name      string                 `json:"name"`                // What it is called.
	Networks  Optional[[]string]     `json:"networks,omitzero"`   // Networks such as 192.0.2.0/24 or 2001:db8::/32, or single addresses, that it may be used from; everywhere, where they are left out.
	Owner     Optional[KeyOwner]     `json:"owner,omitzero"`      // user, as without it: the key ends once its maker is disabled, deleted or may no longer do what the key may. tenant: it is for a service and outlives its maker.
	Role      Optional[Role]         `json:"role,omitzero"`       // What the user or key may do.
	Scopes    Optional[[]Permission] `json:"scopes,omitzero"`     // Instead of a role. Every key may read, but one with the scope push alone, which can do nothing but send records.
}

// AccountLimit: How much a tenant may have of something, and how much it has.
type AccountLimit struct {
	Limit int64 `json:"limit"` // The most that the tenant may have; past it the answer is 403. Of requests_per_minute, for each process: past it the answer is 429, and 0 is no limit.
	Name  Quota `json:"name"`  // What is bounded.
	Used  int64 `json:"used"`  // How much it has now; of streams, on the process that answers; of requests_per_minute it is not counted.
}

// AccountSettings: What a tenant has set for all of its devices, and what holds.
type AccountSettings struct {
	EffectiveTripRules EffectiveTripRules `json:"effective_trip_rules"` // What holds for a device whose connection and which itself have set nothing.
	TimeZone           *string            `json:"time_zone"`            // The zone of the tenant's days, as an IANA name; null where it is UTC.
	TripRules          TripRules          `json:"trip_rules"`           // What the tenant has set; of the others the default holds.
}

// AccountSettingsUpdate: A change of settings: only what is sent changes.
type AccountSettingsUpdate struct {
	TimeZone  Optional[string]          `json:"time_zone,omitzero"`  // IANA name such as Europe/Berlin; null is UTC. The days are summed up again in the background.
	TripRules Optional[TripRulesUpdate] `json:"trip_rules,omitzero"` // Null takes all rules back.
}

// AccountStorage: What a tenant's history takes in the database, and for how long it is kept.
type AccountStorage struct {
	Events            EventStorage    `json:"events"`               // What the feed takes.
	GeneratedAt       time.Time       `json:"generated_at"`         // When the numbers were read.
	GrowthBytesPerDay *int64          `json:"growth_bytes_per_day"` // By how much the history grows in a day, once its positions are packed; an average of the last seven packed days. Null before there is one.
	Positions         PositionStorage `json:"positions"`            // What positions take.
	Retention         Retention       `json:"retention"`            // For how long things are kept. The operator sets it.
}

// AccountSummary: The tenant's data in numbers.
type AccountSummary struct {
	Connections ConnectionCounts `json:"connections"`  // Connections in numbers.
	Devices     DeviceCounts     `json:"devices"`      // Devices in numbers.
	GeneratedAt time.Time        `json:"generated_at"` // When the numbers were read.
	Milestones  map[string]int64 `json:"milestones"`   // Number of milestones by status.
	TenantID    string           `json:"tenant_id"`    // Id of the tenant.
	TenantName  string           `json:"tenant_name"`  // Name of the tenant.
	Trips       TripTotals       `json:"trips"`        // Trips in numbers.
	Webhooks    WebhookCounts    `json:"webhooks"`     // Webhooks in numbers.
}

// ActivitySummary: What happened to a tenant's fleet over some days.
type ActivitySummary struct {
	Days              int64            `json:"days"`                // Length of the window in days.
	EventsByType      []EventCount     `json:"events_by_type"`      // Number of events by type, most first.
	From              time.Time        `json:"from"`                // Beginning of the window.
	Limit             int64            `json:"limit"`               // How many rows each list has at the most.
	Stops             *StopActivity    `json:"stops,omitempty"`     // The stops that started in the window, where they are asked for.
	To                time.Time        `json:"to"`                  // End of the window.
	Totals            ActivityTotals   `json:"totals"`              // Sums over the window.
	TripsByConnection []ConnectionTrip `json:"trips_by_connection"` // The trips of each connection, most first.
	TripsByDay        []DayTrips       `json:"trips_by_day"`        // The trips of each day, oldest first.
}

// ActivityTotals: Sums over the whole window.
type ActivityTotals struct {
	AuxiliarySeconds *float64 `json:"auxiliary_seconds"` // Seconds with an auxiliary running, over the valid trips; null where there are some and none of them says it.
	DistanceMetres   *float64 `json:"distance_metres"`   // Metres, over the valid trips; null where there are some and none of them says it.
	DrivingSeconds   *float64 `json:"driving_seconds"`   // Seconds driven, over the valid trips; null where there are some and none of them says it.
	Events           int64    `json:"events"`            // Number of events.
	IdlingSeconds    *float64 `json:"idling_seconds"`    // Seconds idled, over the valid trips; null where there are some and none of them says it.
	Trips            int64    `json:"trips"`             // Number of trips.
	ValidTrips       int64    `json:"valid_trips"`       // Number of trips that are valid.
}

// ActorType: What kind of caller it was.
type ActorType string

// The values of ActorType.
const (
	ActorTypeUser     ActorType = "user"
	ActorTypeAPIKey   ActorType = "api_key"
	ActorTypeOperator ActorType = "operator"
	ActorTypePublic   ActorType = "public"
)

// AdminInput: The first user of a tenant.
type AdminInput struct {
	Email    string `json:"email"`    // E-mail address of the user.
	Password string `json:"password"` // 8 to 1024 bytes.
	Username string `json:"username"` // Name to sign in with.
}

// ArrivalRange: When a vehicle arrives, as a range.
type ArrivalRange struct {
	Earliest time.Time `json:"earliest"` // One arrival in ten is before this time.
	Expected time.Time `json:"expected"` // The middle of the range.
	Latest   time.Time `json:"latest"`   // One arrival in ten is after this time.
}

// AssignmentMethod: How it is known who drove.
type AssignmentMethod string

// The values of AssignmentMethod.
const (
	AssignmentMethodCard       AssignmentMethod = "card"
	AssignmentMethodTachograph AssignmentMethod = "tachograph"
	AssignmentMethodApp        AssignmentMethod = "app"
	AssignmentMethodHos        AssignmentMethod = "hos"
	AssignmentMethodCamera     AssignmentMethod = "camera"
	AssignmentMethodStatic     AssignmentMethod = "static"
	AssignmentMethodManual     AssignmentMethod = "manual"
	AssignmentMethodDerived    AssignmentMethod = "derived"
	AssignmentMethodUnknown    AssignmentMethod = "unknown"
)

// Audit: Who did what to which record, from where, and with what outcome.
type Audit struct {
	Action     string       `json:"action"`      // What was done: the path of the operation without ids, and create, update, delete or read.
	ActorID    *string      `json:"actor_id"`    // The user, the key or the operator's key; null for the operator at the command line.
	ActorName  string       `json:"actor_name"`  // Its name at that time.
	ActorType  ActorType    `json:"actor_type"`  // What kind of caller it was.
	Address    *string      `json:"address"`     // Where the request came from; null for the operator.
	Count      int64        `json:"count"`       // How often. What is refused again within the same hour, of one kind, to one caller and from one address is one entry, without a record_id where the records differ.
	ID         string       `json:"id"`          // Id of the record.
	LastAt     *time.Time   `json:"last_at"`     // When it was refused last; null where it happened once.
	Outcome    AuditOutcome `json:"outcome"`     // Whether it was done, refused or failed.
	RecordID   *string      `json:"record_id"`   // Id of the record; null where it is about none.
	RecordType *string      `json:"record_type"` // What it was done to, such as connection.
	RequestID  *string      `json:"request_id"`  // x-request-id of the answer.
	Time       time.Time    `json:"time"`        // When it was.
}

// AuditOutcome: What came of it.
type AuditOutcome string

// The values of AuditOutcome.
const (
	AuditOutcomeDone    AuditOutcome = "done"
	AuditOutcomeRefused AuditOutcome = "refused"
)

// AuthenticationResult: Tokens for a login.
type AuthenticationResult struct {
	AccessToken  string `json:"access_token"`  // The JWT to send as bearer.
	ExpiresIn    int64  `json:"expires_in"`    // Seconds until the access token expires.
	RefreshToken string `json:"refresh_token"` // The JWT that gives new access tokens.
	Sub          string `json:"sub"`           // To be sent with the refresh token to POST /refresh.
	TokenType    string `json:"token_type"`    // Always bearer.
}

// BackfillState: How far a window of the past is filled in.
type BackfillState struct {
	DonePercent float64   `json:"done_percent"` // How much is done, from 0 to 100.
	From        time.Time `json:"from"`         // Beginning of the window.
	RemainingTo time.Time `json:"remaining_to"` // What is before this time is still to be read.
	StartedAt   time.Time `json:"started_at"`   // When it was asked for: with what is done since, how fast it goes.
	To          time.Time `json:"to"`           // End of the window.
}

// Brand: How a tenant shows itself to people without a login.
type Brand struct {
	Colour *string `json:"colour"` // Such as #1a5fb4; null where it is not set.
	Logo   *string `json:"logo"`   // A PNG or JPEG as a data URL; null where it is not set.
	Name   *string `json:"name"`   // Instead of the tenant's name; null where it is not set.
}

// BrandUpdate: A change of the brand: only what is sent changes.
type BrandUpdate struct {
	Colour Optional[string] `json:"colour,omitzero"` // As #rrggbb; null takes it back.
	Logo   Optional[string] `json:"logo,omitzero"`   // A PNG or JPEG of at most 50 KiB and 1024 × 1024 pixels as a data URL, data:image/png;base64,…; null takes it back.
	Name   Optional[string] `json:"name,omitzero"`   // As customers know the company; null takes it back.
}

// ChosenMetres: A distance that holds, and where it was set.
type ChosenMetres struct {
	Source SettingSource `json:"source"` // Where the value was set: on the device, the connection or the account, or the service's own.
	Value  float64       `json:"value"`  // The value.
}

// ChosenSeconds: A time span that holds, and where it was set.
type ChosenSeconds struct {
	Source SettingSource `json:"source"` // Where the value was set: on the device, the connection or the account, or the service's own.
	Value  int64         `json:"value"`  // The value.
}

// ChosenSpeed: A speed that holds, and who has chosen it.
type ChosenSpeed struct {
	Source SettingSource `json:"source"` // Where the value was set: on the device, the connection or the account, or the service's own.
	Value  float64       `json:"value"`  // The value.
}

// ChosenZone: A time zone that holds, and where it was set.
type ChosenZone struct {
	Source SettingSource `json:"source"` // Where the value was set: on the device, the connection or the account, or the service's own.
	Value  string        `json:"value"`  // The value.
}

// CodeClass: How many answers were of a class of statuses.
type CodeClass string

// The values of CodeClass.
const (
	CodeClass2xx  CodeClass = "2xx"
	CodeClass3xx  CodeClass = "3xx"
	CodeClass4xx  CodeClass = "4xx"
	CodeClass5xx  CodeClass = "5xx"
	CodeClassNone CodeClass = "none"
)

// Configuration: What the service decided, or was set, for a connection.
type Configuration struct {
	BaseURL             *string           `json:"base_url"`               // Address of the provider's API, where it is not the usual one.
	Forms               map[string]string `json:"forms,omitempty"`        // Forms of answers that the provider has given.
	Health              ConnectionState   `json:"health"`                 // How the connection is doing.
	PollIntervalSeconds int64             `json:"poll_interval_seconds"`  // Seconds between two polls.
	Purge               *PurgeProgress    `json:"purge,omitempty"`        // How far erasing its data is; absent where no one has asked for that.
	SafetyTypes         map[string]string `json:"safety_types,omitempty"` // What the provider's own words for safety events mean; absent where no one has set any.
	TimeZone            *string           `json:"time_zone,omitempty"`    // IANA name of the time zone of its days.
	TripRules           *TripRules        `json:"trip_rules,omitempty"`   // The rules by which trips are derived.
	Trips               TripSource        `json:"trips"`                  // Whether trips are the provider's or derived from positions.
	Units               *Units            `json:"units,omitempty"`        // What a person has found the provider's numbers to be in.
}

// ConfigurationUpdate: What a tenant may set of a connection's configuration.
type ConfigurationUpdate struct {
	SafetyTypes Optional[map[string]string] `json:"safety_types,omitzero"` // What the provider's own words for safety events mean, as a whole: the type of a native_type. It holds for events that come from then on. Null takes all back.
	TimeZone    Optional[string]            `json:"time_zone,omitzero"`    // IANA name of the zone of its devices' days; null leaves it to the tenant.
	TripRules   Optional[TripRulesUpdate]   `json:"trip_rules,omitzero"`   // Null takes all rules back.
	Trips       Optional[TripSource]        `json:"trips,omitzero"`        // Trips as the provider reports them, or derived from positions.
	Units       Optional[Units]             `json:"units,omitzero"`        // What the provider's numbers are in, as a whole. Null leaves them to the adapter.
}

// Connection: A tenant's link to one telematics provider.
type Connection struct {
	ABN                 *string       `json:"abn"`                   // Registration number of the business.
	Active              bool          `json:"active"`                // Whether the provider is asked.
	BusinessName        string        `json:"business_name"`         // Name of the business that the vehicles work for.
	CollectionEndTime   *time.Time    `json:"collection_end_time"`   // Data from this time on is not collected; null is no end.
	CollectionStartTime time.Time     `json:"collection_start_time"` // Data from this time on is collected.
	Configuration       Configuration `json:"configuration"`         // What the service decided, or was set, for the connection.
	Email               *string       `json:"email"`                 // E-mail address of the business.
	ID                  string        `json:"id"`                    // Id of the record.
	IntegrationName     ProviderEnum  `json:"integration_name"`      // The provider.
	TenantID            string        `json:"tenant_id"`             // Id of the tenant that owns it.
}

// ConnectionCounts: Connections in numbers.
type ConnectionCounts struct {
	Active     int64            `json:"active"`      // Number of connections that are active.
	ByProvider map[string]int64 `json:"by_provider"` // Number of connections by provider.
	Failing    int64            `json:"failing"`     // Number of those that fail.
	Total      int64            `json:"total"`       // How many there are.
}

// ConnectionCredentials: The stored credentials of a connection, for its owner alone.
type ConnectionCredentials struct {
	ConnectionID string            `json:"connection_id"` // Id of the connection.
	Credentials  map[string]string `json:"credentials"`   // The provider's credentials by the names of its fields.
}

// ConnectionDevices: Devices of a connection by the provider's ids.
type ConnectionDevices struct {
	ConnectionID    string   `json:"connection_id"`     // Id of the connection.
	SystemDeviceIDs []string `json:"system_device_ids"` // The provider's ids of devices.
}

// ConnectionDevicesInput: Devices of a connection by the provider's ids.
type ConnectionDevicesInput struct {
	ConnectionID    string   `json:"connection_id"`     // Id of the connection.
	SystemDeviceIDs []string `json:"system_device_ids"` // The provider's ids of devices.
}

// ConnectionDiagnosis: How a connection is doing, and how it did over the last day.
type ConnectionDiagnosis struct {
	Acts          *Party             `json:"acts"`            // Who must act: fleet (the tenant or its fleet), vendor, operator, or drover, which goes on by itself. Null where no one must.
	ConnectionID  string             `json:"connection_id"`   // Id of the connection.
	Inbound       *InboundState      `json:"inbound"`         // How the provider's own notices go. Null where it has no address to call.
	Jobs          []JobHealth        `json:"jobs"`            // How each job goes.
	LastSuccessAt *time.Time         `json:"last_success_at"` // When it last went well.
	Message       *string            `json:"message"`         // What is wrong, in words; null where nothing is.
	NextRunAt     *time.Time         `json:"next_run_at"`     // When it is read next; null where it is not.
	Push          *Push              `json:"push,omitempty"`  // Whether the provider's push is open, in any process. Absent where the provider has none, and for those whom the connection is shared with.
	Quality       *ConnectionQuality `json:"quality"`         // What the data say of themselves. Null before the first position, and for those whom the connection is shared with.
	Runs          []JobHour          `json:"runs"`            // How the runs went by the hour, over the last day.
	State         ConnectionState    `json:"state"`           // How the collection goes.
	Streams       []JobHealth        `json:"streams"`         // The same as jobs, under its former name. Read jobs.
}

// ConnectionDoubt: A connection whose data is doubtful, or is trusted again.
type ConnectionDoubt struct {
	ABN                 *string       `json:"abn"`                   // Registration number of the business.
	Active              bool          `json:"active"`                // Whether the provider is asked.
	BusinessName        string        `json:"business_name"`         // Name of the business that the vehicles work for.
	Checks              []string      `json:"checks"`                // Names of the checks that are doubtful.
	CollectionEndTime   *time.Time    `json:"collection_end_time"`   // Data from this time on is not collected; null is no end.
	CollectionStartTime time.Time     `json:"collection_start_time"` // Data from this time on is collected.
	Configuration       Configuration `json:"configuration"`         // What the service decided, or was set, for the connection.
	Email               *string       `json:"email"`                 // E-mail address of the business.
	ID                  string        `json:"id"`                    // Id of the record.
	IntegrationName     ProviderEnum  `json:"integration_name"`      // The provider.
	Reason              *string       `json:"reason"`                // Why, in words.
	TenantID            string        `json:"tenant_id"`             // Id of the tenant that owns it.
}

// ConnectionFailure: A connection that does not work, or does again.
type ConnectionFailure struct {
	ABN                 *string       `json:"abn"`                   // Registration number of the business.
	Active              bool          `json:"active"`                // Whether the provider is asked.
	BusinessName        string        `json:"business_name"`         // Name of the business that the vehicles work for.
	CollectionEndTime   *time.Time    `json:"collection_end_time"`   // Data from this time on is not collected; null is no end.
	CollectionStartTime time.Time     `json:"collection_start_time"` // Data from this time on is collected.
	Configuration       Configuration `json:"configuration"`         // What the service decided, or was set, for the connection.
	Email               *string       `json:"email"`                 // E-mail address of the business.
	ID                  string        `json:"id"`                    // Id of the record.
	IntegrationName     ProviderEnum  `json:"integration_name"`      // The provider.
	Reason              *string       `json:"reason"`                // Why, in words.
	TenantID            string        `json:"tenant_id"`             // Id of the tenant that owns it.
}

// ConnectionFile: The file that describes the provider of a connection, as its operator has placed it.
type ConnectionFile struct {
	ConnectionID string        `json:"connection_id"` // Id of the connection.
	Parts        []FilePart    `json:"parts"`         // The calls of the file that runs made, each as its last run did.
	Records      []FileRecords `json:"records"`       // What the last run of each kind gave.
	Refused      *FileRefusal  `json:"refused"`       // A later version that failed when it was tried with this connection, which goes on with the one that it has. Null where there is none.
	Since        *time.Time    `json:"since"`         // When that version was found.
	Text         *string       `json:"text"`          // The file, as the operator placed it. It holds no credentials.
	Version      *string       `json:"version"`       // The version that the connection is read with: a hash of the text. Null where no file describes the provider, or the connection was not read yet.
}

// ConnectionHealth: How the collection of a connection goes.
type ConnectionHealth struct {
	Acts          *Party          `json:"acts"`            // Who must act: fleet (the tenant or its fleet), vendor, operator, or drover, which goes on by itself. Null where no one must.
	ConnectionID  string          `json:"connection_id"`   // Id of the connection.
	Jobs          []JobHealth     `json:"jobs"`            // How each job goes.
	LastSuccessAt *time.Time      `json:"last_success_at"` // When it last went well.
	Message       *string         `json:"message"`         // What is wrong, in words; null where nothing is.
	NextRunAt     *time.Time      `json:"next_run_at"`     // When it is read next; null where it is not.
	State         ConnectionState `json:"state"`           // How the collection goes.
	Streams       []JobHealth     `json:"streams"`         // The same as jobs, under its former name. Read jobs.
}

// ConnectionInput: A connection to be made.
type ConnectionInput struct {
	ABN                 Optional[string]    `json:"abn,omitzero"`                   // Registration number of the business.
	Active              Optional[bool]      `json:"active,omitzero"`                // Whether the provider is asked; true where it is left out.
	BusinessName        string              `json:"business_name"`                  // Name of the business that the vehicles work for.
	CollectionEndTime   Optional[time.Time] `json:"collection_end_time,omitzero"`   // Data from this time on is not collected; null is no end.
	CollectionStartTime Optional[time.Time] `json:"collection_start_time,omitzero"` // Data from this time on is collected.
	Credentials         map[string]string   `json:"credentials"`                    // The provider's credentials by the names of its fields.
	Email               Optional[string]    `json:"email,omitzero"`                 // E-mail address of the business.
	IntegrationName     ProviderEnum        `json:"integration_name"`               // The provider.
	Tags                Optional[[]string]  `json:"tags,omitzero"`                  // Labels, in lower case; ten that differ at most.
	TenantID            Optional[string]    `json:"tenant_id,omitzero"`             // Id of the caller's own tenant; it may be left out.
}

// ConnectionLink: An invitation for a fleet to connect its provider itself.
type ConnectionLink struct {
	ABN                 *string             `json:"abn"`                   // Registration number of the business.
	BusinessName        string              `json:"business_name"`         // Name of the business that the vehicles work for.
	CollectionStartTime *time.Time          `json:"collection_start_time"` // Data from this time on is collected.
	ConnectionID        *string             `json:"connection_id"`         // The connection that it asks new credentials for, or that was made by it.
	CreatedAt           time.Time           `json:"created_at"`            // When it was made.
	Email               *string             `json:"email"`                 // E-mail address of the business.
	ExpiresAt           time.Time           `json:"expires_at"`            // When it ends.
	ID                  string              `json:"id"`                    // Id of the record.
	Providers           []ProviderEnum      `json:"providers"`             // Those that may be chosen; empty is all.
	State               ConnectionLinkState `json:"state"`                 // How far the invitation has come.
	Tags                []string            `json:"tags"`                  // Labels, in lower case; ten that differ at most.
	UsedAt              *time.Time          `json:"used_at"`               // When it was used; null before.
	WithdrawnAt         *time.Time          `json:"withdrawn_at"`          // When access was withdrawn; null where it was not.
}

// ConnectionLinkCreated: A new invitation with its address, which is shown this once.
type ConnectionLinkCreated struct {
	ABN                 *string             `json:"abn"`                   // Registration number of the business.
	BusinessName        string              `json:"business_name"`         // Name of the business that the vehicles work for.
	CollectionStartTime *time.Time          `json:"collection_start_time"` // Data from this time on is collected.
	ConnectionID        *string             `json:"connection_id"`         // The connection that it asks new credentials for, or that was made by it.
	CreatedAt           time.Time           `json:"created_at"`            // When it was made.
	Email               *string             `json:"email"`                 // E-mail address of the business.
	ExpiresAt           time.Time           `json:"expires_at"`            // When it ends.
	ID                  string              `json:"id"`                    // Id of the record.
	Providers           []ProviderEnum      `json:"providers"`             // Those that may be chosen; empty is all.
	State               ConnectionLinkState `json:"state"`                 // How far the invitation has come.
	Tags                []string            `json:"tags"`                  // Labels, in lower case; ten that differ at most.
	URL                 string              `json:"url"`                   // The address of the page, shown this once: beginning with --public-url, or a path where none is set.
	UsedAt              *time.Time          `json:"used_at"`               // When it was used; null before.
	WithdrawnAt         *time.Time          `json:"withdrawn_at"`          // When access was withdrawn; null where it was not.
}

// ConnectionLinkInput: An invitation to be made.
type ConnectionLinkInput struct {
	ABN                 Optional[string]         `json:"abn,omitzero"`                   // Registration number of the business.
	BusinessName        Optional[string]         `json:"business_name,omitzero"`         // Needed unless connection_id is given.
	CollectionStartTime Optional[time.Time]      `json:"collection_start_time,omitzero"` // When it is used, where it is left out.
	ConnectionID        Optional[string]         `json:"connection_id,omitzero"`         // Ask for new credentials of this connection.
	Email               Optional[string]         `json:"email,omitzero"`                 // E-mail address of the business.
	ExpiresAt           Optional[time.Time]      `json:"expires_at,omitzero"`            // At most 30 days ahead; seven days from now, where it is left out.
	Providers           Optional[[]ProviderEnum] `json:"providers,omitzero"`             // The providers among which to choose.
	Tags                Optional[[]string]       `json:"tags,omitzero"`                  // Labels, in lower case; ten that differ at most.
}

// ConnectionLinkState: How far an invitation has come.
type ConnectionLinkState string

// The values of ConnectionLinkState.
const (
	ConnectionLinkStateOpen      ConnectionLinkState = "open"
	ConnectionLinkStateUsed      ConnectionLinkState = "used"
	ConnectionLinkStateWithdrawn ConnectionLinkState = "withdrawn"
	ConnectionLinkStateExpired   ConnectionLinkState = "expired"
)

// ConnectionQuality: How good the data of a connection is.
type ConnectionQuality struct {
	Checks    []QualityCheck   `json:"checks"`    // What was measured.
	Coverage  map[string]int64 `json:"coverage"`  // Percent of the positions that have a field, by its name.
	Late      int64            `json:"late"`      // Positions that came after a newer one of their device.
	Latency   QualityLatency   `json:"latency"`   // How late positions arrive.
	Moving    int64            `json:"moving"`    // Positions at the end of a stretch that was driven.
	Positions int64            `json:"positions"` // Number of positions that were looked at.
	Reason    *string          `json:"reason"`    // What is doubtful, in words; null where nothing is.
	Repeated  int64            `json:"repeated"`  // Positions that had been stored before.
	Since     *time.Time       `json:"since"`     // Since when it is measured; null before the first position.
	Verdict   string           `json:"verdict"`   // What is made of it, in one word.
}

// ConnectionSettings: What was set for one connection, and what holds for its devices.
type ConnectionSettings struct {
	ConnectionID       string             `json:"connection_id"`        // Id of the connection.
	EffectiveTripRules EffectiveTripRules `json:"effective_trip_rules"` // What holds for a device that has set nothing, and who has set it.
	TimeZone           ChosenZone         `json:"time_zone"`            // The zone of its devices' days: its own, or else the tenant's.
	TripRules          TripRules          `json:"trip_rules"`           // What is set for the connection; of the others a wider setting holds.
	Trips              TripSource         `json:"trips"`                // Whether trips are the provider's or derived from positions.
}

// ConnectionState: How a connection is doing.
type ConnectionState string

// The values of ConnectionState.
const (
	ConnectionStatePending  ConnectionState = "pending"
	ConnectionStateHealthy  ConnectionState = "healthy"
	ConnectionStateDegraded ConnectionState = "degraded"
	ConnectionStateFailing  ConnectionState = "failing"
	ConnectionStateDisabled ConnectionState = "disabled"
	ConnectionStateArchived ConnectionState = "archived"
	ConnectionStateStalled  ConnectionState = "stalled"
)

// ConnectionTag: A label that a tenant attaches to connections.
type ConnectionTag struct {
	ID   string `json:"id"`   // Id of the record.
	Name string `json:"name"` // What it is called.
}

// ConnectionTrial: What a provider answered to credentials that were tried.
type ConnectionTrial struct {
	Account            *string           `json:"account"`             // The account that the credentials are of: as the provider names it or, where it does not, as the credentials do. Null where neither names it, as with a key alone.
	Devices            int64             `json:"devices"`             // How many vehicles the credentials show.
	Error              *string           `json:"error"`               // What the provider refused, in words.
	ErrorKind          *string           `json:"error_kind"`          // credentials, rate_limited, temporary or permanent.
	More               bool              `json:"more"`                // There are more vehicles than were counted.
	Ok                 bool              `json:"ok"`                  // The provider accepts the credentials.
	Position           *TrialPosition    `json:"position"`            // The position; null where there is none.
	RenewedCredentials map[string]string `json:"renewed_credentials"` // Credentials that the provider replaced by the trial: those that were sent no longer work. Null where it replaced none.
}

// ConnectionTrialInput: Credentials to be tried; nothing is stored.
type ConnectionTrialInput struct {
	Credentials     map[string]string `json:"credentials"`      // The provider's credentials by the names of its fields.
	IntegrationName ProviderEnum      `json:"integration_name"` // The provider.
}

// ConnectionTrip: The trips of one connection in numbers.
type ConnectionTrip struct {
	AuxiliarySeconds *float64     `json:"auxiliary_seconds"` // Seconds with an auxiliary running, over the valid trips; null where there are some and none of them says it.
	BusinessName     string       `json:"business_name"`     // Name of the business that the vehicles work for.
	ConnectionID     string       `json:"connection_id"`     // Id of the connection.
	DistanceMetres   *float64     `json:"distance_metres"`   // Metres, over the valid trips; null where there are some and none of them says it.
	DrivingSeconds   *float64     `json:"driving_seconds"`   // Seconds driven, over the valid trips; null where there are some and none of them says it.
	IdlingSeconds    *float64     `json:"idling_seconds"`    // Seconds idled, over the valid trips; null where there are some and none of them says it.
	IntegrationName  ProviderEnum `json:"integration_name"`  // The provider.
	Trips            int64        `json:"trips"`             // Number of trips.
	ValidTrips       int64        `json:"valid_trips"`       // Number of trips that are valid.
}

// ConnectionUpdate: A change of a connection: only what is sent changes.
type ConnectionUpdate struct {
	ABN                 Optional[string]              `json:"abn,omitzero"`                   // Registration number of the business.
	Active              Optional[bool]                `json:"active,omitzero"`                // Whether the provider is asked.
	BusinessName        Optional[string]              `json:"business_name,omitzero"`         // Name of the business that the vehicles work for.
	CollectionEndTime   Optional[time.Time]           `json:"collection_end_time,omitzero"`   // Data from this time on is not collected; null is no end.
	CollectionStartTime Optional[time.Time]           `json:"collection_start_time,omitzero"` // Data from this time on is collected.
	Configuration       Optional[ConfigurationUpdate] `json:"configuration,omitzero"`         // What the service decided, or was set, for the connection.
	Credentials         Optional[map[string]string]   `json:"credentials,omitzero"`           // The provider's credentials by the names of its fields.
	Email               Optional[string]              `json:"email,omitzero"`                 // E-mail address of the business.
	Tags                Optional[[]string]            `json:"tags,omitzero"`                  // Labels, in lower case; ten that differ at most.
}

// ConnectionView: A connection with how it is doing, where that was asked for.
type ConnectionView struct {
	ABN                 *string           `json:"abn"`                   // Registration number of the business.
	Active              bool              `json:"active"`                // Whether the provider is asked.
	BusinessName        string            `json:"business_name"`         // Name of the business that the vehicles work for.
	CollectionEndTime   *time.Time        `json:"collection_end_time"`   // Data from this time on is not collected; null is no end.
	CollectionStartTime time.Time         `json:"collection_start_time"` // Data from this time on is collected.
	Configuration       Configuration     `json:"configuration"`         // What the service decided, or was set, for the connection.
	Devices             *int64            `json:"devices,omitempty"`     // How many devices it has. Only with include=health.
	Email               *string           `json:"email"`                 // E-mail address of the business.
	Health              *ConnectionHealth `json:"health,omitempty"`      // Only with include=health.
	ID                  string            `json:"id"`                    // Id of the record.
	IntegrationName     ProviderEnum      `json:"integration_name"`      // The provider.
	TenantID            string            `json:"tenant_id"`             // Id of the tenant that owns it.
}

// ConnectionWithTags: A connection with its tags.
type ConnectionWithTags struct {
	ABN                 *string         `json:"abn"`                   // Registration number of the business.
	Active              bool            `json:"active"`                // Whether the provider is asked.
	BusinessName        string          `json:"business_name"`         // Name of the business that the vehicles work for.
	CollectionEndTime   *time.Time      `json:"collection_end_time"`   // Data from this time on is not collected; null is no end.
	CollectionStartTime time.Time       `json:"collection_start_time"` // Data from this time on is collected.
	Configuration       Configuration   `json:"configuration"`         // What the service decided, or was set, for the connection.
	ConnectionTags      []ConnectionTag `json:"connection_tags"`       // The connection's tags by name.
	Email               *string         `json:"email"`                 // E-mail address of the business.
	ID                  string          `json:"id"`                    // Id of the record.
	IntegrationName     ProviderEnum    `json:"integration_name"`      // The provider.
	TenantID            string          `json:"tenant_id"`             // Id of the tenant that owns it.
}

// Coordinate: A point on the earth, WGS 84.
type Coordinate struct {
	Latitude  float64 `json:"latitude"`  // Latitude in degrees.
	Longitude float64 `json:"longitude"` // Longitude in degrees.
}

// Coverage: What a connection gives of one kind of reading.
type Coverage struct {
	Declared    Offer           `json:"declared"`     // native where the provider has it, not_offered where nothing confirms that it does, needs_scope where it refused this account.
	Devices     int64           `json:"devices"`      // The connection's devices.
	DevicesWith int64           `json:"devices_with"` // Those with a reading of this kind, or a fault, or a trip that names a driver, or a stated assignment, in the last days.
	Field       string          `json:"field"`        // The kind of reading, such as fuel_level_percent, fault, driver (who drives, of trips), driver_assignment (who drove, as the provider states it), or safety_event and a type, such as safety_event.speeding.
	NativeNames []string        `json:"native_names"` // What the provider calls it: those that were seen or, where none was, those that are declared.
	Need        *string         `json:"need"`         // What the account lacks; null where nothing is known to be lacking.
	NewestAt    *time.Time      `json:"newest_at"`    // When the newest such reading was measured, or the newest fault seen, of all that are known, or the newest such trip of the last days or the newest assignment began; null where there was none.
	Share       *float64        `json:"share"`        // The one by the other, from 0 to 1; null where there is no device.
	Sources     []ReadingSource `json:"sources"`      // Who measures or counts, of what was seen.
}

// CoverageLoss: A connection of which some kinds of readings have stopped coming.
type CoverageLoss struct {
	ABN                 *string       `json:"abn"`                   // Registration number of the business.
	Active              bool          `json:"active"`                // Whether the provider is asked.
	BusinessName        string        `json:"business_name"`         // Name of the business that the vehicles work for.
	CollectionEndTime   *time.Time    `json:"collection_end_time"`   // Data from this time on is not collected; null is no end.
	CollectionStartTime time.Time     `json:"collection_start_time"` // Data from this time on is collected.
	Configuration       Configuration `json:"configuration"`         // What the service decided, or was set, for the connection.
	Email               *string       `json:"email"`                 // E-mail address of the business.
	Fields              []string      `json:"fields"`                // The kinds of readings that at least half of the devices had in the week before and none has had for a day, although they report positions.
	ID                  string        `json:"id"`                    // Id of the record.
	IntegrationName     ProviderEnum  `json:"integration_name"`      // The provider.
	TenantID            string        `json:"tenant_id"`             // Id of the tenant that owns it.
}

// CredentialField: One of the credentials that a provider wants.
type CredentialField struct {
	Default        *string  `json:"default"`         // What counts where it is left out; null where nothing does.
	Help           string   `json:"help"`            // Where to find it.
	Name           string   `json:"name"`            // Key under which it is sent.
	Options        []string `json:"options"`         // The values that it may have; empty where it may have any.
	Required       bool     `json:"required"`        // Whether it must be given.
	RequiredUnless []string `json:"required_unless"` // It may be left out where one of these is given.
	Secret         bool     `json:"secret"`          // Whether it is shown to no one.
	Title          string   `json:"title"`           // What people call it.
}

// CurrentPosition: Where a device was at one instant.
type CurrentPosition struct {
	DriverID  *DriverID `json:"driver_id"` // The driver; null where the provider does not say.
	Heading   *float64  `json:"heading"`   // Direction of travel in degrees, clockwise from north; null where it is not known.
	Latitude  float64   `json:"latitude"`  // Latitude in degrees.
	Longitude float64   `json:"longitude"` // Longitude in degrees.
	Speed     *Speed    `json:"speed"`     // The speed; null where it is not known.
	Timestamp time.Time `json:"timestamp"` // When it was.
}

// DayStops: The stops that started on one day, in UTC.
type DayStops struct {
	AuxiliarySeconds float64 `json:"auxiliary_seconds"` // Seconds with an auxiliary running; stops of which it is not known count nothing.
	Day              string  `json:"day"`               // The day in UTC, such as 2024-05-02.
	DurationSeconds  float64 `json:"duration_seconds"`  // How long they lasted together, in seconds.
	EngineOnSeconds  float64 `json:"engine_on_seconds"` // Seconds with the engine on; stops of which it is not known count nothing.
	Stops            int64   `json:"stops"`             // Number of stops.
}

// DayTrips: The trips that started on one day, in UTC.
type DayTrips struct {
	AuxiliarySeconds *float64 `json:"auxiliary_seconds"` // Seconds with an auxiliary running, over the valid trips; null where there are some and none of them says it.
	Day              string   `json:"day"`               // The day in UTC, such as 2024-05-02.
	DistanceMetres   *float64 `json:"distance_metres"`   // Metres, over the valid trips; null where there are some and none of them says it.
	DrivingSeconds   *float64 `json:"driving_seconds"`   // Seconds driven, over the valid trips; null where there are some and none of them says it.
	IdlingSeconds    *float64 `json:"idling_seconds"`    // Seconds idled, over the valid trips; null where there are some and none of them says it.
	Trips            int64    `json:"trips"`             // Number of trips.
	ValidTrips       int64    `json:"valid_trips"`       // Number of trips that are valid.
}

// DeletedRecord: A row of a list of changes whose record was deleted, or is not shared any more.
type DeletedRecord struct {
	DeletedAt time.Time `json:"deleted_at"` // When it was deleted, or could be read for the last time.
	ID        string    `json:"id"`         // Id of the record.
}

// DeliveryAttempt: One attempt to deliver an event, or a delivery that none was made of.
type DeliveryAttempt struct {
	Attempt       int64         `json:"attempt"`         // Number of the attempt; 0 where none was made.
	CreatedAt     time.Time     `json:"created_at"`      // When it was made.
	DurationMS    *int64        `json:"duration_ms"`     // How long the attempt took in milliseconds.
	Error         *string       `json:"error"`           // What went wrong; null where nothing did.
	EventID       string        `json:"event_id"`        // The webhook-id header of the delivery.
	NextAttemptAt *time.Time    `json:"next_attempt_at"` // When it is tried next; null where it is not.
	Response      *string       `json:"response"`        // The first 4 KiB of the answer; null where there was none, and for a receiver in a network that only the operator has opened.
	Sequence      *int64        `json:"sequence"`        // Sequence of the event; null for a test.
	State         DeliveryState `json:"state"`           // How far the delivery has come by now or, where there was a later attempt, what came of this one.
	Status        *int64        `json:"status"`          // HTTP status of the answer; null where there was none.
	Time          *time.Time    `json:"time"`            // When the attempt was made; null where none was.
	Type          string        `json:"type"`            // The type of the event that was sent.
}

// DeliveryDetail: A delivery with the request as it was sent.
type DeliveryDetail struct {
	Attempts      int64             `json:"attempts"`        // The attempts that were made.
	CreatedAt     time.Time         `json:"created_at"`      // When it was made.
	DurationMS    *int64            `json:"duration_ms"`     // How long the attempt took in milliseconds.
	Error         *string           `json:"error"`           // What went wrong; null where nothing did.
	EventID       string            `json:"event_id"`        // The webhook-id header of the delivery.
	ID            string            `json:"id"`              // The event and the target, which are the delivery together.
	LastAttemptAt *time.Time        `json:"last_attempt_at"` // When the newest attempt was made; null before the first.
	Log           []DeliveryAttempt `json:"log"`             // Its attempts, the last one first.
	MilestoneID   *string           `json:"milestone_id"`    // Null for a webhook.
	NextAttemptAt *time.Time        `json:"next_attempt_at"` // When it is tried next; null where it is not.
	Request       *DeliveryRequest  `json:"request"`         // The request of the last attempt; of the next, where none was made; null where its event is no longer kept or may no longer be read.
	Sequence      *int64            `json:"sequence"`        // Sequence of the event; null for a test.
	State         DeliveryState     `json:"state"`           // What became of the delivery.
	Status        *int64            `json:"status"`          // HTTP status of the last answer; null where there was none.
	Type          string            `json:"type"`            // The type of the event that was sent.
	WebhookID     *string           `json:"webhook_id"`      // Null for a milestone's own webhook.
}

// DeliveryRequest: A request as it was sent.
type DeliveryRequest struct {
	Body    json.RawMessage   `json:"body"`    // The text that is signed, as JSON.
	Headers map[string]string `json:"headers"` // The headers, without secrets.
	Method  string            `json:"method"`  // The method.
	URL     string            `json:"url"`     // Address to which it was sent.
}

// DeliveryState: How far a delivery has come.
type DeliveryState string

// The values of DeliveryState.
const (
	DeliveryStatePending    DeliveryState = "pending"
	DeliveryStateDelivered  DeliveryState = "delivered"
	DeliveryStateFailed     DeliveryState = "failed"
	DeliveryStateSkipped    DeliveryState = "skipped"
	DeliveryStateSuperseded DeliveryState = "superseded"
)

// DeliverySummary: A delivery with its newest attempt.
type DeliverySummary struct {
	Attempts      int64         `json:"attempts"`        // How many attempts were made.
	CreatedAt     time.Time     `json:"created_at"`      // When it was made.
	DurationMS    *int64        `json:"duration_ms"`     // How long the attempt took in milliseconds.
	Error         *string       `json:"error"`           // What went wrong; null where nothing did.
	EventID       string        `json:"event_id"`        // The webhook-id header of the delivery.
	ID            string        `json:"id"`              // The event and the target, which are the delivery together.
	LastAttemptAt *time.Time    `json:"last_attempt_at"` // When the newest attempt was made; null before the first.
	MilestoneID   *string       `json:"milestone_id"`    // Null for a webhook.
	NextAttemptAt *time.Time    `json:"next_attempt_at"` // When it is tried next; null where it is not.
	Sequence      *int64        `json:"sequence"`        // Sequence of the event; null for a test.
	State         DeliveryState `json:"state"`           // What became of the delivery.
	Status        *int64        `json:"status"`          // HTTP status of the last answer; null where there was none.
	Type          string        `json:"type"`            // The type of the event that was sent.
	WebhookID     *string       `json:"webhook_id"`      // Null for a milestone's own webhook.
}

// DetailedPosition: A position with all that the provider said of it.
type DetailedPosition struct {
	Auxiliary      *bool     `json:"auxiliary"`       // Whether an auxiliary, such as a power take-off, is running; null where the provider does not say.
	DriverID       *DriverID `json:"driver_id"`       // The driver; null where the provider does not say.
	Heading        *float64  `json:"heading"`         // Direction of travel in degrees, clockwise from north; null where it is not known.
	Ignition       *bool     `json:"ignition"`        // Whether the ignition is on; null where the provider does not say.
	Latitude       float64   `json:"latitude"`        // Latitude in degrees.
	Longitude      float64   `json:"longitude"`       // Longitude in degrees.
	OdometerMetres *float64  `json:"odometer_metres"` // Reading of the odometer in metres; null where the provider does not say.
	Speed          *Speed    `json:"speed"`           // The speed; null where it is not known.
	Timestamp      time.Time `json:"timestamp"`       // When it was.
}

// Device: A tracked unit of a connection.
type Device struct {
	Active         bool     `json:"active"`           // Whether the vehicle is in use.
	ConnectionID   string   `json:"connection_id"`    // Id of the connection.
	Description    *string  `json:"description"`      // What the device is called.
	ID             string   `json:"id"`               // Id of the record.
	Make           *string  `json:"make"`             // Who made the vehicle.
	Model          *string  `json:"model"`            // Model of the vehicle.
	Registration   *string  `json:"registration"`     // Number plate.
	SystemDeviceID string   `json:"system_device_id"` // The provider's id of the device.
	Tags           []string `json:"tags"`             // Labels, in lower case; ten that differ at most.
	Year           *int64   `json:"year"`             // Year in which it was made.
}

// DeviceCounts: Devices in numbers.
type DeviceCounts struct {
	Active       int64 `json:"active"`        // Number of devices that are active.
	Reporting24h int64 `json:"reporting_24h"` // Number of devices heard of in the last 24 hours.
	Total        int64 `json:"total"`         // How many there are.
}

// DeviceDay: What a device did on one day of its time zone.
type DeviceDay struct {
	AuxiliarySeconds     float64    `json:"auxiliary_seconds"`               // Within trips.
	Day                  string     `json:"day"`                             // The date, such as 2026-03-29.
	DistanceMetres       float64    `json:"distance_metres"`                 // Distance driven in metres.
	DrivingSeconds       float64    `json:"driving_seconds"`                 // Seconds driven.
	EndTime              time.Time  `json:"end_time"`                        // When it ended: 23 or 25 hours later where clocks were changed.
	EngineSeconds        *float64   `json:"engine_seconds,omitempty"`        // By how much the counter of engine time grew; null where none shows it. Only with include=readings.
	FirstStartTime       *time.Time `json:"first_start_time"`                // When the first trip of the day began.
	FuelUsedLitres       *float64   `json:"fuel_used_litres,omitempty"`      // By how much the counter of fuel grew; null where none shows it. Only with include=readings.
	IdlingSeconds        float64    `json:"idling_seconds"`                  // Within trips.
	LastEndTime          *time.Time `json:"last_end_time"`                   // When the last trip ended.
	OdometerEndMetres    *float64   `json:"odometer_end_metres,omitempty"`   // The odometer at the end; null where none shows it. It may be of another line than that at the start, after a reset. Only with include=readings.
	OdometerStartMetres  *float64   `json:"odometer_start_metres,omitempty"` // The odometer at the start; null where none shows it. Only with include=readings.
	StandingSeconds      float64    `json:"standing_seconds"`                // Seconds that it stood.
	StartTime            time.Time  `json:"start_time"`                      // When the day began.
	StopAuxiliarySeconds float64    `json:"stop_auxiliary_seconds"`          // Seconds with an auxiliary running while it stood.
	StopEngineOnSeconds  float64    `json:"stop_engine_on_seconds"`          // Seconds with the engine on while it stood.
	Stops                int64      `json:"stops"`                           // Stops that began on this day and are over.
	TimeZone             string     `json:"time_zone"`                       // IANA name of the time zone that the day is of.
	Trips                int64      `json:"trips"`                           // Trips that began on this day.
	UnseenMetres         float64    `json:"unseen_metres"`                   // Ways that no position shows and no trip has, between two stops; they are not in the distance.
	ValidTrips           int64      `json:"valid_trips"`                     // Those that are valid; the sums are of them alone.
}

// DevicePosition: A position of a batch with its device.
type DevicePosition struct {
	DeviceID       string    `json:"device_id"`        // Id of the device.
	DriverID       *DriverID `json:"driver_id"`        // The driver; null where the provider does not say.
	Heading        *float64  `json:"heading"`          // Direction of travel in degrees, clockwise from north; null where it is not known.
	Latitude       float64   `json:"latitude"`         // Latitude in degrees.
	Longitude      float64   `json:"longitude"`        // Longitude in degrees.
	Speed          *Speed    `json:"speed"`            // The speed; null where it is not known.
	SystemDeviceID string    `json:"system_device_id"` // The provider's id of the device.
	Timestamp      time.Time `json:"timestamp"`        // When it was.
}

// DeviceRegions: How far one vehicle drove in each region.
type DeviceRegions struct {
	ConnectionID   string           `json:"connection_id"`   // Id of the connection that the vehicle belongs to.
	Description    *string          `json:"description"`     // Description of the vehicle.
	DeviceID       string           `json:"device_id"`       // Id of the vehicle.
	DistanceMetres float64          `json:"distance_metres"` // What these trips have together: the sum of the regions.
	Regions        []RegionDistance `json:"regions"`         // A row for each region, by its code; the one without a code last.
	Registration   *string          `json:"registration"`    // Plate of the vehicle.
	Trips          int64            `json:"trips"`           // Number of valid trips that start in the time asked for.
}

// DeviceSettings: What was set for one device, and what holds.
type DeviceSettings struct {
	DeviceID           string             `json:"device_id"`            // Id of the device.
	EffectiveTripRules EffectiveTripRules `json:"effective_trip_rules"` // What holds, and who has set it.
	TimeZone           ChosenZone         `json:"time_zone"`            // The zone of the device's days: its connection's, or else the tenant's.
	TripRules          TripRules          `json:"trip_rules"`           // What is set for the device; of the others a wider setting holds.
	Trips              TripSource         `json:"trips"`                // Whether trips are the provider's or derived from positions.
}

// DeviceSettingsUpdate: A change of a device's settings: only what is sent changes.
type DeviceSettingsUpdate struct {
	TripRules Optional[TripRulesUpdate] `json:"trip_rules,omitzero"` // Null takes all rules back.
}

// DeviceState: What a device does; nothing was heard of a silent one for longer than it should take.
type DeviceState string

// The values of DeviceState.
const (
	DeviceStateDriving DeviceState = "driving"
	DeviceStateIdling  DeviceState = "idling"
	DeviceStateStopped DeviceState = "stopped"
	DeviceStateSilent  DeviceState = "silent"
)

// DeviceTagInput: Tags to add to devices and to take away.
type DeviceTagInput struct {
	Add       Optional[[]string] `json:"add,omitzero"`    // Tags that the devices are to have.
	DeviceIDs []string           `json:"device_ids"`      // The devices to tag, 1,000 at the most.
	Remove    Optional[[]string] `json:"remove,omitzero"` // Tags that they are to have no longer.
}

// DeviceTagResult: What came of tagging devices.
type DeviceTagResult struct {
	Changed int64 `json:"changed"` // How many devices have other tags now.
}

// DeviceUpdate: A change of a device: only what is sent changes.
type DeviceUpdate struct {
	Active       Optional[bool]     `json:"active,omitzero"`       // Whether the vehicle is in use.
	Description  Optional[string]   `json:"description,omitzero"`  // What the device is called.
	Make         Optional[string]   `json:"make,omitzero"`         // Who made the vehicle.
	Model        Optional[string]   `json:"model,omitzero"`        // Model of the vehicle.
	Registration Optional[string]   `json:"registration,omitzero"` // Number plate.
	Tags         Optional[[]string] `json:"tags,omitzero"`         // Labels, in lower case; ten that differ at most.
	Year         Optional[int64]    `json:"year,omitzero"`         // Year in which it was made.
}

// Driver: A person who drives, as a connection's provider lists them.
type Driver struct {
	Active         bool        `json:"active"`           // Whether the provider lists the driver as active, unless the tenant has set it.
	ConnectionID   string      `json:"connection_id"`    // Id of the connection.
	Email          *string     `json:"email"`            // An e-mail address; null where the provider does not say.
	EmployeeNumber *string     `json:"employee_number"`  // What the fleet's business calls the driver; null where the provider does not say.
	FirstName      *string     `json:"first_name"`       // The first name; null where the provider does not say.
	ID             string      `json:"id"`               // Id of the record.
	Keys           []DriverKey `json:"keys"`             // What the driver is known by at a vehicle.
	LastName       *string     `json:"last_name"`        // The last name; null where the provider does not say.
	LicenceNumber  *string     `json:"licence_number"`   // The number of the driving licence; null where the provider does not say.
	LicenceRegion  *string     `json:"licence_region"`   // The state or country that gave the licence.
	Name           *string     `json:"name"`             // The whole name, as the provider writes it, or put together from its parts.
	Phone          *string     `json:"phone"`            // A telephone number; null where the provider does not say.
	SystemDriverID string      `json:"system_driver_id"` // The provider's id: the value of driver_id of positions and trips. After an erasure it is the pseudonym.
	Tags           []string    `json:"tags"`             // Labels, in lower case; ten that differ at most.
}

// DriverAssignment: Someone drove a device for some time.
type DriverAssignment struct {
	ConnectionID   string           `json:"connection_id"`    // Id of the connection.
	DeviceID       string           `json:"device_id"`        // Id of the device.
	DriverID       *string          `json:"driver_id"`        // The record of the driver; null where the provider does not list the driver.
	EndTime        *time.Time       `json:"end_time"`         // Null while it goes on.
	ID             string           `json:"id"`               // Made of the device, the driver and the start: it changes where the start does.
	Method         AssignmentMethod `json:"method"`           // How it is known who drove.
	StartTime      time.Time        `json:"start_time"`       // When it began.
	SystemDriverID string           `json:"system_driver_id"` // The provider's id: the value of driver_id of positions and trips.
}

// DriverErasure: The work of replacing a driver by a pseudonym.
type DriverErasure struct {
	Events      int64      `json:"events"`       // Events, or packed parts of the feed with any; also in the feeds of tenants with whom they were shared.
	FinishedAt  *time.Time `json:"finished_at"`  // Null before it is done.
	ID          string     `json:"id"`           // Id of the record.
	Positions   int64      `json:"positions"`    // Positions, or packed days of a device with any.
	Pseudonym   string     `json:"pseudonym"`    // What stands for the driver everywhere now. It is made up: nothing leads from it to the driver.
	RequestedAt time.Time  `json:"requested_at"` // When it was asked for.
	State       JobState   `json:"state"`        // How far it has come.
	Trips       int64      `json:"trips"`        // Trips in which it was replaced so far.
}

// DriverID: The driver as the provider names them.
type DriverID struct {
	Format string `json:"format"` // Always text.
	Value  string `json:"value"`  // The provider's id of the driver.
}

// DriverKey: What a driver is known by at a vehicle.
type DriverKey struct {
	Type  DriverKeyType `json:"type"`  // What kind of key it is.
	Value string        `json:"value"` // What the key says.
}

// DriverKeyType: What kind of key a driver has.
type DriverKeyType string

// The values of DriverKeyType.
const (
	DriverKeyTypeIbutton        DriverKeyType = "ibutton"
	DriverKeyTypeRfid           DriverKeyType = "rfid"
	DriverKeyTypeTachographCard DriverKeyType = "tachograph_card"
	DriverKeyTypeCode           DriverKeyType = "code"
	DriverKeyTypeOther          DriverKeyType = "other"
)

// DriverNotice: A driver that was found or changed. It names no one: the record is read by its id.
type DriverNotice struct {
	Active       bool   `json:"active"`        // Whether the driver is active now.
	ConnectionID string `json:"connection_id"` // Id of the connection.
	ID           string `json:"id"`            // Id of the record.
}

// DriverUpdate: The fields of a driver to change.
type DriverUpdate struct {
	Active Optional[bool]     `json:"active,omitzero"` // Collection leaves it alone from then on.
	Tags   Optional[[]string] `json:"tags,omitzero"`   // Labels, in lower case; ten that differ at most.
}

// ETAPrediction: An arrival that was predicted, against the real one.
type ETAPrediction struct {
	ArrivedAt               *time.Time `json:"arrived_at"`                 // When the device arrived; null until then, and where a deadline ended the journey.
	DistanceToDestinationKM float64    `json:"distance_to_destination_km"` // Distance that remained in kilometres.
	ErrorSeconds            *float64   `json:"error_seconds"`              // By how many seconds the predicted arrival is later than the real one; null before that.
	ETA                     time.Time  `json:"eta"`                        // The arrival that was predicted.
	ETAP10                  *time.Time `json:"eta_p10"`                    // One arrival in ten is before this time; null where no range was kept.
	ETAP90                  *time.Time `json:"eta_p90"`                    // One arrival in ten is after this time; null where no range was kept.
	PredictedAt             time.Time  `json:"predicted_at"`               // When it was predicted.
}

// EffectiveTripRules: The rules by which trips are derived, with where each was set.
type EffectiveTripRules struct {
	GapSeconds        ChosenSeconds `json:"gap_seconds"`         // Seconds without a position after which a trip ends.
	IdleSeconds       ChosenSeconds `json:"idle_seconds"`        // Seconds of standing with the engine on that count as idling.
	MinDistanceMetres ChosenMetres  `json:"min_distance_metres"` // Metres below which a movement is no trip.
	MovingKPH         ChosenSpeed   `json:"moving_kph"`          // Speed from which on a vehicle moves.
	RadiusMetres      ChosenMetres  `json:"radius_metres"`       // Metres within which a vehicle counts as standing in one place.
	StopSeconds       ChosenSeconds `json:"stop_seconds"`        // Seconds of standing that end a trip.
}

// Event: One entry of a tenant's change feed; type says what data is.
type Event struct {
	ConnectionID *string         `json:"connection_id"` // Id of the connection that it is about; null where it is about none.
	Data         json.RawMessage `json:"data"`          // What the event says, by its type.
	DeviceID     *string         `json:"device_id"`     // Id of the device that it is about; null where it is about none or several.
	ID           string          `json:"id"`            // Id of the record.
	MilestoneID  *string         `json:"milestone_id"`  // Id of the milestone that it is about; null where it is about none.
	Sequence     int64           `json:"sequence"`      // Number of the event in the tenant's feed.
	Timestamp    time.Time       `json:"timestamp"`     // When it was.
	Type         EventType       `json:"type"`          // What happened.
}

// EventCount: How many events of a type there were.
type EventCount struct {
	Count int64     `json:"count"` // How many there were.
	Type  EventType `json:"type"`  // The type of the events.
}

// EventStorage: What the feed takes.
type EventStorage struct {
	Bytes int64 `json:"bytes"` // What they take; estimated from the newest.
	Rows  int64 `json:"rows"`  // Events that are kept.
}

// EventType: What happened.
type EventType string

// The values of EventType.
const (
	EventTypeDeviceCreated          EventType = "device.created"
	EventTypeDeviceUpdated          EventType = "device.updated"
	EventTypeDeviceStateChanged     EventType = "device.state_changed"
	EventTypePositionUpdated        EventType = "position.updated"
	EventTypeReadingUpdated         EventType = "reading.updated"
	EventTypeFaultOpened            EventType = "fault.opened"
	EventTypeFaultClosed            EventType = "fault.closed"
	EventTypeSafetyEventRecorded    EventType = "safety_event.recorded"
	EventTypeSafetyEventUpdated     EventType = "safety_event.updated"
	EventTypeTripCompleted          EventType = "trip.completed"
	EventTypeTripUpdated            EventType = "trip.updated"
	EventTypeDriverCreated          EventType = "driver.created"
	EventTypeDriverUpdated          EventType = "driver.updated"
	EventTypeMilestoneCreated       EventType = "milestone.created"
	EventTypeMilestoneUpdated       EventType = "milestone.updated"
	EventTypeMilestoneStarted       EventType = "milestone.started"
	EventTypeMilestoneEntered       EventType = "milestone.entered"
	EventTypeMilestoneEnded         EventType = "milestone.ended"
	EventTypeMilestoneTimedOut      EventType = "milestone.timed_out"
	EventTypeMilestoneLate          EventType = "milestone.late"
	EventTypeMilestoneOnTimeAgain   EventType = "milestone.on_time_again"
	EventTypeMilestoneDeleted       EventType = "milestone.deleted"
	EventTypeConnectionCreated      EventType = "connection.created"
	EventTypeConnectionUpdated      EventType = "connection.updated"
	EventTypeConnectionDeleted      EventType = "connection.deleted"
	EventTypeConnectionFailing      EventType = "connection.failing"
	EventTypeConnectionRecovered    EventType = "connection.recovered"
	EventTypeConnectionDoubtful     EventType = "connection.doubtful"
	EventTypeConnectionTrusted      EventType = "connection.trusted"
	EventTypeConnectionCoverageLost EventType = "connection.coverage_lost"
	EventTypeWebhookDisabled        EventType = "webhook.disabled"
)

// Export: A file of records that is made in the background.
type Export struct {
	Bytes           int64           `json:"bytes"`            // Size of what is written so far.
	CreatedAt       time.Time       `json:"created_at"`       // When it was asked for.
	Error           *string         `json:"error"`            // Why it has failed; null unless it has.
	ExpiresAt       *time.Time      `json:"expires_at"`       // When it is forgotten together with its file; null before it has ended.
	Filters         json.RawMessage `json:"filters"`          // Which records, as they were asked for.
	FinishedAt      *time.Time      `json:"finished_at"`      // When it ended; null before.
	Format          ExportFormat    `json:"format"`           // How they are written.
	ID              string          `json:"id"`               // Id of the export.
	Kind            ExportKind      `json:"kind"`             // What it has the records of.
	ProgressPercent float64         `json:"progress_percent"` // How much is written, from 0 to 100; an estimate until the end.
	Records         int64           `json:"records"`          // Number of records written so far.
	StartedAt       *time.Time      `json:"started_at"`       // When it was last begun; null while it waits.
	State           ExportState     `json:"state"`            // How far it has come. Only one that is done has a file.
}

// ExportFormat: How the records of an export are written.
type ExportFormat string

// The values of ExportFormat.
const (
	ExportFormatCSV     ExportFormat = "csv"
	ExportFormatJSONL   ExportFormat = "jsonl"
	ExportFormatGeojson ExportFormat = "geojson"
	ExportFormatParquet ExportFormat = "parquet"
)

// ExportInput: An export to be made.
type ExportInput struct {
	Filters Optional[json.RawMessage] `json:"filters,omitzero"` // Which records: an object with the query parameters of the list of that kind. For positions and readings these are device_id and connection_id (both may be lists), tag, from and to, with include_suspect for positions, and kind, suspect and every for readings. Without it, all.
	Format  ExportFormat              `json:"format"`           // How to write them. Events, readings, drivers and faults have no place, so there is no geojson of them.
	Kind    ExportKind                `json:"kind"`             // What to export the records of.
}

// ExportKind: What an export has the records of.
type ExportKind string

// The values of ExportKind.
const (
	ExportKindDevice      ExportKind = "device"
	ExportKindPosition    ExportKind = "position"
	ExportKindTrip        ExportKind = "trip"
	ExportKindStop        ExportKind = "stop"
	ExportKindMilestone   ExportKind = "milestone"
	ExportKindEvent       ExportKind = "event"
	ExportKindReading     ExportKind = "reading"
	ExportKindDriver      ExportKind = "driver"
	ExportKindFault       ExportKind = "fault"
	ExportKindSafetyEvent ExportKind = "safety_event"
)

// ExportState: How far an export has come.
type ExportState string

// The values of ExportState.
const (
	ExportStateQueued    ExportState = "queued"
	ExportStateRunning   ExportState = "running"
	ExportStateDone      ExportState = "done"
	ExportStateFailed    ExportState = "failed"
	ExportStateCancelled ExportState = "cancelled"
)

// FactorCode: A code of a second factor.
type FactorCode struct {
	Code string `json:"code"` // Six digits of the authenticator app, or a recovery code.
}

// FactorConfirmed: For how long a second factor is not asked for again.
type FactorConfirmed struct {
	ConfirmedUntil time.Time `json:"confirmed_until"` // Until when it is not asked for again in this session.
}

// FactorInput: What setting up an authenticator app takes.
type FactorInput struct {
	Password Optional[string] `json:"password,omitzero"` // The user's own. Those who have come in by single sign-on leave it out.
}

// FactorProof: A second factor that someone shows: a code, or what a passkey has signed.
type FactorProof struct {
	Code    Optional[string]       `json:"code,omitzero"`    // Six digits of the authenticator app, or a recovery code.
	Passkey Optional[PasskeyProof] `json:"passkey,omitzero"` // What a passkey has signed, in place of a code.
}

// FactorRule: Whose second factor a tenant requires.
type FactorRule struct {
	IncludeSso    bool   `json:"include_sso"`    // Whether that holds for sessions that the tenant's own provider opened, too. Without it the second factor is the provider's matter.
	RequiredRoles []Role `json:"required_roles"` // Users with one of these roles can do nothing but set one up until they have it; empty requires it of no one.
}

// FactorRuleUpdate: A change of whose second factor is required: only what is sent changes.
type FactorRuleUpdate struct {
	IncludeSso    Optional[bool]   `json:"include_sso,omitzero"`    // Whether it holds for single sign-on, too.
	RequiredRoles Optional[[]Role] `json:"required_roles,omitzero"` // The list replaces the one before.
}

// FactorSecret: What an authenticator app is set up with.
type FactorSecret struct {
	Secret string `json:"secret"` // The secret, in base32, to be typed.
	Uri    string `json:"uri"`    // The same as an address, to be shown as a QR code.
}

// FactorStep: What has to be done about the second factor: it has to be set up, or shown.
type FactorStep string

// The values of FactorStep.
const (
	FactorStepEnrol    FactorStep = "enrol"
	FactorStepRequired FactorStep = "required"
)

// Fault: Something broken that a vehicle reports, from when it was seen first until it was over.
type Fault struct {
	ClosedAt      *time.Time     `json:"closed_at"`      // When it was known to be over; null while it is not.
	ClosedBy      *FaultClosing  `json:"closed_by"`      // vendor where the provider says that it is over, absence where it is gone from a whole list, silence where nothing was reported for 30 days; null while it is open.
	Code          string         `json:"code"`           // As the protocol writes it: P0420, SPN 3031 FMI 9, the name of a tell-tale, or the provider's words.
	ConnectionID  string         `json:"connection_id"`  // Id of the connection.
	Description   *string        `json:"description"`    // The provider's words; null where it has none.
	DeviceID      string         `json:"device_id"`      // Id of the device.
	FirstSeenAt   time.Time      `json:"first_seen_at"`  // When it was first reported, or began where the provider says that.
	Fmi           *int64         `json:"fmi"`            // Failure mode identifier of J1939; null where the provider gives no such number.
	ID            string         `json:"id"`             // Id of the record.
	Lamps         []Lamp         `json:"lamps"`          // The lamps of the dashboard that are lit for it.
	LastSeenAt    time.Time      `json:"last_seen_at"`   // When it was last reported, to a quarter of an hour.
	Occurrences   *int64         `json:"occurrences"`    // How often the vehicle has counted it; null where the provider does not say.
	Protocol      FaultProtocol  `json:"protocol"`       // The language of the code.
	Severity      *FaultSeverity `json:"severity"`       // As the provider says; null where it does not.
	SourceAddress *int64         `json:"source_address"` // The control unit that reports it; null where the provider does not say.
	Spn           *int64         `json:"spn"`            // Suspect parameter number of J1939; null where the provider gives no such number.
	Status        FaultStatus    `json:"status"`         // Whether it is there: open, pending while the vehicle is not sure yet, or closed.
}

// FaultClosing: By what a fault is known to be over.
type FaultClosing string

// The values of FaultClosing.
const (
	FaultClosingVendor  FaultClosing = "vendor"
	FaultClosingAbsence FaultClosing = "absence"
	FaultClosingSilence FaultClosing = "silence"
)

// FaultProtocol: The language in which a vehicle reports a fault.
type FaultProtocol string

// The values of FaultProtocol.
const (
	FaultProtocolObd      FaultProtocol = "obd"
	FaultProtocolJ1939    FaultProtocol = "j1939"
	FaultProtocolJ1708    FaultProtocol = "j1708"
	FaultProtocolTellTale FaultProtocol = "tell_tale"
	FaultProtocolOem      FaultProtocol = "oem"
	FaultProtocolUnknown  FaultProtocol = "unknown"
)

// FaultSeverity: How bad a fault is, as the provider says.
type FaultSeverity string

// The values of FaultSeverity.
const (
	FaultSeverityLow      FaultSeverity = "low"
	FaultSeverityMedium   FaultSeverity = "medium"
	FaultSeverityHigh     FaultSeverity = "high"
	FaultSeverityCritical FaultSeverity = "critical"
)

// FaultStatus: Whether a fault is there; a pending one is not confirmed yet.
type FaultStatus string

// The values of FaultStatus.
const (
	FaultStatusOpen    FaultStatus = "open"
	FaultStatusPending FaultStatus = "pending"
	FaultStatusClosed  FaultStatus = "closed"
)

// FilePart: A call that a file describes, as a run made it.
type FilePart struct {
	At       time.Time `json:"at"`        // When the run was.
	Calls    int64     `json:"calls"`     // How often the run made it.
	FromLine int64     `json:"from_line"` // The first of its lines in the text.
	Part     string    `json:"part"`      // Its key in the file, such as positions.newest.
	Rows     int64     `json:"rows"`      // Rows in the answers. Those that are no record are left out of records.
	ToLine   int64     `json:"to_line"`   // The last of its lines.
}

// FileRecords: What a run gave of one kind.
type FileRecords struct {
	At      time.Time `json:"at"`      // When the run was.
	Kind    string    `json:"kind"`    // devices, positions or trips.
	Records int64     `json:"records"` // How many.
}

// FileRefusal: A version of a file that failed when it was tried.
type FileRefusal struct {
	At      time.Time `json:"at"`      // When it was tried last.
	Reason  string    `json:"reason"`  // What went wrong, in words.
	Version string    `json:"version"` // Its hash.
}

// Finding: A record that a search has found.
type Finding struct {
	Detail *string    `json:"detail"` // A device's registration, a connection's provider, a driver's id at the provider, or the id of the device of any other record.
	ID     string     `json:"id"`     // Id of the record.
	Kind   SearchKind `json:"kind"`   // What kind of record it is.
	Name   *string    `json:"name"`   // A device's description, a connection's business name, a milestone's reference, a driver's name, a fault's code, or the type of a safety event.
}

// HistoricPosition: A position of a device's history.
type HistoricPosition struct {
	Auxiliary      *bool     `json:"auxiliary"`       // Whether an auxiliary, such as a power take-off, is running; null where the provider does not say.
	DriverID       *DriverID `json:"driver_id"`       // The driver; null where the provider does not say.
	Heading        *float64  `json:"heading"`         // Direction of travel in degrees, clockwise from north; null where it is not known.
	Ignition       *bool     `json:"ignition"`        // Whether the ignition is on; null where the provider does not say.
	Latitude       float64   `json:"latitude"`        // Latitude in degrees.
	Longitude      float64   `json:"longitude"`       // Longitude in degrees.
	OdometerMetres *float64  `json:"odometer_metres"` // Reading of the odometer in metres; null where the provider does not say.
	Speed          *Speed    `json:"speed"`           // The speed; null where it is not known.
	Suspect        *string   `json:"suspect"`         // Why the position is not believed; null where it is.
	Timestamp      time.Time `json:"timestamp"`       // When it was.
}

// InboundAddress: Where a provider may call with news of a connection.
type InboundAddress struct {
	ConnectionID string    `json:"connection_id"` // Id of the connection.
	CreatedAt    time.Time `json:"created_at"`    // When it was made.
	Help         string    `json:"help"`          // Where the provider takes the address.
	Signed       bool      `json:"signed"`        // The credentials have a webhook_secret, and notices without the provider's own signature, or key, are refused.
	URL          string    `json:"url"`           // Where the provider is to send its notices. It is shown this once; the one before is no longer taken.
}

// InboundState: How the notices of a provider go.
type InboundState struct {
	CreatedAt    time.Time  `json:"created_at"`     // When it was made.
	LastNoticeAt *time.Time `json:"last_notice_at"` // When the provider last sent a notice; null before the first.
}

// InvitationView: An invitation as the fleet sees it.
type InvitationView struct {
	BusinessName string              `json:"business_name"` // The fleet that is asked.
	ConnectedAt  *time.Time          `json:"connected_at"`  // When the fleet connected its provider; null before.
	Consent      bool                `json:"consent"`       // Whether the provider is to be asked for its consent (POST …/consent), instead of credentials being entered.
	ExpiresAt    time.Time           `json:"expires_at"`    // When the link can no longer be used.
	Providers    []Provider          `json:"providers"`     // Those to choose from; none once the link is used.
	Reads        []string            `json:"reads"`         // What is read.
	Renewal      bool                `json:"renewal"`       // Whether new credentials are asked for, of what is connected already.
	Since        *time.Time          `json:"since"`         // From when on data is read; from the connection on, where it is null.
	State        ConnectionLinkState `json:"state"`         // How far the invitation has come.
	TenantName   string              `json:"tenant_name"`   // For whom the data is read.
	WithdrawnAt  *time.Time          `json:"withdrawn_at"`  // When access was withdrawn; null where it was not.
}

// JobHealth: How one of a connection's jobs goes.
type JobHealth struct {
	Backfill          *BackfillState `json:"backfill"`           // How far the past is filled in; null for a live job.
	ConsecutiveErrors int64          `json:"consecutive_errors"` // Failed runs since the last that went well.
	History           *BackfillState `json:"history"`            // The same as backfill, under its former name. Read backfill.
	ID                string         `json:"id"`                 // Id of the job.
	Kind              string         `json:"kind"`               // What the job reads.
	LagSeconds        *float64       `json:"lag_seconds"`        // Seconds since the job last ran well; null for the past.
	LastError         *string        `json:"last_error"`         // The newest error in words; null where there was none.
	LastErrorAt       *time.Time     `json:"last_error_at"`      // When it was.
	LastErrorKind     *string        `json:"last_error_kind"`    // What kind of error it was.
	LastRunAt         *time.Time     `json:"last_run_at"`        // When it was last tried.
	LastSuccessAt     *time.Time     `json:"last_success_at"`    // When it last went well.
	NextRunAt         *time.Time     `json:"next_run_at"`        // When it is read next; null where it is not.
	Records           int64          `json:"records"`            // Records read.
	State             string         `json:"state"`              // How it is.
}

// JobHour: How the runs of a job went in one hour.
type JobHour struct {
	Failures int64     `json:"failures"` // Runs that failed.
	Hour     time.Time `json:"hour"`     // Beginning of the hour.
	Kind     string    `json:"kind"`     // What the job reads.
	Records  int64     `json:"records"`  // Records read.
	Runs     int64     `json:"runs"`     // How often it was tried.
}

// JobState: How far work in the background has come.
type JobState string

// The values of JobState.
const (
	JobStateQueued    JobState = "queued"
	JobStateRunning   JobState = "running"
	JobStateDone      JobState = "done"
	JobStateFailed    JobState = "failed"
	JobStateCancelled JobState = "cancelled"
)

// KeyOwner: Whom an API key ends with.
type KeyOwner string

// The values of KeyOwner.
const (
	KeyOwnerUser   KeyOwner = "user"
	KeyOwnerTenant KeyOwner = "tenant"
)

// Lamp: A lamp of the dashboard.
type Lamp string

// The values of Lamp.
const (
	LampMalfunction Lamp = "malfunction"
	LampAmber       Lamp = "amber"
	LampRedStop     Lamp = "red_stop"
	LampProtect     Lamp = "protect"
)

// LimitInput: How much a tenant may have of something.
type LimitInput struct {
	Limit *int64 `json:"limit"` // Null is the default again.
	Name  Quota  `json:"name"`  // What is bounded.
}

// LinkConsent: Where a fleet agrees at its provider.
type LinkConsent struct {
	State string `json:"state"` // Comes back beside the code: an answer with another one belongs to someone else.
	URL   string `json:"url"`   // The vendor's page, to be opened in a browser. The vendor then sends it to the redirect URI of the tenant's application.
}

// LinkInput: What a fleet enters at an invitation.
type LinkInput struct {
	Code            Optional[string]  `json:"code,omitzero"`    // What the vendor has sent to the redirect URI once a person has agreed, instead of credentials, which are empty then.
	Credentials     map[string]string `json:"credentials"`      // The provider's credentials by the names of its fields.
	IntegrationName ProviderEnum      `json:"integration_name"` // The provider.
}

// LinkResult: What came of credentials that a fleet has entered.
type LinkResult struct {
	Connected bool            `json:"connected"` // Whether the credentials work, and are kept. Otherwise the link can be used again.
	Trial     ConnectionTrial `json:"trial"`     // What the provider answered.
}

// ManagedTenant: A tenant, as the operator sees it.
type ManagedTenant struct {
	CreatedAt time.Time   `json:"created_at"` // When it was made.
	ID        string      `json:"id"`         // Id of the record.
	Name      string      `json:"name"`       // What it is called.
	State     TenantState `json:"state"`      // A suspended tenant is refused everywhere and keeps all it has. Of an erased one nothing is left once that is done.
}

// ManagedTenantDetail: A tenant with its limits.
type ManagedTenantDetail struct {
	CreatedAt time.Time      `json:"created_at"` // When it was made.
	ID        string         `json:"id"`         // Id of the record.
	Limits    []AccountLimit `json:"limits"`     // How much the tenant may have, and has.
	Name      string         `json:"name"`       // What it is called.
	State     TenantState    `json:"state"`      // A suspended tenant is refused everywhere and keeps all it has. Of an erased one nothing is left once that is done.
}

// Milestone: A journey of a device between two points that is followed.
type Milestone struct {
	CreatedAt          time.Time         `json:"created_at"`              // When it was made.
	DeviceID           string            `json:"device_id"`               // Id of the device.
	EndPoint           Coordinate        `json:"end_point"`               // Where the journey ends.
	EndTime            *time.Time        `json:"end_time"`                // When the journey is to end; null where that is open.
	ID                 string            `json:"id"`                      // Id of the record.
	LastWebhookError   *string           `json:"last_webhook_error"`      // The newest error of the milestone's webhook; null where there was none.
	LastWebhookErrorAt *time.Time        `json:"last_webhook_error_at"`   // When it was.
	Metadata           map[string]string `json:"metadata,omitempty"`      // What the tenant keeps with it, where something is: at most 16 entries of 4096 bytes in all.
	RadiusMetres       *float64          `json:"radius_metres,omitempty"` // Radius of the circles around both points in metres, where it is set.
	Reference          *string           `json:"reference,omitempty"`     // The tenant's own name of it, such as the number of an order, where it is set.
	StartPoint         Coordinate        `json:"start_point"`             // Where the journey starts.
	StartTime          time.Time         `json:"start_time"`              // From when on the journey counts.
	Status             MilestoneStatus   `json:"status"`                  // How far the journey has come.
	TenantID           string            `json:"tenant_id"`               // Id of the tenant that owns it.
	UpdatedAt          time.Time         `json:"updated_at"`              // When it was last changed.
	WebhookEnabled     bool              `json:"webhook_enabled"`         // Whether the milestone's events are sent.
	WebhookErrorCount  int64             `json:"webhook_error_count"`     // Failed attempts since the last success.
	WebhookURL         *string           `json:"webhook_url"`             // Address to which the milestone's events are sent.
}

// MilestoneInput: A milestone to be made.
type MilestoneInput struct {
	DeviceID       string                      `json:"device_id"`                // Id of the device.
	EndPoint       Coordinate                  `json:"end_point"`                // Where the journey ends.
	EndTime        Optional[time.Time]         `json:"end_time,omitzero"`        // When the journey is to end; null where that is open.
	Metadata       Optional[map[string]string] `json:"metadata,omitzero"`        // What the tenant keeps with it, where something is: at most 16 entries of 4096 bytes in all.
	RadiusMetres   Optional[float64]           `json:"radius_metres,omitzero"`   // Radius of the circles around both points in metres, where it is set.
	Reference      Optional[string]            `json:"reference,omitzero"`       // The tenant's own name of it, such as the number of an order, where it is set.
	StartPoint     Coordinate                  `json:"start_point"`              // Where the journey starts.
	StartTime      Optional[time.Time]         `json:"start_time,omitzero"`      // From when on the journey counts.
	WebhookEnabled Optional[bool]              `json:"webhook_enabled,omitzero"` // Whether the milestone's events are sent.
	WebhookURL     Optional[string]            `json:"webhook_url,omitzero"`     // Address to which the milestone's events are sent.
}

// MilestoneLateness: A milestone that is late, or on time again: its end_time is the deadline.
type MilestoneLateness struct {
	CreatedAt          time.Time         `json:"created_at"`              // When it was made.
	DeviceID           string            `json:"device_id"`               // Id of the device.
	EndPoint           Coordinate        `json:"end_point"`               // Where the journey ends.
	EndTime            *time.Time        `json:"end_time"`                // When the journey is to end; null where that is open.
	ETA                *time.Time        `json:"eta"`                     // When the device is expected to arrive, or did. Null where nothing can be predicted: the deadline has passed.
	ETAP10             *time.Time        `json:"eta_p10"`                 // One arrival in ten is before this time. Null where nothing is predicted, and after the arrival.
	ETAP90             *time.Time        `json:"eta_p90"`                 // One arrival in ten is after this time. Null where nothing is predicted, and after the arrival.
	ID                 string            `json:"id"`                      // Id of the record.
	LastWebhookError   *string           `json:"last_webhook_error"`      // The newest error of the milestone's webhook; null where there was none.
	LastWebhookErrorAt *time.Time        `json:"last_webhook_error_at"`   // When it was.
	LateBySeconds      *float64          `json:"late_by_seconds"`         // By how much eta is later than end_time, or the present where nothing is predicted; below zero where it is earlier. Null once the share of the device's positions has ended.
	Metadata           map[string]string `json:"metadata,omitempty"`      // What the tenant keeps with it, where something is: at most 16 entries of 4096 bytes in all.
	RadiusMetres       *float64          `json:"radius_metres,omitempty"` // Radius of the circles around both points in metres, where it is set.
	Reference          *string           `json:"reference,omitempty"`     // The tenant's own name of it, such as the number of an order, where it is set.
	StartPoint         Coordinate        `json:"start_point"`             // Where the journey starts.
	StartTime          time.Time         `json:"start_time"`              // From when on the journey counts.
	Status             MilestoneStatus   `json:"status"`                  // How far the journey has come.
	TenantID           string            `json:"tenant_id"`               // Id of the tenant that owns it.
	UpdatedAt          time.Time         `json:"updated_at"`              // When it was last changed.
	WebhookEnabled     bool              `json:"webhook_enabled"`         // Whether the milestone's events are sent.
	WebhookErrorCount  int64             `json:"webhook_error_count"`     // Failed attempts since the last success.
	WebhookURL         *string           `json:"webhook_url"`             // Address to which the milestone's events are sent.
}

// MilestoneLink: A page that shows a journey to people without a login.
type MilestoneLink struct {
	CreatedAt    time.Time  `json:"created_at"`     // When it was made.
	ExpiresAt    time.Time  `json:"expires_at"`     // When it ends.
	ID           string     `json:"id"`             // Id of the record.
	LastOpenedAt *time.Time `json:"last_opened_at"` // When it was last opened; null where it never was.
	MilestoneID  string     `json:"milestone_id"`   // Id of the milestone.
	OpenedCount  int64      `json:"opened_count"`   // How often it was opened.
}

// MilestoneLinkCreated: A new page with its address, which is shown this once.
type MilestoneLinkCreated struct {
	CreatedAt    time.Time  `json:"created_at"`     // When it was made.
	ExpiresAt    time.Time  `json:"expires_at"`     // When it ends.
	ID           string     `json:"id"`             // Id of the record.
	LastOpenedAt *time.Time `json:"last_opened_at"` // When it was last opened; null where it never was.
	MilestoneID  string     `json:"milestone_id"`   // Id of the milestone.
	OpenedCount  int64      `json:"opened_count"`   // How often it was opened.
	URL          string     `json:"url"`            // The address of the page, shown this once: beginning with --public-url, or a path where none is set.
}

// MilestoneLinkInput: A page to be made.
type MilestoneLinkInput struct {
	ExpiresAt Optional[time.Time] `json:"expires_at,omitzero"` // At most 90 days ahead; seven days from now, where it is left out.
}

// MilestoneStatus: How far a journey has come. It never goes back by itself.
type MilestoneStatus string

// The values of MilestoneStatus.
const (
	MilestoneStatusTripNotStarted MilestoneStatus = "trip_not_started"
	MilestoneStatusTripInProgress MilestoneStatus = "trip_in_progress"
	MilestoneStatusTripEnded      MilestoneStatus = "trip_ended"
)

// MilestoneStep: A milestone that has moved on, or whose device is silent.
type MilestoneStep struct {
	CreatedAt          time.Time         `json:"created_at"`              // When it was made.
	DeviceID           string            `json:"device_id"`               // Id of the device.
	EndPoint           Coordinate        `json:"end_point"`               // Where the journey ends.
	EndTime            *time.Time        `json:"end_time"`                // When the journey is to end; null where that is open.
	ID                 string            `json:"id"`                      // Id of the record.
	LastWebhookError   *string           `json:"last_webhook_error"`      // The newest error of the milestone's webhook; null where there was none.
	LastWebhookErrorAt *time.Time        `json:"last_webhook_error_at"`   // When it was.
	Metadata           map[string]string `json:"metadata,omitempty"`      // What the tenant keeps with it, where something is: at most 16 entries of 4096 bytes in all.
	OccurredAt         time.Time         `json:"occurred_at"`             // Time of the position, or of the deadline, that brought it about.
	Position           *CurrentPosition  `json:"position"`                // The position; null where there is none.
	RadiusMetres       *float64          `json:"radius_metres,omitempty"` // Radius of the circles around both points in metres, where it is set.
	Reference          *string           `json:"reference,omitempty"`     // The tenant's own name of it, such as the number of an order, where it is set.
	StartPoint         Coordinate        `json:"start_point"`             // Where the journey starts.
	StartTime          time.Time         `json:"start_time"`              // From when on the journey counts.
	Status             MilestoneStatus   `json:"status"`                  // How far the journey has come.
	TenantID           string            `json:"tenant_id"`               // Id of the tenant that owns it.
	UpdatedAt          time.Time         `json:"updated_at"`              // When it was last changed.
	WebhookEnabled     bool              `json:"webhook_enabled"`         // Whether the milestone's events are sent.
	WebhookErrorCount  int64             `json:"webhook_error_count"`     // Failed attempts since the last success.
	WebhookURL         *string           `json:"webhook_url"`             // Address to which the milestone's events are sent.
}

// MilestoneUpdate: A change of a milestone: only what is sent changes.
type MilestoneUpdate struct {
	DeviceID       Optional[string]            `json:"device_id,omitzero"`       // Id of the device.
	EndPoint       Optional[Coordinate]        `json:"end_point,omitzero"`       // Where the journey ends.
	EndTime        Optional[time.Time]         `json:"end_time,omitzero"`        // When the journey is to end; null where that is open.
	Metadata       Optional[map[string]string] `json:"metadata,omitzero"`        // What the tenant keeps with it, where something is: at most 16 entries of 4096 bytes in all.
	RadiusMetres   Optional[float64]           `json:"radius_metres,omitzero"`   // Radius of the circles around both points in metres, where it is set.
	Reference      Optional[string]            `json:"reference,omitzero"`       // The tenant's own name of it, such as the number of an order, where it is set.
	StartPoint     Optional[Coordinate]        `json:"start_point,omitzero"`     // Where the journey starts.
	StartTime      Optional[time.Time]         `json:"start_time,omitzero"`      // From when on the journey counts.
	WebhookEnabled Optional[bool]              `json:"webhook_enabled,omitzero"` // Whether the milestone's events are sent.
	WebhookURL     Optional[string]            `json:"webhook_url,omitzero"`     // Address to which the milestone's events are sent.
}

// MilestoneUpdateEntry: Where the device of a milestone is, when it arrives, and how late that is.
type MilestoneUpdateEntry struct {
	ConnectionID            string           `json:"connection_id"`              // Id of the connection.
	CurrentPosition         *CurrentPosition `json:"current_position"`           // The newest position, or the last one known; null where there is none.
	DeviceID                string           `json:"device_id"`                  // Id of the device.
	DistanceToDestinationKM *float64         `json:"distance_to_destination_km"` // Distance that remains in kilometres; null where that cannot be known.
	ETA                     *time.Time       `json:"eta"`                        // When the device is expected to arrive; null where that cannot be known.
	LastUpdatedAt           *time.Time       `json:"last_updated_at"`            // Time of the newest position; null where there is none.
	LateBySeconds           *float64         `json:"late_by_seconds"`            // By how much the arrival, predicted or real, is later than end_time; below zero where it is earlier. Where nothing is predicted, the time since end_time once that has passed. Null without end_time, before it without a prediction, and where the journey ended without an arrival.
	MilestoneID             string           `json:"milestone_id"`               // Id of the milestone.
	Progress                *float64         `json:"progress"`                   // How much of the way is behind the device, from 0 to 1, by straight lines. Null while it is under way and has no position.
	Status                  MilestoneStatus  `json:"status"`                     // How far the journey has come.
	SystemDeviceID          string           `json:"system_device_id"`           // The provider's id of the device.
}

// MilestoneUpdateRecord: Where a milestone's device is and when it arrives: in one of two states.
type MilestoneUpdateRecord struct {
	ConnectionID            string           `json:"connection_id"`              // Id of the connection.
	CurrentPosition         *CurrentPosition `json:"current_position"`           // The newest position, or the last one known; null where there is none.
	DeviceID                string           `json:"device_id"`                  // Id of the device.
	DistanceToDestinationKM *float64         `json:"distance_to_destination_km"` // Distance that remains in kilometres.
	ETA                     *time.Time       `json:"eta"`                        // When the device is expected to arrive, or did.
	LastUpdatedAt           *time.Time       `json:"last_updated_at"`            // Time of the newest position; null where there is none.
	MilestoneID             string           `json:"milestone_id"`               // Id of the milestone.
	SystemDeviceID          string           `json:"system_device_id"`           // The provider's id of the device.
}

// NewUsers: What becomes of people who sign in by the provider and have no user yet.
type NewUsers string

// The values of NewUsers.
const (
	NewUsersInvited   NewUsers = "invited"
	NewUsersAutomatic NewUsers = "automatic"
)

// NewestColumns: The newest positions as one list for each field, of the same length and order.
type NewestColumns struct {
	Auxiliary      []*bool       `json:"auxiliary"`       // Whether an auxiliary is running.
	ConnectionID   []string      `json:"connection_id"`   // Ids of the connections.
	Description    []*string     `json:"description"`     // What the devices are called.
	DeviceID       []string      `json:"device_id"`       // Ids of the devices.
	DriverID       []*string     `json:"driver_id"`       // The driver.
	Heading        []*float64    `json:"heading"`         // Directions of travel in degrees, clockwise from north; null in a place where it is not known.
	Ignition       []*bool       `json:"ignition"`        // Whether the ignition is on; null in a place where the provider does not say.
	Latitude       []*float64    `json:"latitude"`        // Latitudes in degrees.
	Longitude      []*float64    `json:"longitude"`       // Longitudes in degrees.
	OdometerMetres []*float64    `json:"odometer_metres"` // Readings of the odometer in metres; null in a place where the provider does not say.
	Registration   []*string     `json:"registration"`    // Number plates.
	SpeedKPH       []*float64    `json:"speed_kph"`       // Speeds in kilometres an hour.
	State          []DeviceState `json:"state"`           // What each device does.
	StateSince     []*time.Time  `json:"state_since"`     // Since when it does so; null in a place where the device was never heard of.
	Timestamp      []*time.Time  `json:"timestamp"`       // Times of the positions.
}

// NewestPosition: The row of a device in the newest positions of a fleet.
type NewestPosition struct {
	ConnectionID string            `json:"connection_id"` // Id of the connection.
	Description  *string           `json:"description"`   // What the device is called.
	DeviceID     string            `json:"device_id"`     // Id of the device.
	Position     *DetailedPosition `json:"position"`      // Null for a device that has never reported.
	Registration *string           `json:"registration"`  // Number plate.
	State        DeviceState       `json:"state"`         // What the device does.
	StateSince   *time.Time        `json:"state_since"`   // Since when; null for a device that was never heard of.
}

// NewestReading: What a device's instruments of one kind and channel said last.
type NewestReading struct {
	Channel      *string        `json:"channel"`       // Which of several, such as the number of a probe or the place of a door; null where there is one.
	ConnectionID string         `json:"connection_id"` // Id of the connection.
	DeviceID     string         `json:"device_id"`     // Id of the device.
	ID           string         `json:"id"`            // Names the device's readings of this kind and channel: the newest one has it, whatever it says.
	Kind         ReadingKind    `json:"kind"`          // What was measured; the unit is in the name.
	NativeName   string         `json:"native_name"`   // What the provider calls it.
	Source       *ReadingSource `json:"source"`        // Who measures or counts; null where the provider does not say.
	Suspect      *string        `json:"suspect"`       // Why the value is not believed: range, zero, backwards or jump; null where it is.
	Timestamp    time.Time      `json:"timestamp"`     // When the value itself was measured, which need not be the time of a position.
	Value        float64        `json:"value"`         // In the unit that the kind names; states are 1 and 0.
}

// Note: What a person has written down about a device or one of its trips.
type Note struct {
	Author    string    `json:"author"`     // Who wrote it, by the name at that time: a user, or a key.
	AuthorID  string    `json:"author_id"`  // The user or the key.
	CreatedAt time.Time `json:"created_at"` // When it was made.
	DeviceID  string    `json:"device_id"`  // Id of the device.
	ID        string    `json:"id"`         // Id of the record.
	Text      string    `json:"text"`       // What was written, as plain text.
	TripID    *string   `json:"trip_id"`    // The trip that it is about; null where it is about the device.
}

// NoteInput: A note to be written.
type NoteInput struct {
	Text   string           `json:"text"`             // Plain text of at most 2,000 characters. Blanks around it are left out.
	TripID Optional[string] `json:"trip_id,omitzero"` // A trip of the device that the note is about; without it, it is about the device.
}

// Offer: Whether a connection can have a kind of reading, or faults.
type Offer string

// The values of Offer.
const (
	OfferNative     Offer = "native"
	OfferNotOffered Offer = "not_offered"
	OfferNeedsScope Offer = "needs_scope"
)

// OwnUpdate: A change of one's own account: only what is sent changes.
type OwnUpdate struct {
	OldPassword Optional[string]          `json:"old_password,omitzero"` // Needed with password.
	Password    Optional[string]          `json:"password,omitzero"`     // 8 to 1024 bytes. All other sessions end.
	Preferences Optional[json.RawMessage] `json:"preferences,omitzero"`  // An object of at most 16384 bytes, which replaces the one before.
}

// Party: Someone who must act on the state of a connection.
type Party string

// The values of Party.
const (
	PartyFleet    Party = "fleet"
	PartyVendor   Party = "vendor"
	PartyOperator Party = "operator"
	PartyDrover   Party = "drover"
)

// Passkey: A key pair in a device of a user, which signs in without a password and is a second factor.
type Passkey struct {
	BackedUp   bool       `json:"backed_up"`    // Whether other devices of the user have it too.
	CreatedAt  time.Time  `json:"created_at"`   // When it was made.
	ID         string     `json:"id"`           // Id of the record.
	LastUsedAt *time.Time `json:"last_used_at"` // When it was last shown; null where it never was.
	Name       string     `json:"name"`         // How the user calls it.
}

// PasskeyChallenge: What a browser asks a device to sign.
type PasskeyChallenge struct {
	Challenge     string    `json:"challenge"`      // In base64url. It is good once, for what it was asked for, until expires_at.
	CredentialIDs []string  `json:"credential_ids"` // The user's passkeys, in base64url: those to choose from, or not to make again. Empty at a sign-in, where the device knows.
	ExpiresAt     time.Time `json:"expires_at"`     // Until when it is accepted.
	RpID          string    `json:"rp_id"`          // The host that passkeys are bound to.
	UserHandle    *string   `json:"user_handle"`    // What a new passkey calls its user, in base64url; null where none is made.
	UserName      *string   `json:"user_name"`      // What a device shows for the user; null where no passkey is made.
}

// PasskeyCreated: A new passkey, with recovery codes where it is the first second factor.
type PasskeyCreated struct {
	BackedUp      bool       `json:"backed_up"`      // Whether other devices of the user have it too.
	CreatedAt     time.Time  `json:"created_at"`     // When it was made.
	ID            string     `json:"id"`             // Id of the record.
	LastUsedAt    *time.Time `json:"last_used_at"`   // When it was last shown; null where it never was.
	Name          string     `json:"name"`           // How the user calls it.
	RecoveryCodes []string   `json:"recovery_codes"` // Where it is the user's first second factor: ten codes, each good once, which are shown this once. Otherwise empty.
}

// PasskeyInput: A passkey to be added, as the browser has it.
type PasskeyInput struct {
	AuthenticatorData string `json:"authenticator_data"` // Of its response.getAuthenticatorData().
	ClientData        string `json:"client_data"`        // Its response.clientDataJSON.
	CredentialID      string `json:"credential_id"`      // Its rawId, in base64url, as all below.
	Name              string `json:"name"`               // How the user calls it.
	PublicKey         string `json:"public_key"`         // Of its response.getPublicKey(): ES256, RS256 or EdDSA.
}

// PasskeyProof: What a passkey has signed, as the browser has it.
type PasskeyProof struct {
	AuthenticatorData string           `json:"authenticator_data"`   // Its response.authenticatorData.
	ClientData        string           `json:"client_data"`          // Its response.clientDataJSON.
	CredentialID      string           `json:"credential_id"`        // Its rawId, in base64url, as all below.
	Signature         string           `json:"signature"`            // Its response.signature.
	UserHandle        Optional[string] `json:"user_handle,omitzero"` // Its response.userHandle, where it has one. A sign-in without a password needs it.
}

// PasskeyUpdate: Another name of a passkey.
type PasskeyUpdate struct {
	Name string `json:"name"` // How the user calls it.
}

// Permission: What a key or a caller may do.
type Permission string

// The values of Permission.
const (
	PermissionRead    Permission = "read"
	PermissionWrite   Permission = "write"
	PermissionSecrets Permission = "secrets"
	PermissionAdmin   Permission = "admin"
	PermissionPush    Permission = "push"
)

// PositionBatch: New positions of one connection, at most 500.
type PositionBatch struct {
	ConnectionID string           `json:"connection_id"` // Id of the connection.
	Positions    []DevicePosition `json:"positions"`     // The positions, oldest first for each device.
}

// PositionStorage: What positions take.
type PositionStorage struct {
	Blocks           int64    `json:"blocks"`             // Packed days, or parts of large ones.
	BytesPerPosition *float64 `json:"bytes_per_position"` // Of packed positions. Null before there are any.
	Packed           int64    `json:"packed"`             // Positions in packed days.
	PackedBytes      int64    `json:"packed_bytes"`       // What packed positions take.
	PerDay           *float64 `json:"per_day"`            // Positions of a day, on the average of the last seven packed days. Null before there is one.
	RowBytes         int64    `json:"row_bytes"`          // What they take, with their index; estimated.
	Rows             int64    `json:"rows"`               // Positions that are not packed yet.
}

// PositionUpdatedData: New positions of one connection as a webhook receives them.
type PositionUpdatedData struct {
	ConnectionID string                    `json:"connection_id"` // Id of the connection.
	Positions    []PositionUpdatedDataItem `json:"positions"`     // The positions, oldest first for each device.
}

// PositionUpdatedDataItem: A position of a batch as a webhook receives it.
type PositionUpdatedDataItem struct {
	DeviceID       string    `json:"device_id"`           // Id of the device.
	DriverID       *DriverID `json:"driver_id,omitempty"` // The driver; null where the provider does not say.
	Heading        *float64  `json:"heading"`             // Direction of travel in degrees, clockwise from north; null where it is not known.
	Latitude       float64   `json:"latitude"`            // Latitude in degrees.
	Longitude      float64   `json:"longitude"`           // Longitude in degrees.
	Speed          *Speed    `json:"speed,omitempty"`     // The speed; null where it is not known.
	SystemDeviceID string    `json:"system_device_id"`    // The provider's id of the device.
	Timestamp      time.Time `json:"timestamp"`           // When it was.
}

// Provider: A telematics provider and what it can tell.
type Provider struct {
	Credentials       []CredentialField `json:"credentials"`        // The credentials that it wants.
	DriverAssignments []string          `json:"driver_assignments"` // What the provider calls its own assignments of drivers that are read; empty where none are.
	Faults            []string          `json:"faults"`             // What the provider calls the faults that are read; empty where none are.
	Features          ProviderFeatures  `json:"features"`           // What it can report.
	Homepage          string            `json:"homepage"`           // Where the provider describes its API.
	Limits            []ProviderLimit   `json:"limits"`             // How often it may be called.
	Name              ProviderEnum      `json:"name"`               // How the interface names it.
	Notes             []string          `json:"notes"`              // What to know of it.
	Polling           ProviderPolling   `json:"polling"`            // How often it is asked.
	Readings          []ProviderReading `json:"readings"`           // What is read of the vehicles' instruments, where the vehicle has them.
	SafetyTypes       []SafetyType      `json:"safety_types"`       // The types of the safety events that are read, besides other; empty where none are.
	Title             string            `json:"title"`              // What people call it.
}

// ProviderEnum: The telematics providers.
type ProviderEnum string

// The values of ProviderEnum.
const (
	ProviderEnumAutomile       ProviderEnum = "automile"
	ProviderEnumBouncie        ProviderEnum = "bouncie"
	ProviderEnumCartrack       ProviderEnum = "cartrack"
	ProviderEnumFlespi         ProviderEnum = "flespi"
	ProviderEnumGeotab         ProviderEnum = "geotab"
	ProviderEnumGpswox         ProviderEnum = "gpswox"
	ProviderEnumJohnDeere      ProviderEnum = "john_deere"
	ProviderEnumMixTelematics  ProviderEnum = "mix_telematics"
	ProviderEnumMotive         ProviderEnum = "motive"
	ProviderEnumNavixy         ProviderEnum = "navixy"
	ProviderEnumRuptela        ProviderEnum = "ruptela"
	ProviderEnumSamsara        ProviderEnum = "samsara"
	ProviderEnumScania         ProviderEnum = "scania"
	ProviderEnumTeletracNavman ProviderEnum = "teletrac_navman"
	ProviderEnumTraccar        ProviderEnum = "traccar"
	ProviderEnumTrackunit      ProviderEnum = "trackunit"
	ProviderEnumVerizonConnect ProviderEnum = "verizon_connect"
	ProviderEnumVolvoTrucks    ProviderEnum = "volvo_trucks"
	ProviderEnumWebfleet       ProviderEnum = "webfleet"
	ProviderEnumWialon         ProviderEnum = "wialon"
)

// ProviderFeatures: What a provider can report.
type ProviderFeatures struct {
	Auxiliary bool       `json:"auxiliary"`         // Whether it reports auxiliaries.
	Backfill  bool       `json:"backfill"`          // Whether the past can be read.
	Driver    bool       `json:"driver"`            // Whether it reports drivers.
	Drivers   bool       `json:"drivers"`           // The persons who drive are listed.
	Feed      bool       `json:"feed"`              // Whether it has a feed of changes.
	Heading   bool       `json:"heading"`           // Whether it reports headings.
	Idling    bool       `json:"idling"`            // Whether it reports idling.
	Ignition  bool       `json:"ignition"`          // Whether it reports the ignition.
	Odometer  bool       `json:"odometer"`          // Whether it reports odometers.
	Push      bool       `json:"push"`              // The provider sends positions by itself while a stream to it is open; it is polled more seldom then.
	Records   *bool      `json:"records,omitempty"` // There is no one to ask: programs send records to the connection. Absent otherwise.
	Snapshot  bool       `json:"snapshot"`          // Live positions are the newest of each device; the track between two polls is read hourly.
	Speed     bool       `json:"speed"`             // Whether it reports speeds.
	Trips     TripSource `json:"trips"`             // Whether trips are the provider's or derived from positions.
	TripsNeed *string    `json:"trips_need"`        // Credential without which trips are derived all the same.
}

// ProviderLimit: How often a provider may be called.
type ProviderLimit struct {
	Concurrent *int64 `json:"concurrent"`  // Calls at the same time.
	Path       string `json:"path"`        // Which calls the limit is for; absent is all.
	PerSeconds *int64 `json:"per_seconds"` // Seconds over which requests are counted.
	Requests   *int64 `json:"requests"`    // Requests in that time.
}

// ProviderPolling: How often a provider is asked.
type ProviderPolling struct {
	DevicesSeconds   int64  `json:"devices_seconds"`   // Seconds between two lists of devices.
	FreshnessSeconds int64  `json:"freshness_seconds"` // How long after the provider has a position it is read: of 500 devices, for 95 of 100 positions.
	PositionsSeconds int64  `json:"positions_seconds"` // Seconds between two polls of positions.
	TripsSeconds     *int64 `json:"trips_seconds"`     // Seconds between two polls of trips; null where they are derived.
}

// ProviderReading: What a provider says of one of the vehicles' instruments.
type ProviderReading struct {
	Channel    *string        `json:"channel"`     // Which of several; * where the account says how many there are, null where there is one.
	Kind       ReadingKind    `json:"kind"`        // What is measured; the unit is in the name.
	NativeName string         `json:"native_name"` // What the provider calls it.
	Source     *ReadingSource `json:"source"`      // Who measures or counts; null where the provider does not say.
}

// PurgeProgress: How far erasing the data of a connection is.
type PurgeProgress struct {
	DevicesDone  int64     `json:"devices_done"`  // Devices that are erased with all their data. The connection goes last.
	DevicesTotal int64     `json:"devices_total"` // Devices that it had.
	RequestedAt  time.Time `json:"requested_at"`  // When it was asked for.
}

// Push: Whether positions come by a push of the provider's.
type Push struct {
	Message *string    `json:"message"` // What the push ended with; null where nothing is wrong.
	Since   *time.Time `json:"since"`   // When the push was opened or ended, or last failed to open; null before the first, and where the process that held it died.
	State   PushState  `json:"state"`   // open: positions come as the provider has them, and polls are rare; closed: they are polled at the usual interval.
}

// PushState: Whether a provider's stream is open.
type PushState string

// The values of PushState.
const (
	PushStateOpen   PushState = "open"
	PushStateClosed PushState = "closed"
)

// QualityCheck: One of the things that are measured of a connection's data.
type QualityCheck struct {
	Assumed    *string  `json:"assumed"`    // What drover takes for granted of this provider until it is measured.
	Measured   *float64 `json:"measured"`   // What was measured.
	Name       string   `json:"name"`       // What is checked.
	Reason     *string  `json:"reason"`     // What is doubtful, in words.
	Samples    int64    `json:"samples"`    // How many values were looked at.
	Suggestion *string  `json:"suggestion"` // The entry of configuration.units that would mend it.
	Unit       *string  `json:"unit"`       // What measured is in.
	Verdict    string   `json:"verdict"`    // What is made of it, in one word.
}

// QualityLatency: How late positions arrive.
type QualityLatency struct {
	P50Seconds *float64 `json:"p50_seconds"` // Half of the positions arrive within so many seconds.
	P95Seconds *float64 `json:"p95_seconds"` // Nineteen of twenty positions arrive within so many seconds.
}

// Quota: Something that a tenant may have a bounded amount of.
type Quota string

// The values of Quota.
const (
	QuotaConnections       Quota = "connections"
	QuotaDevices           Quota = "devices"
	QuotaWebhooks          Quota = "webhooks"
	QuotaFilterBytes       Quota = "filter_bytes"
	QuotaOpenMilestones    Quota = "open_milestones"
	QuotaStreams           Quota = "streams"
	QuotaSyncJobs          Quota = "sync_jobs"
	QuotaExports           Quota = "exports"
	QuotaAPIKeys           Quota = "api_keys"
	QuotaUsers             Quota = "users"
	QuotaLinks             Quota = "links"
	QuotaRequestsPerMinute Quota = "requests_per_minute"
)

// Reading: What one of a vehicle's instruments said at one instant.
type Reading struct {
	Channel      *string        `json:"channel"`       // Which of several, such as the number of a probe or the place of a door; null where there is one.
	ConnectionID string         `json:"connection_id"` // Id of the connection.
	DeviceID     string         `json:"device_id"`     // Id of the device.
	Kind         ReadingKind    `json:"kind"`          // What was measured; the unit is in the name.
	NativeName   string         `json:"native_name"`   // What the provider calls it.
	Source       *ReadingSource `json:"source"`        // Who measures or counts; null where the provider does not say.
	Suspect      *string        `json:"suspect"`       // Why the value is not believed: range, zero, backwards or jump; null where it is.
	Timestamp    time.Time      `json:"timestamp"`     // When the value itself was measured, which need not be the time of a position.
	Value        float64        `json:"value"`         // In the unit that the kind names; states are 1 and 0.
}

// ReadingBatch: Readings of devices of one connection that are new, at most 500.
type ReadingBatch struct {
	ConnectionID string          `json:"connection_id"` // Id of the connection.
	Readings     []NewestReading `json:"readings"`      // What the devices show now, of the kinds that webhooks ask for.
}

// ReadingKind: What a reading measures; the unit is in its name. Ignore kinds that you do not know: more may come.
type ReadingKind string

// The values of ReadingKind.
const (
	ReadingKindOdometerMetres   ReadingKind = "odometer_metres"
	ReadingKindEngineSeconds    ReadingKind = "engine_seconds"
	ReadingKindIdleSeconds      ReadingKind = "idle_seconds"
	ReadingKindPtoSeconds       ReadingKind = "pto_seconds"
	ReadingKindFuelUsedLitres   ReadingKind = "fuel_used_litres"
	ReadingKindFuelLevelPercent ReadingKind = "fuel_level_percent"
	ReadingKindFuelLevelLitres  ReadingKind = "fuel_level_litres"
	ReadingKindDefLevelPercent  ReadingKind = "def_level_percent"
	ReadingKindChargePercent    ReadingKind = "charge_percent"
	ReadingKindSupplyVolts      ReadingKind = "supply_volts"
	ReadingKindCoolantCelsius   ReadingKind = "coolant_celsius"
	ReadingKindAmbientCelsius   ReadingKind = "ambient_celsius"
	ReadingKindProbeCelsius     ReadingKind = "probe_celsius"
	ReadingKindDoorOpen         ReadingKind = "door_open"
	ReadingKindPtoActive        ReadingKind = "pto_active"
)

// ReadingSource: Who measures or counts: the vehicle, a part that was fitted, the tracker, or the provider, which computes it or lets a person set it.
type ReadingSource string

// The values of ReadingSource.
const (
	ReadingSourceVehicle  ReadingSource = "vehicle"
	ReadingSourceSensor   ReadingSource = "sensor"
	ReadingSourceTracker  ReadingSource = "tracker"
	ReadingSourcePlatform ReadingSource = "platform"
)

// Recompute: A window of the past whose trips are derived again.
type Recompute struct {
	ConnectionID *string    `json:"connection_id"` // The connection whose devices it is about; null where that is left open.
	CreatedAt    time.Time  `json:"created_at"`    // When it was made.
	DeviceID     *string    `json:"device_id"`     // The device that it is about; null where that is left open.
	DevicesDone  int64      `json:"devices_done"`  // Devices that are done.
	DevicesTotal int64      `json:"devices_total"` // Devices that are to be done.
	DonePercent  float64    `json:"done_percent"`  // How much is done, from 0 to 100.
	Error        *string    `json:"error"`         // What went wrong; null where nothing did.
	FinishedAt   *time.Time `json:"finished_at"`   // When it ended; null before.
	From         time.Time  `json:"from"`          // Beginning of the window.
	ID           string     `json:"id"`            // Id of the record.
	Notify       bool       `json:"notify"`        // Whether events tell of what changes.
	StartedAt    *time.Time `json:"started_at"`    // When it was begun; null while it waits.
	State        JobState   `json:"state"`         // How far the job is.
	To           time.Time  `json:"to"`            // End of the window.
	TripsAdded   int64      `json:"trips_added"`   // Trips that are new.
	TripsChanged int64      `json:"trips_changed"` // Trips that are otherwise than before.
	TripsRemoved int64      `json:"trips_removed"` // Trips that were dissolved.
}

// RecomputeInput: A window whose trips are to be derived again.
type RecomputeInput struct {
	ConnectionID Optional[string] `json:"connection_id,omitzero"` // Only devices of this connection.
	DeviceID     Optional[string] `json:"device_id,omitzero"`     // Only this device.
	From         time.Time        `json:"from"`                   // The trips that positions from here on make.
	Notify       Optional[bool]   `json:"notify,omitzero"`        // Whether new trips are announced by events too. Changes of trips that were announced before always are. True unless sent.
	To           time.Time        `json:"to"`                     // Up to here. The work begins and ends where vehicles rest, so it may reach a little further on both sides.
}

// Record: What a program sends of a device. Each type has its own fields, in the shapes in which the interface shows the same.
type Record struct {
	AccelerationG    Optional[float64]       `json:"acceleration_g,omitzero"`    // Of a safety event: along the way, braking below zero.
	Active           Optional[bool]          `json:"active,omitzero"`            // Of a device or a driver; true where it is left out.
	Auxiliary        Optional[bool]          `json:"auxiliary,omitzero"`         // Of a position: a power take-off or another auxiliary is running.
	AuxiliarySeconds Optional[float64]       `json:"auxiliary_seconds,omitzero"` // Of a trip.
	Channel          Optional[string]        `json:"channel,omitzero"`           // Which of several, such as the number of a probe; of a reading.
	ClosedAt         Optional[time.Time]     `json:"closed_at,omitzero"`         // When a fault was over; last_seen_at where it is left out of a closed one.
	Code             Optional[string]        `json:"code,omitzero"`              // Of a fault; required.
	Description      Optional[string]        `json:"description,omitzero"`       // Of a device.
	DistanceMetres   Optional[float64]       `json:"distance_metres,omitzero"`   // Of a trip, in metres.
	DriverID         Optional[DriverID]      `json:"driver_id,omitzero"`         // Who drives, of a position, a trip or a safety event. The format is text.
	DrivingSeconds   Optional[float64]       `json:"driving_seconds,omitzero"`   // Of a trip.
	Email            Optional[string]        `json:"email,omitzero"`             // Of a driver.
	EmployeeNumber   Optional[string]        `json:"employee_number,omitzero"`   // Of a driver.
	EndLatitude      Optional[float64]       `json:"end_latitude,omitzero"`      // Of a trip, in degrees.
	EndLongitude     Optional[float64]       `json:"end_longitude,omitzero"`     // Of a trip, in degrees.
	EndTime          Optional[time.Time]     `json:"end_time,omitzero"`          // Of a trip, which is over, where it is required, or of a safety event that lasted.
	FirstName        Optional[string]        `json:"first_name,omitzero"`        // Of a driver.
	FirstSeenAt      Optional[time.Time]     `json:"first_seen_at,omitzero"`     // When a fault began; last_seen_at where it is left out.
	Fmi              Optional[int64]         `json:"fmi,omitzero"`               // Of a fault of J1939.
	Heading          Optional[float64]       `json:"heading,omitzero"`           // Of a position or a safety event, in degrees from north.
	IdlingSeconds    Optional[float64]       `json:"idling_seconds,omitzero"`    // Of a trip.
	Ignition         Optional[bool]          `json:"ignition,omitzero"`          // Of a position.
	Keys             Optional[[]DriverKey]   `json:"keys,omitzero"`              // What a driver is known by at a vehicle.
	Kind             Optional[ReadingKind]   `json:"kind,omitzero"`              // What a reading measures; required for one.
	Lamps            Optional[[]Lamp]        `json:"lamps,omitzero"`             // The lamps that are lit for a fault.
	LastName         Optional[string]        `json:"last_name,omitzero"`         // Of a driver.
	LastSeenAt       Optional[time.Time]     `json:"last_seen_at,omitzero"`      // When a fault was last seen; required for one.
	LateralG         Optional[float64]       `json:"lateral_g,omitzero"`         // Of a safety event: to the side.
	Latitude         Optional[float64]       `json:"latitude,omitzero"`          // Of a position, in degrees, where it is required, or of a safety event.
	LicenceNumber    Optional[string]        `json:"licence_number,omitzero"`    // Of a driver.
	LicenceRegion    Optional[string]        `json:"licence_region,omitzero"`    // Of a driver.
	Longitude        Optional[float64]       `json:"longitude,omitzero"`         // Of a position, in degrees, where it is required, or of a safety event.
	Make             Optional[string]        `json:"make,omitzero"`              // Of a device.
	MaxSpeedKPH      Optional[float64]       `json:"max_speed_kph,omitzero"`     // Of a safety event.
	MediaAvailable   Optional[bool]          `json:"media_available,omitzero"`   // Whether there are pictures of a safety event.
	Method           Optional[SafetyMethod]  `json:"method,omitzero"`            // How a safety event was found.
	Model            Optional[string]        `json:"model,omitzero"`             // Of a device.
	Name             Optional[string]        `json:"name,omitzero"`              // Of a driver; put together from its parts where it is left out.
	NativeName       Optional[string]        `json:"native_name,omitzero"`       // What the sender calls the reading; the kind where it is left out.
	NativeType       Optional[string]        `json:"native_type,omitzero"`       // The sender's own word for the type of a safety event; the type where it is left out.
	Occurrences      Optional[int64]         `json:"occurrences,omitzero"`       // How often the vehicle has counted a fault.
	OdometerMetres   Optional[float64]       `json:"odometer_metres,omitzero"`   // Of a position, in metres.
	Phone            Optional[string]        `json:"phone,omitzero"`             // Of a driver.
	Protocol         Optional[FaultProtocol] `json:"protocol,omitzero"`          // The language of a fault's code; unknown where it is left out.
	Registration     Optional[string]        `json:"registration,omitzero"`      // Of a device.
	SafetyType       Optional[SafetyType]    `json:"safety_type,omitzero"`       // What a safety event is: its type; required for one.
	Severity         Optional[FaultSeverity] `json:"severity,omitzero"`          // Of a fault or a safety event, which is never critical.
	Source           Optional[ReadingSource] `json:"source,omitzero"`            // Who measures or counts; of a reading.
	SourceAddress    Optional[int64]         `json:"source_address,omitzero"`    // The control unit that reports a fault.
	Speed            Optional[Speed]         `json:"speed,omitzero"`             // Of a position, in km/h: 0 to 1000.
	SpeedKPH         Optional[float64]       `json:"speed_kph,omitzero"`         // Of a safety event, at its start.
	SpeedLimitKPH    Optional[float64]       `json:"speed_limit_kph,omitzero"`   // Of a safety event.
	Spn              Optional[int64]         `json:"spn,omitzero"`               // Of a fault of J1939.
	StartLatitude    Optional[float64]       `json:"start_latitude,omitzero"`    // Of a trip, in degrees.
	StartLongitude   Optional[float64]       `json:"start_longitude,omitzero"`   // Of a trip, in degrees.
	StartTime        Optional[time.Time]     `json:"start_time,omitzero"`        // Of a trip or a safety event; required.
	Status           Optional[string]        `json:"status,omitzero"`            // Of a fault: open, pending or closed. Of a safety event: open, reviewed, dismissed or invalid. Open where it is left out.
	SystemDeviceID   Optional[string]        `json:"system_device_id,omitzero"`  // What the sender calls the device; required for all but a driver. One that is not known yet is added.
	SystemDriverID   Optional[string]        `json:"system_driver_id,omitzero"`  // What the sender calls the driver, as in driver_id.value of positions and trips; required for a driver.
	SystemEventID    Optional[string]        `json:"system_event_id,omitzero"`   // What the sender calls the safety event, always the same; time and native type where it is left out.
	SystemTripID     Optional[string]        `json:"system_trip_id,omitzero"`    // What the sender calls the trip, always the same; required for a trip.
	Timestamp        Optional[time.Time]     `json:"timestamp,omitzero"`         // When a position or a reading was measured; required for both.
	Type             RecordType              `json:"type"`                       // What the record is about. Each type has its own fields; those of another are refused.
	Value            Optional[float64]       `json:"value,omitzero"`             // Of a reading, in the unit that the kind names; required.
	Year             Optional[int64]         `json:"year,omitzero"`              // Of a device.
}

// RecordOutcome: What became of one record.
type RecordOutcome struct {
	Outcome RecordState `json:"outcome"` // stored: it is new, or changes what is stored. known: it was there already, and nothing changed. refused: reason says why.
	Reason  *string     `json:"reason"`  // Why the record was refused; null otherwise.
}

// RecordResult: What became of a batch of records.
type RecordResult struct {
	Known    int64           `json:"known"`    // Those that were there already.
	Received int64           `json:"received"` // Records of the batch.
	Records  []RecordOutcome `json:"records"`  // What became of each record, in the order in which they were sent.
	Refused  int64           `json:"refused"`  // Those that were not taken.
	Stored   int64           `json:"stored"`   // Those that are new, or changed what is stored.
}

// RecordState: What became of a record.
type RecordState string

// The values of RecordState.
const (
	RecordStateStored  RecordState = "stored"
	RecordStateKnown   RecordState = "known"
	RecordStateRefused RecordState = "refused"
)

// RecordType: What a record is about.
type RecordType string

// The values of RecordType.
const (
	RecordTypeDevice      RecordType = "device"
	RecordTypePosition    RecordType = "position"
	RecordTypeTrip        RecordType = "trip"
	RecordTypeReading     RecordType = "reading"
	RecordTypeDriver      RecordType = "driver"
	RecordTypeFault       RecordType = "fault"
	RecordTypeSafetyEvent RecordType = "safety_event"
)

// RecoveryCodes: Codes that let a user in without its authenticator app.
type RecoveryCodes struct {
	RecoveryCodes []string `json:"recovery_codes"` // Each is good once. They are shown this once, and replace those before.
}

// RefreshResult: A new access token.
type RefreshResult struct {
	AccessToken  string `json:"access_token"`  // The JWT to send as bearer.
	ExpiresIn    int64  `json:"expires_in"`    // Lifetime of the access token in seconds.
	RefreshToken string `json:"refresh_token"` // With a new lifetime; the one that was sent stays valid until its own expiry.
	TokenType    string `json:"token_type"`    // Always bearer.
}

// RefreshToken: What a refresh takes.
type RefreshToken struct {
	RefreshToken string `json:"refresh_token"` // The JWT that gives new access tokens.
	Sub          string `json:"sub"`           // Id of the user, as a login gave it.
}

// RegionDistance: How far a vehicle drove in one state, province or country.
type RegionDistance struct {
	Country        *string `json:"country"`         // The country's code of ISO 3166-1, such as US; null where the region is not known.
	DistanceMetres float64 `json:"distance_metres"` // Parts of the trips' distances, as their positions lie.
	Name           *string `json:"name"`            // The region's name in English; null where it is not known.
	Region         *string `json:"region"`          // The code of ISO 3166-2, such as US-CA, of a state or province of the United States, Canada, Mexico and Australia, and that of the country elsewhere; null for the high seas, and for trips without positions.
	UnseenMetres   float64 `json:"unseen_metres"`   // The part of it that lies between two positions more than 15 minutes apart: in which regions it was driven follows from the straight line between them.
}

// ReplayInput: Which deliveries to send again.
type ReplayInput struct {
	EventID Optional[string]    `json:"event_id,omitzero"` // Id of the event.
	Since   Optional[time.Time] `json:"since,omitzero"`    // Deliveries of events since this time that failed or were skipped.
}

// ReplayResult: How many deliveries are sent again.
type ReplayResult struct {
	Replayed int64 `json:"replayed"` // Number of deliveries.
}

// Retention: For how many days things are kept.
type Retention struct {
	EventDays         *int64 `json:"event_days"`          // Days for which events are kept; null is for ever.
	PositionDays      *int64 `json:"position_days"`       // Days for which positions are kept; null is for ever.
	PositionEventDays *int64 `json:"position_event_days"` // Days for which events about positions are kept; null is for ever.
}

// Role: What a user may do.
type Role string

// The values of Role.
const (
	RoleAdmin  Role = "admin"
	RoleMember Role = "member"
	RoleViewer Role = "viewer"
)

// RoleRule: Which value of a claim gives which role.
type RoleRule struct {
	Role  Role   `json:"role"`  // What those may do who have it. Of several the mightiest counts.
	Value string `json:"value"` // A value of the claim, such as the name of a group.
}

// SSOTest: What an identity provider says of itself.
type SSOTest struct {
	Algorithms            []string `json:"algorithms"`             // What it signs tokens with, as far as it is accepted.
	AuthorizationEndpoint *string  `json:"authorization_endpoint"` // Where people sign in.
	EndsSessions          bool     `json:"ends_sessions"`          // Whether it can be asked to sign people out.
	Error                 *string  `json:"error"`                  // What is wrong; null where nothing is.
	Keys                  int64    `json:"keys"`                   // How many keys verify its tokens.
	NamesIssuer           bool     `json:"names_issuer"`           // Whether its answers name the issuer (RFC 9207).
	Ok                    bool     `json:"ok"`                     // Whether people can be sent there. Whether the client id and its secret are right shows at the first sign-in.
}

// SafetyEvent: Something dangerous that a provider has seen a driver do, or happen to one.
type SafetyEvent struct {
	AccelerationG  *float64        `json:"acceleration_g"`  // Along the way, braking below zero; null where it is not known.
	ConnectionID   string          `json:"connection_id"`   // Id of the connection.
	DeviceID       string          `json:"device_id"`       // Id of the device.
	DriverID       *DriverID       `json:"driver_id"`       // Who drove; null where that is not known or not shared.
	EndTime        *time.Time      `json:"end_time"`        // Null for what happened at one instant.
	Heading        *float64        `json:"heading"`         // Degrees; null where it is not known or not shared.
	ID             string          `json:"id"`              // Id of the record.
	LateralG       *float64        `json:"lateral_g"`       // To the side, without a sign; null where it is not known.
	Latitude       *float64        `json:"latitude"`        // Null where it is not known or not shared.
	Longitude      *float64        `json:"longitude"`       // Null where it is not known or not shared.
	MaxSpeedKPH    *float64        `json:"max_speed_kph"`   // The highest; null where it is not known.
	MediaAvailable *bool           `json:"media_available"` // Whether the provider has pictures of it; null where it does not say.
	Method         *SafetyMethod   `json:"method"`          // How it was found; null where the provider does not say.
	NativeType     string          `json:"native_type"`     // The provider's own word or rule.
	Severity       *SafetySeverity `json:"severity"`        // As the provider says; null where it does not.
	SpeedKPH       *float64        `json:"speed_kph"`       // At the start; null where it is not known.
	SpeedLimitKPH  *float64        `json:"speed_limit_kph"` // As the provider knows it; null where it does not.
	StartTime      time.Time       `json:"start_time"`      // When it began.
	Status         SafetyStatus    `json:"status"`          // What the fleet has made of it at the provider; open where nothing is known.
	SystemEventID  string          `json:"system_event_id"` // The provider's own id or, where it has none, time and type.
	Type           SafetyType      `json:"type"`            // What happened.
}

// SafetyMethod: How it was found.
type SafetyMethod string

// The values of SafetyMethod.
const (
	SafetyMethodDevice   SafetyMethod = "device"
	SafetyMethodCamera   SafetyMethod = "camera"
	SafetyMethodPlatform SafetyMethod = "platform"
)

// SafetySeverity: How bad it was, as the provider says.
type SafetySeverity string

// The values of SafetySeverity.
const (
	SafetySeverityLow    SafetySeverity = "low"
	SafetySeverityMedium SafetySeverity = "medium"
	SafetySeverityHigh   SafetySeverity = "high"
)

// SafetyStatus: What a person at the provider has made of it.
type SafetyStatus string

// The values of SafetyStatus.
const (
	SafetyStatusOpen      SafetyStatus = "open"
	SafetyStatusReviewed  SafetyStatus = "reviewed"
	SafetyStatusDismissed SafetyStatus = "dismissed"
	SafetyStatusInvalid   SafetyStatus = "invalid"
)

// SafetyType: What kind of dangerous driving it is. Anything else is other.
type SafetyType string

// The values of SafetyType.
const (
	SafetyTypeHarshBraking      SafetyType = "harsh_braking"
	SafetyTypeHarshAcceleration SafetyType = "harsh_acceleration"
	SafetyTypeHarshCornering    SafetyType = "harsh_cornering"
	SafetyTypeSpeeding          SafetyType = "speeding"
	SafetyTypeCrash             SafetyType = "crash"
	SafetyTypeDrowsiness        SafetyType = "drowsiness"
	SafetyTypeDistraction       SafetyType = "distraction"
	SafetyTypeTailgating        SafetyType = "tailgating"
	SafetyTypeSeatBelt          SafetyType = "seat_belt"
	SafetyTypeForwardCollision  SafetyType = "forward_collision"
	SafetyTypeLaneDeparture     SafetyType = "lane_departure"
	SafetyTypeCameraObstruction SafetyType = "camera_obstruction"
	SafetyTypePhone             SafetyType = "phone"
	SafetyTypeOther             SafetyType = "other"
)

// SearchKind: What a finding is.
type SearchKind string

// The values of SearchKind.
const (
	SearchKindDevice      SearchKind = "device"
	SearchKindConnection  SearchKind = "connection"
	SearchKindTrip        SearchKind = "trip"
	SearchKindMilestone   SearchKind = "milestone"
	SearchKindDriver      SearchKind = "driver"
	SearchKindFault       SearchKind = "fault"
	SearchKindSafetyEvent SearchKind = "safety_event"
)

// SecondFactor: What a user has besides its password.
type SecondFactor struct {
	App            bool       `json:"app"`             // Whether an authenticator app is set up.
	ConfirmedUntil *time.Time `json:"confirmed_until"` // Until when it is not asked for again in this session; null where it would be.
	Enabled        bool       `json:"enabled"`         // Whether the user has one.
	Passkeys       []Passkey  `json:"passkeys"`        // The user's passkeys, oldest first.
	RecoveryCodes  int64      `json:"recovery_codes"`  // How many recovery codes are left.
	Required       bool       `json:"required"`        // Whether the tenant requires it of the user.
}

// SessionKind: How a session was opened.
type SessionKind string

// The values of SessionKind.
const (
	SessionKindConsole SessionKind = "console"
	SessionKindToken   SessionKind = "token"
)

// SessionView: Who is signed in, and what they may do.
type SessionView struct {
	APIKey      *APIKey         `json:"api_key"`     // Null where a user asks.
	FactorStep  *FactorStep     `json:"factor_step"` // What has to be done about the second factor before anything else is answered; null where nothing is.
	Permissions []Permission    `json:"permissions"` // What the caller may do.
	Preferences json.RawMessage `json:"preferences"` // What the user's own programs keep with it.
	Role        *Role           `json:"role"`        // Null for an API key with scopes.
	System      SystemView      `json:"system"`      // How the service runs.
	Tenant      TenantName      `json:"tenant"`      // The tenant of the caller.
	User        *User           `json:"user"`        // Null where an API key asks.
	Version     string          `json:"version"`     // The version of the service.
}

// SettingSource: Where a value was set.
type SettingSource string

// The values of SettingSource.
const (
	SettingSourceDefault    SettingSource = "default"
	SettingSourceTenant     SettingSource = "tenant"
	SettingSourceConnection SettingSource = "connection"
	SettingSourceDevice     SettingSource = "device"
)

// Share: A connection that is offered to, or shared with, another tenant.
type Share struct {
	AcceptedAt    *time.Time   `json:"accepted_at"`     // When the other tenant accepted; null before.
	ConnectionID  string       `json:"connection_id"`   // Id of the connection.
	CreatedAt     time.Time    `json:"created_at"`      // When it was made.
	ExpiresAt     *time.Time   `json:"expires_at"`      // When it ends; null is never.
	ID            string       `json:"id"`              // Id of the record.
	OwnerTenantID string       `json:"owner_tenant_id"` // Tenant that owns the connection.
	Scopes        []ShareScope `json:"scopes"`          // What is shared besides devices and trips.
	State         ShareState   `json:"state"`           // Whether it is offered, accepted or expired.
	TenantID      string       `json:"tenant_id"`       // The tenant that it is shared with.
}

// ShareCode: A one-time code that stops for a tenant in an offer.
type ShareCode struct {
	Code      string    `json:"code"`       // The one-time code to hand to anyone who shares.
	ExpiresAt time.Time `json:"expires_at"` // When it ends.
}

// ShareInput: An offer: to whom, of what, until when.
type ShareInput struct {
	Code      Optional[string]       `json:"code,omitzero"`       // A one-time code that the other tenant has made, instead of tenant_id.
	ExpiresAt Optional[time.Time]    `json:"expires_at,omitzero"` // When it ends; null is never.
	Scopes    Optional[[]ShareScope] `json:"scopes,omitzero"`     // All, where they are left out.
	TenantID  Optional[string]       `json:"tenant_id,omitzero"`  // Tenant to whom it is offered.
}

// ShareScope: What is shared besides devices and trips.
type ShareScope string

// The values of ShareScope.
const (
	ShareScopePositions ShareScope = "positions"
	ShareScopeDrivers   ShareScope = "drivers"
	ShareScopeReadings  ShareScope = "readings"
	ShareScopeSafety    ShareScope = "safety"
)

// ShareState: How far a share has come.
type ShareState string

// The values of ShareState.
const (
	ShareStateOffered  ShareState = "offered"
	ShareStateAccepted ShareState = "accepted"
	ShareStateExpired  ShareState = "expired"
)

// SharedJourney: A journey as people without a login see it.
type SharedJourney struct {
	Arrival                 *ArrivalRange   `json:"arrival"`                    // Null while it cannot be known, and after the arrival.
	ArrivedAt               *time.Time      `json:"arrived_at"`                 // When the device arrived; null until then, and where a deadline ended the journey.
	Brand                   *Brand          `json:"brand,omitempty"`            // How the tenant shows itself, where it has set that. The stream leaves it out.
	Deadline                *time.Time      `json:"deadline"`                   // When the journey is to end; null where that is open.
	Destination             Coordinate      `json:"destination"`                // Where the journey ends.
	DistanceToDestinationKM *float64        `json:"distance_to_destination_km"` // What remains, straight; null without a position.
	ExpiresAt               time.Time       `json:"expires_at"`                 // When the link ends.
	Position                *SharedPosition `json:"position"`                   // Null before the vehicle has left the start circle, and after it has arrived.
	Progress                float64         `json:"progress"`                   // The part of the way that is done, 0 to 1.
	Status                  MilestoneStatus `json:"status"`                     // How far the journey has come.
	TenantName              string          `json:"tenant_name"`                // Who shares it.
	UpdatedAt               *time.Time      `json:"updated_at"`                 // Time of the position.
}

// SharedPosition: Where the vehicle of a shared journey is.
type SharedPosition struct {
	Heading   *float64  `json:"heading"`   // Direction of travel in degrees, clockwise from north; null where it is not known.
	Latitude  float64   `json:"latitude"`  // Latitude in degrees.
	Longitude float64   `json:"longitude"` // Longitude in degrees.
	Timestamp time.Time `json:"timestamp"` // When it was.
}

// SignInAnswer: What an identity provider sent the browser back with.
type SignInAnswer struct {
	Code     string           `json:"code"`         // The code that the provider gave.
	Iss      Optional[string] `json:"iss,omitzero"` // Where the provider sent it along.
	State    string           `json:"state"`        // The state that the provider gave back.
	TenantID string           `json:"tenant_id"`    // That of the address to which the provider sent the browser.
}

// SignInInput: A sign-in to begin.
type SignInInput struct {
	Code     string           `json:"code"`               // That of the address where people begin.
	ReturnTo Optional[string] `json:"return_to,omitzero"` // The page of the console to show afterwards.
}

// SignInStart: Where a person signs in.
type SignInStart struct {
	URL string `json:"url"` // The provider's page. The browser is to go there.
}

// SignOut: What is left to be done after signing out.
type SignOut struct {
	URL *string `json:"url"` // Where to end the session at the provider; null where the tenant does not want that, or the provider cannot.
}

// SignedInView: Who is signed in, what they may do, and the page to show.
type SignedInView struct {
	APIKey      *APIKey         `json:"api_key"`     // Null where a user asks.
	FactorStep  *FactorStep     `json:"factor_step"` // What has to be done about the second factor before anything else is answered; null where nothing is.
	Permissions []Permission    `json:"permissions"` // What the caller may do.
	Preferences json.RawMessage `json:"preferences"` // What the user's own programs keep with it.
	ReturnTo    string          `json:"return_to"`   // The page of the console to show.
	Role        *Role           `json:"role"`        // Null for an API key with scopes.
	System      SystemView      `json:"system"`      // How the service runs.
	Tenant      TenantName      `json:"tenant"`      // The tenant of the caller.
	User        *User           `json:"user"`        // Null where an API key asks.
	Version     string          `json:"version"`     // The version of the service.
}

// SingleSignOn: How the people of a tenant sign in.
type SingleSignOn struct {
	ClientID           *string    `json:"client_id"`            // The service as the provider knows it; null where it is not set.
	DefaultRole        *Role      `json:"default_role"`         // The role of those whom no rule names; null refuses them.
	EmailDomains       []string   `json:"email_domains"`        // Only people with a verified address in one of these domains are let in; empty lets in all whom the provider does.
	Enabled            bool       `json:"enabled"`              // Whether people can sign in by it.
	EndProviderSession bool       `json:"end_provider_session"` // Whether signing out here signs out at the provider too.
	HasClientSecret    bool       `json:"has_client_secret"`    // Whether a client secret is kept. It is never shown.
	Issuer             *string    `json:"issuer"`               // The provider's issuer, as its discovery document names it; null where none is set.
	NewUsers           NewUsers   `json:"new_users"`            // What becomes of people who have no user yet.
	PasswordLogin      bool       `json:"password_login"`       // Whether people can also sign in with a password.
	RedirectUri        *string    `json:"redirect_uri"`         // What to register at the provider; null where the operator has set no public address.
	RoleClaim          *string    `json:"role_claim"`           // The claim that roles are read from at each sign-in; null where roles are set here.
	Roles              []RoleRule `json:"roles"`                // Which values of the claim give which role.
	Scopes             []string   `json:"scopes"`               // What is asked for besides openid.
	SessionHours       int64      `json:"session_hours"`        // How long a session lasts at the most until the provider is asked again.
	SignInURL          *string    `json:"sign_in_url"`          // Where people begin. It cannot be guessed; null before anything is saved.
	TrustEmail         bool       `json:"trust_email"`          // Whether addresses in email_domains count as verified of which the provider does not say so. One that it says is not verified never does.
}

// SingleSignOnUpdate: A change of single sign-on: only what is sent changes.
type SingleSignOnUpdate struct {
	ClientID           Optional[string]     `json:"client_id,omitzero"`            // The service as the provider knows it; null takes it back.
	ClientSecret       Optional[string]     `json:"client_secret,omitzero"`        // Kept sealed, and never shown; null for a public client.
	DefaultRole        Optional[Role]       `json:"default_role,omitzero"`         // The role of those whom no rule names; null refuses them.
	EmailDomains       Optional[[]string]   `json:"email_domains,omitzero"`        // Only people with a verified address in one of these domains are let in; empty lets in all.
	Enabled            Optional[bool]       `json:"enabled,omitzero"`              // Whether people can sign in by it.
	EndProviderSession Optional[bool]       `json:"end_provider_session,omitzero"` // Whether signing out here signs out at the provider too.
	Issuer             Optional[string]     `json:"issuer,omitzero"`               // An https address. A new one drops the client secret, unless that is sent too; null takes it back.
	NewUsers           Optional[NewUsers]   `json:"new_users,omitzero"`            // What becomes of people who have no user yet.
	PasswordLogin      Optional[bool]       `json:"password_login,omitzero"`       // False needs an admin who has signed in by the provider.
	RoleClaim          Optional[string]     `json:"role_claim,omitzero"`           // The name of a claim, such as groups, or its way, such as realm_access.roles; null leaves roles as they are set here.
	Roles              Optional[[]RoleRule] `json:"roles,omitzero"`                // Which values of the claim give which role; the list replaces the one before.
	Scopes             Optional[[]string]   `json:"scopes,omitzero"`               // What is asked for besides openid.
	SessionHours       Optional[int64]      `json:"session_hours,omitzero"`        // How long a session lasts at the most until the provider is asked again.
	TrustEmail         Optional[bool]       `json:"trust_email,omitzero"`          // Whether addresses count as verified of which the provider does not say so; true needs email_domains.
}

// Speed: A speed.
type Speed struct {
	SpeedKPH float64 `json:"speed_kph"` // Speed in kilometres an hour.
}

// StateChange: A device that does something else than before.
type StateChange struct {
	ConnectionID  string       `json:"connection_id"`  // Id of the connection.
	DeviceID      string       `json:"device_id"`      // Id of the device.
	PreviousState *DeviceState `json:"previous_state"` // What it did before; null where that is not known.
	State         DeviceState  `json:"state"`          // What the device does now.
	StateSince    *time.Time   `json:"state_since"`    // Since when; null for a device that was never heard of.
}

// Stop: A time that a device spent in one place between trips.
type Stop struct {
	AuxiliarySeconds *float64   `json:"auxiliary_seconds"` // Seconds with an auxiliary running; null where the provider does not report it.
	DeviceID         string     `json:"device_id"`         // Id of the device.
	DurationSeconds  float64    `json:"duration_seconds"`  // How long it lasts: until now while it goes on.
	EndTime          *time.Time `json:"end_time"`          // When it ends; null while it goes on.
	EngineOnSeconds  *float64   `json:"engine_on_seconds"` // Seconds with the engine on; null where it is not known.
	ID               string     `json:"id"`                // Id of the record.
	Latitude         *float64   `json:"latitude"`          // Latitude in degrees.
	Longitude        *float64   `json:"longitude"`         // Longitude in degrees.
	StartTime        time.Time  `json:"start_time"`        // When it began.
	Unseen           *Unseen    `json:"unseen"`            // The way after the stop that no position shows and no trip has: the device was seen next elsewhere. Null where there is none. A stop without a duration is where it was last seen before such a way.
}

// StopActivity: Stops in numbers.
type StopActivity struct {
	AuxiliarySeconds float64    `json:"auxiliary_seconds"` // Seconds with an auxiliary running; stops of which it is not known count nothing.
	ByDay            []DayStops `json:"by_day"`            // A row for each day, oldest first.
	DurationSeconds  float64    `json:"duration_seconds"`  // How long they lasted together, in seconds.
	EngineOnSeconds  float64    `json:"engine_on_seconds"` // Seconds with the engine on; stops of which it is not known count nothing.
	Stops            int64      `json:"stops"`             // Number of stops.
}

// SyncInput: A window of the past to fill in; empty to collect now.
type SyncInput struct {
	From Optional[time.Time] `json:"from,omitzero"` // Beginning of the window.
	To   Optional[time.Time] `json:"to,omitzero"`   // End of the window.
}

// SystemView: How the service runs.
type SystemView struct {
	Database string `json:"database"` // Which database it uses.
	Role     string `json:"role"`     // What the process does that answers.
}

// TenantCreated: A new tenant with its first user and its first key.
type TenantCreated struct {
	Admin     *User          `json:"admin"`      // Null where none was asked for.
	APIKey    *APIKeyCreated `json:"api_key"`    // Null where none was asked for. Its secret is shown this once.
	CreatedAt time.Time      `json:"created_at"` // When it was made.
	ID        string         `json:"id"`         // Id of the record.
	Limits    []AccountLimit `json:"limits"`     // How much the tenant may have, and has.
	Name      string         `json:"name"`       // What it is called.
	State     TenantState    `json:"state"`      // A suspended tenant is refused everywhere and keeps all it has. Of an erased one nothing is left once that is done.
}

// TenantErasure: A tenant that is being erased, and what stays.
type TenantErasure struct {
	Kept     []string    `json:"kept"`      // What is not erased, in words.
	State    TenantState `json:"state"`     // How the tenant is from now on.
	TenantID string      `json:"tenant_id"` // Id of the tenant.
}

// TenantInput: A tenant to be made.
type TenantInput struct {
	Admin  Optional[AdminInput]   `json:"admin,omitzero"`   // A first user, who is an admin of the tenant.
	APIKey Optional[string]       `json:"api_key,omitzero"` // The name of a first API key, with the role of an admin.
	Limits Optional[[]LimitInput] `json:"limits,omitzero"`  // Instead of the defaults.
	Name   string                 `json:"name"`             // Unique among all tenants.
}

// TenantName: A tenant.
type TenantName struct {
	ID   string `json:"id"`   // Id of the record.
	Name string `json:"name"` // What it is called.
}

// TenantState: Whether a tenant may use the service.
type TenantState string

// The values of TenantState.
const (
	TenantStateActive    TenantState = "active"
	TenantStateSuspended TenantState = "suspended"
	TenantStateErasing   TenantState = "erasing"
)

// TenantUpdate: A change of a tenant: only what is sent changes.
type TenantUpdate struct {
	Limits    Optional[[]LimitInput] `json:"limits,omitzero"`    // Only those that are named change.
	Name      Optional[string]       `json:"name,omitzero"`      // What it is called.
	Suspended Optional[bool]         `json:"suspended,omitzero"` // True refuses the tenant's users, keys and streams within a second and pauses collection and deliveries; false lets all of it go on.
}

// TimeUse: The time use of a month.
type TimeUse struct {
	From     time.Time      `json:"from"`      // Beginning of the month.
	LeftOut  []TimeUseTrip  `json:"left_out"`  // Trips that count nowhere because they are not valid, oldest first; at most 10,000.
	Month    string         `json:"month"`     // The month, such as 2024-05.
	TimeZone string         `json:"time_zone"` // IANA name of the time zone in which the month begins and ends.
	To       time.Time      `json:"to"`        // End of the month; trips that start before it count.
	Totals   TimeUseSeconds `json:"totals"`    // Sums over all rows.
	Vehicles []TimeUseRow   `json:"vehicles"`  // A row for each vehicle with a valid trip, by registration number and vehicle.
}

// TimeUseRow: The time use of one vehicle.
type TimeUseRow struct {
	ABN              *string  `json:"abn"`               // Registration number of the business; null where its connection has none.
	AuxiliarySeconds *float64 `json:"auxiliary_seconds"` // Time with an auxiliary running; null where no trip says.
	BusinessName     string   `json:"business_name"`     // Name of the business.
	ConnectionID     string   `json:"connection_id"`     // Id of the connection that the vehicle belongs to.
	Description      *string  `json:"description"`       // Description of the vehicle.
	DeviceID         string   `json:"device_id"`         // Id of the vehicle.
	DrivingSeconds   *float64 `json:"driving_seconds"`   // Time driven; null where no trip says.
	IdlingSeconds    *float64 `json:"idling_seconds"`    // Time idled; null where no trip says.
	Registration     *string  `json:"registration"`      // Plate of the vehicle.
	Trips            int64    `json:"trips"`             // Number of valid trips that start in the month.
	UnknownTrips     int64    `json:"unknown_trips"`     // Number of those trips that leave one of the times open: the sums lack it.
}

// TimeUseSeconds: Sums over valid trips.
type TimeUseSeconds struct {
	AuxiliarySeconds *float64 `json:"auxiliary_seconds"` // Time with an auxiliary running; null where no trip says.
	DrivingSeconds   *float64 `json:"driving_seconds"`   // Time driven; null where no trip says.
	IdlingSeconds    *float64 `json:"idling_seconds"`    // Time idled; null where no trip says.
	Trips            int64    `json:"trips"`             // Number of valid trips that start in the month.
	UnknownTrips     int64    `json:"unknown_trips"`     // Number of those trips that leave one of the times open: the sums lack it.
}

// TimeUseTrip: A trip that was left out of a report.
type TimeUseTrip struct {
	ABN             *string   `json:"abn"`              // Registration number of the business.
	DeviceID        string    `json:"device_id"`        // Id of the vehicle.
	DurationSeconds float64   `json:"duration_seconds"` // How long it took.
	EndTime         time.Time `json:"end_time"`         // When it ended.
	Reason          *string   `json:"reason"`           // Why it is not valid.
	Registration    *string   `json:"registration"`     // Plate of the vehicle.
	StartTime       time.Time `json:"start_time"`       // When the trip started.
	TripID          string    `json:"trip_id"`          // Id of the trip.
}

// Track: The way of a device, with what it did.
type Track struct {
	DeviceID        string         `json:"device_id"`        // Id of the device.
	From            time.Time      `json:"from"`             // Beginning of the window.
	Points          TrackPoints    `json:"points"`           // The points of the way.
	Segments        []TrackSegment `json:"segments"`         // What the device did, part by part.
	To              time.Time      `json:"to"`               // End of the window.
	ToleranceMetres float64        `json:"tolerance_metres"` // By how much a point that was left out may lie beside the line; more than was asked for where there were too many points.
}

// TrackKind: What a device did during a part of its way; nothing is known of a hole.
type TrackKind string

// The values of TrackKind.
const (
	TrackKindDriving   TrackKind = "driving"
	TrackKindIdling    TrackKind = "idling"
	TrackKindAuxiliary TrackKind = "auxiliary"
	TrackKindStopped   TrackKind = "stopped"
	TrackKindHole      TrackKind = "hole"
)

// TrackPoints: The points of a way as one list for each field, of the same length and order.
type TrackPoints struct {
	Heading   []*float64  `json:"heading"`   // Directions of travel in degrees, clockwise from north; null in a place where it is not known.
	Latitude  []float64   `json:"latitude"`  // Latitudes in degrees.
	Longitude []float64   `json:"longitude"` // Longitudes in degrees.
	SpeedKPH  []*float64  `json:"speed_kph"` // Speeds in kilometres an hour.
	Timestamp []time.Time `json:"timestamp"` // Times of the points.
}

// TrackSegment: A part of a way during which a device did one thing.
type TrackSegment struct {
	EndTime   time.Time `json:"end_time"`         // When it ended.
	First     int64     `json:"first"`            // Index of the first point of the segment.
	Kind      TrackKind `json:"kind"`             // What the device did.
	Last      int64     `json:"last"`             // Index of the last point of the segment.
	StartTime time.Time `json:"start_time"`       // When it began.
	Unseen    *Unseen   `json:"unseen,omitempty"` // Of a hole: how far the device got in it, and how that is known.
}

// TrialPosition: A position that a provider reported on trial.
type TrialPosition struct {
	DriverID       *DriverID `json:"driver_id"`        // The driver; null where the provider does not say.
	Heading        *float64  `json:"heading"`          // Direction of travel in degrees, clockwise from north; null where it is not known.
	Latitude       float64   `json:"latitude"`         // Latitude in degrees.
	Longitude      float64   `json:"longitude"`        // Longitude in degrees.
	Speed          *Speed    `json:"speed"`            // The speed; null where it is not known.
	SystemDeviceID string    `json:"system_device_id"` // The provider's id of the device.
	Timestamp      time.Time `json:"timestamp"`        // When it was.
}

// Trip: A recorded journey of a device.
type Trip struct {
	AuxiliarySeconds   *float64  `json:"auxiliary_seconds"`   // Seconds with an auxiliary running; null where the provider does not report it.
	DeviceID           string    `json:"device_id"`           // Id of the device.
	DistanceMetres     *float64  `json:"distance_metres"`     // Distance in metres; null where it is not known.
	DrivingSeconds     *float64  `json:"driving_seconds"`     // Seconds driven; null where the provider does not report it.
	DurationSeconds    float64   `json:"duration_seconds"`    // How long it took, in seconds.
	EndLatitude        *float64  `json:"end_latitude"`        // Latitude of the end in degrees.
	EndLongitude       *float64  `json:"end_longitude"`       // Longitude of the end in degrees.
	EndTime            time.Time `json:"end_time"`            // When it ended.
	ID                 string    `json:"id"`                  // Id of the record.
	IdlingSeconds      *float64  `json:"idling_seconds"`      // Seconds idled; null where the provider does not report it.
	IsValid            bool      `json:"is_valid"`            // Whether the trip counts: no rule of the catalogue is broken, unless a person said otherwise.
	StartLatitude      *float64  `json:"start_latitude"`      // Latitude of the start in degrees.
	StartLongitude     *float64  `json:"start_longitude"`     // Longitude of the start in degrees.
	StartTime          time.Time `json:"start_time"`          // When it began.
	SystemTripID       string    `json:"system_trip_id"`      // The provider's id of the trip.
	ValidationComments *string   `json:"validation_comments"` // Which rules are broken, or what a person said, in words; null where there is nothing to say.
}

// TripDecision: Why a trip began or ended.
type TripDecision struct {
	Cause     string             `json:"cause"`     // ignition, movement, hole or jump for a start; stop, idle, hole or jump for an end; vendor where the provider reported the trip; unknown where it is no longer known.
	Positions []DetailedPosition `json:"positions"` // The positions that decided, oldest first, as far as they are kept.
	Rule      string             `json:"rule"`      // The rule that decided, in words.
	Unit      *string            `json:"unit"`      // What the threshold counts.
	Value     *float64           `json:"value"`     // The rule's threshold.
}

// TripExplanation: Why a trip began and ended, and what of it no position shows.
type TripExplanation struct {
	DriverID       *DriverID    `json:"driver_id"`       // Who drove: as the provider says of the trip, else the driver that most of its positions name; null where that is not known, or not shared.
	End            TripDecision `json:"end"`             // Why the trip ended.
	Start          TripDecision `json:"start"`           // Why the trip began.
	TripID         string       `json:"trip_id"`         // Id of the trip.
	Trips          TripSource   `json:"trips"`           // Whether the provider reported the trip (native) or it was derived from positions.
	Unseen         TripUnseen   `json:"unseen"`          // What no position shows.
	WorkingSeconds float64      `json:"working_seconds"` // How much of driving_seconds was slow work: in motion, below the speed from which on a vehicle moves.
}

// TripRules: Rules by which trips are derived; what is not set is null.
type TripRules struct {
	GapSeconds        *int64   `json:"gap_seconds"`         // Seconds without a position after which a trip ends.
	IdleSeconds       *int64   `json:"idle_seconds"`        // Seconds of standing with the engine on that count as idling.
	MinDistanceMetres *float64 `json:"min_distance_metres"` // Metres below which a movement is no trip.
	MovingKPH         *float64 `json:"moving_kph"`          // Speed from which on a vehicle moves.
	RadiusMetres      *float64 `json:"radius_metres"`       // Metres within which a vehicle counts as standing in one place.
	StopSeconds       *int64   `json:"stop_seconds"`        // Seconds of standing that end a trip.
}

// TripRulesUpdate: A change of rules: only what is sent changes, null unsets.
type TripRulesUpdate struct {
	GapSeconds        Optional[int64]   `json:"gap_seconds,omitzero"`         // How long a silence ends a trip, unless the vehicle drove through it.
	IdleSeconds       Optional[int64]   `json:"idle_seconds,omitzero"`        // The same with the engine or an auxiliary running.
	MinDistanceMetres Optional[float64] `json:"min_distance_metres,omitzero"` // How far a trip gets away from its start at the least.
	MovingKPH         Optional[float64] `json:"moving_kph,omitzero"`          // From which speed on a vehicle moves. Less for machines that are slow by nature.
	RadiusMetres      Optional[float64] `json:"radius_metres,omitzero"`       // How far from its place a vehicle is still in it: twice as far where no speed is known, four times with the ignition off.
	StopSeconds       Optional[int64]   `json:"stop_seconds,omitzero"`        // How long a vehicle stops with nothing running until its trip is over.
}

// TripSource: Whether trips are the provider's or derived from positions.
type TripSource string

// The values of TripSource.
const (
	TripSourceNative  TripSource = "native"
	TripSourceDerived TripSource = "derived"
)

// TripSums: Trips in numbers.
type TripSums struct {
	AuxiliarySeconds *float64 `json:"auxiliary_seconds"` // Seconds with an auxiliary running, over the valid trips; null where there are some and none of them says it.
	DistanceMetres   *float64 `json:"distance_metres"`   // Metres, over the valid trips; null where there are some and none of them says it.
	DrivingSeconds   *float64 `json:"driving_seconds"`   // Seconds driven, over the valid trips; null where there are some and none of them says it.
	IdlingSeconds    *float64 `json:"idling_seconds"`    // Seconds idled, over the valid trips; null where there are some and none of them says it.
	Trips            int64    `json:"trips"`             // Number of trips.
	ValidTrips       int64    `json:"valid_trips"`       // Number of trips that are valid.
}

// TripTotals: Trips in numbers.
type TripTotals struct {
	AuxiliarySeconds *float64   `json:"auxiliary_seconds"` // Seconds with an auxiliary running, over the valid trips; null where there are some and none of them says it.
	DistanceMetres   *float64   `json:"distance_metres"`   // Metres, over the valid trips; null where there are some and none of them says it.
	DrivingSeconds   *float64   `json:"driving_seconds"`   // Seconds driven, over the valid trips; null where there are some and none of them says it.
	IdlingSeconds    *float64   `json:"idling_seconds"`    // Seconds idled, over the valid trips; null where there are some and none of them says it.
	LastEndedAt      *time.Time `json:"last_ended_at"`     // When the newest trip ended; null where there is none.
	Total            int64      `json:"total"`             // How many there are.
	Valid            int64      `json:"valid"`             // Number of those that are valid.
}

// TripUnseen: Which part of a trip no position shows.
type TripUnseen struct {
	DistanceMetres float64  `json:"distance_metres"` // Metres between the positions on both sides of what no position shows.
	Parts          []Unseen `json:"parts"`           // Each hole, as far as the positions are kept.
	Seconds        float64  `json:"seconds"`         // Seconds that no position shows.
}

// TripUpdate: What a person says of a trip: only what is sent changes.
type TripUpdate struct {
	Comment Optional[string] `json:"comment,omitzero"`  // Why: what validation_comments says then.
	IsValid Optional[bool]   `json:"is_valid,omitzero"` // Whether the trip is valid; null leaves it to the rules again.
}

// TripView: A trip with who drove it, or with what the counters show, where that was asked for.
type TripView struct {
	AuxiliarySeconds    *float64  `json:"auxiliary_seconds"`               // Seconds with an auxiliary running; null where the provider does not report it.
	DeviceID            string    `json:"device_id"`                       // Id of the device.
	DistanceMetres      *float64  `json:"distance_metres"`                 // Distance in metres; null where it is not known.
	DriverID            *DriverID `json:"driver_id,omitempty"`             // Who drove; null where that is not known, or not shared. Only with include=driver.
	DrivingSeconds      *float64  `json:"driving_seconds"`                 // Seconds driven; null where the provider does not report it.
	DurationSeconds     float64   `json:"duration_seconds"`                // How long it took, in seconds.
	EndLatitude         *float64  `json:"end_latitude"`                    // Latitude of the end in degrees.
	EndLongitude        *float64  `json:"end_longitude"`                   // Longitude of the end in degrees.
	EndTime             time.Time `json:"end_time"`                        // When it ended.
	EngineSeconds       *float64  `json:"engine_seconds,omitempty"`        // By how much the counter of engine time grew; null where none shows it. Only with include=readings.
	FuelUsedLitres      *float64  `json:"fuel_used_litres,omitempty"`      // By how much the counter of fuel grew; null where none shows it. Only with include=readings.
	ID                  string    `json:"id"`                              // Id of the record.
	IdlingSeconds       *float64  `json:"idling_seconds"`                  // Seconds idled; null where the provider does not report it.
	IsValid             bool      `json:"is_valid"`                        // Whether the trip counts: no rule of the catalogue is broken, unless a person said otherwise.
	OdometerEndMetres   *float64  `json:"odometer_end_metres,omitempty"`   // The odometer at the end; null where none shows it. It may be of another line than that at the start, after a reset. Only with include=readings.
	OdometerStartMetres *float64  `json:"odometer_start_metres,omitempty"` // The odometer at the start; null where none shows it. Only with include=readings.
	StartLatitude       *float64  `json:"start_latitude"`                  // Latitude of the start in degrees.
	StartLongitude      *float64  `json:"start_longitude"`                 // Longitude of the start in degrees.
	StartTime           time.Time `json:"start_time"`                      // When it began.
	SystemTripID        string    `json:"system_trip_id"`                  // The provider's id of the trip.
	ValidationComments  *string   `json:"validation_comments"`             // Which rules are broken, or what a person said, in words; null where there is nothing to say.
}

// Units: The units in which a provider's numbers are.
type Units struct {
	Coordinates       Optional[string] `json:"coordinates,omitzero"`         // The order of the provider's coordinates.
	Odometer          Optional[string] `json:"odometer,omitzero"`            // The unit of the provider's odometers.
	Speed             Optional[string] `json:"speed,omitzero"`               // The unit of the provider's speeds.
	TimeOffsetMinutes Optional[int64]  `json:"time_offset_minutes,omitzero"` // How far the provider's times are ahead of UTC.
	TripDistance      Optional[string] `json:"trip_distance,omitzero"`       // The unit of the distances of the provider's trips.
}

// Unseen: A part of a way that no position shows.
type Unseen struct {
	DistanceMetres float64   `json:"distance_metres"` // How far the device got meanwhile.
	EndTime        time.Time `json:"end_time"`        // When it ended.
	KnownBy        string    `json:"known_by"`        // How that is known: by the straight line between the ends, which is the least, or by the odometer.
	StartTime      time.Time `json:"start_time"`      // When it began.
}

// Usage: What a tenant used of the service on a day, for billing.
type Usage struct {
	BytesStored *int64 `json:"bytes_stored"` // What the tenant's history took when it was last measured on this day; null where it was not.
	Date        string `json:"date"`         // The day in UTC, such as 2026-03-29.
	Deliveries  int64  `json:"deliveries"`   // Webhook calls that were made, also failed ones.
	Positions   int64  `json:"positions"`    // Positions that were stored for the first time, also of the past.
	Requests    int64  `json:"requests"`     // Requests of the tenant's users and keys, and of operators in it, that were let in.
	TenantID    string `json:"tenant_id"`    // Id of the tenant.
}

// User: A user of a tenant.
type User struct {
	CreatedAt    time.Time `json:"created_at"`    // When it was made.
	Disabled     bool      `json:"disabled"`      // Whether the user is kept out.
	Email        string    `json:"email"`         // E-mail address of the user.
	ID           string    `json:"id"`            // Id of the record.
	Role         Role      `json:"role"`          // What the user or key may do.
	SecondFactor bool      `json:"second_factor"` // Whether the user has a second factor.
	TenantID     string    `json:"tenant_id"`     // Id of the tenant that the user belongs to.
	Username     string    `json:"username"`      // Name to sign in with.
}

// UserInput: A user to be added.
type UserInput struct {
	Email    string           `json:"email"`             // E-mail address of the user.
	Password Optional[string] `json:"password,omitzero"` // 8 to 1024 bytes. It may be left out where people sign in by the tenant's own provider: the first verified sign-in with the address is then the user's.
	Role     Role             `json:"role"`              // What the user or key may do.
	Username string           `json:"username"`          // Name to sign in with.
}

// UserSession: A session of the caller.
type UserSession struct {
	CreatedAt time.Time   `json:"created_at"` // When it was made.
	Current   bool        `json:"current"`    // Whether the caller uses it.
	ExpiresAt time.Time   `json:"expires_at"` // When it ends.
	ID        string      `json:"id"`         // Id of the record.
	Kind      SessionKind `json:"kind"`       // What the session is proved by.
}

// UserUpdate: A change of a user: only what is sent changes.
type UserUpdate struct {
	Disabled Optional[bool]   `json:"disabled,omitzero"` // Whether the user is kept out.
	Email    Optional[string] `json:"email,omitzero"`    // E-mail address of the user.
	Password Optional[string] `json:"password,omitzero"` // 8 to 1024 bytes. All sessions of the user end.
	Role     Optional[Role]   `json:"role,omitzero"`     // What the user or key may do.
	Username Optional[string] `json:"username,omitzero"` // Name to sign in with.
}

// UsernamePassword: What a login takes.
type UsernamePassword struct {
	Code     Optional[string]       `json:"code,omitzero"`    // Six digits of the authenticator app, or a recovery code. Only users with a second factor need it: without it they are answered 401 with X-Second-Factor.
	Passkey  Optional[PasskeyProof] `json:"passkey,omitzero"` // What a passkey has signed, in place of the code. POST /session/passkey/start gives the challenge.
	Password string                 `json:"password"`         // The password.
	Username string                 `json:"username"`         // A username or an e-mail address.
}

// Webhook: A target to which events are sent.
type Webhook struct {
	CreatedAt   time.Time      `json:"created_at"`    // When it was made.
	Enabled     bool           `json:"enabled"`       // Whether events are sent.
	ErrorCount  int64          `json:"error_count"`   // Failed attempts since the last success.
	Filters     WebhookFilters `json:"filters"`       // Which events are sent.
	ID          string         `json:"id"`            // Id of the record.
	LastError   *string        `json:"last_error"`    // The newest error in words; null where there was none.
	LastErrorAt *time.Time     `json:"last_error_at"` // When it was.
	Options     WebhookOptions `json:"options"`       // What is added to positions.
	UpdatedAt   time.Time      `json:"updated_at"`    // When it was last changed.
	URL         string         `json:"url"`           // Address to which events are sent.
}

// WebhookCounts: Webhooks in numbers.
type WebhookCounts struct {
	Enabled int64 `json:"enabled"` // Number of webhooks that are enabled.
	Failing int64 `json:"failing"` // Number of those that fail.
	Total   int64 `json:"total"`   // How many there are.
}

// WebhookCreated: A new webhook with its secret, which is shown this once.
type WebhookCreated struct {
	CreatedAt   time.Time      `json:"created_at"`    // When it was made.
	Enabled     bool           `json:"enabled"`       // Whether events are sent.
	ErrorCount  int64          `json:"error_count"`   // Failed attempts since the last success.
	Filters     WebhookFilters `json:"filters"`       // Which events are sent.
	ID          string         `json:"id"`            // Id of the record.
	LastError   *string        `json:"last_error"`    // The newest error in words; null where there was none.
	LastErrorAt *time.Time     `json:"last_error_at"` // When it was.
	Options     WebhookOptions `json:"options"`       // What is added to positions.
	Secret      string         `json:"secret"`        // The secret that signs deliveries.
	UpdatedAt   time.Time      `json:"updated_at"`    // When it was last changed.
	URL         string         `json:"url"`           // Address to which events are sent.
}

// WebhookDisabled: A target that was switched off: one of the two records, and why.
type WebhookDisabled struct {
	Milestone *Milestone `json:"milestone"` // The milestone; null where it was a webhook.
	Reason    string     `json:"reason"`    // Why, in words.
	Webhook   *Webhook   `json:"webhook"`   // The webhook; null where it was a milestone's.
}

// WebhookFilters: Which events a webhook receives; empty lists do not narrow.
type WebhookFilters struct {
	ConnectionDevices []ConnectionDevices `json:"connection_devices"`      // Devices by the provider's ids.
	ConnectionIDs     []string            `json:"connection_ids"`          // Only events about these connections and their devices.
	DeviceIDs         []string            `json:"device_ids"`              // Only events about these devices.
	EventTypes        []EventType         `json:"event_types,omitempty"`   // Only these types of event; absent where all are sent.
	ReadingKinds      []ReadingKind       `json:"reading_kinds,omitempty"` // The kinds of readings that reading.updated has; absent where it is not sent.
	Tags              []string            `json:"tags"`                    // Only events about devices or connections with one of these tags.
}

// WebhookFiltersInput: Which events a webhook receives; what is left out does not narrow.
type WebhookFiltersInput struct {
	ConnectionDevices Optional[[]ConnectionDevicesInput] `json:"connection_devices,omitzero"` // Devices by the provider's ids.
	ConnectionIDs     Optional[[]string]                 `json:"connection_ids,omitzero"`     // Only events about these connections and their devices.
	DeviceIDs         Optional[[]string]                 `json:"device_ids,omitzero"`         // Only events about these devices.
	EventTypes        Optional[[]EventType]              `json:"event_types,omitzero"`        // Only these types of event; all where it is left out or empty.
	ReadingKinds      Optional[[]ReadingKind]            `json:"reading_kinds,omitzero"`      // Send reading.updated, with these kinds of readings; it is not sent where this is left out or empty.
	Tags              Optional[[]string]                 `json:"tags,omitzero"`               // Only events about devices or connections with one of these tags.
}

// WebhookHour: How the deliveries to a webhook went in one hour.
type WebhookHour struct {
	Attempts int64     `json:"attempts"` // How many attempts were made.
	Failures int64     `json:"failures"` // Attempts that failed.
	Hour     time.Time `json:"hour"`     // Its beginning.
	P95MS    *int64    `json:"p95_ms"`   // Nineteen of twenty attempts took no longer, in milliseconds.
}

// WebhookInput: A webhook to be made.
type WebhookInput struct {
	Enabled Optional[bool]                `json:"enabled,omitzero"` // Whether events are sent.
	Filters Optional[WebhookFiltersInput] `json:"filters,omitzero"` // Which events are sent.
	Options Optional[WebhookOptionsInput] `json:"options,omitzero"` // What is added to positions.
	URL     string                        `json:"url"`              // Address to which events are sent.
}

// WebhookOptions: What is added to each position that a webhook receives.
type WebhookOptions struct {
	IncludeDriverID bool `json:"include_driver_id"` // Whether positions have driver_id.
	IncludeSpeed    bool `json:"include_speed"`     // Whether positions have speed.
}

// WebhookOptionsInput: What to add to each position that a webhook receives.
type WebhookOptionsInput struct {
	IncludeDriverID Optional[bool] `json:"include_driver_id,omitzero"` // Whether positions have driver_id.
	IncludeSpeed    Optional[bool] `json:"include_speed,omitzero"`     // Whether positions have speed.
}

// WebhookSecret: The secret that signs deliveries.
type WebhookSecret struct {
	PreviousExpiresAt *time.Time `json:"previous_expires_at"` // Until when the secret before signs too; null where there is none.
	Secret            string     `json:"secret"`              // The secret that signs deliveries.
}

// WebhookStats: How the deliveries to a webhook went.
type WebhookStats struct {
	Attempts    int64         `json:"attempts"`     // How many attempts were made.
	Held        bool          `json:"held"`         // Five attempts or more have failed in a row: deliveries are held back, and tried one at a time.
	HeldUntil   *time.Time    `json:"held_until"`   // Until when the receiver has asked not to be called; null where it has not.
	Hours       []WebhookHour `json:"hours"`        // The hours with attempts, oldest first.
	P95MS       *int64        `json:"p95_ms"`       // Within this time 95 of 100 attempts ended, rounded up to 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000 or 15000.
	Pending     int64         `json:"pending"`      // Deliveries that wait.
	SuccessRate *float64      `json:"success_rate"` // The part of them that succeeded, 0 to 1; null where there were none.
}

// WebhookTestData: The data of a test delivery, which is no event.
type WebhookTestData struct {
	Message   string `json:"message"`    // Says that it is a test.
	WebhookID string `json:"webhook_id"` // Id of the webhook.
}

// WebhookUpdate: A change of a webhook: only what is sent changes.
type WebhookUpdate struct {
	Enabled Optional[bool]                `json:"enabled,omitzero"` // Whether events are sent.
	Filters Optional[WebhookFiltersInput] `json:"filters,omitzero"` // Which events are sent.
	Options Optional[WebhookOptionsInput] `json:"options,omitzero"` // What is added to positions.
	URL     Optional[string]              `json:"url,omitzero"`     // Address to which events are sent.
}

// WebhookView: A webhook with what is asked of it.
type WebhookView struct {
	CreatedAt   time.Time      `json:"created_at"`      // When it was made.
	Enabled     bool           `json:"enabled"`         // Whether events are sent.
	ErrorCount  int64          `json:"error_count"`     // Failed attempts since the last success.
	Filters     WebhookFilters `json:"filters"`         // Which events are sent.
	ID          string         `json:"id"`              // Id of the record.
	LastError   *string        `json:"last_error"`      // The newest error in words; null where there was none.
	LastErrorAt *time.Time     `json:"last_error_at"`   // When it was.
	Options     WebhookOptions `json:"options"`         // What is added to positions.
	Stats       *WebhookStats  `json:"stats,omitempty"` // Only with include=stats.
	UpdatedAt   time.Time      `json:"updated_at"`      // When it was last changed.
	URL         string         `json:"url"`             // Address to which events are sent.
}

// EventData is what an event or a delivery says: one of the records below, or UnknownData.
type EventData interface{ eventData() }

func (*Connection) eventData()          {}
func (*ConnectionDoubt) eventData()     {}
func (*ConnectionFailure) eventData()   {}
func (*CoverageLoss) eventData()        {}
func (*Device) eventData()              {}
func (*DriverNotice) eventData()        {}
func (*Fault) eventData()               {}
func (*Milestone) eventData()           {}
func (*MilestoneLateness) eventData()   {}
func (*MilestoneStep) eventData()       {}
func (*PositionBatch) eventData()       {}
func (*PositionUpdatedData) eventData() {}
func (*ReadingBatch) eventData()        {}
func (*SafetyEvent) eventData()         {}
func (*StateChange) eventData()         {}
func (*Trip) eventData()                {}
func (*WebhookDisabled) eventData()     {}
func (*WebhookTestData) eventData()     {}

// eventRecord is an empty record for the data of an event, nil where the type is not known.
func eventRecord(typ EventType) EventData {
	switch typ {
	case "connection.created", "connection.deleted", "connection.updated":
		return &Connection{}
	case "connection.doubtful", "connection.trusted":
		return &ConnectionDoubt{}
	case "connection.failing", "connection.recovered":
		return &ConnectionFailure{}
	case "connection.coverage_lost":
		return &CoverageLoss{}
	case "device.created", "device.updated":
		return &Device{}
	case "driver.created", "driver.updated":
		return &DriverNotice{}
	case "fault.closed", "fault.opened":
		return &Fault{}
	case "milestone.created", "milestone.deleted", "milestone.updated":
		return &Milestone{}
	case "milestone.late", "milestone.on_time_again":
		return &MilestoneLateness{}
	case "milestone.ended", "milestone.entered", "milestone.started", "milestone.timed_out":
		return &MilestoneStep{}
	case "position.updated":
		return &PositionBatch{}
	case "reading.updated":
		return &ReadingBatch{}
	case "safety_event.recorded", "safety_event.updated":
		return &SafetyEvent{}
	case "device.state_changed":
		return &StateChange{}
	case "trip.completed", "trip.updated":
		return &Trip{}
	case "webhook.disabled":
		return &WebhookDisabled{}
	}
	return nil
}

// deliveryRecord is an empty record for the data of a delivery, nil where the type is not known.
func deliveryRecord(typ EventType) EventData {
	switch typ {
	case "connection.created", "connection.deleted", "connection.updated":
		return &Connection{}
	case "connection.doubtful", "connection.trusted":
		return &ConnectionDoubt{}
	case "connection.failing", "connection.recovered":
		return &ConnectionFailure{}
	case "connection.coverage_lost":
		return &CoverageLoss{}
	case "device.created", "device.updated":
		return &Device{}
	case "driver.created", "driver.updated":
		return &DriverNotice{}
	case "fault.closed", "fault.opened":
		return &Fault{}
	case "milestone.created", "milestone.deleted", "milestone.updated":
		return &Milestone{}
	case "milestone.late", "milestone.on_time_again":
		return &MilestoneLateness{}
	case "milestone.ended", "milestone.entered", "milestone.started", "milestone.timed_out":
		return &MilestoneStep{}
	case "position.updated":
		return &PositionUpdatedData{}
	case "reading.updated":
		return &ReadingBatch{}
	case "safety_event.recorded", "safety_event.updated":
		return &SafetyEvent{}
	case "device.state_changed":
		return &StateChange{}
	case "trip.completed", "trip.updated":
		return &Trip{}
	case "webhook.disabled":
		return &WebhookDisabled{}
	case "webhook.test":
		return &WebhookTestData{}
	}
	return nil
}
