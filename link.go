package drover

// MilestoneLink lets someone without a user follow a journey.
type MilestoneLink struct {
	ID           string `json:"id"`
	MilestoneID  string `json:"milestone_id"`
	CreatedAt    Time   `json:"created_at"`
	ExpiresAt    Time   `json:"expires_at"`
	OpenedCount  int64  `json:"opened_count" doc:"How often it was opened."`
	LastOpenedAt *Time  `json:"last_opened_at"`
}

// MilestoneLinkInput asks for a link.
type MilestoneLinkInput struct {
	ExpiresAt *Time `json:"expires_at" required:"false" doc:"At most 90 days ahead; seven days from now, where it is left out."`
}

// MilestoneLinkCreated is a new link with its address.
type MilestoneLinkCreated struct {
	MilestoneLink
	URL string `json:"url" doc:"The address of the page, shown this once: beginning with --public-url, or a path where none is set."`
}

// SharedJourney is what a link shows of a milestone: no ids, and nothing of the time before
// the start or after the arrival.
type SharedJourney struct {
	TenantName              string          `json:"tenant_name" doc:"Who shares it."`
	Status                  MilestoneStatus `json:"status"`
	Destination             Coordinate      `json:"destination"`
	Position                *SharedPosition `json:"position" doc:"Null before the vehicle has left the start circle, and after it has arrived."`
	Arrival                 *ArrivalRange   `json:"arrival" doc:"Null while it cannot be known, and after the arrival."`
	ArrivedAt               *Time           `json:"arrived_at"`
	Deadline                *Time           `json:"deadline"`
	Progress                float64         `json:"progress" doc:"The part of the way that is done, 0 to 1."`
	DistanceToDestinationKM *float64        `json:"distance_to_destination_km" doc:"What remains, straight; null without a position."`
	UpdatedAt               *Time           `json:"updated_at" doc:"Time of the position."`
	ExpiresAt               Time            `json:"expires_at" doc:"When the link ends."`
	Brand                   *Brand          `json:"brand,omitempty" doc:"How the tenant shows itself, where it has set that. The stream leaves it out."`
}

// SharedPosition is a position without its driver.
type SharedPosition struct {
	Timestamp Time     `json:"timestamp"`
	Longitude float64  `json:"longitude"`
	Latitude  float64  `json:"latitude"`
	Heading   *float64 `json:"heading"`
}

// ArrivalRange is the range in which a vehicle arrives with a probability of 80 %.
type ArrivalRange struct {
	Earliest Time `json:"earliest"`
	Expected Time `json:"expected"`
	Latest   Time `json:"latest"`
}

// ConnectionLinkState is the state of a link.
type ConnectionLinkState string

// The states of a link. Only an open link can be used, and only once.
const (
	LinkOpen      ConnectionLinkState = "open"
	LinkUsed      ConnectionLinkState = "used"
	LinkWithdrawn ConnectionLinkState = "withdrawn"
	LinkExpired   ConnectionLinkState = "expired"
)

// ConnectionLinkStates lists the closed set.
var ConnectionLinkStates = []ConnectionLinkState{LinkOpen, LinkUsed, LinkWithdrawn, LinkExpired}

// ConnectionLink lets a fleet connect its own provider.
type ConnectionLink struct {
	ID                  string              `json:"id"`
	State               ConnectionLinkState `json:"state"`
	BusinessName        string              `json:"business_name"`
	ABN                 *string             `json:"abn"`
	Email               *string             `json:"email"`
	Tags                []string            `json:"tags"`
	Providers           []ProviderName      `json:"providers" doc:"Those that may be chosen; empty is all."`
	CollectionStartTime *Time               `json:"collection_start_time"`
	ConnectionID        *string             `json:"connection_id" doc:"The connection that it asks new credentials for, or that was made by it."`
	CreatedAt           Time                `json:"created_at"`
	ExpiresAt           Time                `json:"expires_at"`
	UsedAt              *Time               `json:"used_at"`
	WithdrawnAt         *Time               `json:"withdrawn_at"`
}

// StateAt is the state of the link at a time.
func (l ConnectionLink) StateAt(now Time) ConnectionLinkState {
	switch {
	case l.WithdrawnAt != nil:
		return LinkWithdrawn
	case l.UsedAt != nil:
		return LinkUsed
	case !l.ExpiresAt.After(now.Time):
		return LinkExpired
	default:
		return LinkOpen
	}
}

// ConnectionLinkInput asks for a link.
type ConnectionLinkInput struct {
	BusinessName        *string        `json:"business_name" required:"false" minLength:"1" maxLength:"255" doc:"Needed unless connection_id is given."`
	ABN                 *string        `json:"abn" required:"false" maxLength:"64"`
	Email               *string        `json:"email" required:"false" maxLength:"320"`
	Tags                []string       `json:"tags" required:"false" nullable:"true" maxLength:"255" trimmed:"true"`
	Providers           []ProviderName `json:"providers" required:"false" nullable:"true" maxItems:"64"`
	CollectionStartTime *Time          `json:"collection_start_time" required:"false" doc:"When it is used, where it is left out."`
	ConnectionID        *string        `json:"connection_id" required:"false" doc:"Ask for new credentials of this connection." maxLength:"255"`
	ExpiresAt           *Time          `json:"expires_at" required:"false" doc:"At most 30 days ahead; seven days from now, where it is left out."`
}

// ConnectionLinkCreated is a new link with its address.
type ConnectionLinkCreated struct {
	ConnectionLink
	URL string `json:"url" doc:"The address of the page, shown this once: beginning with --public-url, or a path where none is set."`
}

// LinkReads lists the data that is read from a fleet that connects itself.
var LinkReads = []string{"vehicles", "positions", "drivers", "trips"}

// LinkInput is what a fleet sends to connect itself.
type LinkInput struct {
	IntegrationName ProviderName      `json:"integration_name"`
	Credentials     map[string]string `json:"credentials" maxProperties:"64" maxLength:"8192"`
	Code            *string           `json:"code" required:"false" minLength:"1" maxLength:"8192" doc:"What the vendor has sent to the redirect URI once a person has agreed, instead of credentials, which are empty then."`
}

// LinkConsent is the address at which a fleet gives its consent at its vendor.
type LinkConsent struct {
	URL   string `json:"url" doc:"The vendor's page, to be opened in a browser. The vendor then sends it to the redirect URI of the tenant's application."`
	State string `json:"state" doc:"Comes back beside the code: an answer with another one belongs to someone else."`
}

// LinkResult is the result.
type LinkResult struct {
	Connected bool            `json:"connected" doc:"Whether the credentials work, and are kept. Otherwise the link can be used again."`
	Trial     ConnectionTrial `json:"trial"`
}
