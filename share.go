package drover

// ShareState is the state of a share.
type ShareState string

// The states of a share. Only an accepted one gives access.
const (
	ShareOffered  ShareState = "offered"
	ShareAccepted ShareState = "accepted"
	ShareExpired  ShareState = "expired"
)

// ShareScope is a part of the data of a share besides the connection, its devices and trips.
type ShareScope string

// The scopes: positions, drivers, readings, and safety events.
const (
	ScopePositions ShareScope = "positions"
	ScopeDrivers   ShareScope = "drivers"
	ScopeReadings  ShareScope = "readings"
	ScopeSafety    ShareScope = "safety"
)

// ShareScopes lists the closed set.
var ShareScopes = []ShareScope{ScopePositions, ScopeDrivers, ScopeReadings, ScopeSafety}

// Share is a connection that its owner offers to another tenant, which accepts it.
type Share struct {
	ID            string       `json:"id"`
	ConnectionID  string       `json:"connection_id"`
	OwnerTenantID string       `json:"owner_tenant_id"`
	TenantID      string       `json:"tenant_id" doc:"The tenant that it is shared with."`
	State         ShareState   `json:"state"`
	Scopes        []ShareScope `json:"scopes"`
	CreatedAt     Time         `json:"created_at"`
	AcceptedAt    *Time        `json:"accepted_at"`
	ExpiresAt     *Time        `json:"expires_at"`
}

// StateAt is the state of the share at a time.
func (s Share) StateAt(now Time) ShareState {
	switch {
	case s.ExpiresAt != nil && !s.ExpiresAt.After(now.Time):
		return ShareExpired
	case s.AcceptedAt == nil:
		return ShareOffered
	default:
		return ShareAccepted
	}
}

// ShareInput is an offer to a tenant, by its id or by a code that it has created.
type ShareInput struct {
	TenantID  *string      `json:"tenant_id" required:"false" maxLength:"255"`
	Code      *string      `json:"code" required:"false" maxLength:"64"`
	Scopes    []ShareScope `json:"scopes" required:"false" nullable:"true" enum:"positions,drivers,readings,safety" maxItems:"4" doc:"All, where they are left out."`
	ExpiresAt *Time        `json:"expires_at" required:"false"`
}

// ShareCode stands for a tenant in one offer, in place of its id.
type ShareCode struct {
	Code      string `json:"code"`
	ExpiresAt Time   `json:"expires_at"`
}

// Grant is what a tenant may read of a connection: nothing, or the connection with its devices
// and trips, and the data of the scopes.
type Grant int

// The parts of a grant.
const (
	GrantRecords Grant = 1 << iota
	GrantPositions
	GrantDrivers
	GrantReadings
	GrantSafety
	// FullGrant is the owner's.
	FullGrant = GrantRecords | GrantPositions | GrantDrivers | GrantReadings | GrantSafety
)

// Records reports whether the connection, its devices and trips may be read.
func (g Grant) Records() bool { return g&GrantRecords != 0 }

// Positions reports whether positions may be read.
func (g Grant) Positions() bool { return g.Records() && g&GrantPositions != 0 }

// Drivers reports whether drivers may be read, of trips and positions too.
func (g Grant) Drivers() bool { return g.Records() && g&GrantDrivers != 0 }

// Readings reports whether readings and faults may be read.
func (g Grant) Readings() bool { return g.Records() && g&GrantReadings != 0 }

// Safety reports whether safety events may be read.
func (g Grant) Safety() bool { return g.Records() && g&GrantSafety != 0 }

// Position returns a position with the fields that the grant shows.
func (g Grant) Position(p Position) Position {
	if !g.Drivers() {
		p.DriverID = nil
	}
	return p
}
