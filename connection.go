package drover

import "time"

// Connection is a tenant's link to one provider. Its credentials are not part
// of it: they are sealed in the store and read by one operation only.
type Connection struct {
	IntegrationName     ProviderName  `json:"integration_name"`
	BusinessName        string        `json:"business_name"`
	ABN                 *string       `json:"abn"`
	Email               *string       `json:"email"`
	Active              bool          `json:"active"`
	ID                  string        `json:"id"`
	TenantID            string        `json:"tenant_id"`
	CollectionStartTime Time          `json:"collection_start_time"`
	CollectionEndTime   *Time         `json:"collection_end_time"`
	Configuration       Configuration `json:"configuration"`
}

// Configuration has the settings of a connection that the service or the tenant chose. It
// never holds a secret.
type Configuration struct {
	PollIntervalSeconds int               `json:"poll_interval_seconds"`
	Trips               TripSource        `json:"trips"`
	BaseURL             *string           `json:"base_url"`
	Health              ConnectionState   `json:"health"`
	Forms               map[string]string `json:"forms,omitempty"`
	Units               *Units            `json:"units,omitempty" nullable:"false" doc:"What a person has found the provider's numbers to be in."`
	// TripRules are the rules that the tenant has set for the connection.
	TripRules *TripRules `json:"trip_rules,omitempty"`
	// TimeZone divides the days of its devices, if the tenant has set one.
	TimeZone *string `json:"time_zone,omitempty"`
	// SafetyTypes maps the provider's own names of safety events to types, as the tenant has
	// set them.
	SafetyTypes map[string]SafetyType `json:"safety_types,omitempty" doc:"What the provider's own words for safety events mean; absent where no one has set any."`
	// Purge is the progress of erasing its data, once the tenant has requested that.
	Purge *PurgeProgress `json:"purge,omitempty" nullable:"false" doc:"How far erasing its data is; absent where no one has asked for that."`
}

// PurgeProgress is the progress of erasing the data of a connection.
type PurgeProgress struct {
	RequestedAt  Time `json:"requested_at" doc:"When it was asked for."`
	DevicesTotal int  `json:"devices_total" doc:"Devices that it had."`
	DevicesDone  int  `json:"devices_done" doc:"Devices that are erased with all their data. The connection goes last."`
}

// PollInterval is the time between two polls of the connection's positions.
func (c Configuration) PollInterval() time.Duration {
	return time.Duration(c.PollIntervalSeconds) * time.Second
}

// TripSource says where a connection's trips come from.
type TripSource string

// Trips are read from the provider, or derived from positions.
const (
	TripsNative  TripSource = "native"
	TripsDerived TripSource = "derived"
)

// TripSources lists the closed set.
var TripSources = []TripSource{TripsNative, TripsDerived}

// ConnectionState is the health of a connection.
type ConnectionState string

// The states of a connection.
const (
	ConnectionPending  ConnectionState = "pending"  // not collected yet
	ConnectionHealthy  ConnectionState = "healthy"  // the last run of every job succeeded
	ConnectionDegraded ConnectionState = "degraded" // some runs fail, data still arrives
	ConnectionFailing  ConnectionState = "failing"  // credentials refused, or nothing arrives
	ConnectionDisabled ConnectionState = "disabled" // inactive, or past its window
)

// ConnectionDetail is a connection with its tags, as the get operation shows it.
type ConnectionDetail struct {
	Connection
	ConnectionTags []Tag `json:"connection_tags"`
}

// ConnectionInput is what a tenant sends to create a connection.
type ConnectionInput struct {
	IntegrationName     ProviderName      `json:"integration_name"`
	Credentials         map[string]string `json:"credentials" maxProperties:"64" maxLength:"8192"`
	BusinessName        string            `json:"business_name" blank:"true" minLength:"1" maxLength:"255"`
	ABN                 *string           `json:"abn" required:"false" blank:"true" minLength:"1" maxLength:"64"`
	Email               *string           `json:"email" required:"false" maxLength:"320"`
	Active              *bool             `json:"active" required:"false"`
	CollectionStartTime *Time             `json:"collection_start_time" required:"false"`
	CollectionEndTime   *Time             `json:"collection_end_time" required:"false"`
	Tags                []string          `json:"tags" required:"false" maxLength:"255" trimmed:"true"`
	TenantID            *string           `json:"tenant_id" required:"false" maxLength:"255"`
}

// ConnectionCredentials is what the owner of a connection may read back.
type ConnectionCredentials struct {
	ConnectionID string            `json:"connection_id"`
	Credentials  map[string]string `json:"credentials"`
}

// ConnectionArchived is the state of a deleted connection: its data is kept, nothing is
// collected, and its credentials are deleted.
const ConnectionArchived ConnectionState = "archived"

// ConnectionStalled is the state of a connection that is overdue for collection, for any
// reason. It is computed and never stored.
const ConnectionStalled ConnectionState = "stalled"

// ConnectionView is a connection in a list, with its health if requested.
type ConnectionView struct {
	Connection
	Health *ConnectionHealth `json:"health,omitempty" nullable:"false" doc:"Only with include=health."`
	// Devices counts those that a list of the connection's devices shows.
	Devices *int `json:"devices,omitempty" nullable:"false" doc:"How many devices it has. Only with include=health."`
}

// ConnectionUpdate is a partial change of a connection by its tenant. Tags and
// credentials are set as a whole.
type ConnectionUpdate struct {
	Credentials         Optional[map[string]string]   `json:"credentials" required:"false" nullable:"false" maxProperties:"64" maxLength:"8192"`
	BusinessName        Optional[string]              `json:"business_name" required:"false" nullable:"false" minLength:"1" maxLength:"255"`
	ABN                 Optional[string]              `json:"abn" required:"false" minLength:"1" maxLength:"64"`
	Email               Optional[string]              `json:"email" required:"false" maxLength:"320"`
	Active              Optional[bool]                `json:"active" required:"false" nullable:"false"`
	CollectionStartTime Optional[Time]                `json:"collection_start_time" required:"false" nullable:"false"`
	CollectionEndTime   Optional[Time]                `json:"collection_end_time" required:"false"`
	Tags                Optional[[]string]            `json:"tags" required:"false" nullable:"false" maxLength:"255" trimmed:"true"`
	Configuration       Optional[ConfigurationUpdate] `json:"configuration" required:"false" nullable:"false"`
}

// Apply returns c with the update's plain fields set.
func (u ConnectionUpdate) Apply(c Connection) (Connection, error) {
	u.BusinessName.ApplyValue(&c.BusinessName)
	u.ABN.Apply(&c.ABN)
	u.Email.Apply(&c.Email)
	u.Active.ApplyValue(&c.Active)
	u.CollectionStartTime.ApplyValue(&c.CollectionStartTime)
	u.CollectionEndTime.Apply(&c.CollectionEndTime)
	if u.Configuration.Value != nil {
		c.Configuration = u.Configuration.Value.apply(c.Configuration)
	}
	if c.CollectionEndTime != nil && c.CollectionEndTime.Before(c.CollectionStartTime.Time) {
		return c, InvalidValue("collection_end_time must not be before collection_start_time", "collection_end_time")
	}
	return c, nil
}

// ConnectionTrialInput is what a tenant sends to test credentials.
type ConnectionTrialInput struct {
	IntegrationName ProviderName      `json:"integration_name"`
	Credentials     map[string]string `json:"credentials" maxProperties:"64" maxLength:"8192"`
}

// ConnectionTrial is the result of testing credentials.
type ConnectionTrial struct {
	OK        bool    `json:"ok" doc:"The provider accepts the credentials."`
	Error     *string `json:"error" doc:"What the provider refused, in words."`
	ErrorKind *string `json:"error_kind" doc:"credentials, rate_limited, temporary or permanent."`
	Account   *string `json:"account" doc:"The account that the credentials are of: as the provider names it or, where it does not, as the credentials do. Null where neither names it, as with a key alone."`
	Devices   int     `json:"devices" doc:"How many vehicles the credentials show."`
	More      bool    `json:"more" doc:"There are more vehicles than were counted."`
	// Position is one of the newest, null if there is none of the last hour.
	Position           *TrialPosition     `json:"position"`
	RenewedCredentials *map[string]string `json:"renewed_credentials" doc:"Credentials that the provider replaced by the trial: those that were sent no longer work. Null where it replaced none."`
}

// TrialPosition is a position of a vehicle that is not stored yet.
type TrialPosition struct {
	SystemDeviceID string `json:"system_device_id"`
	CurrentPosition
}
